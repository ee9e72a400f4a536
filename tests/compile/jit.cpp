// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/jit.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <sstream>
#include <string>

// Functions captured while the program runs.
namespace w = weft;
using w::index_t;

namespace {

w::vector<float> ramp(index_t n) {
  auto x = w::vector<float>::uninitialized({n});
  for (index_t i = 0; i < n; ++i) x.data()[i] = static_cast<float>(i % 97) / 97.0f - 0.4f;
  return x;
}
template <class T, index_t... E>
bool same(const w::tensor<T, E...>& a, const w::tensor<T, E...>& b) {
  return a.shape() == b.shape() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

template <class T>
struct scaled {
  w::leaf<T, 2> weight;
  w::leaf<T, 1> bias;
  int power = 1;
  constexpr auto operator()(auto const& x) const {
    auto y = w::matmul(x, weight) + bias;
    for (int i = 1; i < power; ++i) y = y * y;
    return y;
  }
};

struct affine {
  float slope;
  int shift;  // as wide: not every compiler can tell which bytes lie between fields
  constexpr auto operator()(auto x) const { return shift != 0 ? x * slope + 1.0f : x * slope; }
};

}  // namespace

TEST_CASE("jit gives the bits of the compiled function") {
  const auto f = [](auto a, auto b) { return w::tanh(a * b + 0.5f) * w::sigmoid(a) - b; };
  const auto g = w::jit(f);
  const auto c = w::compile(f);
  for (index_t n : {0, 1, 7, 1000, 5000}) {
    const auto x = ramp(n), y = ramp(n);
    const w::vector<float> found = g(x, y);
    CHECK(same(found, c(x, y)));
  }
  CHECK(g.statistics().captures == 5);
  const w::vector<float> again = g(ramp(7), ramp(7));
  CHECK(g.statistics().captures == 5);
  CHECK(g.statistics().hits == 1);
}

TEST_CASE("a graph follows from what the function captures") {
  auto power = [](int n) {
    return w::jit([n](auto x) {
      auto y = x;
      for (int i = 1; i < n; ++i) y = y * x;
      return y;
    });
  };
  const w::vector<float> x{1, 2, 3};
  const w::vector<float> third = power(3)(x), fifth = power(5)(x), once_more = power(3)(x);
  CHECK(same(third, w::vector<float>{1, 8, 27}));
  CHECK(same(fifth, w::vector<float>{1, 32, 243}));
  CHECK(same(once_more, third));
  const auto s = power(3).statistics();
  CHECK(s.captures == 2);
  CHECK(s.hits == 1);
}

TEST_CASE("captured state is guarded: a change captures again") {
  auto f = w::jit(affine{2, 0});
  const w::vector<float> x{1, 2};
  CHECK(same(f(x).as<w::vector<float>>(), w::vector<float>{2, 4}));
  f.function.slope = 3;
  CHECK(same(f(x).as<w::vector<float>>(), w::vector<float>{3, 6}));
  f.function.shift = 1;
  CHECK(same(f(x).as<w::vector<float>>(), w::vector<float>{4, 7}));
  f.function = {2, 0};
  CHECK(same(f(x).as<w::vector<float>>(), w::vector<float>{2, 4}));
  CHECK(f.statistics().captures == 3);
}

TEST_CASE("gradients are taken inside, of functions with state too") {
  int n = 4;
  const auto f = w::jit([n](auto x) {
    auto loss = [n](auto y) {
      for (int i = 0; i < n; ++i) y = w::sin(y) * 1.5f;
      return w::sum(y);
    };
    return w::value_and_grad(loss)(x);
  });
  const auto x = ramp(1300);
  const auto [value, gradient] = f(x);
  const auto compiled = w::compile([](auto y) {
    return w::value_and_grad([](auto z) {
      for (int i = 0; i < 4; ++i) z = w::sin(z) * 1.5f;
      return w::sum(z);
    })(y);
  });
  const auto [v, g] = compiled(x);
  CHECK(static_cast<float>(value) == w::item(v));
  CHECK(same(gradient.as<w::vector<float>>(), g));
}

TEST_CASE("long chains have gradients: their kernels are cut where they would store too much") {
  const auto x = ramp(50);
  for (int n : {20, 45, 150}) {
    const auto chain = [n](auto y) {
      for (int i = 0; i < n; ++i) y = w::sin(y) * 1.1f + 0.1f;
      return y;
    };
    const w::vector<float> reverse = w::jit(
        [chain](auto y) { return w::grad([chain](auto z) { return w::sum(chain(z)); })(y); })(x);
    const auto [value, forward] = w::jit([chain](auto y, auto t) { return w::jvp(chain)(y, t); })(
        x, w::eval(w::ones<float>(50)));
    const w::vector<float> tangent = forward;
    CHECK(w::item(w::max(w::abs(reverse - tangent))) <= 1e-4f * w::item(w::max(w::abs(tangent))));
  }
}

TEST_CASE("numbers, views, tuples, models and their settings are arguments") {
  scaled<w::parameters> m;
  m.weight = w::matrix<float>{{1, 2}, {3, 4}};
  m.bias = w::vector<float>{0.5f, -0.5f};
  const w::matrix<float> x{{1, 0}, {0, 1}, {1, 1}};
  const auto f = w::jit([](auto const& model, auto xs, auto by) {
    auto [a, b] = xs;
    auto g = w::grad([](auto const& p, auto y, auto z) { return w::sum(w::square(p(y) * z)); })(
        model, a, by);
    return std::tuple{model(a) * by + b, g, std::array{a + 1.0f, b}};
  });
  const auto [y, g, both] = f(m, std::tuple{x, x(w::all, w::range(0, 2))}, 2.0f);
  CHECK(same(y.as<w::matrix<float>>(), w::matrix<float>{{4, 3}, {7, 8}, {10, 12}}));
  CHECK(same(g.bias, w::vector<float>{8 * (1.5f + 3.5f + 4.5f), 8 * (1.5f + 3.5f + 5.5f)}));
  CHECK(both[1].shape() == std::vector<index_t>{3, 2});
  m.power = 2;
  const auto [z, gz, _] = f(m, std::tuple{x, x}, 1.0f);
  CHECK(z.as<w::matrix<float>>()(0, 0) == 1.5f * 1.5f + 1);
}

TEST_CASE("a strided view is read where it is") {
  const auto x = ramp(40);
  const auto f = w::jit([](auto a) { return a * 2.0f; });
  const w::vector<float> y = f(x(w::range(1, 40, 3)));
  REQUIRE(y.size() == 13);
  CHECK(y(4) == x(13) * 2);
  const w::vector<float> z = f(x(w::range(0, 13)));  // contiguous
  CHECK(z(4) == x(4) * 2);
}

TEST_CASE("into writes given tensors, also over its arguments") {
  const auto f = w::jit([](auto a, auto b) { return std::tuple{a + b, w::sum(a)}; });
  auto x = ramp(2000);
  const auto old = x, y = ramp(2000);
  w::tensor<float> total;
  f.into(std::tie(x, total), x, y);
  CHECK(same(x, w::eval(old + y)));
  CHECK(*total.data() == w::item(w::sum(old)));
  w::vector<double> wrong;
  CHECK_THROWS_AS(f.into(std::tie(wrong, total), x, y), w::dtype_error);
  w::matrix<float> flat;
  CHECK_THROWS_AS(f.into(std::tie(flat, total), x, y), w::dtype_error);
  CHECK_THROWS_AS(f.into(x, x, y), w::value_error);
}

TEST_CASE("open extents: one program for all shapes, another where they broadcast") {
  const auto f = w::jit([](auto a, auto b) { return a * b + 1.0f; }, {.dynamic = true});
  for (index_t n : {1, 3, 50, 2000}) {
    const w::vector<float> y = f(ramp(n), ramp(n));
    CHECK(same(y, w::eval(ramp(n) * ramp(n) + 1.0f)));
  }
  CHECK(f.statistics().captures == 1);
  const w::vector<float> wide = f(ramp(5), ramp(1));
  CHECK(same(wide, w::eval(ramp(5) * ramp(1) + 1.0f)));
  CHECK(f.statistics().captures == 2);
  CHECK_THROWS_AS(f(ramp(5), ramp(4)), w::shape_error);
}

TEST_CASE("what the compiler would refuse is an exception with its text") {
  const auto f = w::jit([](auto a, auto b) { return a * b; });
  std::string text;
  try {
    f(ramp(5), ramp(4));
  } catch (const w::error& e) {
    text = e.what();
  }
  CHECK(text.find("weft: multiply") == 0);
  CHECK(text.find("(5)") != std::string::npos);
  CHECK(text.find("jit.cpp:") != std::string::npos);
  CHECK(f.statistics().captures == 0);
  const w::vector<float> fine = f(ramp(4), ramp(4));
  CHECK(fine.size() == 4);
}

TEST_CASE("control flow in graphs runs interpreted bodies") {
  int turns = 5;
  const auto f = w::jit([turns](auto x, auto xs) {
    const float scale = static_cast<float>(turns);
    auto [last, all] = w::scan(
        [scale](auto carry, auto step) {
          auto next = w::tanh(carry * 0.5f + step * scale);
          return std::tuple{next, next * 2.0f};
        },
        x, xs);
    return std::tuple{w::where(w::sum(x) > 0, last, -last), all};
  });
  const auto x = ramp(700);
  auto xs = w::matrix<float>::uninitialized({6, 700});
  for (index_t i = 0; i < xs.size(); ++i) xs.data()[i] = static_cast<float>(i % 13) / 13.0f - 0.5f;
  const auto [last, all] = f(x, xs);
  auto c = w::eval(x);
  const auto stacked = all.as<w::matrix<float>>();
  for (index_t i = 0; i < 6; ++i) {
    const auto row = w::eval(xs(i, w::all));
    c = w::eval(w::tanh(c * 0.5f + row * 5.0f));
    CHECK(same(w::eval(stacked(i, w::all)), w::eval(c * 2.0f)));
  }
  CHECK(last.size() == 700);
}

TEST_CASE("results have their dtype and rank, or say so") {
  const auto f = w::jit([](auto a) { return w::sum(w::cast<int>(a)); });
  const w::any_tensor n = f(w::vector<float>{1, 2, 3});
  CHECK(n.type() == w::dtype::int64);
  CHECK(static_cast<std::int64_t>(n) == 6);
  CHECK_THROWS_AS(static_cast<void>(static_cast<float>(n)), w::dtype_error);
  CHECK_THROWS_AS(static_cast<void>(n.as<w::vector<std::int64_t>>()), w::shape_error);
  using three = w::tensor<float, 3>;
  const w::any_tensor four = w::jit([](auto a) { return -a; })(ramp(4));
  CHECK_THROWS_AS(static_cast<void>(four.as<three>()), w::shape_error);
}

TEST_CASE("results print as tensors of their type do") {
  auto text = [](const auto& x) {
    std::ostringstream out;
    out << x;
    return out.str();
  };
  const auto f = w::jit([](auto a) {
    return std::tuple{a * 0.5f, w::sum(a), a > 1.0f, w::cast<int>(a),
                      w::expand(w::cast<w::bfloat16>(a), w::shape<2, 3>)};
  });
  const auto [half, sum, greater, whole, table] = f(w::vector<float>{1, 2, 3});
  CHECK(text(half) == "[0.5 1.  1.5]");
  CHECK(text(sum) == "6");
  CHECK(text(greater) == "[false  true  true]");
  CHECK(text(whole) == "[1 2 3]");
  CHECK(text(table) == text(table.as<w::matrix<w::bfloat16>>()));
  CHECK(text(table) == "[[1. 2. 3.]\n [1. 2. 3.]]");
  CHECK(text(w::any_tensor{}) == "[]");
}

TEST_CASE("the oldest program makes room") {
  const auto f = w::jit([](auto a) { return a + 2.0f; }, {.limit = 2});
  for (index_t n : {1, 2, 3, 3, 2, 1}) f(ramp(n));
  const auto s = f.statistics();
  CHECK(s.programs == 2);
  CHECK(s.captures == 4);
  CHECK(s.hits == 2);
  CHECK(s.evictions == 2);
}

TEST_CASE("captures are logged") {
  std::string told;
  auto hear = [&](std::string_view line) { told += line; };
  const unsigned before = w::detail::watching();
  w::logging::to(hear);
  w::logging::set("recompiles");
  w::jit([](auto a) { return a + 4.0f; })(ramp(3));
  w::detail::watched = before;
  w::logging::to(nullptr);
  CHECK(told.find("jit.cpp:") != std::string::npos);
  CHECK(told.find("captured, program 1 of a function for jit") != std::string::npos);
}

TEST_CASE("what a function became can be read") {
  int n = 3;
  const auto f = w::jit([n](auto a) {
    for (int i = 0; i < n; ++i) a = w::exp(a) - 1.0f;
    return a;
  });
  const auto x = ramp(100);
  CHECK(w::explain(f, x).kernels == 1);
  CHECK(w::source(f, x).text.find("std::exp") != std::string::npos);
}
