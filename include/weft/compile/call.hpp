// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/array/view.hpp>
#include <weft/compile/guards.hpp>
#include <weft/compile/program.hpp>

#include <array>

namespace weft::detail {

/// One result of a call: where it goes, and memory for it if that must not be written while the program runs.
struct result_slot {
  void* data = nullptr;
  storage_ptr temporary;
};

/// Bytes that an argument spans, to see whether a result overlaps it.
struct byte_range {
  const std::byte* from = nullptr;
  const std::byte* to = nullptr;
  bool overlaps(const byte_range& o) const { return from < o.to && o.from < to; }
};

/// A call of a program on bound arguments: guards checked and shapes computed first, then run into results.
template <class Program, class A = xsimd::default_arch> class call {
 public:
  static constexpr int outputs = Program::outputs;

  call(const argument_value* arguments, const place_table& places) : arguments_(arguments) {
    const auto& g = Program::graph;
    evaluate_extents<A>(g.extents, g.extent_count, arguments, extents_.data());
    if constexpr (Program::graph.guard_count > 0)
      general_ = check_guards<A>(g.guards, g.guard_count, extents_.data(), places) == guard_result::general;
    if constexpr (Program::broadcasts_at_call)
      if (general_) {
        const auto& w = stages<typename Program::source, true>::optimised_graph;
        evaluate_extents<A>(w.extents, w.extent_count, arguments, extents_of_general().data());
        check_guards<A>(w.guards, w.guard_count, extents_of_general().data(), places);
      }
  }

  template <int J> auto shape() const {
    constexpr value_spec s = Program::output_spec(J);
    std::array<index_t, static_cast<std::size_t>(s.rank)> r{};
    for (int i = 0; i < s.rank; ++i) r[static_cast<std::size_t>(i)] = extent(J, i);
    return r;
  }

  /// Runs the program; results lie at the addresses given, row-major. in_place(j, k) must have been heeded.
  void run(void* const* results) {
    if constexpr (Program::broadcasts_at_call) {
      if (general_) {
        const cpu_code& code = Program::template general_code<A>();
        std::array<index_t, general_extents + 1> all{};
        evaluate_extents<A>(code.plan.extents, code.plan.extent_count, arguments_, all.data());
        execute<A>(code, arguments_, results, all.data(), Program::arenas);
        return;
      }
    }
    const cpu_code& code = Program::template code<A>();
    std::array<index_t, plan_extents + 1> all;
    evaluate_extents<A>(code.plan.extents, code.plan.extent_count, arguments_, all.data());
    execute<A>(code, arguments_, results, all.data(), Program::arenas);
  }

  /// Whether result j may be written to the memory of argument k while the program runs.
  bool in_place(int j, int k) const {
    if (k >= 64) return false;
    if constexpr (Program::broadcasts_at_call)
      if (general_) return false;
    return Program::template code<A>().plan.in_place[j] >> k & 1;
  }

 private:
  static constexpr std::size_t plan_extents =
      static_cast<std::size_t>(stages<typename Program::source, false>::plan_size.sizes.extents);
  static constexpr std::size_t general_extents = [] {
    if constexpr (Program::broadcasts_at_call)
      return static_cast<std::size_t>(stages<typename Program::source, true>::plan_size.sizes.extents);
    else
      return std::size_t{0};
  }();

  auto& extents_of_general() { return general_extents_; }
  index_t extent(int j, int i) const {
    if constexpr (Program::broadcasts_at_call)
      if (general_) {
        const auto& w = stages<typename Program::source, true>::optimised_graph;
        const index_t e = w.nodes[w.outputs[j]].shape.d[i];
        return is_symbol(e) ? general_extents_[static_cast<std::size_t>(symbol_number(e))] : e;
      }
    const index_t e = Program::graph.nodes[Program::graph.outputs[j]].shape.d[i];
    return is_symbol(e) ? extents_[static_cast<std::size_t>(symbol_number(e))] : e;
  }

  const argument_value* arguments_;
  bool general_ = false;
  std::array<index_t, static_cast<std::size_t>(Program::graph.extent_count + 1)> extents_;
  std::array<index_t, general_extents + 1> general_extents_;
};

}  // namespace weft::detail
