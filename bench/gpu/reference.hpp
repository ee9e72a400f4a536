// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

// What the benchmark's results must be: inputs that are functions of their index, and formulas in
// double over a few rows. Of the library there is only the type of 16 bits.
namespace bench {

using index_t = std::int64_t;

/// Random numbers: about normal (the sum of four uniform ones), times scale, plus shift.
struct source {
  std::uint64_t seed = 0;
  float scale = 1, shift = 0;
  bool positive = false;  // their absolute values

  float at(index_t i) const {
    std::uint64_t z = (seed << 40) + static_cast<std::uint64_t>(i);
    z = (z + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const auto total =
        static_cast<int>((z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) + (z >> 48));
    const float value = static_cast<float>(total - 131070) * (1.7320508f / 65536);
    return (positive ? std::fabs(value) : value) * scale + shift;
  }
  /// The same in 16 bits.
  float at16(index_t i) const {
    std::uint32_t bits = std::bit_cast<std::uint32_t>(at(i));
    bits += 0x7fff + (bits >> 16 & 1);
    return std::bit_cast<float>(bits & 0xffff0000u);
  }
};

/// A matrix of such numbers, and its rows in double.
struct operand {
  source from;
  index_t rows = 0, columns = 0;
  bool half = false;  // bfloat16

  double at(index_t r, index_t c) const {
    const index_t i = r * columns + c;
    return half ? from.at16(i) : from.at(i);
  }
  void row(index_t r, std::vector<double>& out) const {
    out.resize(static_cast<std::size_t>(columns));
    for (index_t c = 0; c < columns; ++c) out[static_cast<std::size_t>(c)] = at(r, c);
  }
};

/// Mean and reciprocal deviation of each row, and the reciprocal root of its mean square.
struct moments {
  std::vector<double> mean, rstd, rrms;
};
moments moments_of(const operand& x, double eps_norm = 1e-5, double eps_rms = 1e-6);

double sum_of(const operand& x);
double gelu(double x);
double gelu_slope(double x);
double sigmoid(double x);

using row_formula = std::function<void(index_t, std::vector<double>&)>;
using element_formula = std::function<double(index_t)>;

/// |got - want| / |want| over some rows of a row-major matrix; infinite where an element of any row
/// was not written or is no number. T is float or converts to it.
template <class T>
double error_of_rows(const T* got, index_t rows, index_t columns, const row_formula& want);
/// The same over `count` of n elements.
template <class T>
double error_of_elements(const T* got, index_t n, index_t count, const element_formula& want);

}  // namespace bench
