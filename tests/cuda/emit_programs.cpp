// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/grad/transforms.hpp>
#include <weft/optim/adamw.hpp>

#include "grid_check.hpp"

// Whole programs on the host grid: products, losses, gradients and updates.

namespace w = weft;
using namespace weft_test;

namespace {

constexpr auto mlp_loss = [](auto x, auto first, auto second, auto labels) {
  return w::cross_entropy(w::matmul(w::relu(w::matmul(x, first) + 0.5), second), labels);
};
constexpr auto mlp_step = [](auto x, auto first, auto second, auto labels) {
  auto [loss, g1, g2] = w::value_and_grad<1, 2>(mlp_loss)(x, first, second, labels);
  return std::tuple{loss, first - 0.1 * g1, second - 0.1 * g2};
};
constexpr auto linear = [](auto x, auto weight, auto bias) {
  return w::gelu_tanh(w::matmul(x, weight) + bias);
};
constexpr auto batched = [](auto x, auto y) { return w::exp(-w::matmul(x, y)); };
constexpr auto class_loss = [](auto x, auto labels) { return w::cross_entropy(x, labels); };
constexpr auto class_step = [](auto x, auto labels) {
  return w::value_and_grad(class_loss)(x, labels);
};
constexpr auto update = [](auto p, auto g, auto m, auto v, auto step) {
  using symbol = decltype(p);
  const w::optim::adamw_of<symbol> o{p.number(1e-3), p.number(0.9), p.number(0.999), p.number(1e-8),
                                     p.number(0.01)};
  const auto r = o.update(p, g, {m, v}, step);
  return std::tuple{r.parameter, r.state[0], r.state[1]};
};
constexpr auto spread = [](auto x) {
  return std::tuple{w::var(x, w::axis<1>), w::stddev(x, w::axis<0>), w::mean(x),
                    w::any(x > 1.9, w::axis<1>)};
};
constexpr auto dropped_loss = [](auto x, auto key) {
  return w::sum(w::square(w::dropout(x, key, 0.5)));
};
constexpr auto dropped = [](auto x, auto key) { return w::value_and_grad(dropped_loss)(x, key); };
constexpr auto norm_model = [](auto x, auto weight) {
  return w::sum(w::square(w::rms_norm(x, weight)));
};
constexpr auto norm_step = [](auto x, auto weight) {
  return w::value_and_grad<0, 1>(norm_model)(x, weight);
};

reference_value labels(index_t n, int classes) {
  return filled(dtype::int32, {n}, 9, 0, classes);
}

}  // namespace

TEST_CASE("programs with products") {
  grid_cases c;
  c.add("a training step", mlp_step,
        {filled(dtype::float32, {16, 20}, 1, -1, 1), filled(dtype::float32, {20, 33}, 2, -1, 1),
         filled(dtype::float32, {33, 10}, 3, -1, 1), labels(16, 10)});
  c.add("linear", linear,
        {filled(dtype::float32, {16, 20}, 1, -1, 1), filled(dtype::float32, {20, 64}, 2, -1, 1),
         filled(dtype::float32, {64}, 3, -1, 1)});
  c.add("linear of bfloat16", linear,
        {filled(dtype::bfloat16, {16, 20}, 1, -1, 1), filled(dtype::bfloat16, {20, 64}, 2, -1, 1),
         filled(dtype::bfloat16, {64}, 3, -1, 1)});
  c.add("batched", batched,
        {filled(dtype::float32, {3, 5, 7}, 1, -1, 1), filled(dtype::float32, {3, 7, 4}, 2, -1, 1)});
  c.add("one column", batched,
        {filled(dtype::float32, {9, 7}, 1, -1, 1), filled(dtype::float32, {7, 1}, 2, -1, 1)});
  c.run();
}

TEST_CASE("losses and their gradients") {
  grid_cases c;
  for (index_t n : {2, 33, 512, 5000})
    c.add("cross entropy", class_step,
          {filled(dtype::float32, {7, n}, 1), labels(7, static_cast<int>(n))});
  c.add("cross entropy of bfloat16", class_step,
        {filled(dtype::bfloat16, {9, 256}, 1), labels(9, 256)});
  c.add("dropout", dropped,
        {filled(dtype::float32, {24, 20}, 1), values(dtype::uint32, {2}, {12345, 678})});
  c.add("rms norm", norm_step,
        {filled(dtype::float32, {24, 64}, 1), filled(dtype::float32, {64}, 2)});
  c.run();
}

TEST_CASE("updates and spreads") {
  grid_cases c;
  c.add("adamw", update,
        {filled(dtype::float32, {1003}, 1), filled(dtype::float32, {1003}, 2),
         filled(dtype::float32, {1003}, 3), filled(dtype::float32, {1003}, 4, 0.1, 1),
         values(dtype::float32, {}, {3})});
  for (index_t n : {1, 40}) c.add("spread", spread, {filled(dtype::float32, {33, n}, 1)});
  c.run();
}
