// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/grad/transforms.hpp>

#include "grid_check.hpp"

// What does not depend on an op: 64-bit positions, extents known at the call, addresses that are
// not aligned, any strides.

namespace w = weft;
using namespace weft_test;

namespace {

constexpr auto chain = [](auto a, auto b) { return w::tanh(a * b) - b; };
constexpr auto softmax = [](auto x) { return w::softmax(x); };
constexpr auto sums = [](auto x) {
  return std::tuple{w::sum(x, w::axis<0>), w::max(x, w::axis<0>)};
};
constexpr auto total = [](auto x) { return w::sum(x); };
constexpr auto flipped = [](auto x) { return w::transpose(x) * 2; };
constexpr auto form_norm_loss = [](auto x, auto weight, auto bias, auto g) {
  return w::sum(w::layer_norm(x, weight, bias) * g);
};
constexpr auto norm_backward = [](auto x, auto weight, auto bias, auto g) {
  return w::grad<0, 1, 2>(form_norm_loss)(x, weight, bias, g);
};
constexpr auto dropped = [](auto x, auto key) { return w::dropout(x, key, 0.5) + x; };
constexpr auto product_loss = [](auto a, auto b) { return w::sum(w::exp(a * b)); };
constexpr auto product_gradient = [](auto a, auto b) { return w::grad<0, 1>(product_loss)(a, b); };
constexpr auto turned = [](auto x) {
  return w::sum(w::exp(w::transpose(x, w::axis<2, 0, 1>)), w::axis<2>);
};
constexpr auto backwards = [](auto x) {
  return w::softmax(w::slice<1, w::to_end, w::to_front, -1>(x) * 2);
};

template <std::size_t N, class F>
graph open_graph(const std::vector<reference_value>& x, F f, bool general) {
  value_spec specs[N];
  for (std::size_t i = 0; i < N; ++i) specs[i] = opened(spec_of(x[i]));
  return capture(specs, f, general);
}

}  // namespace

TEST_CASE("64-bit positions") {
  grid_cases c;
  cuda::tuning u;
  u.wide = true;
  c.add("chain", chain, {filled(dtype::float32, {5, 36}, 1), filled(dtype::float32, {36}, 2)}, u);
  c.add("odd chain", chain, {filled(dtype::float32, {103}, 1), filled(dtype::float32, {103}, 2)},
        u);
  c.add("softmax", softmax, {filled(dtype::float32, {5, 300}, 1)}, u);
  c.add("sums", sums, {filled(dtype::float32, {50, 12}, 1)}, u);
  c.add("total", total, {filled(dtype::float32, {50000}, 1)}, u);
  c.add("transpose", flipped, {filled(dtype::float32, {70, 96}, 1)}, u);
  c.add("norm backward", norm_backward,
        {filled(dtype::float32, {700, 24}, 1), filled(dtype::float32, {24}, 2),
         filled(dtype::float32, {24}, 3), filled(dtype::float32, {700, 24}, 4)},
        u);
  c.add("dropout", dropped,
        {filled(dtype::float32, {12, 16}, 1), values(dtype::uint32, {2}, {1, 2})}, u);
  c.run();
}

TEST_CASE("extents known at the call, with and without broadcasts there") {
  grid_cases c;
  const std::vector<reference_value> same{filled(dtype::float32, {6, 40}, 1),
                                          filled(dtype::float32, {6, 40}, 2)};
  c.add_graph("the fast plan", open_graph<2>(same, product_gradient, false), same);
  c.add_graph("the general plan", open_graph<2>(same, product_gradient, true), same);
  for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 40}, {6, 1}, {1, 1}}) {
    const std::vector<reference_value> x{filled(dtype::float32, {6, 40}, 1),
                                         filled(dtype::float32, {m, n}, 2)};
    c.add_graph("a broadcast", open_graph<2>(x, product_gradient, true), x);
  }
  const std::vector<reference_value> one{filled(dtype::float32, {9, 33}, 1)};
  c.add_graph("softmax", open_graph<1>(one, softmax, true), one);
  c.run();
}

TEST_CASE("addresses that are not aligned, axes in any order") {
  grid_cases c;
  cuda::tuning u;
  u.unaligned = ~std::uint64_t{0};
  c.add("chain", chain, {filled(dtype::float32, {5, 36}, 1), filled(dtype::float32, {36}, 2)}, u);
  c.add("softmax", softmax, {filled(dtype::float32, {5, 256}, 1)}, u);
  c.add("sums", sums, {filled(dtype::float32, {50, 12}, 1)}, u);
  c.add("transpose", flipped, {filled(dtype::float32, {64, 128}, 1)}, u);
  for (index_t n : {7, 32, 65}) c.add("turned", turned, {filled(dtype::float32, {12, n, 9}, 1)});
  c.add("backwards", backwards, {filled(dtype::float32, {9, 33}, 1)});
  c.add("bytes transposed", flipped, {filled(dtype::uint8, {70, 96}, 1, 0, 100)});
  c.add("doubles transposed", flipped, {filled(dtype::float64, {70, 96}, 1)});
  c.run();
}

TEST_CASE("any candidate gives the reference's values") {
  grid_cases c;
  const std::vector<reference_value> rows{filled(dtype::float32, {40, 512}, 1)};
  const std::vector<reference_value> norm{
      filled(dtype::float32, {40, 512}, 1), filled(dtype::float32, {512}, 2),
      filled(dtype::float32, {512}, 3), filled(dtype::float32, {40, 512}, 4)};
  for (int threads : {32, 128, 512}) {
    cuda::tuning u;
    u.threads = threads;
    u.splits = threads == 128 ? 3 : 0;
    c.add("softmax", softmax, rows, u);
    c.add("sums", sums, rows, u);
    c.add("norm backward", norm_backward, norm, u);
  }
  c.run();
}

TEST_CASE("memory larger than the cache: what is read stays in it before what is written") {
  const std::vector<reference_value> rows{filled(dtype::float32, {40, 512}, 1)};
  cuda::card small;
  small.l2_bytes = 4096;
  auto has = [](const std::string& s, const char* what) { return s.find(what) < s.size(); };
  grid_batch batch;
  grid_run writes(batch, graph_of<1>(rows, softmax), rows, {}, small);
  grid_run reads(batch, graph_of<1>(rows, sums), rows, {}, small);
  grid_run fits(batch, graph_of<1>(rows, softmax), rows);
  CHECK(has(writes.source(), "load_kept<4>"));
  CHECK(!has(reads.source(), "load_kept"));
  CHECK(has(reads.source(), "load_once<4>"));
  CHECK(!has(fits.source(), "load_kept"));
  batch.compile();
  check_run("writes", writes);
  check_run("reads", reads);
}

TEST_CASE("a step that is told so writes nothing once the fault word is set") {
  if (has_gpu()) {
    MESSAGE("SKIPPED: the word is set by hand, on the host grid");
    return;
  }
  const std::vector<reference_value> x{filled(dtype::float32, {40}, 1),
                                       filled(dtype::float32, {40}, 2)};
  cuda::tuning u;
  u.stops_at_fault = true;
  grid_batch batch;
  grid_run run(batch, graph_of<2>(x, chain), x, u);
  batch.compile();
  const auto written = run.outputs();
  CHECK(difference(written[0], run.expected()[0], grid_tolerance(dtype::float32)) == "");
  run.fault.state = 2;
  const auto untouched = run.outputs();
  CHECK(difference(untouched[0], run.expected()[0], grid_tolerance(dtype::float32)) != "");
  CHECK(run.fault.state == 2);
}
