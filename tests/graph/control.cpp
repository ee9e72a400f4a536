// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/capture/host.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/graph/breaks.hpp>
#include <weft/graph/print.hpp>

#include "../support/control.hpp"

// Graphs with bodies: what they look like, what must hold, and what capturing them refuses.
namespace w = weft;
using namespace weft_test;
using weft::detail::id_of;

namespace {

template <index_t N>
inline constexpr auto recurrence = [](auto x, auto m) {
  auto [h, ys] = w::scan(
      [m](auto h, auto x) {
        auto n = w::tanh(h * m + x);
        return std::tuple{n, w::sum(n)};
      },
      x.sliced(0, 0, 1, 1).reshaped(weft::detail::shape_of{1, {4}}), x);
  return w::sum(h) + w::sum(ys);
};

constexpr value_spec steps(index_t n) {
  return f32({n, 4});
}
/// The words of the gradient's program for a number of steps.
constexpr std::size_t words_of_gradient(index_t n) {
  const value_spec specs[]{steps(n), f32({4})};
  return weft::detail::encoded_graph(
             weft::detail::optimised(capture(specs, w::value_and_grad<0, 1>(recurrence<0>))))
      .size();
}
constexpr bool well_formed(bool general) {
  const value_spec specs[]{f32({w::dyn, w::dyn}), f32({w::dyn})};
  const graph g = capture(specs, w::value_and_grad<0, 1>([](auto x, auto m) {
                            auto [h, ys] = w::scan(
                                [m](auto h, auto x) {
                                  auto n = w::cond(
                                      w::sum(h) > 1.f, [m](auto h) { return w::tanh(h * m); },
                                      [](auto h) { return h * h; }, h);
                                  return std::tuple{n + x, w::sum(n)};
                                },
                                m, x);
                            return w::sum(h) + w::sum(ys);
                          }),
                          general);
  return g.error.empty() && verify(g).empty() && verify(weft::detail::optimised(g)).empty();
}

template <class F, std::size_t N>
std::string error_of(const value_spec (&specs)[N], F f) {
  return std::string(capture(specs, f).error.view());
}
template <class F>
std::string error_of(const value_spec& spec, F f) {
  return std::string(capture(spec, f).error.view());
}
bool starts(const std::string& text, std::string_view with) {
  const bool r = text.starts_with(with);
  if (!r) MESSAGE(text);
  return r;
}

}  // namespace

TEST_CASE("control graphs: a loop is one body, however many steps it has") {
  static_assert(words_of_gradient(10) == words_of_gradient(1000));
  static_assert(words_of_gradient(10) == words_of_gradient(1'000'000'000));
  CHECK(words_of_gradient(2) == words_of_gradient(1000));
}

TEST_CASE("control graphs: the verifier accepts them in constant evaluation, before and after") {
  static_assert(well_formed(false));
  static_assert(well_formed(true));
}

TEST_CASE("control graphs: the text of a scan with a condition in it") {
  const value_spec specs[]{f32({5, 3}), f32({3})};
  const graph g = capture(specs, [](auto x, auto h) {
    return std::get<0>(w::scan(
        [](auto h, auto x) {
          return std::tuple{w::cond(
                                w::sum(h) > 1.f, [](auto h) { return h * 2.f; },
                                [x](auto h) { return h + x; }, h),
                            std::tuple{}};
        },
        h, x));
  });
  std::string text = weft::detail::to_text(g);
  for (std::size_t at; (at = text.find("   // ")) != std::string::npos;)
    text.erase(at, text.find('\n', at) - at);
  CHECK(text == R"(graph of 2 arguments
%0 = argument 0 : float32(5, 3)
%1 = argument 1 : float32(3)
%2 = operand %1 : float32(3)
%3 = operand %0 %2 : float32(5, 3)
%4 = scan<body 0, 5 steps, 1 carried, 1 sliced> %3 : float32()
%5 = result 0 %4 : float32(3)
return %5
body 0:
  %0 = argument 2 : float32(3)
  %1 = argument 1 : float32(3)
  %2 = sum<0> %1 : float32(1)
  %3 = reshape %2 : float32()
  %4 = constant 1 : float32()
  %5 = greater %3 %4 : bool()
  %6 = operand %5 : bool()
  %7 = operand %1 %6 : float32(3)
  %8 = operand %0 %7 : float32(3)
  %9 = cond<then body 0, else body 1> %8 : float32()
  %10 = result 0 %9 : float32(3)
  return %10
  body 0:
    %0 = argument 0 : float32(3)
    %1 = constant 2 : float32()
    %2 = broadcast %1 : float32(3)
    %3 = multiply %0 %2 : float32(3)
    return %3
  body 1:
    %0 = argument 0 : float32(3)
    %1 = argument 1 : float32(3)
    %2 = add %0 %1 : float32(3)
    return %2
)");
}

TEST_CASE("control graphs: the verifier finds faults in control nodes and bodies") {
  const auto good = capture(f32({3}), [](auto x) {
    return w::fori(
        4, [x](auto, auto s) { return s * x; }, x);
  });
  REQUIRE(verify(good).empty());
  const auto fault = [&](auto change) {
    graph g = good;
    change(g);
    return !verify(g).empty();
  };
  const auto find = [](graph& g, auto op) -> weft::detail::node& {
    for (auto& n : g.nodes)
      if (n.op == op) return n;
    throw w::value_error("no such node");
  };
  CHECK(fault([&](graph& g) { find(g, id_of<weft::detail::scan_>).at.v[0] = 3; }));
  CHECK(fault([&](graph& g) { find(g, id_of<weft::detail::result_>).at.v[0] = 7; }));
  CHECK(fault([&](graph& g) { find(g, id_of<weft::detail::result_>).type = dtype::float64; }));
  CHECK(fault([&](graph& g) { find(g, id_of<weft::detail::result_>).shape.d[0] = 2; }));
  CHECK(fault([&](graph& g) { g.bodies[0].nodes[1].in[0] = 99; }));
  CHECK(fault([&](graph& g) { g.bodies[0].outputs.clear(); }));
  CHECK(fault([&](graph& g) { g.bodies[0].outputs[0] = 99; }));
}

TEST_CASE("control graphs: what a body may not do") {
  CHECK(starts(error_of(f32({3}),
                        [](auto x) {
                          return w::fori(
                              3, [](auto, auto s) { return w::cast<double>(s); }, x);
                        }),
               "weft: fori: the body must return its state with the same dtype and shape: float32 "
               "(3) became float64 (3)"));
  CHECK(starts(error_of(f32({3}),
                        [](auto x) {
                          return w::while_loop([](auto s) { return w::sum(s) < 1.f; },
                                               [](auto s) { return w::sum(s); }, x);
                        }),
               "weft: while_loop: the body must return its state with the same dtype and shape: "
               "float32 (3) became float32 ()"));
  CHECK(starts(error_of(f32({3}),
                        [](auto x) {
                          return w::cond(
                              w::sum(x) > 0.f, [](auto a) { return w::sum(a); },
                              [](auto a) { return a; }, x);
                        }),
               "weft: cond: both functions must return the same dtype and shape: float32 () and "
               "float32 (3)"));
  CHECK(starts(error_of(f32({3}),
                        [](auto x) {
                          return w::cond(
                              x > 0.f, [](auto a) { return a; }, [](auto a) { return a; }, x);
                        }),
               "weft: cond: the condition must be one bool, as a comparison of rank 0 is: got bool "
               "(3)"));
  CHECK(starts(error_of(f32({3}),
                        [](auto x) {
                          return w::while_loop([](auto s) { return w::sum(s); },
                                               [](auto s) { return s; }, x);
                        }),
               "weft: while_loop: the condition must return one bool"));
  CHECK(starts(error_of(f32(), [](auto x) { return w::map([](auto a) { return a; }, x); }),
               "weft: map: what is scanned needs an axis to scan along: got rank 0"));
  const value_spec two[]{f32({3}), f32({4})};
  CHECK(starts(
      error_of(
          two,
          [](auto x, auto y) {
            return w::map([](auto p) { return std::get<0>(p) * std::get<1>(p); }, std::tuple{x, y});
          }),
      "weft: map: the first extents must agree: 3 and 4"));
  CHECK(starts(error_of(f32({1, 1, 1, 1, 1, 2}),
                        [](auto x) {
                          return std::get<1>(w::scan(
                              [](auto c, auto a) {
                                return std::tuple{c, w::sum(a) * c};
                              },
                              x, w::sum(x, w::axis<0, 1, 2, 3, 4>)));
                        }),
               "weft: scan: a result of the body has 6 axes"));
  // A value that a body made and somebody kept.
  CHECK(starts(error_of(f32({3}),
                        [](auto x) {
                          auto kept = x;
                          w::fori(
                              3,
                              [&kept](auto, auto s) {
                                kept = s * 2.f;
                                return s;
                              },
                              x);
                          return kept;
                        }),
               "weft: a value of a body is used outside of it: return it from the body"));
}

TEST_CASE("control graphs: what has no derivative says so") {
  const auto loop = [](auto x) {
    return w::while_loop([](auto s) { return s < 10.f; }, [](auto s) { return s * 2.f; },
                         w::sum(x));
  };
  CHECK(starts(error_of(f32({3}), w::grad(loop)),
               "weft: grad: while_loop has no reverse-mode gradient"));
  CHECK(error_of(f32({3}), [=](auto x) { return w::jvp(loop)(x, x); }) == "");
  const auto broken = [](auto x) {
    return w::sum(w::graph_break(x, "sort", [](const w::vector<float>& v) { return v; }));
  };
  CHECK(starts(error_of(f32({3}), w::grad(broken)),
               "weft: grad: the graph break \"sort\" returns a tensor and has no backward"));
  CHECK(starts(error_of(f32({3}), [=](auto x) { return w::jvp(broken)(x, x); }),
               "weft: jvp: the graph break \"sort\" returns a tensor"));
}

TEST_CASE("graph breaks: what a host function takes is checked") {
  const auto of = [](auto f) { return [f](auto x) { return w::graph_break(x, "look", f); }; };
  CHECK(error_of(f32({3}), of([](const w::vector<float>&) {})) == "");
  CHECK(error_of(f32({3}), of([](w::view<const float, 1>) {})) == "");
  CHECK(error_of(f32({3}), of([](const w::tensor<float, 3>&) {})) == "");
  CHECK(error_of(f32(), of([](float) {})) == "");
  CHECK(starts(error_of(f32({3}), of([](const w::vector<double>&) {})),
               "weft: graph_break: the host function takes float64 of rank 1: got float32 (3)"));
  CHECK(starts(error_of(f32({3}), of([](const w::matrix<float>&) {})),
               "weft: graph_break: the host function takes float32 of rank 2: got float32 (3)"));
  CHECK(starts(error_of(f32({3}), of([](const w::tensor<float, 4>&) {})),
               "weft: graph_break: the host function takes float32 of rank 1: got float32 (3)"));
  CHECK(starts(
      error_of(f32({3}),
               [](auto x) {
                 return w::graph_break(std::tuple{x, x}, "look", [](const w::vector<float>&) {});
               }),
      "weft: graph_break: the host function takes 1 values: got 2"));
  CHECK(starts(error_of(f32({3}), [](auto x) { return w::item(x); }),
               "weft: item: x must have rank 0"));
}

TEST_CASE("graph breaks: they are listed by line, those of bodies and branches, too") {
  const graph g = capture(f32({3}), [](auto x) {
    const auto look = [](const w::vector<float>&) {};
    auto y = w::graph_break(x, "first", look);
    y = w::fori(
        4, [=](auto, auto s) { return w::graph_break(s * 2.f, "in a loop", look); }, y);
    y = w::branch(
        w::sum(y) > 0.f, [=](auto a) { return w::graph_break(a, "inside", look); },
        [](auto a) { return a * 3.f; }, y);
    return y * w::item(w::sum(y));
  });
  const auto sites = weft::detail::breaks_of(g);
  REQUIRE(sites.size() == 5);
  const char* const kinds[]{"graph_break", "graph_break", "branch", "graph_break", "item"};
  const char* const why[]{"first", "in a loop", "a condition is decided on the host", "inside",
                          "a scalar is read on the host"};
  for (std::size_t k = 0; k < sites.size(); ++k) {
    CHECK(std::string(sites[k].kind) == kinds[k]);
    CHECK(std::string(sites[k].why) == why[k]);
  }
  CHECK(weft::detail::breaks_of(capture(f32({3}), [](auto x) { return x * 2.f; })).empty());
}
