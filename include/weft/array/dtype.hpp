// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/half.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace weft {

/// The element types a tensor can hold.
enum class dtype : std::uint8_t {
  boolean,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  float16,  ///< weft::half
  bfloat16  ///< weft::bfloat16
};

namespace detail {

inline constexpr int dtype_count = 10;

template <class T>
struct dtype_code {
  static constexpr int value = -1;
};
template <dtype D>
struct dtype_is {
  static constexpr int value = static_cast<int>(D);
};
// clang-format off
template <> struct dtype_code<bool>          : dtype_is<dtype::boolean> {};
template <> struct dtype_code<std::uint8_t>  : dtype_is<dtype::uint8> {};
template <> struct dtype_code<std::int32_t>  : dtype_is<dtype::int32> {};
template <> struct dtype_code<std::uint32_t> : dtype_is<dtype::uint32> {};
template <> struct dtype_code<std::int64_t>  : dtype_is<dtype::int64> {};
template <> struct dtype_code<std::uint64_t> : dtype_is<dtype::uint64> {};
template <> struct dtype_code<float>         : dtype_is<dtype::float32> {};
template <> struct dtype_code<double>        : dtype_is<dtype::float64> {};
template <> struct dtype_code<half>          : dtype_is<dtype::float16> {};
template <> struct dtype_code<bfloat16>      : dtype_is<dtype::bfloat16> {};

template <dtype D> struct ctype_of;
template <> struct ctype_of<dtype::boolean> { using type = bool; };
template <> struct ctype_of<dtype::uint8>   { using type = std::uint8_t; };
template <> struct ctype_of<dtype::int32>   { using type = std::int32_t; };
template <> struct ctype_of<dtype::uint32>  { using type = std::uint32_t; };
template <> struct ctype_of<dtype::int64>   { using type = std::int64_t; };
template <> struct ctype_of<dtype::uint64>  { using type = std::uint64_t; };
template <> struct ctype_of<dtype::float32> { using type = float; };
template <> struct ctype_of<dtype::float64> { using type = double; };
template <> struct ctype_of<dtype::float16> { using type = half; };
template <> struct ctype_of<dtype::bfloat16> { using type = bfloat16; };
// clang-format on

struct dtype_facts {
  std::string_view name;
  int size;
  bool is_floating, is_integer, is_signed;
};

// In the order of the enumeration.
inline constexpr dtype_facts dtype_table[dtype_count] = {
    {"bool", 1, false, false, false},  {"uint8", 1, false, true, false},
    {"int32", 4, false, true, true},   {"uint32", 4, false, true, false},
    {"int64", 8, false, true, true},   {"uint64", 8, false, true, false},
    {"float32", 4, true, false, true}, {"float64", 8, true, false, true},
    {"float16", 2, true, false, true}, {"bfloat16", 2, true, false, true},
};

constexpr const dtype_facts& facts(dtype d) { return dtype_table[static_cast<int>(d)]; }

}  // namespace detail

/// One of the ten C++ types that have a dtype.
template <class T>
concept element = detail::dtype_code<T>::value >= 0;

/// The dtype of a C++ element type.
template <element T>
inline constexpr dtype dtype_of = static_cast<dtype>(detail::dtype_code<T>::value);

/// The C++ element type of a dtype.
template <dtype D>
using ctype = typename detail::ctype_of<D>::type;

/// Bytes of one element.
constexpr int size_of(dtype d) { return detail::facts(d).size; }

/// NumPy's name: "bool", "uint8", "int32", "uint32", "int64", "uint64", "float32", "float64",
/// "float16"; and "bfloat16".
constexpr std::string_view name(dtype d) { return detail::facts(d).name; }

constexpr bool is_floating(dtype d) { return detail::facts(d).is_floating; }

/// Whether d is an integer type; bool is not one.
constexpr bool is_integer(dtype d) { return detail::facts(d).is_integer; }

/// Whether d has negative values: the signed integers and the floating types.
constexpr bool is_signed(dtype d) { return detail::facts(d).is_signed; }

namespace detail {
/// The dtype in which values of a dtype are computed: float32 for those of 16 bits, which are for
/// storage. They round when they are stored, and where a cast says so.
constexpr dtype computed_in(dtype d) {
  return d == dtype::float16 || d == dtype::bfloat16 ? dtype::float32 : d;
}
template <class T>
using computed_type = std::conditional_t<is_half_type<T>, float, T>;
}  // namespace detail

}  // namespace weft
