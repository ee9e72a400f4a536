// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#if __has_include(<weft/weft.hpp>)
#include <weft/weft.hpp>
#else
#include <weft/array/dtype.hpp>
#endif

#include <Eigen/Core>
#include <xsimd/xsimd.hpp>

#include <cstdio>

int main() {
  std::printf("consumer: %s\n", weft::name(weft::dtype_of<float>).data());
}
