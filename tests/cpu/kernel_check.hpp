// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <matrix/run.hpp>

#include <doctest/doctest.h>

// Forms of kernels: one function, run compiled at many sizes and compared with the reference.
namespace weft_test {

/// Extents of an innermost axis at which loops change their course.
inline std::vector<index_t> edge_extents() {
  return {0, 1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes + 1, 1000, 1025, 4097};
}

inline tolerance form_tolerance(dtype type) {
  return type == dtype::float32 ? tolerance{.relative = 1e-5, .absolute = 2e-5}
                                : tolerance{.relative = 1e-12, .absolute = 1e-12};
}

/// One call, within what rounding allows of the reference; and the same bits again.
template <class Source>
void check_call(const std::vector<reference_value>& x, const std::vector<layout>& layouts = {},
                bool general = false) {
  for (const auto& v : x) CAPTURE(described(v));
  const auto found = run<Source>(x, layouts);
  const auto wanted = expected<Source>(x, weft::detail::reference_arithmetic::wide, general);
  REQUIRE(found.size() == wanted.size());
  for (std::size_t j = 0; j < found.size(); ++j) {
    CAPTURE(j);
    std::string shapes;
    for (const auto& v : x) shapes += described(v) + " ";
    CAPTURE(shapes);
    CHECK(difference(found[j], wanted[j], form_tolerance(found[j].type)) == "");
  }
  CHECK(bits_differ(run<Source>(x, layouts), found) == "");
}

/// A function of one matrix, at all sizes; rows of a result do not depend on their neighbours.
template <class F, dtype Type = dtype::float32>
void check_matrix_form(bool empty_rows = true) {
  using dynamic = program_of_function<F, spec(Type, {weft::dyn, weft::dyn})>;
  for (index_t n : edge_extents()) {
    if (n == 0 && !empty_rows) continue;
    for (index_t rows : {0, 1, 3, 18}) check_call<dynamic>({filled(Type, {rows, n}, 7)});
  }
  using open = program_of_function<F, strided(spec(Type, {weft::dyn, weft::dyn}))>;
  for (layout how : {layout::spaced, layout::backwards, layout::transposed})
    check_call<open>({filled(Type, {5, 2 * lanes + 1}, 8)}, {how});
}
/// The same with extents that the compiler knows.
template <class F, dtype Type = dtype::float32>
void check_static_form() {
  check_call<program_of_function<F, spec(Type, {4, 3})>>({filled(Type, {4, 3}, 7)});
  check_call<program_of_function<F, spec(Type, {3, lanes})>>({filled(Type, {3, lanes}, 7)});
  check_call<program_of_function<F, spec(Type, {2, 2 * lanes + 1})>>(
      {filled(Type, {2, 2 * lanes + 1}, 7)});
}

}  // namespace weft_test
