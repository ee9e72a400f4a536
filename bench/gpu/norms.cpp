// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "patterns.hpp"

#include <algorithm>

namespace bench {

namespace {

// Means of a cotangent times the weight, and of that times the normalised row.
struct row_means {
  double plain = 0, scaled = 0;
};

// What the forward pass has saved.
w::vector<float> saved(w::device place, const std::vector<double>& values) {
  auto v = w::vector<float>::uninitialized({static_cast<index_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) v.data()[i] = static_cast<float>(values[i]);
  return v.to(place);
}

constexpr auto layer = [](auto x, auto weight, auto bias) {
  return w::layer_norm(x, weight, bias);
};
constexpr auto layer_forward = w::compile(layer);
constexpr auto layer_backward = w::compile([](auto x, auto dy, auto weight, auto mean, auto rstd) {
  auto r = w::unsqueeze(rstd, w::axis<1>);
  auto xh = (w::cast<float>(x) - w::unsqueeze(mean, w::axis<1>)) * r;
  auto g = w::cast<float>(dy), d = g * weight;
  auto dx = r * (d - w::mean(d, w::axis<-1>, w::keepdims) -
                 xh * w::mean(d * xh, w::axis<-1>, w::keepdims));
  return std::tuple{w::cast<bf16>(dx), w::sum(g * xh, w::axis<0>), w::sum(g, w::axis<0>)};
});
constexpr auto layer_gradients = w::compile([](auto x, auto dy, auto weight, auto bias) {
  auto [y, dx, dw, db] = w::vjp(layer)(x, weight, bias, dy);
  return std::tuple{dx, dw, db};
});

constexpr auto rms = [](auto x, auto weight) { return w::rms_norm(x, weight); };
constexpr auto rms_forward = w::compile(rms);
constexpr auto rms_backward = w::compile([](auto x, auto dy, auto weight, auto rrms) {
  auto r = w::unsqueeze(rrms, w::axis<1>);
  auto xh = w::cast<float>(x) * r;
  auto g = w::cast<float>(dy), d = g * weight;
  auto dx = r * (d - xh * w::mean(d * xh, w::axis<-1>, w::keepdims));
  return std::tuple{w::cast<bf16>(dx), w::sum(g * xh, w::axis<0>)};
});
constexpr auto rms_gradients = w::compile([](auto x, auto dy, auto weight) {
  auto [y, dx, dw] = w::vjp(rms)(x, weight, dy);
  return std::tuple{dx, dw};
});

// Inputs of both norms, and what their results must be; an rms norm has means of 0 and no bias.
struct norm_case {
  operand x, dy, weight, bias;
  std::vector<double> mean, scale;

  double normal(index_t r, index_t c) const {
    const auto at = static_cast<std::size_t>(r);
    return (x.at(r, c) - mean[at]) * scale[at];
  }
  row_formula forward(bool biased) const {
    return [this, biased](index_t r, std::vector<double>& row) {
      for (index_t c = 0; c < columns; ++c)
        row[static_cast<std::size_t>(c)] =
            normal(r, c) * weight.at(0, c) + (biased ? bias.at(0, c) : 0);
    };
  }
  row_formula dx(bool centred) const {
    return [this, centred](index_t r, std::vector<double>& row) {
      row_means m;
      for (index_t c = 0; c < columns; ++c) {
        const double d = dy.at(r, c) * weight.at(0, c);
        m.plain += d / columns;
        m.scaled += d * normal(r, c) / columns;
      }
      if (!centred) m.plain = 0;
      for (index_t c = 0; c < columns; ++c)
        row[static_cast<std::size_t>(c)] =
            scale[static_cast<std::size_t>(r)] *
            (dy.at(r, c) * weight.at(0, c) - m.plain - normal(r, c) * m.scaled);
    };
  }
  element_formula dw() const {
    return [this](index_t c) {
      double total = 0;
      for (index_t r = 0; r < x.rows; ++r) total += dy.at(r, c) * normal(r, c);
      return total;
    };
  }
  element_formula db() const {
    return [this](index_t c) {
      double total = 0;
      for (index_t r = 0; r < x.rows; ++r) total += dy.at(r, c);
      return total;
    };
  }
};

norm_case make_case(const session& s) {
  const index_t rows = s.rows(full_rows);
  return {operand_of<bf16>({31, 1, 0.5f}, rows, columns),
          operand_of<bf16>({41, 1, 0.125f}, rows, columns),
          operand_of<bf16>({32, 0.25f, 1}, 1, columns),
          operand_of<bf16>({33, 0.25f}, 1, columns),
          {},
          {}};
}

}  // namespace

void layer_norm(session& s) {
  norm_case c = make_case(s);
  const index_t rows = c.x.rows;
  const double bytes = 2.0 * static_cast<double>(rows * columns);
  moments m = moments_of(c.x);
  c.mean = m.mean, c.scale = m.rstd;
  const int sets = s.sets(bytes);
  const auto X = matrices<bf16>(s.place, c.x, sets), DY = matrices<bf16>(s.place, c.dy, sets);
  const auto W = vector<bf16>(s.place, c.weight), B = vector<bf16>(s.place, c.bias);
  auto y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"layer norm bf16", 70, 2 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(layer_forward).into(y, X[std::size_t(k)], W, B); },
      [&] { return rows_error(y, c.forward(true)); });

  auto dx = unwritten<bf16>(s.place, rows, columns);
  const auto check = [&](const auto& dw, const auto& db) {
    return std::max({rows_error(dx, c.dx(true)), elements_error(dw, 64, c.dw()),
                     elements_error(db, 64, c.db())});
  };
  {
    // From what the forward pass saved. Parameters and their gradients are float here. The saved
    // values are those of the first set, which is the one that is checked.
    const auto weight = vector<float>(s.place, c.weight);
    const auto mean = saved(s.place, m.mean), rstd = saved(s.place, m.rstd);
    auto dw = unwritten<float>(s.place, columns), db = unwritten<float>(s.place, columns);
    s.row(
        {"layer norm bf16 backward", 118, 3 * bytes, 0, bf16_error}, sets,
        [&](int k) {
          const auto i = std::size_t(k);
          s.in_mode(layer_backward).into(std::tie(dx, dw, db), X[i], DY[i], weight, mean, rstd);
        },
        [&] { return check(dw, db); });
  }
  dx = unwritten<bf16>(s.place, rows, columns);
  auto dw = unwritten<bf16>(s.place, columns), db = unwritten<bf16>(s.place, columns);
  s.row(
      {"layer norm bf16 x, dy to dx, dw, db", 118, 3 * bytes, 0, bf16_error}, sets,
      [&](int k) {
        const auto i = std::size_t(k);
        s.in_mode(layer_gradients).into(std::tie(dx, dw, db), X[i], DY[i], W, B);
      },
      [&] { return check(dw, db); });
}

void rms_norm(session& s) {
  norm_case c = make_case(s);
  const index_t rows = c.x.rows;
  const double bytes = 2.0 * static_cast<double>(rows * columns);
  moments m = moments_of(c.x);
  c.mean.resize(m.mean.size()), c.scale = m.rrms;
  const int sets = s.sets(bytes);
  const auto X = matrices<bf16>(s.place, c.x, sets), DY = matrices<bf16>(s.place, c.dy, sets);
  const auto W = vector<bf16>(s.place, c.weight);
  auto y = unwritten<bf16>(s.place, rows, columns);
  s.row(
      {"rms norm bf16", 70, 2 * bytes, 0, bf16_error}, sets,
      [&](int k) { s.in_mode(rms_forward).into(y, X[std::size_t(k)], W); },
      [&] { return rows_error(y, c.forward(false)); });

  auto dx = unwritten<bf16>(s.place, rows, columns);
  const auto check = [&](const auto& dw) {
    return std::max(rows_error(dx, c.dx(false)), elements_error(dw, 64, c.dw()));
  };
  {
    const auto weight = vector<float>(s.place, c.weight);
    const auto rrms = saved(s.place, m.rrms);
    auto dw = unwritten<float>(s.place, columns);
    s.row(
        {"rms norm bf16 backward", 115, 3 * bytes, 0, bf16_error}, sets,
        [&](int k) {
          const auto i = std::size_t(k);
          s.in_mode(rms_backward).into(std::tie(dx, dw), X[i], DY[i], weight, rrms);
        },
        [&] { return check(dw); });
  }
  dx = unwritten<bf16>(s.place, rows, columns);
  auto dw = unwritten<bf16>(s.place, columns);
  s.row(
      {"rms norm bf16 x, dy to dx, dw", 118, 3 * bytes, 0, bf16_error}, sets,
      [&](int k) {
        const auto i = std::size_t(k);
        s.in_mode(rms_gradients).into(std::tie(dx, dw), X[i], DY[i], W);
      },
      [&] { return check(dw); });
}

}  // namespace bench
