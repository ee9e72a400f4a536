#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# usage: same.sh FILE REMEDY PROGRAM [ARGUMENT...]
# Whether the file is what the program prints; if not, the script to run is named.
set -u
file=$1
remedy=$2
shift 2
if ! diff -u --label "$file" --label "now" "$file" <("$@" </dev/null); then
  echo "$file is not what the definitions say: run $remedy"
  exit 1
fi
