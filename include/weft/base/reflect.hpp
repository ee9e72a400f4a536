// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::detail {

/// Converts to anything: stands for a field while fields are counted.
struct any_field {
  template <class T>
  constexpr operator T() const {
    throw any_field{};  // never called; defined so that types without linkage do
  }
};

inline constexpr std::size_t most_fields = 24;

template <class T, std::size_t... I>
constexpr bool initializes(std::index_sequence<I...>) {
  return requires {
    T{(static_cast<void>(I), any_field{})...};
  };
}
template <class T, std::size_t N>
inline constexpr bool initializes_with = initializes<T>(std::make_index_sequence<N>{});

/// Stands for a base class while bases are looked for.
template <class Derived>
struct any_base {
  template <class B>
    requires(std::is_base_of_v<B, Derived> && !std::is_same_v<B, Derived>)
  constexpr operator B() const { throw any_base{}; }
};

/// The most initializers that T takes. Braces around an array may be left out, so that it takes one
/// for each of its elements.
template <class T, std::size_t N = most_fields + 1>
constexpr std::size_t count_initializers() {
  if constexpr (N == 0)
    return 0;
  else if constexpr (initializes_with<T, N>)
    return N;
  else
    return count_initializers<T, N - 1>();
}

template <class T, std::size_t... I, std::size_t... J>
constexpr bool initializes_around(std::index_sequence<I...>, std::index_sequence<J...>) {
  return requires {
    T{(static_cast<void>(I), any_field{})..., {}, (static_cast<void>(J), any_field{})...};
  };
}
/// How many of N initializers the field behind the first At takes: `{}` for it leaves the others.
template <class T, std::size_t N, std::size_t At, std::size_t Rest = N - At - 1>
constexpr std::size_t initializers_of_field() {
  if constexpr (initializes_around<T>(std::make_index_sequence<At>{},
                                      std::make_index_sequence<Rest>{}))
    return N - At - Rest;
  else if constexpr (Rest == 0)
    return 1;  // a field that {} does not make, such as a reference
  else
    return initializers_of_field<T, N, At, Rest - 1>();
}
template <class T, std::size_t N, std::size_t At = 0>
constexpr std::size_t count_fields() {
  if constexpr (At >= N)
    return 0;
  else
    return 1 + count_fields<T, N, At + initializers_of_field<T, N, At>()>();
}

/// The number of fields of a model struct; a compile error where they cannot be counted surely.
template <class T>
constexpr std::size_t field_count() {
  static_assert(std::is_aggregate_v<T>,
                "weft: a model struct must be an aggregate: public fields, no constructors, no "
                "private members");
  static_assert(
      !requires { T{any_base<T>{}}; },
      "weft: a model struct has no base classes: make the base its first field");
  static_assert(
      count_initializers<T>() <= most_fields,
      "weft: a model struct has at most 24 fields: group some of them in a struct of their own");
  if constexpr (std::is_aggregate_v<T> && count_initializers<T>() <= most_fields)
    return count_fields<T, count_initializers<T>()>();
  else
    return 0;
}

/// References to the fields of an aggregate, in order.
template <class T>
constexpr auto fields(T& x) {
  constexpr std::size_t n = field_count<std::remove_const_t<T>>();
  if constexpr (n == 0) {
    return std::tuple<>{};
  } else if constexpr (n == 1) {
    auto& [f0] = x;
    return std::tie(f0);
  } else if constexpr (n == 2) {
    auto& [f0, f1] = x;
    return std::tie(f0, f1);
  } else if constexpr (n == 3) {
    auto& [f0, f1, f2] = x;
    return std::tie(f0, f1, f2);
  } else if constexpr (n == 4) {
    auto& [f0, f1, f2, f3] = x;
    return std::tie(f0, f1, f2, f3);
  } else if constexpr (n == 5) {
    auto& [f0, f1, f2, f3, f4] = x;
    return std::tie(f0, f1, f2, f3, f4);
  } else if constexpr (n == 6) {
    auto& [f0, f1, f2, f3, f4, f5] = x;
    return std::tie(f0, f1, f2, f3, f4, f5);
  } else if constexpr (n == 7) {
    auto& [f0, f1, f2, f3, f4, f5, f6] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6);
  } else if constexpr (n == 8) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7);
  } else if constexpr (n == 9) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8);
  } else if constexpr (n == 10) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9);
  } else if constexpr (n == 11) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10);
  } else if constexpr (n == 12) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11);
  } else if constexpr (n == 13) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12);
  } else if constexpr (n == 14) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13);
  } else if constexpr (n == 15) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14);
  } else if constexpr (n == 16) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15);
  } else if constexpr (n == 17) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16);
  } else if constexpr (n == 18) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17);
  } else if constexpr (n == 19) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17,
                    f18);
  } else if constexpr (n == 20) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18,
           f19] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17,
                    f18, f19);
  } else if constexpr (n == 21) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17,
                    f18, f19, f20);
  } else if constexpr (n == 22) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17,
                    f18, f19, f20, f21);
  } else if constexpr (n == 23) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17,
                    f18, f19, f20, f21, f22);
  } else if constexpr (n == 24) {
    auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23] = x;
    return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17,
                    f18, f19, f20, f21, f22, f23);
  }
}

}  // namespace weft::detail
