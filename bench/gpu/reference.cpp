// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "reference.hpp"

#include <limits>

#include <weft/array/half.hpp>

namespace bench {

namespace {

constexpr std::size_t place(index_t i) {
  return static_cast<std::size_t>(i);
}

template <class T>
bool has_all(const T* got, index_t n) {
  index_t bad = 0;
#pragma omp parallel for reduction(+ : bad)
  for (index_t i = 0; i < n; ++i) bad += !std::isfinite(static_cast<float>(got[i]));
  return bad == 0;
}

constexpr double nothing = std::numeric_limits<double>::infinity();

struct distance {
  double of = 0, size = 0;
  void add(double got, double want) {
    of += (got - want) * (got - want);
    size += want * want;
  }
  double value() const { return size > 0 ? std::sqrt(of / size) : of > 0 ? nothing : 0; }
};

}  // namespace

moments moments_of(const operand& x, double eps_norm, double eps_rms) {
  moments m;
  m.mean.resize(place(x.rows));
  m.rstd.resize(place(x.rows));
  m.rrms.resize(place(x.rows));
#pragma omp parallel for
  for (index_t r = 0; r < x.rows; ++r) {
    double sum = 0, squares = 0;
    for (index_t c = 0; c < x.columns; ++c) {
      const double v = x.at(r, c);
      sum += v, squares += v * v;
    }
    const double n = static_cast<double>(x.columns), mean = sum / n;
    m.mean[place(r)] = mean;
    m.rstd[place(r)] = 1 / std::sqrt(squares / n - mean * mean + eps_norm);
    m.rrms[place(r)] = 1 / std::sqrt(squares / n + eps_rms);
  }
  return m;
}

double sum_of(const operand& x) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (index_t r = 0; r < x.rows; ++r)
    for (index_t c = 0; c < x.columns; ++c) sum += x.at(r, c);
  return sum;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
constexpr double root = 0.79788456080286535588;  // sqrt(2 / pi)
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(root * (x + 0.044715 * x * x * x)));
}
double gelu_slope(double x) {
  const double t = std::tanh(root * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * root * (1 + 3 * 0.044715 * x * x);
}

template <class T>
double error_of_rows(const T* got, index_t rows, index_t columns, const row_formula& want) {
  if (!has_all(got, rows * columns)) return nothing;
  constexpr index_t most = 16;
  const index_t count = rows < most ? rows : most;
  distance d;
  std::vector<double> row(place(columns));
  for (index_t k = 0; k < count; ++k) {
    // The first, the last, and others that no block size divides evenly.
    const index_t r = k == 0 ? 0 : k == 1 ? rows - 1 : k * 2654435761 % rows;
    want(r, row);
    for (index_t c = 0; c < columns; ++c)
      d.add(static_cast<float>(got[r * columns + c]), row[place(c)]);
  }
  return d.value();
}

template <class T>
double error_of_elements(const T* got, index_t n, index_t count, const element_formula& want) {
  if (!has_all(got, n)) return nothing;
  if (count > n) count = n;
  std::vector<index_t> at(place(count));
  std::vector<double> value(place(count));
#pragma omp parallel for
  for (index_t k = 0; k < count; ++k) {
    const index_t i = count == n ? k : k == 0 ? 0 : k == 1 ? n - 1 : k * 2654435761 % n;
    at[place(k)] = i;
    value[place(k)] = want(i);
  }
  distance d;
  for (index_t k = 0; k < count; ++k) d.add(static_cast<float>(got[at[place(k)]]), value[place(k)]);
  return d.value();
}

template double error_of_rows(const float*, index_t, index_t, const row_formula&);
template double error_of_rows(const weft::bfloat16*, index_t, index_t, const row_formula&);
template double error_of_elements(const float*, index_t, index_t, const element_formula&);
template double error_of_elements(const weft::bfloat16*, index_t, index_t, const element_formula&);

}  // namespace bench
