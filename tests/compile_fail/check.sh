#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# usage: check.sh SOURCE STAMP COMPILER [FLAG...]
#
# A compile-fail test is one source, compiled twice. As it stands it must compile. With -DBAD it must not,
# and the first screen of what the compiler says (24 lines) must match every regular expression (extended,
# each within one line) that a comment of the source gives:
#   // expect: REGEX           for every compiler
#   // expect-gcc: REGEX       for g++ alone
#   // expect-clang: REGEX     for clang++ alone
# In a regular expression, BAD_LINE stands for SOURCE:LINE of the line that ends with the comment // BAD.
#
# STAMP remembers a success with the checksums of all that was read; where nothing has changed, the test
# passes at once. "-" means no stamp.
set -u
export LC_ALL=C
screen=24
source=$1
stamp=$2
shift 2
compile=("$@" -fsyntax-only -x c++ "$source")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

case $("$1" --version 2>/dev/null | head -1) in
  *clang*) kind=clang ;;
  *) kind=gcc; compile=("$1" -fmessage-length=0 "${compile[@]:1}") ;;
esac

# What a success depends on besides the files read: the command, the compiler, this script.
signature() {
  printf '%s\n' "${compile[@]}"
  for word in "$@"; do
    case $word in @*) cat "${word#@}" ;; esac
  done
  "$1" --version | head -1
  sha256sum "$0"
}

if [ "$stamp" != - ] && [ -f "$stamp" ] && [ -f "$stamp.sums" ] &&
  signature "$@" | cmp -s - "$stamp" && sha256sum --quiet -c "$stamp.sums" >/dev/null 2>&1; then
  echo "unchanged since it last passed"
  exit 0
fi
[ "$stamp" = - ] || rm -f "$stamp"

fail() {
  echo "$source: $1"
  [ -z "${2:-}" ] || { echo "--- the compiler said:"; head -n "${3:-60}" "$2"; }
  exit 1
}

sed -nE "s,^ *// expect(-$kind)?: (.*),\2,p" "$source" >"$scratch/expected"
[ -s "$scratch/expected" ] || fail "no // expect: comment says what the message must be"
bad_line=$(grep -nE '// BAD$' "$source" | head -1 | cut -d: -f1)
name=$(basename "$source")

if ! "${compile[@]}" -MMD -MF "$scratch/deps" 2>"$scratch/good"; then
  fail "without -DBAD it must compile" "$scratch/good"
fi
if "${compile[@]}" -DBAD 2>"$scratch/bad"; then
  fail "with -DBAD it must not compile, but it does"
fi
# clang shows a sentence in pieces, as text<30>{"weft: matmul: "}, text<...>{"..."}: joined here.
head -n "$screen" "$scratch/bad" |
  sed -E 's/"\}, (weft::detail::)?text<[0-9]+>\{"//g' >"$scratch/first"
while IFS= read -r regex; do
  case $regex in
    *BAD_LINE*)
      [ -n "$bad_line" ] || fail "BAD_LINE is expected, but no line ends with // BAD"
      regex=${regex//BAD_LINE/${name//./\\.}:$bad_line} ;;
  esac
  if ! grep -qE -- "$regex" "$scratch/first"; then
    fail "the first $screen lines do not match: $regex" "$scratch/bad" 60
  fi
done <"$scratch/expected"

if [ "$stamp" != - ] && [ -s "$scratch/deps" ]; then
  # What a precompiled header was made of stands beside it.
  for word in "$@"; do
    if [ -f "$word.d" ]; then cat "$word.d" >>"$scratch/deps"; fi
  done
  sed -e 's/^[^:]*://' -e 's/\\$//' "$scratch/deps" | tr -s ' \t' '\n' | grep . | sort -u |
    xargs -d '\n' sha256sum >"$stamp.sums" && signature "$@" >"$stamp"
fi
head -n 12 "$scratch/bad"
echo "fails as it should"
