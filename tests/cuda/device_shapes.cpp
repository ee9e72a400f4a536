// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include "device_tensors.hpp"

#include <cmath>

// Changing shapes, preparation and control flow on a GPU beside the CPU. Without a GPU they say so.

namespace w = weft;
using namespace weft_test;

namespace {

constexpr auto gradients = w::value_and_grad<0, 1>(
    [](auto x, auto m) { return w::sum(w::square(w::softmax(w::layer_norm(w::matmul(x, m))))); });

}  // namespace

TEST_CASE("device: batches of many sizes by kernels of one") {
  if (no_gpu()) return;
  const w::matrix<float> m = numbers(1, 48, 96) * 0.2f;
  const auto dm = m.to(gpu);
  for (const w::mode mode : {w::mode::standard, w::mode::reduce_overhead}) {
    auto f = w::compile(gradients, {.device = gpu, .mode = mode});
    f.options.dynamic = w::dynamic_shapes::automatic;
    for (const w::index_t batch : {128, 37, 64, 1000, 2, 129, 1, 5000, 3}) {
      CAPTURE(batch);
      // A sum of all is of another form where there are many more of them: 1000 and above.
      if (batch == 2) f.options.on_recompile = w::on_recompile::fail;
      if (batch == 1) f.options.on_recompile = w::on_recompile::allow;  // a row alone is its own
      const w::matrix<float> x = numbers(2, batch, 48);
      const auto [v, gx, gm] = w::compile(gradients)(x, m);
      const auto [dv, dx, dg] = f(x.to(gpu), dm);
      CHECK(difference(dv, v) < 1e-4);
      CHECK(difference(dx, gx) < 1e-4);
      CHECK(difference(dg, gm) < 1e-3);
    }
  }
}

TEST_CASE("device: rows of many lengths") {
  if (no_gpu()) return;
  auto f = w::compile(
      [](auto x) {
        return std::tuple{w::softmax(x), w::var(x, w::axis<0>)};
      },
      {.device = gpu, .dynamic = w::dynamic_shapes::on});
  for (const w::index_t length : {256, 3, 4, 255, 1000, 1024, 5001, 40000}) {
    CAPTURE(length);
    const w::matrix<float> x = numbers(3, 70, length);
    const auto [there, columns] = f(x.to(gpu));
    CHECK(difference(there, w::eval(w::softmax(x))) < 1e-6);
    CHECK(difference(columns, w::eval(w::var(x, w::axis<0>))) < 1e-5);
  }
}

TEST_CASE("device: what is prepared is not compiled at the first call") {
  if (no_gpu()) return;
  auto f = w::compile([](auto x) { return w::sin(x) * w::cos(x) + 0.125f; }, {.device = gpu});
  const w::preparation p = f.prepare(w::example<w::matrix<float>>(77, 33));
  CHECK(p.milliseconds > 0);
  CHECK(p.report.find("registers") != std::string::npos);
  f.options.on_recompile = w::on_recompile::fail;
  const w::matrix<float> x = numbers(4, 77, 33);
  const w::matrix<float> y = w::sin(x) * w::cos(x) + 0.125f;
  CHECK(difference(f(x.to(gpu)), y) < 1e-6);
}

TEST_CASE("device: a recurrence and a loop with a condition, in both modes") {
  if (no_gpu()) return;
  auto recurrence = [](auto s, auto xs) {
    return w::scan(
        [](auto s, auto x) {
          const auto next = w::tanh(s * 0.5f + x);
          return std::tuple{next, w::sum(next * next)};
        },
        s, xs);
  };
  auto doubled = [](auto x) {
    return w::while_loop([](auto s) { return w::sum(s * s) < 1000.0f; },
                         [](auto s) { return s * 1.5f; }, x);
  };
  const w::vector<float> s = w::random::normal<float>(w::random::key(5), 100);
  const w::matrix<float> xs = numbers(6, 20, 100);
  const auto [last, all] = w::compile(recurrence)(s, xs);
  const w::vector<float> far = w::compile(doubled)(s);
  for (const w::mode mode : {w::mode::standard, w::mode::reduce_overhead}) {
    auto f = w::compile(recurrence, {.device = gpu, .mode = mode});
    auto g = w::compile(doubled, {.device = gpu, .mode = mode});
    for (int call = 0; call < 3; ++call) {
      const auto [there, stack] = f(s.to(gpu), xs.to(gpu));
      CHECK(difference(there, last) < 1e-5);
      CHECK(difference(stack, all) < 1e-4);
      CHECK(difference(g(s.to(gpu)), far) < 1e-5);
    }
  }
}

TEST_CASE("device: views with gaps are written where they lie") {
  if (no_gpu()) return;
  w::matrix<float> y = numbers(7, 40, 64);
  const w::matrix<float> x = numbers(8, 40, 16), z = numbers(9, 16, 40);
  auto dy = y.to(gpu);
  const auto dx = x.to(gpu), dz = z.to(gpu);
  y(w::all, w::range(8, 24)) = x * 2.0f + 1.0f;
  dy(w::all, w::range(8, 24)) = dx * 2.0f + 1.0f;
  CHECK(difference(dy, y) < 1e-6);
  y(w::all, w::range(3, 19)) = w::transpose(z);
  dy(w::all, w::range(3, 19)) = w::transpose(dz);
  CHECK(difference(dy, y) == 0);
  auto f = w::compile([](auto x) { return x - 1.0f; });
  auto part = y(w::range(0, 40, 2), w::range(0, 16));
  auto there = dy(w::range(0, 40, 2), w::range(0, 16));
  const w::matrix<float> half = numbers(10, 20, 16);
  f.into(part, half);
  f.into(there, half.to(gpu));
  CHECK(difference(dy, y) == 0);
}
