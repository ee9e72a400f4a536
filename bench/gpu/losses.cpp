// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "patterns.hpp"

#include <algorithm>

namespace bench {

namespace {

constexpr double rate = 0.125;  // exact in float
constexpr std::uint64_t seed = 7;

constexpr auto dropped = [](auto x, auto key) { return w::dropout(x, key, 0.125f) + x; };
constexpr auto dropped_forward = w::compile(dropped);
constexpr auto dropped_backward = w::compile([](auto dy, auto key) {
  auto [y, dx, none] = w::vjp(dropped)(dy, key, dy);  // linear: x itself does not matter
  return dx;
});
constexpr auto dropped_onto =
    w::compile([](auto y, auto x, auto key) { return y + w::dropout(x, key, 0.125f); });

constexpr auto loss = [](auto x, auto labels) { return w::nn::cross_entropy(x, labels); };
constexpr auto loss_and_gradient =
    w::compile([](auto x, auto labels) { return w::value_and_grad<0>(loss)(x, labels); });

// What dropout multiplies element i by.
double factor(index_t i) {
  const float u = w::random_float(w::random::key(seed), static_cast<std::uint64_t>(i));
  return u >= static_cast<float>(rate) ? 1 / (1 - rate) : 0;
}

}  // namespace

void dropout(session& s) {
  const index_t rows = s.rows(full_rows);
  const double bytes = 2.0 * static_cast<double>(rows * columns);
  const int sets = s.sets(bytes);
  const auto x = operand_of<bf16>({81}, rows, columns),
             base = operand_of<bf16>({82}, rows, columns);
  const auto X = matrices<bf16>(s.place, x, sets), Y = matrices<bf16>(s.place, base, sets);
  const auto key = w::random::as_tensor(w::random::key(seed)).to(s.place);
  const auto linear = [&](index_t r, std::vector<double>& row) {
    for (index_t c = 0; c < columns; ++c)
      row[std::size_t(c)] = x.at(r, c) * (1 + factor(r * columns + c));
  };
  auto y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"dropout(x) + x bf16", 70, 2 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(dropped_forward).into(y, X[std::size_t(k)], key); },
      [&] { return rows_error(y, linear); });
  y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"dropout(x) + x bf16 backward", 70, 2 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(dropped_backward).into(y, X[std::size_t(k)], key); },
      [&] { return rows_error(y, linear); });
  y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"y + dropout(x) bf16", 102, 3 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(dropped_onto).into(y, Y[std::size_t(k)], X[std::size_t(k)], key); },
      [&] {
        return rows_error(y, [&](index_t r, auto& row) {
          for (index_t c = 0; c < columns; ++c)
            row[std::size_t(c)] = base.at(r, c) + x.at(r, c) * factor(r * columns + c);
        });
      });
}

void cross_entropy(session& s) {
  const index_t rows = s.rows(8192), classes = 50304;
  const double bytes = 2.0 * static_cast<double>(rows * classes);
  const auto x = operand_of<bf16>({91, 2}, rows, classes);
  const auto X = matrix<bf16>(s.place, x);
  const auto label = [&](index_t r) { return r * 7919 % classes; };
  auto labels = w::vector<std::int64_t>::uninitialized({rows});
  for (index_t r = 0; r < rows; ++r) labels.data()[r] = label(r);
  const auto L = labels.to(s.place);
  auto dx = unwritten<bf16>(s.place, rows, classes);
  auto value = w::tensor<bf16>(bf16(std::numeric_limits<float>::quiet_NaN())).to(s.place);
  // The gradient's elements are 1e-4 / 50304 on average: the error is relative to their size.
  const auto row_of = [&](index_t r, std::vector<double>& row) {
    x.row(r, row);
    const double most = *std::max_element(row.begin(), row.end());
    const double chosen = row[std::size_t(label(r))];
    double total = 0;
    for (double& v : row) total += v = std::exp(v - most);
    for (double& v : row) v /= total * double(rows);
    row[std::size_t(label(r))] -= 1 / double(rows);
    return most + std::log(total) - chosen;
  };
  s.row(
      {"cross entropy bf16 value and gradient", 460, 2 * bytes, 0, bf16_error}, 1,
      [&](int) { s.in_mode(loss_and_gradient).into(std::tie(value, dx), X, L); },
      [&] {
        std::vector<double> losses(static_cast<std::size_t>(rows));
#pragma omp parallel for
        for (index_t r = 0; r < rows; ++r) {
          std::vector<double> row;
          losses[static_cast<std::size_t>(r)] = row_of(r, row);
        }
        double mean = 0;
        for (double l : losses) mean += l / double(rows);
        return std::max(rows_error(dx, [&](index_t r, auto& row) { row_of(r, row); }),
                        elements_error(value, 1, [&](index_t) { return mean; }));
      });
}

}  // namespace bench
