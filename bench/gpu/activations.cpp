// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "patterns.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bench {

namespace {

constexpr auto soft = [](auto x) { return w::softmax(x, w::axis<-1>); };
constexpr auto soft_forward = w::compile(soft);
constexpr auto soft_backward =
    w::compile([](auto y, auto dy) { return y * (dy - w::sum(y * dy, w::axis<-1>, w::keepdims)); });
constexpr auto soft_gradient = w::compile([](auto x, auto dy) {
  auto [y, dx] = w::vjp(soft)(x, dy);
  return dx;
});

constexpr auto biased = [](auto x, auto bias) { return w::gelu_tanh(x + bias); };
constexpr auto biased_forward = w::compile(biased);
constexpr auto biased_gradients = w::compile([](auto x, auto dy, auto bias) {
  auto [y, dx, db] = w::vjp(biased)(x, bias, dy);
  return std::tuple{dx, db};
});

constexpr auto gated = [](auto x) {
  return w::silu(w::slice<1, 0, columns / 2>(x)) * w::slice<1, columns / 2, columns>(x);
};
constexpr auto gated_forward = w::compile(gated);
constexpr auto gated_gradient = w::compile([](auto x, auto dy) {
  auto [y, dx] = w::vjp(gated)(x, dy);
  return dx;
});

constexpr auto gated_pair = [](auto a, auto b) { return w::silu(a) * b; };
constexpr auto gated_pair_gradients = w::compile([](auto a, auto b, auto dy) {
  auto [y, da, db] = w::vjp(gated_pair)(a, b, dy);
  return std::tuple{da, db};
});

void softmax_row(const operand& x, index_t r, std::vector<double>& row) {
  x.row(r, row);
  const double most = *std::max_element(row.begin(), row.end());
  double total = 0;
  for (double& v : row) total += v = std::exp(v - most);
  for (double& v : row) v /= total;
}

}  // namespace

void softmax(session& s) {
  const index_t rows = s.rows(full_rows);
  const double bytes = 2.0 * static_cast<double>(rows * columns);
  const int sets = s.sets(bytes);
  const auto x = operand_of<bf16>({51}, rows, columns), dy = operand_of<bf16>({52}, rows, columns);
  const auto X = matrices<bf16>(s.place, x, sets), DY = matrices<bf16>(s.place, dy, sets);
  auto y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"softmax bf16", 70, 2 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(soft_forward).into(y, X[std::size_t(k)]); },
      [&] { return rows_error(y, [&](index_t r, auto& row) { softmax_row(x, r, row); }); });
  // Given any y, so that its rounding is no part of the check.
  y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"softmax bf16 backward", 99, 3 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(soft_backward).into(y, X[std::size_t(k)], DY[std::size_t(k)]); },
      [&] {
        return rows_error(y, [&](index_t r, auto& row) {
          double total = 0;
          for (index_t c = 0; c < columns; ++c) total += x.at(r, c) * dy.at(r, c);
          for (index_t c = 0; c < columns; ++c)
            row[std::size_t(c)] = x.at(r, c) * (dy.at(r, c) - total);
        });
      });
  y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"softmax bf16 x, dy to dx", 118, 3 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(soft_gradient).into(y, X[std::size_t(k)], DY[std::size_t(k)]); },
      [&] {
        return rows_error(y, [&](index_t r, auto& row) {
          softmax_row(x, r, row);
          double total = 0;
          for (index_t c = 0; c < columns; ++c) total += row[std::size_t(c)] * dy.at(r, c);
          for (index_t c = 0; c < columns; ++c) row[std::size_t(c)] *= dy.at(r, c) - total;
        });
      });
}

void bias_gelu(session& s) {
  const index_t rows = s.rows(full_rows);
  const double bytes = 2.0 * static_cast<double>(rows * columns);
  const int sets = s.sets(bytes);
  const auto x = operand_of<bf16>({61}, rows, columns),
             dy = operand_of<bf16>({62, 1, 0.125f}, rows, columns),
             bias = operand_of<bf16>({63, 0.25f}, 1, columns);
  const auto X = matrices<bf16>(s.place, x, sets), DY = matrices<bf16>(s.place, dy, sets);
  const auto B = vector<bf16>(s.place, bias);
  auto y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"bias + gelu bf16", 70, 2 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(biased_forward).into(y, X[std::size_t(k)], B); },
      [&] {
        return rows_error(y, [&](index_t r, auto& row) {
          for (index_t c = 0; c < columns; ++c)
            row[std::size_t(c)] = gelu(x.at(r, c) + bias.at(0, c));
        });
      });
  // Saved for the backward pass is x, so both rows are one program.
  for (const auto& [name, goal] : {std::pair{"bias + gelu bf16 backward", 115},
                                   std::pair{"bias + gelu bf16 x, dy to dx, db", 118}}) {
    auto dx = unwritten<bf16>(s.place, rows, columns);
    auto db = unwritten<bf16>(s.place, columns);
    const auto slope = [&](index_t r, index_t c) {
      return dy.at(r, c) * gelu_slope(x.at(r, c) + bias.at(0, c));
    };
    s.row(
        {name, double(goal), 3 * bytes, 0, bf16_error}, sets,
        [&](int k) {
          const auto i = std::size_t(k);
          s.in_mode(biased_gradients).into(std::tie(dx, db), X[i], DY[i], B);
        },
        [&] {
          return std::max(rows_error(dx,
                                     [&](index_t r, auto& row) {
                                       for (index_t c = 0; c < columns; ++c)
                                         row[std::size_t(c)] = slope(r, c);
                                     }),
                          elements_error(db, 64, [&](index_t c) {
                            double total = 0;
                            for (index_t r = 0; r < rows; ++r) total += slope(r, c);
                            return total;
                          }));
        });
  }
}

void swiglu(session& s) {
  const index_t rows = s.rows(full_rows), half = columns / 2;
  const double bytes = 2.0 * static_cast<double>(rows * half);
  const int sets = s.sets(2 * bytes);
  const auto x = operand_of<bf16>({71}, rows, columns), dy = operand_of<bf16>({72}, rows, half);
  const auto X = matrices<bf16, columns>(s.place, x, sets);
  const auto DY = matrices<bf16, columns / 2>(s.place, dy, sets);
  auto y = unwritten<bf16, columns / 2>(s.place, rows, half);
  s.row(
      {"swiglu bf16", 51, 3 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(gated_forward).into(y, X[std::size_t(k)]); },
      [&] {
        return rows_error(y, [&](index_t r, auto& row) {
          for (index_t c = 0; c < half; ++c) {
            const double a = x.at(r, c);
            row[std::size_t(c)] = a * sigmoid(a) * x.at(r, half + c);
          }
        });
      });
  const auto gradients = [](double a, double b, double g) {
    const double q = sigmoid(a);
    return std::pair{g * b * (q + a * q * (1 - q)), g * a * q};
  };
  auto dx = unwritten<bf16, columns>(s.place, rows, columns);
  s.row(
      {"swiglu bf16 backward", 90, 5 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(gated_gradient).into(dx, X[std::size_t(k)], DY[std::size_t(k)]); },
      [&] {
        return rows_error(dx, [&](index_t r, auto& row) {
          for (index_t c = 0; c < half; ++c)
            std::tie(row[std::size_t(c)], row[std::size_t(half + c)]) =
                gradients(x.at(r, c), x.at(r, half + c), dy.at(r, c));
        });
      });
  // Gate and value as two tensors.
  const auto gate = operand_of<bf16>({73}, rows, half), value = operand_of<bf16>({74}, rows, half);
  const auto A = matrices<bf16, columns / 2>(s.place, gate, sets),
             B = matrices<bf16, columns / 2>(s.place, value, sets);
  auto da = unwritten<bf16, columns / 2>(s.place, rows, half),
       db = unwritten<bf16, columns / 2>(s.place, rows, half);
  s.row(
      {"swiglu of two tensors bf16 backward", 90, 5 * bytes, 0, bf16_error}, sets,
      [&](int k) {
        const auto i = std::size_t(k);
        s.in_mode(gated_pair_gradients).into(std::tie(da, db), A[i], B[i], DY[i]);
      },
      [&] {
        const auto at = [&](index_t r, index_t c) {
          return gradients(gate.at(r, c), value.at(r, c), dy.at(r, c));
        };
        return std::max(rows_error(da,
                                   [&](index_t r, auto& row) {
                                     for (index_t c = 0; c < half; ++c)
                                       row[std::size_t(c)] = at(r, c).first;
                                   }),
                        rows_error(db, [&](index_t r, auto& row) {
                          for (index_t c = 0; c < half; ++c) row[std::size_t(c)] = at(r, c).second;
                        }));
      });
}

}  // namespace bench
