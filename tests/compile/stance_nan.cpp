// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/stance.hpp>

#include <weft/nn/init.hpp>
#include <weft/nn/linear.hpp>
#include <weft/optim/sgd.hpp>
#include <weft/optim/training.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

// The check for NaN runs after every launch of the program that was compiled.
namespace w = weft;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::string text_of_nan(auto&& f) {
  w::stance_options o;
  o.check_nan = true;
  const w::stance_scope scope{o};
  try {
    f();
  } catch (const w::value_error& e) {
    return e.what();
  }
  return "";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int looks = 0;
constexpr auto count_looks = [](w::view<const float, 1>) { ++looks; };

}  // namespace

TEST_CASE("NaN checks: the launch, the op in it and the element") {
  // Two launches: the second walks the axes of the first in another order.
  const std::string line = std::to_string(__LINE__ + 3);
  const auto f = [](auto x) {
    auto y = w::softmax(x);
    return w::sqrt(w::transpose(y) - 0.25f) * y;
  };
  const w::matrix<float> bad{{0, 0}, {0, 5}};
  const std::string compiled = text_of_nan([&] { w::compile(f)(bad); });
  CHECK(contains(compiled,
                 "the first NaN is element 1 of sqrt (float32 of shape (2, 2)), in launch 1 ("));
  CHECK(contains(compiled, "sqrt"));
  CHECK(contains(compiled, "; in the program at stance_nan.cpp:"));
  CHECK(contains(compiled, "find_nan"));
  const std::string at_run_time = text_of_nan([&] { w::jit(f)(bad); });
  CHECK(contains(at_run_time, "element 1 of sqrt (float32 of shape (2, 2)), in launch 1 ("));
  CHECK(contains(at_run_time, "; at stance_nan.cpp:" + line));
  CHECK(text_of_nan([&] { w::compile(f)(w::matrix<float>{{1, 1}, {1, 1}}); }).empty());
  CHECK(contains(text_of_nan([&] {
                   w::compile(f)(w::matrix<float>{{1, not_a_number}});
                 }),
                 "element 1 of argument 0 (float32 of shape (1, 2))"));
}

TEST_CASE("NaN checks: what a kernel computes and does not write is its own affair") {
  const auto f = [](auto x) { return w::where(x > 0.0f, w::log(x), 0.0f); };
  CHECK(text_of_nan([&] { w::compile(f)(w::vector<float>{-1, 1}); }).empty());
  CHECK(contains(w::find_nan(f, w::vector<float>{-1, 1}), "element 0 of log"));
}

TEST_CASE("NaN checks: products, their epilogues, strided results, views and 16-bit values") {
  w::matrix<float> a = w::ones<float>(3, 3), b = w::ones<float>(3, 3);
  a(1, 0) = std::numeric_limits<float>::infinity();
  b(0, 2) = 0;
  CHECK(contains(
      text_of_nan([&] { w::compile([](auto p, auto q) { return w::matmul(p, q); })(a, b); }),
      "element 5 of matmul (float32 of shape (3, 3)), in launch 0 (matmul)"));
  CHECK(contains(text_of_nan([&] {
                   w::compile([](auto p, auto q) { return w::relu(w::matmul(p, q)); })(a, b);
                 }),
                 "element 5 of matmul (float32 of shape (3, 3)), in launch 0 (matmul + relu)"));
  const auto parts = w::compile([](auto p) { return w::concat(w::axis<1>, p + 1.0f, w::log(p)); });
  const w::matrix<float> m{{1, 2}, {3, -1}};
  CHECK(contains(text_of_nan([&] { parts(m); }), "element 3 of log"));
  CHECK(contains(text_of_nan([&] { parts(w::transpose(m)); }), "element 3 of log"));
  CHECK(text_of_nan([&] { parts(w::matrix<float>{{1, 2}}); }).empty());
  const auto narrow = w::compile([](auto p) { return w::cast<w::bfloat16>(w::sqrt(p)); });
  CHECK(contains(text_of_nan([&] { narrow(m); }), "element 3 of sqrt"));
}

TEST_CASE("NaN checks: in bodies, and by host functions") {
  const auto loop = [](auto x) {
    return w::fori(
        4, [](auto, auto s) { return w::log(s) * 1.5f; }, x);
  };
  const std::string text = text_of_nan([&] { w::compile(loop)(w::vector<float>{9, 2}); });
  CHECK(contains(text, "element 1 of log (float32 of shape (2)), in launch 0 (log_multiply)"));
  CHECK(text_of_nan([&] { w::compile(loop)(w::vector<float>{60, 60}); }).empty());
  const auto library = w::compile([](auto x) {
    return w::graph_break(x * 2.0f, "a library",
                          [](w::view<const float, 1> v) {
                            w::vector<float> r = v;
                            r(1) = not_a_number;
                            return r;
                          }) +
           1.0f;
  });
  CHECK(contains(text_of_nan([&] { library(w::vector<float>{1, 2}); }), "launch 1 (host_call)"));
}

TEST_CASE("NaN checks: the program runs once, and calls within it are checked") {
  looks = 0;
  const auto f =
      w::compile([](auto x) { return w::exp(w::graph_break(w::sin(x), "a look", count_looks)); });
  w::vector<float> y;
  CHECK(text_of_nan([&] { y = f(w::vector<float>{1, 2}); }).empty());
  CHECK(looks == 1);
  CHECK(y(0) == f(w::vector<float>{1, 2})(0));
  const auto outer = w::compile([](auto x) {
    return w::graph_break(x, "a call", [](w::view<const float, 1> v) {
      w::compile([](auto a) { return w::log(a); })(v);
    });
  });
  CHECK(contains(text_of_nan([&] { outer(w::vector<float>{1, -1}); }), "element 1 of log"));
}

namespace {
constexpr auto shape = w::nn::linear_spec(2, 1);
}

TEST_CASE("the environment's stances in a program that does not know them are told once") {
  using namespace w::detail;
  CHECK(knows_stances);
  CHECK_FALSE(tell_missing_stances("reference", "nan"));
  knows_stances = false;
  CHECK_FALSE(tell_missing_stances(nullptr, ""));
  CHECK(tell_missing_stances(nullptr, "nan"));
  CHECK_FALSE(tell_missing_stances("reference", nullptr));
  knows_stances = true;
}

TEST_CASE("NaN checks: a training step that fails leaves model and optimizer as they were") {
  auto model = w::init(shape, w::random::key(1));
  auto train = w::training<shape>([](const auto& m, auto x) { return w::sum(w::sqrt(m(x))); },
                                  w::optim::sgd{.learning_rate = 1.0f});
  const auto before = model;
  w::matrix<float> x{{1, 2}};
  for (float sign : {1.0f, -1.0f}) {
    const w::matrix<float> in = x * sign;
    model = before;
    const std::string text = text_of_nan([&] { train.step(model, in); });
    if (text.empty()) continue;
    CHECK(contains(text, "sqrt"));
    CHECK(std::memcmp(model.weight.data(), before.weight.data(), 8) == 0);
    return;
  }
  FAIL("one of the two has a square root of a negative number");
}
