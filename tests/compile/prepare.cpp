// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <vector>

// What compiled::prepare hands to a device's back end.

namespace w = weft;

namespace {

struct seen {
  int calls = 0;
  std::vector<w::index_t> shape;
  bool memory = false, prepares = false;
  w::mode mode{};
};
seen last;

std::string describe(const w::detail::device_call& c, bool) {
  ++last.calls;
  last.shape = {c.arguments[0].shape[0], c.arguments[0].shape[1], c.arguments[1].shape[0]};
  last.memory = c.arguments[0].data || c.arguments[1].data;
  last.prepares = c.prepare;
  last.mode = c.options.mode;
  return "made\n";
}
constexpr w::detail::device_back_end back_end{nullptr, &describe};

struct installed {
  const w::detail::device_back_end* before =
      w::detail::cuda_back_end.exchange(&back_end, std::memory_order_acq_rel);
  ~installed() { w::detail::cuda_back_end.store(before, std::memory_order_release); }
};

template <class T>
struct layer {
  w::leaf<T, 2> weight;
  constexpr auto operator()(const auto& x) const { return w::matmul(x, weight); }
};
constexpr layer<w::spec> shape{.weight = {{4, 3}}};

constexpr auto f = [](auto x, auto b) { return w::tanh(x + b) * 2; };

}  // namespace

TEST_CASE("prepare: shapes go to the device's back end, memory does not") {
  const installed here;
  last = {};
  auto there = w::compile(f, {.device = w::cuda(0), .mode = w::mode::reduce_overhead});
  const w::preparation p =
      there.prepare(w::example<w::matrix<float>>(64, 128), w::example<w::vector<float>>(128));
  CHECK(p.report == "made\n");
  CHECK(p.milliseconds >= 0);
  CHECK(last.shape == std::vector<w::index_t>{64, 128, 128});
  CHECK(!last.memory);
  CHECK(last.prepares);
  CHECK(last.mode == w::mode::reduce_overhead);
  const w::matrix<float> x = w::ones<float>(3, 4);
  there.prepare(x, w::example<w::vector<float>>(4));  // only its shape counts
  CHECK(last.shape == std::vector<w::index_t>{3, 4, 4});
  CHECK(!last.memory);
  CHECK(last.calls == 2);
}

TEST_CASE("prepare: on the CPU nothing is left to do") {
  const installed here;
  last = {};
  auto host = w::compile(f);
  CHECK(host.prepare(w::example<w::matrix<float>>(64, 128), w::example<w::vector<float>>(128))
            .report.find("C++ compiler") != std::string::npos);
  CHECK(last.calls == 0);
}

TEST_CASE("prepare: shapes that do not agree are errors as at a call") {
  const installed here;
  auto there = w::compile(f, {.device = w::cuda(0)});
  CHECK_THROWS_AS(
      there.prepare(w::example<w::matrix<float>>(64, 128), w::example<w::vector<float>>(127)),
      w::shape_error);
  CHECK_THROWS_AS((w::example<w::tensor<float, w::dyn, 3>>(2, 4)), w::shape_error);
}

TEST_CASE("prepare: a training step") {
  const installed here;
  last = {};
  auto train = w::training<shape>(
      [](auto const& model, auto x, auto y) { return w::mean(w::square(model(x) - y)); },
      w::optim::sgd{.learning_rate = 0.1f});
  train.options.device = w::cuda(0);
  const auto model = w::init(shape, w::random::key(0));
  const auto p = train.prepare(model, w::example<w::matrix<float>>(32, 4),
                               w::example<w::matrix<float>>(32, 3));
  CHECK(p.report == "made\n");
  CHECK(last.calls == 1);
  CHECK(!last.memory);
  CHECK(train.steps() == 0);
}
