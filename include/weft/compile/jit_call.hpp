// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/compile.hpp>
#include <weft/compile/jit_program.hpp>

// How calls of functions captured at run time are keyed, captured and run.
namespace weft::detail {

template <class... X>
inline constexpr char signature_tag = 0;

/// Calls f on every setting of a model: its numbers, which the captured function sees as they are.
template <class M, class F>
void each_setting(const M& m, F&& f) {
  if constexpr (is_leaf_type<M>) {
  } else if constexpr (is_array_of_parts<M>) {
    for (const auto& part : m) each_setting(part, f);
  } else if constexpr (is_number_type<M> || std::is_enum_v<M>) {
    f(m);
  } else if constexpr (!std::is_empty_v<M>) {
    std::apply([&](const auto&... part) { (each_setting(part, f), ...); }, fields(m));
  }
}
template <class X>
inline constexpr bool is_model = false;
template <template <class> class M>
inline constexpr bool is_model<M<parameters>> = true;

/// Calls f(argument, its symbols) on every model among the arguments.
template <class X, class S, class F>
void each_model(const X& x, S& s, F&& f) {
  if constexpr (is_model<X>)
    f(x, s);
  else if constexpr (is_std_tuple<X>)
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (each_model(std::get<I>(x), std::get<I>(s), f), ...);
    }
  (std::make_index_sequence<std::tuple_size_v<X>>{});
}

/// Appends the bytes of what a function holds.
template <class F>
void put_bytes(const F& f, std::vector<index_t>& key) {
  if constexpr (!std::is_empty_v<F>) {
    const std::size_t at = key.size();
    key.resize(at + (sizeof(F) + 7) / 8);
    std::memcpy(key.data() + at, &f, sizeof(F));
#if defined(__GNUC__) && !defined(__clang__)
    // Bytes between fields have no value.
    alignas(F) std::byte copy[sizeof(F)];
    std::memcpy(copy, &f, sizeof(F));
    __builtin_clear_padding(reinterpret_cast<F*>(copy));
    std::memcpy(key.data() + at, copy, sizeof(F));
#endif
  }
}

/// A function with arguments of these types, captured at run time.
template <class F, class... X>
struct jit_source {
  using symbolic = std::tuple<typename argument<X>::symbolic...>;
  static constexpr std::size_t count = static_cast<std::size_t>((count_of<X>::value + ... + 0));
  using list = argument_list<count>;
  using result = decltype(std::apply(std::declval<const F&>(), std::declval<symbolic&>()));
  static_assert(holds_symbols<result>,
                "weft: a captured function returns a symbol, or a tuple, array or struct of "
                "symbols");

  /// What argument k is captured as: with its extents where they are part of the key.
  static value_spec spec_of(const list& arguments, std::size_t k, bool dynamic) {
    value_spec s;
    s.type = arguments.type[k];
    s.rank = arguments.rank[k];
    const bool fixed = !dynamic || arguments.number_bytes[k] != 0;
    for (int i = 0; i < s.rank; ++i) s.extent[i] = fixed ? arguments.value[k].shape[i] : dyn;
    s.strided = arguments.value[k].stride && !arguments.contiguous[k];
    return s;
  }
  static void put_key(const F& f, const list& arguments, bool dynamic, std::vector<index_t>& key,
                      const X&... x) {
    key.clear();
    key.push_back(static_cast<index_t>(reinterpret_cast<std::intptr_t>(&signature_tag<X...>)));
    key.push_back(static_cast<index_t>(dynamic) | static_cast<index_t>(left_out_passes) << 1);
    for (std::size_t k = 0; k < count; ++k) {
      const value_spec s = spec_of(arguments, k, dynamic);
      key.push_back(static_cast<index_t>(s.type) | static_cast<index_t>(s.rank) << 8 |
                    static_cast<index_t>(s.strided) << 16);
      for (int i = 0; i < s.rank; ++i) key.push_back(s.extent[i]);
    }
    auto put_settings = [&](const auto& model, auto&) {
      each_setting(model, [&](auto v) {
        key.push_back(0);
        std::memcpy(&key.back(), &v, sizeof v < 8 ? sizeof v : 8);
      });
    };
    symbolic none{};
    each_model(std::tie(x...), none, put_settings);
    put_bytes(f, key);
  }
  static graph capture(const F& f, const list& arguments, bool dynamic, bool general,
                       const X&... x) {
    builder b{capture_mode(general)};
    symbolic s{};
    int k = 0;
    for_each_symbol(s, [&](symbol& t) {
      t = make_argument(b, spec_of(arguments, static_cast<std::size_t>(k), dynamic), k);
      ++k;
    });
    each_model(std::tie(x...), s, [](const auto& model, auto& symbols_of_it) {
      walk<true>(model, symbols_of_it, [](const auto&, auto&) {});
    });
    auto r = std::apply(f, s);
    if (!b.failed()) for_each_symbol(r, [&](symbol& t) { b.g.outputs.push_back(t.id()); });
    return b.finished();
  }
};

/// How many tensors a tree of results has.
template <class R>
inline constexpr std::size_t result_count = 1;
template <template <class> class M>
inline constexpr std::size_t result_count<M<parameters>> =
    static_cast<std::size_t>(leaf_count(M<symbols>{}));
template <class... R>
inline constexpr std::size_t result_count<std::tuple<R...>> =
    (result_count<std::remove_cvref_t<R>> + ... + 0);
template <class R, std::size_t N>
inline constexpr std::size_t result_count<std::array<R, N>> = N* result_count<R>;

/// Runs a call into new memory.
template <class List>
std::vector<any_tensor> run_fresh(jit_program& p, jit_call& run, const List& arguments,
                                  const compile_options& options) {
  call_place place = arguments.place;
  if (!(options.device == cpu)) place.require(options.device);
  const device where = place.where();
  std::vector<any_tensor> results;
  std::vector<void*> address;
  for (int j = 0; j < p.outputs(); ++j) {
    const node& n = p.output(j);
    std::vector<index_t> shape(static_cast<std::size_t>(n.shape.rank));
    run.shape(j, shape.data());
    storage_ptr made = allocate_elements(where, n.type, shape.data(), n.shape.rank);
    address.push_back(made.data());
    results.emplace_back(n.type, std::move(shape), std::move(made));
  }
  if (where == cpu) {
    run.run(address.data());
  } else {
    device_call c;
    c.where = where;
    c.options = options;
    c.number_bytes = arguments.number_bytes.data();
    run.run_on_device(c, address.data());
  }
  return results;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_result_type(int j, const node& is,
                                                                     const result_operations& to) {
  throw dtype_error("weft: into: result " + std::to_string(j) + " is " +
                    std::string(name(is.type)) + " of rank " + std::to_string(is.shape.rank) +
                    ", but the tensor given for it is " + std::string(name(to.type)) + " of rank " +
                    std::to_string(to.rank));
}

}  // namespace weft::detail
