#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# usage: run.sh WAY WEFT_SOURCE WEFT_BUILD WORK COMPILER [LAUNCHER;...]
# Builds and runs tests/consumer/project, which finds Weft by find_package (after an install), by
# add_subdirectory or by fetch_content. WORK is kept, so that a second run has little to do.
set -eu
way=$1 source=$2 build=$3 work=$4 compiler=$5 launcher=${6:-}
folder=$source
mkdir -p "$work"
if [ "$way" = find_package ]; then
  # A fresh prefix beside the old one: only what this version installs is there, and equal files keep
  # their time.
  prefix=$work/prefix
  cmake --install "$build" --prefix "$prefix.new" >/dev/null
  if diff -rq "$prefix" "$prefix.new" >/dev/null 2>&1; then
    rm -rf "$prefix.new"
  else
    rm -rf "$prefix"
    cmake --install "$build" --prefix "$prefix" >/dev/null
    rm -rf "$prefix.new"
  fi
  export CMAKE_PREFIX_PATH=$prefix
  if grep -rlF "$source" "$prefix"; then
    echo "the installed files above name the source folder"
    exit 1
  fi
fi
cmake -S "$source/tests/consumer/project" -B "$work/build" -DWEFT_BY="$way" -DWEFT_FOLDER="$folder" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DCMAKE_BUILD_TYPE=None \
  -Wno-dev >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"
output=$("$work/build/consumer")
echo "$output"
[ "$output" = "consumer: float32" ]
