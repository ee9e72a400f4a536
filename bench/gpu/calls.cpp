// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "patterns.hpp"

#include <algorithm>
#include <tuple>

namespace bench {

namespace {

constexpr auto chain = [](auto a, auto b, auto c) {
  return w::tanh(a * b + c) * w::sigmoid(a) - b;
};

constexpr auto loss = [](auto x, auto first, auto second, auto labels) {
  return w::nn::cross_entropy(w::matmul(w::relu(w::matmul(x, first)), second), labels);
};
constexpr auto step = [](auto x, auto first, auto second, auto labels) {
  return w::value_and_grad<1, 2>(loss)(x, first, second, labels);
};

}  // namespace

void tiny_calls(session& s) {
  constexpr index_t n = 1024;
  const auto a = operand_of<float>({111}, 1, n), b = operand_of<float>({112}, 1, n),
             c = operand_of<float>({113}, 1, n);
  const auto A = vector<float>(s.place, a), B = vector<float>(s.place, b),
             C = vector<float>(s.place, c);
  for (const w::mode mode : {w::mode::standard, w::mode::reduce_overhead}) {
    const bool graph = mode == w::mode::reduce_overhead;
    const std::string how = graph ? ", reduce_overhead" : "";
    const auto f = w::compile(chain, {.mode = mode});
    auto y = unwritten<float>(s.place, n);
    s.host_row(
        {"tiny call" + how, 4, 0, 0, f32_error}, [&] { f.into(y, A, B, C); },
        [&] {
          return elements_error(y, n, [&](index_t i) {
            const double p = a.at(0, i), q = b.at(0, i);
            return std::tanh(p * q + c.at(0, i)) * sigmoid(p) - q;
          });
        });
    s.row(
        {"tiny call, device time" + how, 0, 0, 0, f32_error}, 1, [&](int) { f.into(y, A, B, C); },
        [] { return 0; });
  }

  // A training step of a small network: a dozen launches.
  const index_t batch = 32, inputs = 64, hidden = 128, classes = 10;
  const auto x = operand_of<float>({114}, batch, inputs),
             first = operand_of<float>({115, 0.125f}, inputs, hidden),
             second = operand_of<float>({116, 0.125f}, hidden, classes);
  auto labels = w::vector<std::int64_t>::uninitialized({batch});
  for (index_t i = 0; i < batch; ++i) labels.data()[i] = i * 7 % classes;
  const auto inputs_of = [&](w::device d) {
    return std::tuple{matrix<float>(d, x), matrix<float>(d, first), matrix<float>(d, second),
                      labels.to(d)};
  };
  const auto [X, F, S, L] = inputs_of(s.place);
  const auto host = inputs_of(w::cpu);
  for (const w::mode mode : {w::mode::standard, w::mode::reduce_overhead}) {
    const std::string how = mode == w::mode::reduce_overhead ? ", reduce_overhead" : "";
    const auto f = w::compile(step, {.mode = mode});
    w::tensor<float> value = w::tensor<float>(0.0f).to(s.place);
    auto gf = unwritten<float>(s.place, inputs, hidden),
         gs = unwritten<float>(s.place, hidden, classes);
    const auto call = [&] { f.into(std::tie(value, gf, gs), X, F, S, L); };
    // Against the CPU's programs.
    const auto check = [&] {
      const auto want = std::apply(w::compile(step), host);
      const auto& want_f = std::get<1>(want);
      const auto& want_s = std::get<2>(want);
      return std::max(elements_error(gf, gf.size(), [&](index_t i) { return want_f.data()[i]; }),
                      elements_error(gs, gs.size(), [&](index_t i) { return want_s.data()[i]; }));
    };
    s.host_row({"small training step" + how, 0, 0, 0, 1e-4}, call, check);
    s.row(
        {"small training step, device time" + how, 0, 0, 0, 1e-4}, 1, [&](int) { call(); }, check);
  }
}

}  // namespace bench
