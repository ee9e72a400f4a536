// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "patterns.hpp"

namespace bench {

namespace {

constexpr auto product = w::compile([](auto x, auto weight) { return w::matmul(x, weight); });
constexpr auto linear = w::compile(
    [](auto x, auto weight, auto bias) { return w::gelu_tanh(w::matmul(x, weight) + bias); });

}  // namespace

void products(session& s) {
  constexpr index_t n = 3072, k = 768;
  struct size {
    index_t rows;
    double goal, product_goal;
  };
  for (const size& z : {size{65536, 570, 404}, size{16384, 148, 116}}) {
    const index_t m = s.rows(z.rows);
    const std::string shape = std::to_string(z.rows) + "x3072x768";
    const double elements = static_cast<double>(m * k + k * n + m * n);
    const double flops = 2.0 * static_cast<double>(m) * n * k;
    const int sets = s.sets(2.0 * static_cast<double>(m * k));
    const auto x = operand_of<bf16>({101}, m, k), weight = operand_of<bf16>({102, 0.04f}, k, n),
               bias = operand_of<bf16>({103, 0.25f}, 1, n);
    const auto X = matrices<bf16>(s.place, x, sets);
    const auto W = matrix<bf16>(s.place, weight);
    const auto B = vector<bf16>(s.place, bias);
    std::vector<double> first, row;
    const auto multiply = [&](index_t r, std::vector<double>& out) {
      x.row(r, first);
      std::fill(out.begin(), out.end(), 0);
      for (index_t i = 0; i < k; ++i) {
        weight.row(i, row);
        for (index_t c = 0; c < n; ++c)
          out[std::size_t(c)] += first[std::size_t(i)] * row[std::size_t(c)];
      }
    };
    auto y = unwritten<bf16>(s.place, m, n);
    s.row(
        {"product bf16 " + shape, z.product_goal, 2 * elements, flops, bf16_error}, sets,
        [&](int i) { s.in_mode(product).into(y, X[std::size_t(i)], W); },
        [&] { return rows_error(y, multiply); });
    y = unwritten<bf16>(s.place, m, n);
    s.row(
        {"linear + gelu bf16 " + shape, z.goal, 2 * elements, flops, bf16_error}, sets,
        [&](int i) { s.in_mode(linear).into(y, X[std::size_t(i)], W, B); },
        [&] {
          return rows_error(y, [&](index_t r, auto& out) {
            multiply(r, out);
            for (index_t c = 0; c < n; ++c)
              out[std::size_t(c)] = gelu(out[std::size_t(c)] + bias.at(0, c));
          });
        });
  }
}

}  // namespace bench
