// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "patterns.hpp"

namespace bench {

namespace {

constexpr auto product = w::compile([](auto x, auto weight) { return w::matmul(x, weight); });
constexpr auto linear = w::compile(
    [](auto x, auto weight, auto bias) { return w::gelu_tanh(w::matmul(x, weight) + bias); });
constexpr auto layers = w::compile(
    w::value_and_grad<0, 1, 2, 3, 4>([](auto x, auto a, auto b, auto c, auto d, auto target) {
      const auto hidden = w::gelu_tanh(w::matmul(x, a) + b);
      const auto y = w::matmul(hidden, c) + d;
      return w::mean(w::square(w::cast<float>(y) - w::cast<float>(target)));
    }));

/// Two layers and a loss, with all gradients: a transformer's feed-forward block in training.
void feed_forward(session& s) {
  constexpr index_t n = 3072, k = 768, all_rows = 16384;
  const index_t m = s.rows(all_rows);
  const auto x = operand_of<bf16>({104}, m, k), a = operand_of<bf16>({105, 0.04f}, k, n),
             b = operand_of<bf16>({106, 0.25f}, 1, n), c = operand_of<bf16>({107, 0.02f}, n, k),
             d = operand_of<bf16>({108, 0.25f}, 1, k), target = operand_of<bf16>({109}, m, k);
  const int sets = s.sets(4.0 * static_cast<double>(m * k));
  const auto X = matrices<bf16>(s.place, x, sets), T = matrices<bf16>(s.place, target, sets);
  const auto A = matrix<bf16>(s.place, a), C = matrix<bf16>(s.place, c);
  const auto B = vector<bf16>(s.place, b), D = vector<bf16>(s.place, d);
  auto dx = unwritten<bf16>(s.place, m, k);
  auto da = unwritten<bf16>(s.place, k, n), dc = unwritten<bf16>(s.place, n, k);
  auto db = unwritten<bf16>(s.place, n), dd = unwritten<bf16>(s.place, k);
  w::tensor<float> loss = w::tensor<float>(0.0f).to(s.place);
  // The gradient of a row follows from the row alone.
  const auto gradient = [&](index_t r, std::vector<double>& out) {
    std::vector<double> first, row, z(n), slope(n), dy(k);
    x.row(r, first);
    for (index_t j = 0; j < n; ++j) z[std::size_t(j)] = b.at(0, j);
    for (index_t i = 0; i < k; ++i) {
      a.row(i, row);
      for (index_t j = 0; j < n; ++j)
        z[std::size_t(j)] += first[std::size_t(i)] * row[std::size_t(j)];
    }
    for (index_t i = 0; i < k; ++i) dy[std::size_t(i)] = d.at(0, i) - target.at(r, i);
    for (index_t j = 0; j < n; ++j) {
      c.row(j, row);
      const double h = gelu(z[std::size_t(j)]);
      for (index_t i = 0; i < k; ++i) dy[std::size_t(i)] += h * row[std::size_t(i)];
    }
    for (double& v : dy) v *= 2.0 / static_cast<double>(m * k);
    for (index_t j = 0; j < n; ++j) {
      c.row(j, row);
      double sum = 0;
      for (index_t i = 0; i < k; ++i) sum += dy[std::size_t(i)] * row[std::size_t(i)];
      slope[std::size_t(j)] = sum * gelu_slope(z[std::size_t(j)]);
    }
    for (index_t i = 0; i < k; ++i) {
      a.row(i, row);
      out[std::size_t(i)] = 0;
      for (index_t j = 0; j < n; ++j)
        out[std::size_t(i)] += slope[std::size_t(j)] * row[std::size_t(j)];
    }
  };
  // Read and written: the operands and gradients, and what lies between the products once.
  const double bytes = 2.0 * static_cast<double>(3 * m * k + 4 * k * n + 3 * m * n);
  s.row(
      {"two layers with gelu bf16, loss and gradients", 0, bytes,
       12.0 * static_cast<double>(m) * n * k, 4 * bf16_error},
      sets,
      [&](int i) {
        s.in_mode(layers).into(std::tie(loss, dx, da, db, dc, dd), X[std::size_t(i)], A, B, C, D,
                               T[std::size_t(i)]);
      },
      [&] { return rows_error(dx, gradient); });
}

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
  feed_forward(s);
}

}  // namespace bench
