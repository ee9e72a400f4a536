// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/program.hpp>

namespace weft::detail {

struct plan_sizes {
  int kernels = 0, steps = 0, accesses = 0, buffers = 0, slots = 0, extents = 0, outputs = 0;
};
constexpr plan_sizes sizes_of(const plan& p) {
  auto n = [](const auto& v) { return static_cast<int>(v.size()); };
  return {n(p.kernels), n(p.steps), n(p.accesses), n(p.buffers), n(p.slots), n(p.extents), n(p.in_place)};
}

/// A plan in arrays of just its sizes: what a program keeps as a static constexpr member.
template <plan_sizes N> struct fixed_plan {
  static constexpr plan_sizes sizes = N;
  kernel kernels[static_cast<std::size_t>(N.kernels + 1)]{};
  step steps[static_cast<std::size_t>(N.steps + 1)]{};
  access accesses[static_cast<std::size_t>(N.accesses + 1)]{};
  buffer buffers[static_cast<std::size_t>(N.buffers + 1)]{};
  index_t slots[static_cast<std::size_t>(N.slots + 1)]{};
  extent_expr extents[static_cast<std::size_t>(N.extents + 1)]{};
  std::uint64_t in_place[static_cast<std::size_t>(N.outputs + 1)]{};
};

template <plan_sizes N> constexpr fixed_plan<N> frozen(const plan& p) {
  fixed_plan<N> r;
  auto copy = [](const auto& from, auto* to) {
    for (const auto& x : from) *to++ = x;
  };
  copy(p.kernels, r.kernels);
  copy(p.steps, r.steps);
  copy(p.accesses, r.accesses);
  copy(p.buffers, r.buffers);
  copy(p.slots, r.slots);
  copy(p.extents, r.extents);
  copy(p.in_place, r.in_place);
  return r;
}

/// A plan as its executor sees it: pointers into a fixed plan, or into vectors.
struct plan_view {
  const kernel* kernels = nullptr;
  const step* steps = nullptr;
  const access* accesses = nullptr;
  const buffer* buffers = nullptr;
  const index_t* slots = nullptr;
  const extent_expr* extents = nullptr;
  const std::uint64_t* in_place = nullptr;
  int kernel_count = 0, step_count = 0, slot_count = 0, extent_count = 0, output_count = 0;
};

template <plan_sizes N> constexpr plan_view view_of(const fixed_plan<N>& p) {
  return {p.kernels,  p.steps,   p.accesses, p.buffers, p.slots,   p.extents,
          p.in_place, N.kernels, N.steps,    N.slots,   N.extents, N.outputs};
}

}  // namespace weft::detail
