// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/program.hpp>

namespace weft::detail {

/// A plan in arrays, with capacities in its type: what a program keeps as a static constexpr member.
template <int C> struct fixed_plan {
  static constexpr int most_kernels = C / 8 > 8 ? C / 8 : 8;
  kernel kernels[static_cast<std::size_t>(most_kernels)]{};
  step steps[static_cast<std::size_t>(C)]{};
  access accesses[static_cast<std::size_t>(6 * C)]{};
  buffer buffers[static_cast<std::size_t>(3 * C)]{};
  index_t slots[static_cast<std::size_t>(C)]{};
  extent_expr extents[static_cast<std::size_t>(2 * C)]{};
  std::uint64_t in_place[static_cast<std::size_t>(C)]{};
  int kernel_count = 0, step_count = 0, access_count = 0, buffer_count = 0, slot_count = 0, extent_count = 0,
      output_count = 0;
  bool fits = false;
  message error{};
};

template <int C> constexpr fixed_plan<C> frozen(const plan& p) {
  fixed_plan<C> r;
  r.error = p.error;
  r.fits = p.kernels.size() <= r.most_kernels && p.steps.size() <= C && p.accesses.size() <= 6 * C &&
           p.buffers.size() <= 3 * C && p.slots.size() <= C && p.extents.size() <= 2 * C && p.in_place.size() <= C;
  if (!r.fits) return r;
  auto copy = [](const auto& from, auto* to) {
    for (const auto& x : from) *to++ = x;
    return static_cast<int>(from.size());
  };
  r.kernel_count = copy(p.kernels, r.kernels);
  r.step_count = copy(p.steps, r.steps);
  r.access_count = copy(p.accesses, r.accesses);
  r.buffer_count = copy(p.buffers, r.buffers);
  r.slot_count = copy(p.slots, r.slots);
  r.extent_count = copy(p.extents, r.extents);
  r.output_count = copy(p.in_place, r.in_place);
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

template <int C> constexpr plan_view view_of(const fixed_plan<C>& p) {
  return {p.kernels, p.steps,        p.accesses,   p.buffers,    p.slots,        p.extents,
          p.in_place, p.kernel_count, p.step_count, p.slot_count, p.extent_count, p.output_count};
}

}  // namespace weft::detail
