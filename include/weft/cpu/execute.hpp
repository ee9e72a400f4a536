// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/binding.hpp>
#include <weft/cpu/hand_over.hpp>
#include <weft/plan/arguments.hpp>

namespace weft::detail {

/// Tells a trace of a step, unless it is a body's, and lets a stance check it.
[[gnu::cold, gnu::noinline]] inline void step_watched(const finished_step& s,
                                                      const index_t* extents, int threads,
                                                      std::int64_t start) {
  if (extents && tracing_on())
    tell_step(s.code.plan, s.number, extents, threads, start, clock_nanoseconds());
  if (const step_check check = check_of_steps.load(std::memory_order_acquire)) check(s);
}

/// Runs the steps of a plan that is bound, in memory of plan.arena + plan.scratch bytes.
template <class A>
void run_steps(const cpu_code& code, plan_binding<A>& plan, const argument_value* arguments,
               void* const* outputs, [[maybe_unused]] const index_t* extents, std::byte* memory,
               bool watched) {
  std::byte* own[static_cast<std::size_t>(most_accesses)];
  for (const typename plan_binding<A>::bound& b : plan.steps) {
    const step& s = *b.s;
    std::byte** const base = s.kind == step_kind::control ? plan.bases.data() : own;
    const typename plan_binding<A>::place* place = plan.places.data() + b.first;
    for (int a = 0; a < s.access_count; ++a, ++place) {
      const void* root = nullptr;
      switch (place->kind) {
        case buffer_kind::argument:
          root = arguments[place->index].data;
          break;
        case buffer_kind::output:
          root = outputs[place->index];
          break;
        case buffer_kind::arena:
          root = memory;
          break;
        case buffer_kind::extent:
          break;
      }
      base[a] = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(root) +
                                             static_cast<std::uintptr_t>(place->at));
    }
    const int* sizes = plan.sizes.data() + b.first;
    std::byte* const scratch = memory + plan.arena;
    const std::int64_t start = watched ? clock_nanoseconds() : 0;
    const kernel_call call{s.rows, s.segments, b.extent, plan.strides(b.first),
                           base,   scratch,    nullptr,  b.code};
    if (s.kind == step_kind::control) {
      code.controls->run(&plan, code, static_cast<int>(&b - plan.steps.data()), base, scratch);
    } else if (b.other) {
      bound_step t{b.s,       b.extent, plan.strides(b.first), base, sizes, b.run, scratch,
                   b.threads, b.code};
      b.other(t);
    } else if (b.threads <= 1) {
      b.run(call);
    } else {
      team<A>::run({b.run, &code.plan.kernels[s.kernel], call, sizes, s.access_count, b.threads,
                    b.each, scratch + b.each * static_cast<std::size_t>(b.threads)});
    }
    if (watched) [[unlikely]]
      step_watched({code, static_cast<int>(&b - plan.steps.data()), b.extent, plan.strides(b.first),
                    base, arguments},
                   extents, b.threads, start);
  }
}

/// The same, watched after every step; as a span of a trace if there is one.
template <class A>
[[gnu::cold, gnu::noinline]] void run_watched(const cpu_code& code, plan_binding<A>& plan,
                                              const argument_value* arguments, void* const* outputs,
                                              const index_t* extents, std::byte* memory) {
  const traced whole("call", "%s", program_name(code.note).text);
  run_steps(code, plan, arguments, outputs, extents, memory, true);
}

/// Runs a plan in an arena of the pool.
template <class A>
[[gnu::noinline]] void execute_as_it_is(const cpu_code& code, const argument_value* arguments,
                                        void* const* outputs, const index_t* extents,
                                        arena_pool& pool, bool watched) {
  arena_lease lease(pool);
  plan_binding<A>& plan = lease.template attachment<plan_binding<A>>();
  if (!plan.fits(code, extents)) {
    plan.bind_and_tell(code, extents, arguments);
    if (!knows_stances) ask_for_stances();
  }
  std::byte* const memory = lease.at_least(plan.arena + plan.scratch);
  if (watched) [[unlikely]]
    run_watched(code, plan, arguments, outputs, extents, memory);
  else
    run_steps(code, plan, arguments, outputs, extents, memory, false);
}

/// Runs a plan. Extents are known and checked; nothing that the caller sees is
/// written before a step that can throw.
template <class A>
[[gnu::noinline]] void execute(const cpu_code& code, const argument_value* arguments,
                               void* const* outputs, const index_t* extents, arena_pool& pool) {
  if (const auto take = hand_over.load(std::memory_order_relaxed)) [[unlikely]]
    if (take(code, arguments, outputs, extents, {&execute_as_it_is<A>, pool})) return;
  execute_as_it_is<A>(code, arguments, outputs, extents, pool, tracing_on());
}

}  // namespace weft::detail
