// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/capture/host.hpp>
#include <weft/compile/control.hpp>
#include <weft/compile/explain.hpp>
#include <weft/grad/transforms.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>
#include <support/gradients.hpp>
#include <support/tensors.hpp>

#include <string>

// C++ code in the midst of compiled programs: what it sees, in which order, and its gradients.
namespace w = weft;
using namespace weft_test;
using w::index_t;

namespace {

std::string seen;  ///< what host functions were called, and with what

template <char Name>
struct note {
  template <class X>
  static void tell(const X& x) {
    seen += Name;
    for (index_t i = 0; i < x.size(); ++i)
      seen += " " + std::to_string(static_cast<long>(x.data()[i]));
    seen += ";";
  }
  void operator()(w::view<const double, 1> x) const { tell(x); }
};
struct note_number {
  void operator()(double x) const { seen += "n " + std::to_string(static_cast<long>(x)) + ";"; }
};

template <class F, class... X>
std::string told(const F& f, const X&... x) {
  seen.clear();
  static_cast<void>(f(x...));
  return seen;
}

const w::vector<double> u{1, 2, 3};

}  // namespace

TEST_CASE("graph breaks: host functions see values in the order of the program") {
  const auto f = w::compile([](auto x) {
    auto y = w::graph_break(x * 2.0, "a", note<'a'>{});
    w::graph_break(y + 1.0, "unused", note<'b'>{});
    y = w::graph_break(y * 10.0, "c", note<'c'>{});
    w::graph_break(w::sum(y), "number", note_number{});
    return y;
  });
  CHECK(told(f, u) == "a 2 4 6;b 3 5 7;c 20 40 60;n 120;");
  CHECK(told(f, u * 2.0) == "a 4 8 12;b 5 9 13;c 40 80 120;n 240;");
  CHECK(holds(f(u), {20, 40, 60}) == "");
}

TEST_CASE("graph breaks: tensors, views, static extents, numbers, tuples, integers and bools") {
  const auto f = w::compile([](auto x, auto n) {
    auto [a, b] = w::graph_break(std::tuple{x * 2.0, n + 1}, "two",
                                 [](const w::vector<double>& a, const w::vector<std::int64_t>& b) {
                                   seen +=
                                       std::to_string(a.size()) + " " + std::to_string(b(1)) + ";";
                                 });
    auto c = w::graph_break(x > 1.5, "mask", [](const w::vector<bool>& m) {
      for (index_t i = 0; i < m.size(); ++i) seen += m(i) ? '1' : '0';
    });
    auto d = w::graph_break(
        w::sum(x), "sum", [](double s) { return s > 5 ? s : -s; },
        [](double g, double) { return g; });
    auto e = w::graph_break(x, "fixed", [](const w::tensor<double, 3>& v) {
      return w::tensor<double, 2>{v(0), v(2)};
    });
    return std::tuple{a, b, w::where(c, x, x * 0.0), d, e};
  });
  const w::vector<std::int64_t> n{4, 5};
  seen.clear();
  const auto [a, b, c, d, e] = f(u, n);
  CHECK(seen == "3 6;011");
  CHECK(holds(a, {2, 4, 6}) == "");
  CHECK(b(0) == 5);
  CHECK(holds(c, {0, 2, 3}) == "");
  CHECK(d == 6);
  CHECK(holds(e, {1, 3}) == "");
  const w::vector<double> wrong{1, 2, 3, 4};
  CHECK_THROWS_AS(f(wrong, n), w::shape_error);
}

TEST_CASE("graph breaks: in bodies once a step, in the branch that is taken") {
  const auto f = w::compile([](auto x) {
    auto y = w::fori(
        3, [](auto, auto s) { return w::graph_break(s + 1.0, "step", note<'s'>{}); }, x);
    y = w::while_loop([](auto s) { return w::sum(s) < 20.0; },
                      [](auto s) { return w::graph_break(s + 1.0, "loop", note<'l'>{}); }, y);
    y = w::branch(
        w::sum(y) > 20.0, [](auto a) { return w::graph_break(a, "then", note<'t'>{}); },
        [](auto a) { return w::graph_break(a * 2.0, "else", note<'e'>{}); }, y);
    w::map([](auto a) { return w::graph_break(a, "each", note_number{}); }, y);
    return y;
  });
  CHECK(told(f, u) == "s 2 3 4;s 3 4 5;s 4 5 6;l 5 6 7;l 6 7 8;t 6 7 8;n 6;n 7;n 8;");
  const w::vector<double> even{1, 0, 1};
  CHECK(told(f, even).ends_with("l 7 6 7;e 14 12 14;n 14;n 12;n 14;"));
}

TEST_CASE("graph breaks: gradients pass through those that return nothing") {
  const auto f = [](auto x) {
    auto y = w::graph_break(w::sin(x), "look", note<'a'>{});
    y = w::fori(
        2, [](auto, auto s) { return w::graph_break(s * s, "step", note<'s'>{}); }, y);
    return w::sum(y) * w::item(w::sum(x));
  };
  const auto plain = [](auto x) {
    auto y = w::sin(x);
    for (int i = 0; i < 2; ++i) y = y * y;
    return w::sum(y) * w::sum(x);
  };
  const auto expected = results(w::value_and_grad(plain), read(u));
  seen.clear();
  const auto [value, g] = w::value_and_grad(f)(u);
  CHECK(seen == "a 0 0 0;s 0 0 0;s 0 0 0;");  // once, not again in the backward pass
  CHECK(difference(read(value), expected[0], {.relative = 1e-14}) == "");
  CHECK(difference(g, expected[1], {.relative = 1e-13}) == "");
  const auto [again, t] = w::jvp(f)(u, u);
  const auto tangent = results(w::jvp(plain), read(u), read(u));
  CHECK(difference(read(t), tangent[1], {.relative = 1e-13}) == "");
}

TEST_CASE("graph breaks: a library call with a backward function, also in a loop and a branch") {
  static constexpr auto square = [](auto x) {
    return w::graph_break(
        x, "square",
        [](const w::vector<double>& x) {
          w::vector<double> y = x;
          for (index_t i = 0; i < y.size(); ++i) y(i) = x(i) * x(i);
          return y;
        },
        [](w::view<const double, 1> g, w::view<const double, 1> x) {
          seen += "back;";
          auto r = w::vector<double>::uninitialized({g.extent(0)});
          for (index_t i = 0; i < r.size(); ++i) r(i) = 2 * g(i) * x(i);
          return r;
        });
  };
  const auto plain = [](auto x) {
    auto y = x * 0.5;
    y = y * y;
    for (int i = 0; i < 2; ++i) y = y * y + x;
    return w::sum(y * y);
  };
  const auto f = [](auto x) {
    auto y = square(x * 0.5);
    y = w::fori(
        2, [x](auto, auto s) { return square(s) + x; }, y);
    y = w::branch(
        w::sum(y) > 0.0, [](auto a) { return square(a); }, [](auto a) { return a; }, y);
    return w::sum(y);
  };
  const auto expected = results(w::value_and_grad(plain), read(u));
  seen.clear();
  const auto [value, g] = w::value_and_grad(f)(u);
  CHECK(seen == "back;back;back;back;");
  CHECK(difference(read(value), expected[0], {.relative = 1e-14}) == "");
  CHECK(difference(g, expected[1], {.relative = 1e-13}) == "");
}

TEST_CASE("branch: both sides, their gradients, nested, and in a loop") {
  static constexpr auto f = [](auto x) {
    return w::branch(
        w::sum(x) > 0.0,
        [x](auto a) {
          return w::branch(
              w::sum(a) > 5.0, [x](auto b) { return w::sum(b * b * x); },
              [](auto b) { return w::sum(w::exp(b)); }, a);
        },
        [](auto a) { return w::sum(a) * 3.0; }, x);
  };
  const auto check = [](w::vector<double> x, auto plain) {
    const auto expected = results(w::value_and_grad(plain), read(x));
    const auto [value, g] = w::value_and_grad(f)(x);
    CHECK(difference(read(value), expected[0], {.relative = 1e-14}) == "");
    CHECK(difference(g, expected[1], {.relative = 1e-14}) == "");
  };
  check({1, 2, 3}, [](auto x) { return w::sum(x * x * x); });
  check({1, 0.5, 0.25}, [](auto x) { return w::sum(w::exp(x)); });
  check({-1, 0.5, 0.25}, [](auto x) { return w::sum(x) * 3.0; });
  const auto loop = w::compile([](auto x) {
    return w::fori(
        6,
        [](auto, auto s) {
          return w::branch(
              w::sum(s) > 10.0, [](auto a) { return a * 0.25; }, [](auto a) { return a * 3.0; }, s);
        },
        x);
  });
  w::vector<double> s{1, 2, 0};
  for (int i = 0; i < 6; ++i) {
    const double k = s(0) + s(1) > 10 ? 0.25 : 3;
    s(0) *= k;
    s(1) *= k;
  }
  CHECK(difference(loop(w::vector<double>{1, 2, 0}), read(s)) == "");
}

TEST_CASE("item: a number of what follows") {
  const auto f = w::compile([](auto x, auto table) {
    auto k = w::item(w::argmax(x));
    return std::tuple{w::take(table, k), x * w::item(w::max(x))};
  });
  const w::matrix<double> table{{1, 2}, {3, 4}, {5, 6}};
  const auto [row, scaled] = f(w::vector<double>{1, 7, 3}, table);
  CHECK(holds(row, {3, 4}) == "");
  CHECK(holds(scaled, {7, 49, 21}) == "");
}

TEST_CASE("explain: breaks with their reasons, lines and counts, and none where there is none") {
  const auto f = [](auto x) {
    auto y = w::graph_break(x * 2.0, "print", note<'a'>{});
    return w::branch(
        w::sum(y) > 0.0, [](auto a) { return a; }, [](auto a) { return -a; }, y);
  };
  const w::report r = w::explain(w::compile(f), u);
  REQUIRE(r.breaks.size() == 2);
  CHECK(r.breaks[0].kind == "graph_break");
  CHECK(r.breaks[0].why == "print");
  CHECK(r.breaks[0].place.find("graph_break.cpp:") != std::string::npos);
  CHECK(r.breaks[1].kind == "branch");
  CHECK(w::explain(w::compile<w::full_graph>([](auto x) {
                     return w::cond(
                         w::sum(x) > 0.0, [](auto a) { return a; }, [](auto a) { return -a; }, x);
                   }),
                   u)
            .breaks.empty());
}
