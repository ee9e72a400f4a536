// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cuda.hpp>

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "device_tensors.hpp"

// Programs on a GPU beside the same programs on the CPU. Without a GPU they say so.

namespace w = weft;
using namespace weft_test;

namespace {

/// The largest difference, relative to the largest value: of sums of what was rounded to 16 bits.
template <class A, class B>
double difference_of_all(const A& there, const B& here) {
  const auto back = there.to(w::cpu);
  REQUIRE(back.shape() == here.shape());
  double worst = 0, largest = 0;
  for (w::index_t i = 0; i < here.size(); ++i) {
    const auto x = static_cast<double>(back.data()[i]), y = static_cast<double>(here.data()[i]);
    REQUIRE(std::isfinite(x));
    worst = std::max(worst, std::abs(x - y)), largest = std::max(largest, std::abs(y));
  }
  return worst / largest;
}

}  // namespace

TEST_CASE("device: tensors go there and back, and keep their device") {
  if (no_gpu()) return;
  const w::matrix<float> a = numbers(1, 33, 65);
  const auto there = a.to(gpu);
  CHECK(there.device() == gpu);
  CHECK(difference(there, a) == 0);
  const auto copy = there;
  CHECK(copy.device() == gpu);
  CHECK(copy.address() != there.address());
  CHECK(difference(copy, a) == 0);
  CHECK_THROWS_AS(static_cast<void>(there.data()), w::device_error);
  CHECK_THROWS_AS(static_cast<void>(there(0, 0)), w::device_error);
  auto mixed = a;
  CHECK_THROWS_AS(mixed = a + there, w::device_error);
  CHECK(static_cast<float>(w::tensor<float>(3.0f).to(gpu)) == 3);
}

TEST_CASE("device: expressions, in place and under aliasing") {
  if (no_gpu()) return;
  w::matrix<float> a = numbers(1, 128, 128), b = numbers(2, 128, 128);
  auto da = a.to(gpu), db = b.to(gpu);
  w::matrix<float> y = w::tanh(a * b + 0.5f) / 2.0f, dy = w::tanh(da * db + 0.5f) / 2.0f;
  CHECK(dy.device() == gpu);
  CHECK(difference(dy, y) < 1e-6);
  const float total = w::sum(w::abs(da)), want = w::sum(w::abs(a));
  CHECK(std::abs(total - want) < 1e-6 * want);
  const float* before = da.address();
  da = da + 1.0f, a = a + 1.0f;
  CHECK(da.address() == before);
  CHECK(difference(da, a) == 0);
  da = da + w::transpose(da), a = a + w::transpose(a);
  CHECK(difference(da, a) == 0);
}

TEST_CASE("device: reductions, products, several results") {
  if (no_gpu()) return;
  const w::matrix<float> a = numbers(3, 300, 513), b = numbers(4, 300, 513);
  const auto da = a.to(gpu), db = b.to(gpu);
  auto f = w::compile([](auto x) {
    return std::tuple{w::softmax(x, w::axis<-1>), w::sum(x, w::axis<0>),
                      w::max(x, w::axis<1>),      w::var(x),
                      w::transpose(x) + 1.0f,     w::argmax(x, w::axis<-1>)};
  });
  const auto [softmax, columns, rows, all, turned, places] = f(a);
  const auto [there0, there1, there2, there3, there4, there5] = f(da);
  CHECK(difference(there0, softmax) < 1e-6);
  CHECK(difference(there1, columns) < 1e-5);
  CHECK(difference(there2, rows) == 0);
  CHECK(difference(there3, all) < 1e-5);
  CHECK(difference(there4, turned) == 0);
  CHECK(difference(there5, places) == 0);
  auto product = w::compile(
      [](auto x, auto y) { return w::relu(w::matmul(x, w::transpose(y)) * 0.04f + 1.0f); });
  CHECK(difference(product(da, db), product(a, b)) < 1e-5);
}

TEST_CASE("device: two layers of 16 bits with gelu_tanh between them, and all gradients") {
  if (no_gpu()) return;
  const auto f = w::value_and_grad<0, 1, 2, 3>([](auto x, auto a, auto b, auto c) {
    return w::sum(w::square(w::matmul(w::gelu_tanh(w::matmul(x, a) + b), c)));
  });
  const auto there = w::compile(f, {.mode = w::mode::max_autotune}), here = w::compile(f);
  // Rows of the hidden layer that the library takes beside its result, and others.
  for (const w::index_t hidden : {96, 90}) {
    const w::matrix<w::bfloat16> x = w::cast<w::bfloat16>(numbers(31, 64, 32)),
                                 a = w::cast<w::bfloat16>(numbers(32, 32, hidden) * 0.2f),
                                 c = w::cast<w::bfloat16>(numbers(33, hidden, 48) * 0.1f);
    const w::vector<w::bfloat16> b = w::cast<w::bfloat16>(numbers(34, 1, hidden)(0, w::all));
    const auto [v, gx, ga, gb, gc] = here(x, a, b, c);
    const auto [dv, dx, da, db, dc] = there(x.to(gpu), a.to(gpu), b.to(gpu), c.to(gpu));
    CHECK(difference_of_all(dv, v) < 1e-2);
    CHECK(difference_of_all(dx, gx) < 1e-2);
    CHECK(difference_of_all(da, ga) < 1e-2);
    CHECK(difference_of_all(db, gb) < 1e-2);
    CHECK(difference_of_all(dc, gc) < 1e-2);
  }
}

TEST_CASE("device: where a program is told to run, and its modes") {
  if (no_gpu()) return;
  const auto f = w::value_and_grad<0, 1>([](auto x, auto y) { return w::sum(w::sin(x) * y); });
  const w::matrix<float> a = numbers(5, 65, 33), b = numbers(6, 65, 33);
  const auto da = a.to(gpu), db = b.to(gpu);
  const auto [v, gx, gy] = w::compile(f)(a, b);
  for (const w::mode mode : {w::mode::standard, w::mode::reduce_overhead, w::mode::max_autotune}) {
    const auto there = w::compile(f, {.device = gpu, .mode = mode});
    for (int call = 0; call < 3; ++call) {
      const auto [dv, dx, dy] = there(da, db);  // new results each time: new pointers
      CHECK(difference(dv, v) < 1e-5);
      CHECK(difference(dx, gx) < 1e-6);
      CHECK(difference(dy, gy) < 1e-6);
    }
    CHECK_THROWS_AS(there(a, b), w::device_error);
    CHECK(there.device_report(da, db).find("registers") != std::string::npos);
    CHECK(there.device_source(da, db).find("__global__") != std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(w::compile(f).device_report(a, b)), w::device_error);
  }
}

TEST_CASE("device: memory is counted, and comes back") {
  if (no_gpu()) return;
  const std::size_t before = w::statistics(gpu).in_use;
  {
    const auto there = numbers(8, 1000, 1000).to(gpu);
    CHECK(w::statistics(gpu).in_use >= before + 4000000);
    CHECK(w::statistics(gpu).peak >= w::statistics(gpu).in_use);
  }
  CHECK(w::statistics(gpu).in_use == before);
  CHECK_THROWS_AS(static_cast<void>(w::statistics(w::cpu)), w::device_error);
  const auto a = numbers(9, 8, 8).to(gpu);
  CHECK_THROWS_AS(
      static_cast<void>(w::detail::allocate_elements(
          gpu, w::dtype::float32, std::array<w::index_t, 1>{w::index_t{1} << 45}.data(), 1)),
      w::memory_error);
  CHECK(difference(a, numbers(9, 8, 8)) == 0);  // and everything goes on
}

TEST_CASE("device: a bad index is an error when the result is read, and nothing more") {
  if (no_gpu()) return;
  const w::matrix<float> a = numbers(7, 20, 30);
  const auto da = a.to(gpu);
  auto pick = w::compile([](auto x, auto i) { return w::take(x, i, w::axis<0>); });
  const auto bad = w::vector<std::int64_t>{3, 20}.to(gpu),
             good = w::vector<std::int64_t>{3, 19}.to(gpu);
  auto y = pick(da, bad);
  CHECK_THROWS_AS(static_cast<void>(y.to(w::cpu)), w::index_error);
  CHECK(difference(pick(da, good), pick(a, w::vector<std::int64_t>{3, 19})) == 0);
}
