#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# usage: run.sh PROGRAM [EXPECTED]
# Runs a program of a page; where the page shows its output, the two must be the same.
set -u
output=$("$1" </dev/null)
status=$?
printf '%s\n' "$output"
if [ "$status" != 0 ]; then
  echo "the program ended with status $status"
  exit 1
fi
if [ -n "${2:-}" ] && ! diff -u --label "the page" --label "the program" "$2" <(printf '%s\n' "$output"); then
  exit 1
fi
