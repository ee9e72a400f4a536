// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/dtype.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <type_traits>

using weft::dtype;

namespace {

template <class T>
void check(dtype d, const char* name, bool floating, bool integer, bool is_signed) {
  static_assert(weft::element<T>);
  static_assert(std::is_same_v<weft::ctype<weft::dtype_of<T>>, T>);
  CHECK(weft::dtype_of<T> == d);
  CHECK(weft::name(d) == name);
  CHECK(weft::size_of(d) == static_cast<int>(sizeof(T)));
  CHECK(weft::is_floating(d) == floating);
  CHECK(weft::is_integer(d) == integer);
  CHECK(weft::is_signed(d) == is_signed);
}

static_assert(!weft::element<char> && !weft::element<short> && !weft::element<long double>);
static_assert(!weft::element<const float> && !weft::element<float&> && !weft::element<void>);

}  // namespace

TEST_CASE("each dtype knows its C++ type, name, size and kind") {
  check<bool>(dtype::boolean, "bool", false, false, false);
  check<std::uint8_t>(dtype::uint8, "uint8", false, true, false);
  check<std::int32_t>(dtype::int32, "int32", false, true, true);
  check<std::uint32_t>(dtype::uint32, "uint32", false, true, false);
  check<std::int64_t>(dtype::int64, "int64", false, true, true);
  check<std::uint64_t>(dtype::uint64, "uint64", false, true, false);
  check<float>(dtype::float32, "float32", true, false, true);
  check<double>(dtype::float64, "float64", true, false, true);
  check<weft::half>(dtype::float16, "float16", true, false, true);
  check<weft::bfloat16>(dtype::bfloat16, "bfloat16", true, false, true);
}

TEST_CASE("names are distinct") {
  std::set<std::string> names;
  for (int i = 0; i < weft::detail::dtype_count; ++i)
    names.insert(std::string(weft::name(static_cast<dtype>(i))));
  CHECK(names.size() == 10);
}
