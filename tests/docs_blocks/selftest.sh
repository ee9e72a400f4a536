#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# usage: selftest.sh DOCS_BLOCKS
# Extracts a page with every kind of block, and pages that break the rules.
set -u
extract=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

check() {
  if ! eval "$2"; then
    echo "FAILED: $1"
    failures=$((failures + 1))
  fi
}

# refuses SENTENCE LINE...: a page of these lines is an error that says so and names the page.
refuses() {
  local sentence=$1
  shift
  printf '%s\n' "$@" >"$folder/bad.md"
  if message=$(bash "$extract" "$folder/bad" "$folder" bad.md 2>&1); then
    echo "FAILED: accepted: $*"
    failures=$((failures + 1))
  elif ! grep -E '^bad.md:[0-9]+: ' <<<"$message" | grep -qF -- "$sentence"; then
    echo "FAILED: expected \"$sentence\", got: $message"
    failures=$((failures + 1))
  fi
}

mkdir -p "$folder/include"
printf 'int a;\nint b;\nint c;\n' >"$folder/include/x.hpp"
cat >"$folder/page.md" <<'PAGE'
# A page
<!-- example: hello -->
```cpp
#include <cstdio>
int main() { std::puts("hello"); }
```
prints

<!-- output -->
```text
hello
```
<!-- fragment
int hidden = 1;
-->
```cpp
int shown = hidden;
```
<!-- declarations -->
```cpp
struct s {};
```
<!-- from: include/x.hpp -->
```cpp
int b;
int c;
```
<!-- fails -->
```cpp
no such thing;
```
```sh
ls
```
```cpp
int main() {}
```
- in a list
  ```cpp
  int plain = 0;
  ```
PAGE

bash "$extract" "$folder/out" "$folder" page.md || failures=$((failures + 1))
out=$folder/out
expected_list='program hello
output hello
program page_4
unit page_page'
check "the list is $(cat "$out/list")" '[ "$(cat "$out/list")" = "$expected_list" ]'
check "the expected output" '[ "$(cat "$out/hello.expected")" = hello ]'
check "hidden code comes first" \
  'grep -A3 "page_code_2() {" "$out/page_page.cpp" | tr "\n" "|" | grep -qF "int hidden = 1;|#line 17 \"page.md\"|int shown = hidden;|"'
check "declarations stand at file scope" \
  'grep -B2 "^struct s {};" "$out/page_page.cpp" | head -1 | grep -qx "}"'
check "an indented block loses its indent" 'grep -q "^int plain = 0;" "$out/page_page.cpp"'
check "a program stands as it is" '[ "$(cat "$out/page_4.cpp")" = "int main() {}" ]'
touch -d '2001-01-01' "$out/page_page.cpp"
bash "$extract" "$out" "$folder" page.md
check "what stays the same keeps its time" '[ "$(date -r "$out/page_page.cpp" +%Y)" = 2001 ]'

refuses 'stands before no block' '<!-- fragment -->' 'text' '```cpp' '```'
refuses 'a block is not closed' '```cpp' 'int a;'
refuses 'a comment is not closed' '<!-- fragment' 'int a;'
refuses 'follows no example' '<!-- output -->' '```text' 'a' '```'
refuses 'there is no file' '<!-- from: nowhere.hpp -->' '```cpp' 'int a;' '```'
refuses 'do not stand in' '<!-- from: include/x.hpp -->' '```cpp' 'int a;' 'int c;' '```'
refuses 'have the name twice' '<!-- example: twice -->' '```cpp' '```' '<!-- example: twice -->' '```cpp' '```'
refuses 'says no name' '<!-- example: -->' '```cpp' '```'

# The runner compares.
printf 'echo hello\n' >"$folder/program"
printf 'echo hello; exit 3\n' >"$folder/failing"
chmod +x "$folder/program" "$folder/failing"
printf 'hello\n' >"$folder/same"
printf 'hullo\n' >"$folder/other"
run=$here/run.sh
check "run.sh accepts the output" 'bash "$run" "$folder/program" "$folder/same" >/dev/null'
check "run.sh refuses another output" '! bash "$run" "$folder/program" "$folder/other" >/dev/null'
check "run.sh refuses a failure" '! bash "$run" "$folder/failing" "$folder/same" >/dev/null'

if [ "$failures" != 0 ]; then
  echo "$failures self-test(s) failed"
  exit 1
fi
echo "every kind of block is extracted, every broken page refused"
