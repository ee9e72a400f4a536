// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/arguments.hpp>
#include <weft/compile/evaluate.hpp>

namespace weft {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_result_shape(int j, const std::string& want,
                                                                      const std::string& have) {
  throw shape_error("weft: into: result " + std::to_string(j) + " has shape " + want + ", but the tensor given for it " +
                    have + " cannot take it");
}

/// Runs a program into given tensors. Each is resized where its extents are dynamic; those whose memory the program may
/// not write while it runs get a copy at the end, so every tensor keeps its value if an error is thrown.
template <class Program, class Results, std::size_t N>
void run_into(Results& results, const argument_list<N>& arguments, const place_table& places) {
  call<Program> run(arguments.value.data(), places);
  constexpr std::size_t count = static_cast<std::size_t>(Program::outputs);
  std::array<void*, count + 1> address{};
  std::array<storage_ptr, count + 1> temporary;
  [&]<int... J>(std::integer_sequence<int, J...>, auto& flat) {
    auto prepare = [&]<int I>(std::integral_constant<int, I>) {
      auto& to = std::get<static_cast<std::size_t>(I)>(flat);
      using D = std::remove_cvref_t<decltype(to)>;
      using T = typename D::value_type;
      static_assert(dtype_of<T> == Program::output_spec(I).type && D::rank == Program::output_spec(I).rank,
                    "weft: into: a tensor given for a result has another dtype or rank");
      const auto shape = run.template shape<I>();
      const std::size_t at = static_cast<std::size_t>(I);
      bool direct = to.shape() == shape && to.is_contiguous();
      if (direct) {
        const auto* first = reinterpret_cast<const std::byte*>(to.data());
        const byte_range target{first, first + static_cast<std::size_t>(to.size()) * sizeof(T)};
        for (std::size_t k = 0; direct && k < arguments.size; ++k) {
          if (!target.overlaps(arguments.range[k])) continue;
          direct = arguments.value[k].data == to.data() && arguments.contiguous[k] && arguments.type[k] == dtype_of<T> &&
                   arguments.rank[k] == D::rank &&
                   std::equal(shape.begin(), shape.end(), arguments.value[k].shape) && run.in_place(I, static_cast<int>(k));
        }
        for (std::size_t i = 0; direct && i < at; ++i) direct = address[i] != to.data();
      } else {
        for (std::size_t d = 0; d < shape.size(); ++d) {
          const bool fixed = is_view<D> || known_extents<D>[d] != dyn;
          if (fixed && to.shape()[d] != shape[d]) throw_result_shape(I, to_text(shape), to_text(to.shape()));
        }
      }
      if (direct) address[at] = to.data();
      else {
        temporary[at] = allocate_elements(dtype_of<T>, shape.data(), D::rank);
        address[at] = temporary[at].data();
      }
    };
    (prepare(std::integral_constant<int, J>{}), ...);
    run.run(address.data());
    auto finish = [&]<int I>(std::integral_constant<int, I>) {
      auto& to = std::get<static_cast<std::size_t>(I)>(flat);
      using D = std::remove_cvref_t<decltype(to)>;
      const std::size_t at = static_cast<std::size_t>(I);
      if (!temporary[at] && address[at]) return;
      const auto shape = run.template shape<I>();
      if (product(shape) == 0 && to.shape() == shape) return;
      view<typename D::value_type, D::rank> from(temporary[at], static_cast<typename D::value_type*>(address[at]), shape,
                                                 row_major(shape));
      if constexpr (is_tensor<D>) {
        if (to.shape() != shape) {
          D fresh = D::uninitialized(shape);
          copy_elements(fresh, address[at]);
          to = std::move(fresh);
        } else {
          copy_elements(to, address[at]);
        }
      } else {
        to = from;
      }
    };
    (finish(std::integral_constant<int, J>{}), ...);
  }(std::make_integer_sequence<int, Program::outputs>{}, results);
}

template <class D> void copy_elements(D& to, const void* from) {
  if (to.size())
    std::memcpy(to.data(), from, static_cast<std::size_t>(to.size()) * sizeof(typename D::value_type));
}

/// References to the tensors of a result, flat.
template <class R> auto flat(R& r) {
  if constexpr (is_tensor<R> || is_view<R>) {
    return std::tuple<R&>(r);
  } else if constexpr (std::is_arithmetic_v<R> || std::is_enum_v<R> || std::is_empty_v<R>) {
    return std::tuple<>();  // a setting of a model
  } else if constexpr (is_std_tuple<std::remove_const_t<R>>) {
    return std::apply([](auto&... t) { return std::tuple_cat(flat(t)...); }, r);
  } else if constexpr (is_std_array<R>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::tuple_cat(flat(r[I])...); }(
        std::make_index_sequence<std::tuple_size_v<R>>{});
  } else {
    return std::apply([](auto&... t) { return std::tuple_cat(flat(t)...); }, fields(r));
  }
}

/// Expressions become tensors before they are arguments; everything else is passed as it is.
template <class X> decltype(auto) as_argument(const X& x) {
  if constexpr (is_expr<X>) return eval(x);
  else return (x);
}
template <class X> using argument_type = std::remove_cvref_t<decltype(as_argument(std::declval<const X&>()))>;

}  // namespace detail

/// A function compiled for whatever it is called with: one program for each combination of argument types, made by the
/// C++ compiler. Calls are thread-safe.
template <class F> class compiled {
 public:
  template <class... X> using program = detail::program<detail::function_source<F, detail::argument_type<X>...>>;

  /// Results as new tensors: one for a symbol, a tuple or struct where the function returns one.
  template <class... X> auto operator()(const X&... x) const {
    return run(detail::as_argument(x)...);
  }

  /// Results into given tensors: `f.into(std::tie(y, g), a, b)`. Allocates nothing after the first call if their shapes
  /// are right. Throws shape_error, leaving all of them as they were.
  template <class Results, class... X> void into(Results&& results, const X&... x) const {
    write(results, detail::as_argument(x)...);
  }

 private:
  template <class... X> static auto run(const X&... x) {
    using P = program<X...>;
    typename detail::result_of<P, typename P::source::result, 0>::type results;
    write(results, x...);
    return results;
  }
  template <class R, class... X> static void write(R& results, const X&... x) {
    using P = program<X...>;
    detail::argument_list<static_cast<std::size_t>((detail::count_of<X>::value + ... + 0))> arguments;
    (arguments.add(x), ...);
    auto to = detail::flat(results);
    static_assert(std::tuple_size_v<decltype(to)> == static_cast<std::size_t>(P::outputs),
                  "weft: into: as many tensors as the function has results");
    detail::run_into<P>(to, arguments, {});
  }
};

/// Compiles a stateless function of tensors, numbers and models. The work is done by the C++ compiler, for the types that
/// the result is called with.
template <class F> constexpr compiled<F> compile(F) {
  static_assert(detail::stateless<F>,
                "weft: a captured function holds no state, since its program follows from its type alone: pass what the "
                "lambda captures as an argument (a number, or a tensor)");
  return {};
}

template <class F, class... X> struct detail::eager_call {
  static auto run(const F&, const X&... x) { return compiled<F>{}(x...); }
};

}  // namespace weft
