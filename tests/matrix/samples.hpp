// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <support/values.hpp>

#include <bit>

// Elements that find faults: the ends of a dtype, every kind of float, shift counts, any bits.
namespace weft_test {

inline reference_value sample(dtype type, std::vector<index_t> shape, std::uint64_t seed) {
  static constexpr double floats[]{
      NAN,    HUGE_VAL, -HUGE_VAL, 0.0,    -0.0,    1,   -1,    0.5,     -0.5,  2,
      3e38,   -3e38,    1e-45,     -1e-45, 1e-40,   1.5, 1e-30, 88.5,    -87.5, -104,
      709.5,  -745,     1e10,      0.1,    3.14159, 1e5, -1e9,  127.9,   255.5, 2.1e9,
      -2.2e9, 4.3e9,    1.8e19,    9.3e18, -9.3e18, -6,  5.9,   0.99999, 1e-8,  -1e-8};
  static constexpr std::uint64_t integers[]{0,
                                            1,
                                            2,
                                            3,
                                            7,
                                            8,
                                            9,
                                            31,
                                            32,
                                            33,
                                            63,
                                            64,
                                            65,
                                            127,
                                            128,
                                            200,
                                            255,
                                            0xffffffffffffffffu,
                                            0xfffffffffffffffeu,
                                            0x7fffffffu,
                                            0x80000000u,
                                            0xffffffff80000000u,
                                            0xffffffffu,
                                            0x7fffffffffffffffu,
                                            0x8000000000000000u,
                                            0xffffffffffffff00u};
  generator g(seed);
  reference_value r(type, std::move(shape));
  for (std::size_t i = 0; i < static_cast<std::size_t>(r.size()); ++i) {
    const int kind = g.below(4);
    if (type == dtype::float32) {
      r.reals[i] = kind == 0   ? static_cast<float>(floats[g.below(std::size(floats))])
                   : kind == 1 ? std::bit_cast<float>(static_cast<std::uint32_t>(g.bits()))
                               : static_cast<float>(g.uniform(-4, 4));
    } else if (type == dtype::float64) {
      r.reals[i] = kind == 0   ? floats[g.below(std::size(floats))]
                   : kind == 1 ? std::bit_cast<double>(g.bits())
                               : g.uniform(-4, 4);
    } else if (is_floating(type)) {
      const double v = kind == 0 ? floats[g.below(std::size(floats))] : g.uniform(-4, 4);
      const auto bits = static_cast<std::uint16_t>(g.bits());
      r.reals[i] = weft::detail::rounded(type, v);
      if (kind == 1 && type == dtype::float16) r.reals[i] = weft::half::from_bits(bits);
      if (kind == 1 && type == dtype::bfloat16) r.reals[i] = weft::bfloat16::from_bits(bits);
    } else {
      r.bits[i] =
          weft::detail::wrapped(type, kind == 0   ? integers[g.below(std::size(integers))]
                                      : kind == 1 ? g.bits()
                                      : kind == 2 ? static_cast<std::uint64_t>(g.below(9) - 4)
                                                  : static_cast<std::uint64_t>(g.below(70)));
      if (type == dtype::boolean) r.bits[i] = g.bits() & 1;
    }
  }
  return r;
}

}  // namespace weft_test
