// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/arguments.hpp>
#include <weft/compile/donate.hpp>
#include <weft/compile/evaluate.hpp>
#include <weft/compile/parts.hpp>
#include <weft/compile/results.hpp>
#include <weft/grad/transforms.hpp>

namespace weft {

namespace detail {

/// Whether a result of this shape can be written to its tensor's own memory while the program runs.
template <class Call, std::size_t N>
bool writes_directly(const Call& run, int j, const result_slot* slots, const index_t* shape,
                     const argument_list<N>& arguments) {
  const result_slot& s = slots[j];
  const result_operations& f = *s.operations;
  if (!s.contiguous || !same_extents(shape, s.shape, f.rank)) return false;
  if (!run.written_last(j)) return false;
  const auto* first = static_cast<const std::byte*>(s.data);
  const auto bytes =
      static_cast<std::size_t>(product(shape, f.rank)) * static_cast<std::size_t>(size_of(f.type));
  const byte_range target{first, first + bytes};
  for (std::size_t k = 0; k < arguments.size; ++k) {
    if (!target.overlaps(arguments.range[k])) continue;
    // The very same elements, which the plan reads before it writes them; anything else needs a
    // copy.
    const bool same = arguments.value[k].data == s.data && arguments.contiguous[k] &&
                      arguments.type[k] == f.type && arguments.rank[k] == f.rank &&
                      same_extents(shape, arguments.value[k].shape, f.rank);
    if (!same || !run.in_place(j, static_cast<int>(k))) return false;
  }
  for (int i = 0; i < j; ++i)
    if (slots[i].data == s.data && bytes > 0) return false;
  return true;
}

/// Runs a call into given tensors. Each is resized where its extents are dynamic; those whose
/// memory the program may not write while it runs get a copy at the end, so every tensor keeps its
/// value if an error is thrown.
template <class Call, std::size_t R, std::size_t N>
void run_call(Call& run, result_list<R>& results, const argument_list<N>& arguments,
              const compile_options& options) {
  call_place place = arguments.place;
  if (!(options.device == cpu)) place.require(options.device);
  const device where = place.where();
  std::array<void*, R + 1> address{};
  shape_t<max_rank> shape[R + 1];
  for (int j = 0; j < static_cast<int>(R); ++j) {
    const std::size_t at = static_cast<std::size_t>(j);
    result_slot& s = results.slots[at];
    const result_operations& f = *s.operations;
    run.shape(j, shape[at].data());
    check_result_shape(j, s, shape[at].data());
    if (s.where == where &&
        writes_directly(run, j, results.slots.data(), shape[at].data(), arguments)) {
      address[at] = s.data;
    } else {
      s.temporary = allocate_elements(where, f.type, shape[at].data(), f.rank);
      address[at] = s.temporary.data();
    }
  }
  if (!(where == cpu)) {
    device_call c;
    c.where = where;
    c.options = options;
    c.number_bytes = arguments.number_bytes.data();
    run.run_on_device(c, address.data());
    for (std::size_t at = 0; at < R; ++at) {
      result_slot& s = results.slots[at];
      if (address[at] != s.data || !(s.where == where))
        s.operations->adopt(s.tensor, shape[at].data(), std::move(s.temporary));
    }
    return;
  }
  run.run(address.data());
  for (std::size_t at = 0; at < R; ++at)
    if (address[at] != results.slots[at].data || !results.slots[at].contiguous ||
        !same_extents(results.slots[at].shape, shape[at].data(),
                      results.slots[at].operations->rank))
      results.slots[at].operations->assign(results.slots[at].tensor, shape[at].data(), address[at]);
}

template <class Program, std::size_t R, std::size_t N>
void run_planned(result_list<R>& results, const argument_list<N>& arguments,
                 const place_table& places, const compile_options& options) {
  call<Program> run(arguments.value.data(), places);
  run_call(run, results, arguments, options);
}

template <class Program, std::size_t N>
std::string describe_planned(const argument_list<N>& arguments, const compile_options& options,
                             bool source) {
  call<Program> run(arguments.value.data(), {});
  call_place place = arguments.place;
  if (!(options.device == cpu)) place.require(options.device);
  if (place.on_host())
    throw device_error(
        "weft: device_report and device_source are about programs on a GPU: give arguments that "
        "are there, or see explain and source");
  device_call c;
  c.where = place.where();
  c.options = options;
  c.number_bytes = arguments.number_bytes.data();
  return run.describe_on_device(c, source);
}

/// Compiles for the device of the options, or where the arguments are. On the CPU nothing is left
/// to compile.
template <class Program, std::size_t N>
std::string prepare_planned(argument_list<N>& arguments, const compile_options& options) {
  const device where = options.device == cpu ? arguments.place.where() : options.device;
  if (where == cpu) return "the C++ compiler has compiled the program for the CPU\n";
  for (std::size_t k = 0; k < arguments.size; ++k)
    if (!arguments.number_bytes[k]) arguments.value[k].data = nullptr;
  call<Program> run(arguments.value.data(), {});
  device_call c;
  c.where = where;
  c.options = options;
  c.number_bytes = arguments.number_bytes.data();
  c.prepare = true;
  return run.describe_on_device(c, false);
}

template <class Program, std::size_t R, std::size_t N>
void run_into(result_list<R>& results, const argument_list<N>& arguments, const place_table& places,
              const compile_options& options = {}) {
  static_assert(R == static_cast<std::size_t>(Program::outputs),
                "weft: into: give as many tensors as the function has results");
  if constexpr (Program::in_parts) {
    run_in_parts<typename Program::source>(results, arguments, places);
  } else {
    static_assert(Program::optimised());
    run_planned<Program>(results, arguments, places, options);
  }
}

/// Checks the tensors given for a function's results where their types are listed one by one.
template <class Program, class... T>
constexpr void check_results(std::tuple<T...>*) {
  if constexpr (((is_tensor<std::remove_cvref_t<T>> || is_view<std::remove_cvref_t<T>>)&&...)) {
    static_assert(sizeof...(T) == static_cast<std::size_t>(Program::outputs),
                  "weft: into: give as many tensors as the function has results");
    if constexpr (sizeof...(T) == static_cast<std::size_t>(Program::outputs)) {
      []<int... J>(std::integer_sequence<int, J...>) {
        static_assert(
            ((dtype_of<std::remove_const_t<typename std::remove_cvref_t<T>::value_type>> ==
                  Program::output_spec(J).type &&
              std::remove_cvref_t<T>::rank == Program::output_spec(J).rank) &&
             ...),
            "weft: into: a tensor given for a result has another dtype or rank");
      }
      (std::make_integer_sequence<int, static_cast<int>(sizeof...(T))>{});
    }
  }
}
template <class Program, class T>
  requires(is_tensor<T> || is_view<T>)
constexpr void check_results(T*) {
  check_results<Program>(static_cast<std::tuple<T>*>(nullptr));
}
template <class Program>
constexpr void check_results(void*) {}

/// Expressions become tensors before they are arguments; everything else is passed as it is.
template <class X>
decltype(auto) as_argument(const X& x) {
  if constexpr (is_expr<X>)
    return eval(x);
  else if constexpr (is_donated<X>)
    return std::as_const(x.tensor);
  else
    return (x);
}
template <class X>
using argument_type = std::remove_cvref_t<decltype(as_argument(std::declval<const X&>()))>;

}  // namespace detail

/// A function compiled for whatever it is called with: one program for each combination of argument
/// types, made by the C++ compiler. Calls are thread-safe.
template <class F>
class compiled {
 public:
  compile_options options{};

  template <class... X>
  using program = detail::program<detail::function_source<F, detail::argument_type<X>...>>;

  /// Results as new tensors: one for a symbol, a tuple or struct where the function returns one.
  template <class... X>
  auto operator()(const X&... x) const {
    static_assert(detail::reported<problem<X...>>::nothing);
    if constexpr ((detail::is_donated<X> || ...))
      return run_donated(x...);
    else
      return run(detail::as_argument(x)...);
  }

  /// Results into given tensors: `f.into(std::tie(y, g), a, b)`. Allocates nothing after the first
  /// call if their shapes are right. Throws shape_error, leaving all of them as they were.
  template <class Results, class... X>
  void into(Results&& results, const X&... x) const {
    static_assert(detail::reported<problem<X...>>::nothing);
    write(results, detail::as_argument(x)...);
  }

  /// Compiles for arguments like these and runs nothing: tensors, models, numbers, or
  /// example<T>(extents...) in place of a tensor. For the device in the options, or where tensors
  /// are. Tells what that took.
  template <class... X>
  preparation prepare(const X&... x) const {
    using P = program<typename detail::prepared_argument<X>::type...>;
    static_assert(P::optimised());
    detail::argument_list<static_cast<std::size_t>((detail::count_of<X>::value + ... + 0))>
        arguments;
    (arguments.add(detail::as_argument(x)), ...);
    return detail::timed_preparation(
        [&] { return detail::prepare_planned<P>(arguments, options); });
  }

  /// What the function became on the GPU where its arguments are: launches, memory, and for each
  /// kernel what compiling and loading it cost. Compiles it, and runs nothing.
  template <class... X>
  [[nodiscard]] std::string device_report(const X&... x) const {
    return describe(false, detail::as_argument(x)...);
  }
  /// The CUDA source of its kernels there.
  template <class... X>
  [[nodiscard]] std::string device_source(const X&... x) const {
    return describe(true, detail::as_argument(x)...);
  }

 private:
  template <class... X>
  std::string describe(bool source, const X&... x) const {
    using P = program<X...>;
    static_assert(detail::reported<problem<X...>>::nothing);
    static_assert(P::optimised());
    detail::argument_list<static_cast<std::size_t>((detail::count_of<X>::value + ... + 0))>
        arguments;
    (arguments.add(x), ...);
    return detail::describe_planned<P>(arguments, options, source);
  }
  template <class... X>
  static constexpr const detail::message& problem =
      detail::capture_problem<detail::function_source<F, detail::argument_type<X>...>>;

  template <class... X>
  auto run(const X&... x) const {
    using P = program<X...>;
    typename detail::result_of<P, typename P::source::result, 0>::type results;
    write(results, x...);
    return results;
  }
  template <class... X>
  auto run_donated(const X&... x) const {
    using P = program<X...>;
    typename detail::result_of<P, typename P::source::result, 0>::type results;
    if constexpr (!P::in_parts) {
      std::vector<char> taken(static_cast<std::size_t>(P::outputs), 0);
      int k = 0;
      ((detail::give<P>(results, x, k, taken),
        k += detail::count_of<detail::argument_type<X>>::value),
       ...);
    }
    write(results, detail::as_argument(x)...);
    (detail::take_away(x), ...);
    return results;
  }
  template <class R, class... X>
  void write(R& results, const X&... x) const {
    using P = program<X...>;
    detail::argument_list<static_cast<std::size_t>((detail::count_of<X>::value + ... + 0))>
        arguments;
    (arguments.add(x), ...);
    detail::check_results<P>(static_cast<std::remove_cvref_t<R>*>(nullptr));
    detail::result_list<static_cast<std::size_t>(P::outputs)> to;
    to.add(results);
    detail::run_into<P>(to, arguments, {}, options);
  }
};

/// Compiles a stateless function of tensors, numbers and models. The work is done by the C++
/// compiler, for the types that the result is called with.
template <class F>
constexpr auto compile(F, compile_options options = {}) {
  static_assert(detail::stateless<F>,
                "weft: a captured function holds no state, since its program follows from its type "
                "alone: pass what the "
                "lambda captures as an argument (a number, a tensor), or make it static constexpr "
                "(a function)");
  return compiled<F>{options};
}

namespace detail {
struct full_graph_tag {};
/// A function that must not break the graph: its capture says where it does.
template <class F>
struct full_graph_of {
  static constexpr bool full_graph = true;
  template <class... X>
  constexpr auto operator()(const X&... x) const {
    return F{}(x...);
  }
};
}  // namespace detail

/// For `compile<full_graph>(f)`: a graph break in f is a compile error that lists every break with
/// its reason and line.
inline constexpr detail::full_graph_tag full_graph{};

template <const auto& Option, class F>
  requires(std::is_same_v<std::remove_cvref_t<decltype(Option)>, detail::full_graph_tag>)
constexpr auto compile(F, compile_options options = {}) {
  static_assert(detail::stateless<F>,
                "weft: a captured function holds no state, since its program follows from its type "
                "alone: pass what the "
                "lambda captures as an argument (a number, a tensor), or make it static constexpr "
                "(a function)");
  return compiled<detail::full_graph_of<F>>{options};
}

template <class F, class... X>
struct detail::eager_call {
  static_assert(stateless<F>,
                "weft: a captured function holds no state, since its program follows from its type "
                "alone: pass what the "
                "lambda captures as an argument (a number, a tensor), or make it static constexpr "
                "(a function)");
  static auto run(const F&, const X&... x) { return compiled<F>{}(x...); }
};

}  // namespace weft
