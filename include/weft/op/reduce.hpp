// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/cast.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/equal.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/where.hpp>

// The reductions as nodes: over the axes of a mask (attribute 0), which stay with extent 1.
namespace weft::detail {

struct reduce_sum_ final : structural<reduce_sum_, "sum", 1, op_kind::reduction> {
  static constexpr auto vjp(auto g, auto x, auto) { return g.broadcast_to(x); }
};

/// The gradient of max and min: elements that equal the result share it evenly.
constexpr auto extremum_vjp(auto g, auto x, auto r) {
  auto hit = x == r;
  auto count = hit.as(g.type()).reduced_like(r);
  return where(hit, g / count, 0);
}
struct reduce_max_ final : structural<reduce_max_, "max", 1, op_kind::reduction> {
  static constexpr auto vjp(auto g, auto x, auto r) { return extremum_vjp(g, x, r); }
};
struct reduce_min_ final : structural<reduce_min_, "min", 1, op_kind::reduction> {
  static constexpr auto vjp(auto g, auto x, auto r) { return extremum_vjp(g, x, r); }
};
/// int64 places of the first greatest (or least) element along one axis (attribute 0), which stays
/// with extent 1.
struct arg_max_ final : structural<arg_max_, "argmax", 1, op_kind::other> {
  static constexpr non_differentiable vjp{};
};
struct arg_min_ final : structural<arg_min_, "argmin", 1, op_kind::other> {
  static constexpr non_differentiable vjp{};
};

/// What `sum(x, axis<...>, keepdims)` and its like share: three ways to call, one attribute word of
/// axes and one flag.
template <class Derived, fixed_string Name>
struct reducing : named_op<Name, 1>, derived_tag {
  template <operand X>
  constexpr auto operator()(const X& x,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{0, 0, 1}}>(where, x);
  }
  template <operand X, index_t... A>
  constexpr auto operator()(const X& x, axis_tag<A...>,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{pack_axes<A...>(), 0, 0}}>(where, x);
  }
  template <operand X, index_t... A>
  constexpr auto operator()(const X& x, axis_tag<A...>, keepdims_tag,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{pack_axes<A...>(), 1, 0}}>(where, x);
  }
  template <operand X>
  constexpr auto operator()(const X& x, keepdims_tag,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{0, 1, 1}}>(where, x);
  }
};

}  // namespace weft::detail
