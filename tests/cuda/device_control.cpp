// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/capture/control.hpp>
#include <weft/capture/host.hpp>
#include <weft/cuda/back_end.hpp>
#include <weft/grad/transforms.hpp>

#include "flow_values.hpp"
#include "grid_check.hpp"
#include "grid_driver.hpp"

// Control flow through the executor: on a GPU, else with launches on the host grid.

namespace w = weft;
using namespace weft_test;
using weft::dyn;

namespace {

/// Empty if a function's results are those of the reference evaluator, by the executor.
template <std::size_t N, class F>
std::string executed_difference(grid_driver& driver, const value_spec (&specs)[N], F f,
                                const std::vector<reference_value>& x) {
  const graph captured = capture(specs, f);
  if (!captured.error.empty()) return std::string(captured.error.view());
  const graph g = w::detail::optimised(captured);
  const auto wanted = w::detail::reference_evaluate(captured, x);
  bool fault = false;
  std::vector<reference_value> found;
  if (has_gpu())
    found = gpu_outputs(g, x, wanted, fault);
  else
    found = driver.outputs(g, x, wanted);
  if (fault) return "a fault";
  for (std::size_t j = 0; j < wanted.size(); ++j)
    if (auto d = difference(found[j], wanted[j], grid_tolerance(wanted[j].type)); !d.empty())
      return "result " + std::to_string(j) + ": " + d;
  return "";
}

constexpr auto recurrence = [](auto s, auto xs) {
  return w::scan(
      [](auto s, auto x) {
        const auto next = w::tanh(s * 0.5f + x);
        return std::tuple{next, next * next};
      },
      s, xs);
};

}  // namespace

TEST_CASE("device control: a scan, its stack of results and its gradient") {
  grid_driver driver;
  for (const index_t steps : {0, 1, 2, 5}) {
    CAPTURE(steps);
    const std::vector x{floats({7}), floats({steps, 7}, 2)};
    CHECK(executed_difference(driver, {f32({7}), f32({dyn, 7})}, recurrence, x) == "");
  }
  const std::vector x{floats({8}), floats({4, 8}, 2)};
  CHECK(executed_difference(
            driver, {f32({8}), f32({4, 8})},
            [](auto s, auto xs) {
              return w::grad<0, 1>([](auto s, auto xs) {
                const auto [last, all] = recurrence(s, xs);
                return w::sum(last) + w::sum(all);
              })(s, xs);
            },
            x) == "");
}

TEST_CASE("device control: the number of a step, and what does not move") {
  grid_driver driver;
  CHECK(executed_difference(driver, {f32({5}), f32({5})},
                            [](auto x, auto y) {
                              return w::fori(
                                  4, [=](auto i, auto s) { return s + y * w::cast<float>(i); }, x);
                            },
                            {floats({5}), floats({5}, 2)}) == "");
}

TEST_CASE("device control: a condition takes one of two ways") {
  grid_driver driver;
  for (const bool way : {true, false})
    CHECK(executed_difference(driver, {spec(dtype::boolean, {}), f32({9})},
                              [](auto p, auto x) {
                                return w::cond(
                                    p, [](auto x) { return w::exp(x); },
                                    [](auto x) { return w::sum(x) - x; }, x);
                              },
                              {truth(way), floats({9})}) == "");
}

TEST_CASE("device control: a loop while a condition of the device holds") {
  grid_driver driver;
  for (const float least : {0.0f, 1.0f, 100.0f})
    CHECK(executed_difference(driver, {f32({6}), f32({})},
                              [](auto x, auto least) {
                                return w::while_loop([=](auto s) { return w::sum(s * s) < least; },
                                                     [](auto s) { return s * 1.5f; }, x);
                              },
                              {floats({6}), number(least)}) == "");
}

TEST_CASE("device control: loops in loops, with reductions and extents that change") {
  grid_driver driver;
  const auto nested = [](auto x, auto xs) {
    return w::scan(
        [](auto s, auto row) {
          const auto inner = w::fori(
              3, [=](auto, auto v) { return w::softmax(v) * 2.0f + row; }, s);
          return std::tuple{inner, w::sum(inner)};
        },
        x, xs);
  };
  CHECK(executed_difference(driver, {f32({dyn}), f32({dyn, dyn})}, nested,
                            {floats({33}), floats({3, 33}, 2)}) == "");
  if (has_gpu()) return;
  const graph captured = capture({f32({dyn}), f32({dyn, dyn})}, nested);
  const graph g = w::detail::optimised(captured);
  const auto words = w::detail::encoded_graph(g);
  {
    cuda::program_state state(words.data());
    std::size_t before = 0;
    for (const index_t n : {33, 40, 41, 39, 64, 50}) {
      const std::vector x{floats({n}), floats({2, n}, 2)};
      const auto wanted = w::detail::reference_evaluate(captured, x);
      const auto found = driver.outputs(state, g, x, wanted);
      for (std::size_t j = 0; j < wanted.size(); ++j)
        CHECK(difference(found[j], wanted[j], grid_tolerance(wanted[j].type)) == "");
      if (n == 39) before = driver.gpu().modules.size();
    }
    CHECK(driver.gpu().modules.size() == before);
  }
}

TEST_CASE("device control: C++ code in the middle sees values, and its result goes on") {
  grid_driver driver;
  static int seen;
  seen = 0;
  CHECK(executed_difference(driver, {f32({6})},
                            [](auto x) {
                              const auto y = w::graph_break(w::exp(x), "counted",
                                                            [](const w::vector<float>& v) {
                                                              seen += static_cast<int>(v.size());
                                                            });
                              return w::sum(y) + y;
                            },
                            {floats({6})}) == "");
  CHECK(seen >= 6);
}
