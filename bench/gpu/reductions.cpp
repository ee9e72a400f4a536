// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "patterns.hpp"

#include <algorithm>

namespace bench {

namespace {

// Programs of one float matrix.
constexpr auto softmax_of = w::compile([](auto x) { return w::softmax(x, w::axis<-1>); });
constexpr auto norm_of = w::compile([](auto x) { return w::layer_norm(x); });
constexpr auto logsumexp_of = w::compile([](auto x) { return w::logsumexp(x, w::axis<-1>); });
constexpr auto rows_of = w::compile([](auto x) { return w::sum(x, w::axis<-1>); });
constexpr auto columns_of = w::compile([](auto x) { return w::sum(x, w::axis<0>); });
constexpr auto all_of = w::compile([](auto x) { return w::sum(x); });
constexpr auto transposed = w::compile([](auto x) { return w::transpose(x) + 1.0f; });

// A row's softmax in place; returns its logsumexp.
double exponentials(std::vector<double>& row) {
  const double most = *std::max_element(row.begin(), row.end());
  double total = 0;
  for (double& v : row) total += v = std::exp(v - most);
  for (double& v : row) v /= total;
  return most + std::log(total);
}

}  // namespace

void reductions(session& s) {
  const index_t rows = s.rows(full_rows);
  const double bytes = 4.0 * static_cast<double>(rows * columns);
  // A mean that is not 0, so that sums are not mostly cancellation.
  const auto x = operand_of<float>({21, 1, 0.25f}, rows, columns);
  const auto X = matrix<float>(s.place, x);
  auto y = unwritten<float>(s.place, rows, columns);

  s.row(
      {"softmax f32", 132, 2 * bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(softmax_of).into(y, X); },
      [&] {
        return rows_error(y, [&](index_t r, auto& row) {
          x.row(r, row);
          exponentials(row);
        });
      });
  y = unwritten<float>(s.place, rows, columns);
  s.row(
      {"layer norm f32", 130, 2 * bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(norm_of).into(y, X); },
      [&] {
        const moments m = moments_of(x);
        return rows_error(y, [&](index_t r, auto& row) {
          x.row(r, row);
          const auto at = static_cast<std::size_t>(r);
          for (double& v : row) v = (v - m.mean[at]) * m.rstd[at];
        });
      });
  auto of_rows = unwritten<float>(s.place, rows);
  s.row(
      {"logsumexp f32", 70, bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(logsumexp_of).into(of_rows, X); },
      [&] {
        return elements_error(of_rows, 64, [&](index_t r) {
          std::vector<double> row;
          x.row(r, row);
          return exponentials(row);
        });
      });
  of_rows = unwritten<float>(s.place, rows);
  s.row(
      {"sum of rows f32", 66, bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(rows_of).into(of_rows, X); },
      [&] {
        return elements_error(of_rows, 64, [&](index_t r) {
          double total = 0;
          for (index_t c = 0; c < columns; ++c) total += x.at(r, c);
          return total;
        });
      });
  auto of_columns = unwritten<float>(s.place, columns);
  s.row(
      {"sum of columns f32", 66, bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(columns_of).into(of_columns, X); },
      [&] {
        return elements_error(of_columns, 64, [&](index_t c) {
          double total = 0;
          for (index_t r = 0; r < rows; ++r) total += x.at(r, c);
          return total;
        });
      });
  auto of_all = w::tensor<float>(std::numeric_limits<float>::quiet_NaN()).to(s.place);
  s.row(
      {"sum of all f32", 66, bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(all_of).into(of_all, X); },
      [&] { return elements_error(of_all, 1, [&](index_t) { return sum_of(x); }); });
  auto turned = unwritten<float>(s.place, columns, rows);
  s.row(
      {"transpose + 1 f32", 134, 2 * bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(transposed).into(turned, X); },
      [&] {
        return rows_error(turned, [&](index_t c, auto& row) {
          for (index_t r = 0; r < rows; ++r) row[static_cast<std::size_t>(r)] = x.at(r, c) + 1;
        });
      });
}

}  // namespace bench
