// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "programs.hpp"

// A second set of extents makes the general kernel, where rows are a parameter.
int main(int argc, char** argv) {
  return weft::export_kernels(argc, argv, [] {
    built::softmax.prepare(weft::example<built::matrix>(128, 64));
    built::softmax.prepare(weft::example<built::matrix>(37, 64));
  });
}
