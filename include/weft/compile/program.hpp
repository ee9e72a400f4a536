// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/other_steps.hpp>
#include <weft/graph/fixed_graph.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/make_plan.hpp>

namespace weft::detail {

/// The stages of a program, each a constant of its own: compilers limit the steps of one. Source::build(general) captures
/// the graph; it assumes that dynamic extents which meet are equal, unless general. A stage is evaluated for its sizes and
/// again for its content: the first costs a fraction of what arrays of a guessed capacity cost.
template <class Source, bool General> struct stages {
  static constexpr graph_sizes graph_size = sizes_of(optimised(Source::build(General)));
  static constexpr auto optimised_graph =
      frozen<graph_size.nodes, graph_size.extents, graph_size.guards, graph_size.outputs>(
          optimised(Source::build(General)));

  struct plan_facts {
    plan_sizes sizes;
    message error;
  };
  static constexpr plan_facts plan_size = [] {
    const plan p = make_plan(thawed(optimised_graph));
    return plan_facts{sizes_of(p), p.error};
  }();
  static_assert(report<plan_size.error>());
  static constexpr auto optimised_plan = frozen<plan_size.sizes>(make_plan(thawed(optimised_graph)));
};

/// The code of a plan for one architecture: a function for each kernel that differs, and for other steps that occur.
template <class Stages, class A> struct cpu_table {
  static constexpr const auto& plan = Stages::optimised_plan;

  template <int I> static constexpr kernel_function kernel_at() {
    return &run_kernel<shrunk<plan.kernels[I].size, plan.kernels[I].store_count>(plan.kernels[I]), A>;
  }
  template <int... I> struct functions {
    static constexpr kernel_function value[sizeof...(I) + 1]{kernel_at<I>()..., nullptr};
  };
  template <int... I> static constexpr const kernel_function* kernels(std::integer_sequence<int, I...>) {
    return functions<I...>::value;
  }

  static constexpr bool uses(step_kind k, dtype t) {
    for (int i = 0; i < plan.sizes.steps; ++i)
      if (plan.steps[i].kind == k && plan.steps[i].type == t) return true;
    return false;
  }
  template <step_kind S, dtype D> static constexpr step_function other() {
    if constexpr (!uses(S, D)) return nullptr;
    else return other_step<S, ctype<D>, A>();
  }
  struct other_table {
    step_function value[step_kind_count][dtype_count];
  };
  template <int S, int... D>
  static constexpr void fill(other_table& t, std::integer_sequence<int, D...>) {
    ((t.value[S][D] = other<static_cast<step_kind>(S), static_cast<dtype>(D)>()), ...);
  }
  template <int... S> static constexpr other_table filled(std::integer_sequence<int, S...>) {
    other_table t{};
    (fill<S>(t, std::make_integer_sequence<int, dtype_count>{}), ...);
    return t;
  }
  static constexpr other_table others = filled(std::make_integer_sequence<int, step_kind_count>{});

  static constexpr cpu_code code{view_of(plan), kernels(std::make_integer_sequence<int, plan.sizes.kernels>{}),
                                 others.value, &product_bytes<A>};
};

/// A captured function or expression, ready to run.
template <class Source> struct program {
  using source = Source;
  static constexpr const auto& graph = stages<Source, false>::optimised_graph;
  static_assert(report<graph.error>());
  static constexpr bool broadcasts_at_call = [] {
    for (int i = 0; i < graph.guard_count; ++i)
      if (graph.guards[i].kind == guard_kind::broadcast) return true;
    return false;
  }();

  template <class A> static constexpr const cpu_code& code() {
    return cpu_table<stages<Source, false>, A>::code;
  }
  template <class A> static constexpr const cpu_code& general_code() {
    return cpu_table<stages<Source, true>, A>::code;
  }
  inline static arena_pool arenas;

  static constexpr int outputs = graph.output_count;
  static constexpr value_spec output_spec(int j) {
    const node& n = graph.nodes[graph.outputs[j]];
    value_spec s;
    s.type = n.type;
    s.rank = n.shape.rank;
    for (int i = 0; i < s.rank; ++i) s.extent[i] = is_symbol(n.shape.d[i]) ? dyn : n.shape.d[i];
    return s;
  }
};

}  // namespace weft::detail
