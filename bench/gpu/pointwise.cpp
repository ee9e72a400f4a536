// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "patterns.hpp"

namespace bench {

void pointwise(session& s) {
  const index_t n = s.rows(index_t{1} << 26);
  const double bytes = 4.0 * static_cast<double>(n);
  const auto a = operand_of<float>({1}, 1, n), b = operand_of<float>({2}, 1, n),
             c = operand_of<float>({3}, 1, n);
  const auto A = vector<float>(s.place, a), B = vector<float>(s.place, b),
             C = vector<float>(s.place, c);
  auto y = unwritten<float>(s.place, n);

  static constexpr auto plus = w::compile([](auto a) { return a + 1.0f; });
  s.row(
      {"copy by a + 1 f32 64M", 0, 2 * bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(plus).into(y, A); },
      [&] { return elements_error(y, 4096, [&](index_t i) { return a.at(0, i) + 1; }); });

  static constexpr auto chain =
      w::compile([](auto a, auto b, auto c) { return w::tanh(a * b + c) * w::sigmoid(a) - b; });
  y = unwritten<float>(s.place, n);
  s.row(
      {"pointwise chain f32 64M", 252, 4 * bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(chain).into(y, A, B, C); },
      [&] {
        return elements_error(y, 4096, [&](index_t i) {
          const double p = a.at(0, i), q = b.at(0, i);
          return std::tanh(p * q + c.at(0, i)) * sigmoid(p) - q;
        });
      });
}

void adam(session& s) {
  const index_t n = s.rows(index_t{1} << 26);
  const double bytes = 4.0 * static_cast<double>(n);
  const auto p = operand_of<float>({11}, 1, n), g = operand_of<float>({12}, 1, n),
             m = operand_of<float>({13, 0.1f}, 1, n),
             v = operand_of<float>({14, 0.01f, 0, true}, 1, n);
  auto P = vector<float>(s.place, p), M = vector<float>(s.place, m), V = vector<float>(s.place, v);
  const auto G = vector<float>(s.place, g);

  // The tenth step's corrections.
  static constexpr auto update = w::compile([](auto p, auto g, auto m, auto v) {
    auto m1 = 0.9f * m + 0.1f * g;
    auto v1 = 0.999f * v + 0.001f * g * g;
    auto p1 = p - 1e-3f * (m1 / 0.65132156f) / (w::sqrt(v1 / 0.00995512f) + 1e-8f);
    return std::tuple{p1, m1, v1};
  });
  s.row(
      {"Adam f32 64M", 450, 7 * bytes, 0, f32_error}, 1,
      [&](int) { s.in_mode(update).into(std::tie(P, M, V), P, G, M, V); },
      [&] {
        return elements_error(P, 4096, [&](index_t i) {
          const double g1 = g.at(0, i), m1 = 0.9 * m.at(0, i) + 0.1 * g1,
                       v1 = 0.999 * v.at(0, i) + 0.001 * g1 * g1;
          return p.at(0, i) - 1e-3 * (m1 / 0.65132156) / (std::sqrt(v1 / 0.00995512) + 1e-8);
        });
      });
}

}  // namespace bench
