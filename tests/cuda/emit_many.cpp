// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cuda/emit_many.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/make_plan.hpp>

#include "grid_check.hpp"

// Pointwise steps next to each other as one launch, on the host grid.

namespace w = weft;
using namespace weft_test;

namespace {

// Updates of parameters of several sizes.
constexpr auto updates = [](auto a, auto b, auto c, auto ga, auto gb, auto gc, auto rate) {
  return std::tuple{a - rate * ga, b - rate * gb, c - rate * gc, w::exp(ga)};
};

std::vector<reference_value> arguments() {
  std::vector<reference_value> x;
  for (int k = 0; k < 2; ++k)
    for (index_t n : {40, 1001, 77}) x.push_back(filled(dtype::float32, {n}, x.size() + 1));
  x.push_back(filled(dtype::float32, {}, 9));
  return x;
}

}  // namespace

TEST_CASE("steps of one launch give what they give one by one") {
  const auto x = arguments();
  const auto p = w::detail::make_plan(w::detail::optimised(graph_of<7>(x, updates)));
  const std::vector<index_t> none(p.extents.size() + 1);
  const int count = static_cast<int>(p.steps.size());
  REQUIRE(count >= 3);
  REQUIRE(cuda::neighbours(p, none.data()).from(0) == count);
  const std::vector<std::uint64_t> aligned(p.steps.size());
  const cuda::emitted_step e =
      cuda::emit_many(p, 0, count, none.data(), cuda::card{}, aligned, true);
  REQUIRE(e.kernels.size() == 1);

  grid_batch batch;
  grid_run separate(batch, graph_of<7>(x, updates), x);
  const int number = batch.add(e.kernels[0]);
  if (has_gpu()) {
    MESSAGE("SKIPPED: this kernel is run by hand, on the host grid");
    return;
  }
  batch.compile();
  std::vector<guarded_memory> in, out;
  for (const reference_value& a : x) {
    in.emplace_back(static_cast<std::size_t>(a.size() * size_of(a.type)));
    write_elements(a, in.back().data());
  }
  const std::vector<index_t> sizes{40, 1001, 77, 40};
  for (index_t n : sizes) out.emplace_back(static_cast<std::size_t>(n) * 4);
  cuda::fault_record fault;
  std::vector<void*> pointers;
  for (const auto& s : p.steps)
    for (int a = 0; a < s.access_count; ++a) {
      const auto& q = p.accesses[static_cast<std::size_t>(s.first_access + a)];
      if (q.buffer < 0) continue;
      const auto& f = p.buffers[static_cast<std::size_t>(q.buffer)];
      REQUIRE(f.kind != w::detail::buffer_kind::arena);
      auto& from = f.kind == w::detail::buffer_kind::argument ? in : out;
      pointers.push_back(from[static_cast<std::size_t>(f.index)].data());
    }
  pointers.push_back(nullptr);
  pointers.push_back(&fault);
  batch.run(number, e.kernels[0], pointers);
  const auto expected = separate.outputs();
  for (std::size_t j = 0; j < out.size(); ++j) {
    CAPTURE(j);
    CHECK(out[j].intact());
    const auto found = read_elements(dtype::float32, {sizes[j]}, out[j].data());
    CHECK(found.reals == expected[j].reals);
  }
}

TEST_CASE("a step that reads what another writes has a launch of its own") {
  const std::vector<reference_value> x{filled(dtype::float32, {40, 3}, 1)};
  const auto p = w::detail::make_plan(
      w::detail::optimised(graph_of<1>(x, [](auto a) { return w::softmax(a, w::axis<0>); })));
  const std::vector<index_t> none(p.extents.size() + 1);
  for (int t = 0; t < static_cast<int>(p.steps.size()); ++t)
    CHECK(cuda::neighbours(p, none.data()).from(t) == 1);
}
