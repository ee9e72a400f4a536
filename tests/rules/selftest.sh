#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# Each rule must accept a good tree and must object to each planted violation, at its file and line.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# write PATH LINE...: a file with the licence lines, then the given ones.
write() {
  local path=$tree/$1
  shift
  mkdir -p "$(dirname "$path")"
  printf '%s\n' "// SPDX-License-Identifier: MIT" "// Copyright (c) 2026 The Weft authors" "$@" >"$path"
}

good_tree() {
  rm -rf "${tree:?}"/*
  write include/weft/weft.hpp '#pragma once' '#include <weft/io/npy.hpp>' '#include <weft/base/a.hpp>'
  write include/weft/base/a.hpp '#pragma once' '#include <cstddef>'
  write include/weft/cpu/run.hpp '#pragma once' '#include <weft/base/a.hpp>' '#include <weft/cpu/simd.hpp>'
  write include/weft/cpu/simd.hpp '#pragma once' '// é counts as one column'
  write include/weft/cuda/emit.hpp '#pragma once' '#include <weft/plan/program.hpp>'
  write tests/base/a.cpp '#include <weft/base/a.hpp>'
  printf 'see docs/work/flow, a/tmp/b or ../root\n' >"$tree/README.md"
}

accepts() {
  for rule in rooms style paths; do
    if ! output=$(bash "$here/rules.sh" "$rule" "$tree"); then
      echo "FAILED: $rule objects to a good tree:"$'\n'"$output"
      failures=$((failures + 1))
    fi
  done
}

# objects RULE PLACE SENTENCE: the rule fails and names the place and the reason.
objects() {
  if output=$(bash "$here/rules.sh" "$1" "$tree"); then
    echo "FAILED: $1 accepts: $2 $3"
    failures=$((failures + 1))
  elif ! grep -F "$2:" <<<"$output" | grep -qF "$3"; then
    echo "FAILED: $1 does not say \"$2: $3\" but:"$'\n'"$output"
    failures=$((failures + 1))
  fi
  good_tree
}

long_line="// $(printf 'x%.0s' {1..98})"
mapfile -t many_lines < <(yes '// line' | head -398)
machine_path="/wor""k/main"

good_tree
accepts
write include/weft/base/a.hpp '#pragma once' '#include <weft/array/tensor.hpp>'
objects rooms include/weft/base/a.hpp:4 'base/ includes array/, which is below it'
write include/weft/plan/deep/a.hpp '#pragma once' '#  include <weft/cpu/run.hpp>'
objects rooms include/weft/plan/deep/a.hpp:4 'plan/ includes cpu/, which is below it'
write include/weft/cpu/run.hpp '#pragma once' '#include <weft/cuda/emit.hpp>'
objects rooms include/weft/cpu/run.hpp:4 'cpu/ includes cuda/'
write include/weft/cuda/emit.hpp '#pragma once' '#include <weft/cpu/run.hpp>'
objects rooms include/weft/cuda/emit.hpp:4 'never include each other'
write include/weft/nn/a.hpp '#pragma once' '#include <weft/weft.hpp>'
objects rooms include/weft/nn/a.hpp:4 'a room never includes weft.hpp'
write include/weft/nn/a.hpp '#pragma once' '#include "linear.hpp"'
objects rooms include/weft/nn/a.hpp:4 'headers include each other as'
write include/weft/attic/a.hpp '#pragma once'
objects rooms include/weft/attic/a.hpp:1 'not in the list of rooms'
write include/weft/nn/a.hpp '#pragma once' '#include <weft/attic/a.hpp>'
objects rooms include/weft/nn/a.hpp:4 'not in the list of rooms'

printf '#pragma once\n' >"$tree/include/weft/base/a.hpp"
objects style include/weft/base/a.hpp:1 'the first line is'
printf '// SPDX-License-Identifier: MIT\n// (c) me\n' >"$tree/tests/base/a.cpp"
objects style tests/base/a.cpp:2 'the second line is'
write include/weft/base/a.hpp '#include <cstddef>'
objects style include/weft/base/a.hpp:1 'a header says #pragma once'
write include/weft/base/a.hpp '#pragma once' "${many_lines[@]}"
objects style include/weft/base/a.hpp:401 '400 lines at most'
write include/weft/base/a.hpp '#pragma once' "$long_line"
objects style include/weft/base/a.hpp:4 '100 columns at most'
write tests/base/a.cpp $'\tint x;'
objects style tests/base/a.cpp:3 'tabs are not used'
write tests/base/a.cpp 'int x; '
objects style tests/base/a.cpp:3 'white space at the end'

printf 'one\nsee %s\n' "$machine_path" >"$tree/docs.md"
objects paths docs.md:2 'names a folder of one machine'
printf 'cd "%s"\n' "$machine_path" >"$tree/run.sh"
objects paths run.sh:1 'names a folder of one machine'

if [ "$failures" != 0 ]; then
  echo "$failures self-test(s) failed"
  exit 1
fi
echo "every rule accepts a good tree and objects to each planted violation"
