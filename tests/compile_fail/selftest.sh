#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# usage: selftest.sh COMPILER
# check.sh must pass a right case and must fail each kind of wrong one.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# The case as it should be; each wrong one differs in one line.
case_text='// expect: a fact and a fix
// expect: BAD_LINE
#ifdef BAD
static_assert(sizeof(int) == 1, "a fact and a fix");  // BAD
#endif
int main() {}'

# outcome STATUS SENTENCE TEXT [STAMP]
outcome() {
  printf '%s\n' "$3" >"$folder/case.cpp"
  output=$(bash "$here/check.sh" "$folder/case.cpp" "${4:--}" "$compiler" -std=c++20 2>&1)
  status=$?
  if [ "$status" != "$1" ] || ! grep -qF -- "$2" <<<"$output"; then
    echo "FAILED: expected status $1 and \"$2\", got $status and:"$'\n'"$output"
    failures=$((failures + 1))
  fi
}

compiler=$1
outcome 0 'fails as it should' "$case_text"
outcome 1 'do not match: another fact' "${case_text/expect: a fact/expect: another fact}"
outcome 1 'do not match: case' "${case_text/"); // BAD"/");"}
// expect: BAD_LINE is elsewhere"
outcome 1 'no line ends with // BAD' "${case_text/  \/\/ BAD/}"
outcome 1 'but it does' "${case_text/== 1/== 4}"
outcome 1 'without -DBAD it must compile' "${case_text/int main() \{\}/int main() { return x; \}}"
outcome 1 'no // expect: comment' "${case_text//expect:/say:}"
# A message below the first screen is as good as none.
outcome 1 'do not match: the end' "// expect: the end
#ifdef BAD
$(for i in $(seq 30); do echo "static_assert(sizeof(int) == 1, \"line $i\");"; done)
static_assert(sizeof(int) == 1, \"the end\");
#endif"
# A remembered success holds while the source does.
outcome 0 'fails as it should' "$case_text" "$folder/stamp"
outcome 0 'unchanged' "$case_text" "$folder/stamp"
outcome 1 'but it does' "${case_text/== 1/== 4}" "$folder/stamp"
outcome 0 'fails as it should' "$case_text" "$folder/stamp"

if [ "$failures" != 0 ]; then
  echo "$failures self-test(s) failed"
  exit 1
fi
echo "the driver passes a right case and fails each wrong one"
