#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# usage: rules.sh RULE [ROOT]
# Checks one rule of the source tree at ROOT and prints each violation as file:line: sentence.
#   rooms   a room includes only itself and rooms above it; cpu and cuda never meet
#   style   licence lines, #pragma once, lengths of files and lines
#   paths   no file names a folder of somebody's machine
set -u
export LC_ALL=C
rule=$1
root=${2:-.}
cd "$root" || exit 2

# From top to bottom. docs/architecture.md draws the same order.
rooms="base array op graph capture grad pass plan cpu cuda compile nn optim data io"

# Files of the tree: what git tracks or would track, or everything where there is no repository.
tree_files() {
  if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$PWD" ]; then
    git ls-files --cached --others --exclude-standard
  else
    find . -type f -not -path './.git/*' -not -path './build/*' | sed 's|^\./||'
  fi | while IFS= read -r file; do [ -f "$file" ] && printf '%s\n' "$file"; done | sort -u
}

check_rooms() {
  tree_files | grep -E '^include/weft/.*\.(hpp|cuh|inc)$' | xargs -r -d '\n' awk -v rooms="$rooms" '
    BEGIN { n = split(rooms, list, " "); for (i = 1; i <= n; i++) order[list[i]] = i }
    FNR == 1 {
      parts = split(FILENAME, path, "/")
      room = parts > 3 ? path[3] : ""          # weft.hpp and eigen.hpp stand above all rooms
      if (room != "" && !(room in order))
        print FILENAME ":1: the room \"" room "\" is not in the list of rooms"
    }
    /^[ \t]*#[ \t]*include/ {
      if ($0 ~ /include[ \t]*"/) {
        print FILENAME ":" FNR ": headers include each other as <weft/room/file.hpp>"
        next
      }
      if (!match($0, /<weft\/[^>]*>/)) next
      parts = split(substr($0, RSTART + 1, RLENGTH - 2), target, "/")
      if (room == "") next
      if (parts < 3) {
        print FILENAME ":" FNR ": a room never includes " target[2] ", which includes the rooms"
        next
      }
      other = target[2]
      if (!(other in order))
        print FILENAME ":" FNR ": the room \"" other "\" is not in the list of rooms"
      else if (order[other] > order[room])
        print FILENAME ":" FNR ": " room "/ includes " other "/, which is below it"
      else if (room == "cuda" && other == "cpu")
        print FILENAME ":" FNR ": cuda/ and cpu/ never include each other"
    }'
}

check_style() {
  tree_files | grep -E '^(include|tests|bench|examples)/.*\.(hpp|cpp|cuh|cu|inc)$' |
    xargs -r -d '\n' awk '
    function finish() {
      if (file == "") return
      if (header && !once) print file ":1: a header says #pragma once"
      if (header && lines > 400) print file ":" lines ": a header has 400 lines at most: split it"
    }
    FNR == 1 {
      finish()
      file = FILENAME; once = 0
      header = file ~ /\.(hpp|cuh)$/
      if ($0 != "// SPDX-License-Identifier: MIT")
        print file ":1: the first line is // SPDX-License-Identifier: MIT"
    }
    FNR == 2 && $0 != "// Copyright (c) 2026 The Weft authors" {
      print file ":2: the second line is // Copyright (c) 2026 The Weft authors"
    }
    /^#pragma once$/ { once = 1 }
    {
      lines = FNR
      text = $0
      gsub(/[\200-\277]/, "", text)            # characters, not bytes
      if (length(text) > 100) print file ":" FNR ": a line has 100 columns at most"
      if (text ~ /\t/) print file ":" FNR ": tabs are not used"
      if (text ~ /[ \r]$/) print file ":" FNR ": white space at the end of the line"
    }
    END { finish() }'
}

check_paths() {
  # Written in pieces so that this file does not name what it forbids.
  local folders="wor""k|tm""p|hom""e|roo""t|Use""rs"
  tree_files | xargs -r -d '\n' grep -nIE "(^|[^A-Za-z0-9_.}/])/($folders)(/|[^A-Za-z0-9_]|\$)" /dev/null |
    sed 's/$/   <- names a folder of one machine/'
}

case $rule in
  rooms | style | paths) violations=$("check_$rule") ;;
  *) echo "rules.sh: no such rule: $rule"; exit 2 ;;
esac
if [ -n "$violations" ]; then
  printf '%s\n' "$violations"
  echo "$rule: $(printf '%s\n' "$violations" | wc -l) violation(s)"
  exit 1
fi
echo "$rule: nothing to object to"
