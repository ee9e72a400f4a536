// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/explain.hpp>
#include <weft/compile/jit_call.hpp>
#include <weft/compile/source.hpp>

namespace weft {

struct jit_options {
  /// Where arguments must be; without it a program runs where they are.
  weft::device device{};
  weft::mode mode = mode::standard;
  bool tf32 = false;
  /// Captures with the extents open, so that one program serves all shapes of a rank.
  bool dynamic = false;
  /// How many programs are kept for one function.
  std::size_t limit = 64;
};

/// A function that is captured when it is called: for the types and shapes of the arguments, and
/// for what it holds. Calls are thread-safe.
template <class F>
class jitted {
 public:
  F function;
  jit_options options{};

  explicit jitted(F f, jit_options o = {}) : function(std::move(f)), options(o) {}

  /// Results as any_tensor, in a tuple or an array where the function returns one; models have
  /// their types. Throws what a compiled function throws, and error for what the C++ compiler would
  /// refuse.
  template <class... X>
  auto operator()(const X&... x) const {
    return run(detail::as_argument(x)...);
  }

  /// Results into given tensors: `f.into(std::tie(y, g), a, b)`. Throws dtype_error and shape_error
  /// where they cannot take them, leaving all of them as they were.
  template <class Results, class... X>
  void into(Results&& results, const X&... x) const {
    write(results, detail::as_argument(x)...);
  }

  /// What the function becomes for these arguments; see explain.
  template <class... X>
  [[nodiscard]] report explained(const X&... x) const {
    return describe(detail::as_argument(x)...);
  }
  /// Its plan, in loops: the interpreter runs them op by op.
  template <class... X>
  [[nodiscard]] source_text sourced(const X&... x) const {
    return print(detail::as_argument(x)...);
  }

  /// What this function's cache did, in all objects of its type.
  [[nodiscard]] static jit_statistics statistics() { return cache().statistics(); }

 private:
  static detail::jit_cache& cache() {
    static detail::jit_cache c;
    return c;
  }
  compile_options run_options() const { return {options.device, options.mode, options.tf32}; }

  /// The program for these arguments; of two for open extents the one that fits.
  template <class Source, class... X>
  std::shared_ptr<detail::jit_program> find(const typename Source::list& arguments,
                                            const X&... x) const {
    thread_local std::vector<index_t> key;
    Source::put_key(function, arguments, options.dynamic, key, x...);
    auto one = [&](bool general) {
      return cache().find(key, options.limit, [&] {
        return Source::capture(function, arguments, options.dynamic, general, x...);
      });
    };
    auto p = one(false);
    if (!options.dynamic) return p;
    if (detail::jit_call(*p, arguments.value.data()).template fits<false>()) return p;
    Source::put_key(function, arguments, options.dynamic, key, x...);
    key.push_back(1);
    return one(true);
  }
  /// Calls f(program, call) with guards checked.
  template <class... X, class G>
  auto with_call(G&& g, const X&... x) const {
    using source = detail::jit_source<F, X...>;
    typename source::list arguments;
    (arguments.add(x), ...);
    const auto p = find<source>(arguments, x...);
    detail::jit_call call(*p, arguments.value.data());
    call.template fits<true>();
    return g(*p, call, arguments);
  }

  template <class... X>
  auto run(const X&... x) const {
    using result = typename detail::jit_source<F, X...>::result;
    return with_call(
        [&](detail::jit_program& p, detail::jit_call& call, const auto& arguments) {
          auto all = detail::run_fresh(p, call, arguments, run_options());
          typename detail::jit_result<result>::type tree;
          any_tensor* next = all.data();
          detail::take_results(tree, next);
          return tree;
        },
        x...);
  }
  template <class R, class... X>
  void write(R& results, const X&... x) const {
    with_call(
        [&](detail::jit_program& p, detail::jit_call& call, const auto& arguments) {
          detail::result_list<detail::result_count<std::remove_cvref_t<R>>> to;
          to.add(results);
          if (static_cast<int>(to.size) != p.outputs())
            throw value_error("weft: into: give as many tensors as the function has results: got " +
                              std::to_string(to.size) + " for " + std::to_string(p.outputs()));
          for (int j = 0; j < p.outputs(); ++j) {
            const detail::result_operations& o = *to.slots[static_cast<std::size_t>(j)].operations;
            if (o.type != p.output(j).type || o.rank != p.output(j).shape.rank)
              detail::throw_result_type(j, p.output(j), o);
          }
          detail::run_call(call, to, arguments, run_options());
        },
        x...);
  }
  template <class... X>
  report describe(const X&... x) const {
    return with_call(
        [](detail::jit_program& p, detail::jit_call&, const auto& arguments) {
          const detail::plan_view view = detail::view_of(p.planned_program());
          report r = detail::plan_counter(view, p.optimised_graph(), arguments.value.data(), {})
                         .count(&detail::product_bytes<xsimd::default_arch>);
          r.captured_nodes = p.captured_nodes();
          return r;
        },
        x...);
  }
  template <class... X>
  source_text print(const X&... x) const {
    return with_call(
        [](detail::jit_program& p, detail::jit_call&, const auto&) {
          return detail::plan_source(detail::view_of(p.planned_program()));
        },
        x...);
  }
};

/// A function of tensors, numbers and models that is captured at its first call with arguments of
/// such types and shapes, while the program runs: the same graph and the same passes as compile's,
/// and on the CPU an interpreter of its plan; on a GPU the same kernels. What it captures by value
/// is part of the program, so graphs can follow from data: loops whose number of turns is known at
/// run time, choices by a flag. Needs no time of the C++ compiler; a call costs a look-up by
/// shapes.
template <class F>
auto jit(F f, jit_options options = {}) {
  static_assert(std::is_trivially_copyable_v<F>,
                "weft: jit: what a function captures is compared by its bytes, so it must be "
                "trivially copyable (numbers, enumerations, arrays of them): pass tensors and "
                "containers as arguments");
  return jitted<F>(std::move(f), options);
}

/// What a function becomes for example arguments: it is captured, and not run.
template <class F, class... X>
report explain(const jitted<F>& f, const X&... x) {
  return f.explained(x...);
}
template <class F, class... X>
source_text source(const jitted<F>& f, const X&... x) {
  return f.sourced(x...);
}

}  // namespace weft
