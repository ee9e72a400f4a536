// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/stance.hpp>

#include <doctest/doctest.h>

#include "stance_table.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

// Stances: other ways to run the same programs, checks, and searches for what is wrong.
namespace w = weft;
using w::index_t;
using weft_test::table;

namespace {

template <class T, index_t... E>
bool same(const w::tensor<T, E...>& a, const w::tensor<T, E...>& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}
float distance(const w::matrix<float>& a, const w::matrix<float>& b) {
  return w::item(w::max(w::abs(a - b)));
}

constexpr auto forward = [](auto x, auto m) {
  return w::softmax(w::tanh(w::matmul(x, m)) * 2.0f + 0.25f);
};
std::string text_of(auto&& f) {
  try {
    f();
  } catch (const w::error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("programs give the same in every stance") {
  const auto x = table(9, 33), m = table(33, 20);
  const auto f = w::compile(forward);
  const w::matrix<float> compiled = f(x, m);
  {
    const w::stance_scope scope{w::stance::interpreted};
    CHECK(same(f(x, m), compiled));
  }
  {
    const w::stance_scope scope{w::stance::unfused};
    CHECK(same(f(x, m), compiled));
    CHECK(same(w::matrix<float>(w::exp(x) * 2.0f), w::matrix<float>(w::exp(x) * 2.0f)));
  }
  {
    const w::stance_scope scope{w::stance::reference};
    const w::matrix<float> reference = f(x, m);
    CHECK(distance(reference, compiled) < 1e-6f);
    CHECK(!same(reference, compiled));  // it ran: what it does not round shows
    CHECK(w::current_stance_options().how == w::stance::reference);
  }
  CHECK(w::current_stance_options().how == w::stance::compiled);
  CHECK(same(f(x, m), compiled));
}

TEST_CASE("views, 16-bit values, integers and several results in every stance") {
  const auto x = table(6, 50);
  const auto f = w::compile([](auto a) {
    auto h = w::cast<w::bfloat16>(a);
    return std::tuple{h * 2.0f, w::argmax(a, w::axis<1>), w::sum(w::cast<int>(a > 0.0f)),
                      w::transpose(a) + 1.0f};
  });
  const auto wanted = f(x(w::all, w::range(0, 50, 3)));
  for (w::stance s : {w::stance::interpreted, w::stance::unfused, w::stance::reference}) {
    const w::stance_scope scope{s};
    const auto found = f(x(w::all, w::range(0, 50, 3)));
    CHECK(same(std::get<0>(found), std::get<0>(wanted)));
    CHECK(same(std::get<1>(found), std::get<1>(wanted)));
    CHECK(same(std::get<2>(found), std::get<2>(wanted)));
    CHECK(same(std::get<3>(found), std::get<3>(wanted)));
  }
}

TEST_CASE("results over their arguments are right in every stance") {
  for (w::stance s : {w::stance::interpreted, w::stance::unfused, w::stance::reference}) {
    const w::stance_scope scope{s};
    w::vector<float> a{1, 2, 3};
    const w::vector<float> b{10, 20, 30};
    const auto f = w::compile([](auto p, auto q) { return std::tuple{p + q, p * q}; });
    w::vector<float> c;
    f.into(std::tie(a, c), a, b);
    CHECK(same(a, w::vector<float>{11, 22, 33}));
    CHECK(same(c, w::vector<float>{10, 40, 90}));
  }
}

TEST_CASE("captured at run time, too, and without a pass") {
  const auto x = table(5, 40);
  const auto f = w::jit([](auto a) { return a * 1.1f + 0.3f; });
  const w::matrix<float> contracted = f(x);
  w::stance_options o;
  o.without = "contract";
  const w::stance_scope scope{o};
  const w::matrix<float> apart = f(x);
  CHECK(f.statistics().captures == 2);
  volatile float product = x(0, 7) * 1.1f;  // which no compiler contracts with the sum
  CHECK(apart(0, 7) == product + 0.3f);
  CHECK(!same(apart, contracted));
  o.without = "vanish";
  CHECK(text_of([&] { w::set_stance(o); }).find("simplify, contract") != std::string::npos);
}

TEST_CASE("the first NaN is named") {
  const auto log_of = [](auto a) { return w::sum(w::log(a - 1.0f) * 2.0f); };
  const w::vector<float> fine{2, 3}, bad{2, 0.5f, 3};
  const auto f = w::jit(log_of);
  w::stance_options o;
  o.check_nan = true;
  const w::stance_scope scope{o};
  CHECK(std::isfinite(static_cast<float>(f(fine))));
  const std::string text = text_of([&] { f(bad); });
  CHECK(text.find("the first NaN is element 1 of log (float32 of shape (3))") != std::string::npos);
  CHECK(text.find("stance.cpp:") != std::string::npos);
  // A program of the C++ compiler knows the line of its result.
  const std::string compiled = text_of([&] { w::compile(log_of)(bad); });
  CHECK(compiled.find("element 1 of log") != std::string::npos);
  CHECK(compiled.find("stance.cpp:") != std::string::npos);
  CHECK(w::find_nan(log_of, bad).find("element 1 of log") != std::string::npos);
  CHECK(w::find_nan(log_of, fine).empty());
  const w::vector<float> given{1, std::numeric_limits<float>::quiet_NaN()};
  CHECK(w::find_nan(log_of, given).find("element 1 of argument 0") != std::string::npos);
}

TEST_CASE("memory is checked") {
  w::stance_options o;
  o.check_memory = true;
  const w::stance_scope scope{o};
  const auto x = table(5, 40), m = table(40, 6);
  const auto f = w::compile(forward);
  CHECK_NOTHROW(f(x, m));
  CHECK_NOTHROW(w::matrix<float>(w::transpose(x) * 2.0f));
  alignas(8) std::byte bytes[32]{};
  const w::view<float, 1> odd({}, reinterpret_cast<float*>(bytes + 1), {4}, {1});
  const auto g = w::compile([](auto a) { return a + 1.0f; });
  CHECK(text_of([&] { g(odd); }).find("argument 0 (float32) lies at an address") !=
        std::string::npos);
}

TEST_CASE("a plan that leaves its memory is caught before it runs") {
  using namespace w::detail;
  const auto x = table(5, 40);
  const auto f = [](auto a) { return a + 1.0f; };
  argument_list<1> arguments;
  arguments.add(x);
  plan p =
      make_plan(optimised(jit_source<std::remove_cvref_t<decltype(f)>, w::matrix<float>>::capture(
          f, arguments, false, false, x)));
  auto y = x, z = x;
  void* to[]{y.data(), z.data()};
  const index_t extents[8]{};
  CHECK(text_of([&] {
          check_memory(interpreted(p)->code(), arguments.value.data(), to, extents);
        }).empty());
  p.accesses[0].offset = 3;
  CHECK(text_of([&] {
          check_memory(interpreted(p)->code(), arguments.value.data(), to, extents);
        }).find("from element 3 to 202 of a buffer of 200") != std::string::npos);
}

TEST_CASE("the environment's words") {
  using w::detail::stance_of_environment;
  CHECK(stance_of_environment("reference", nullptr).how == w::stance::reference);
  CHECK(stance_of_environment("unfused", "nan,memory").check_memory);
  CHECK(stance_of_environment(nullptr, "nan").check_nan);
  CHECK(stance_of_environment("without=contract", "").without == "contract");
  CHECK_THROWS_AS(stance_of_environment("quick", ""), w::value_error);
  CHECK_THROWS_AS(stance_of_environment("", "all"), w::value_error);
}
