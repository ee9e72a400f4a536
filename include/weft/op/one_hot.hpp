// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/cast.hpp>
#include <weft/op/equal.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/reshape.hpp>
#include <weft/op/unsqueeze.hpp>

#include <string_view>

namespace weft {

namespace detail {

/// Whether an element's place along the last axis, of `classes`, is its label: labels' shape and
/// that axis.
constexpr auto is_label(auto labels, auto like, std::string_view op) {
  const auto s = like.shape();
  auto chosen = labels.as_classes(s.d[s.rank - 1], op);
  auto column = s;
  column.d[column.rank - 1] = 1;
  return like.positions(s.rank - 1) == chosen.reshaped(column);
}

}  // namespace detail

struct one_hot_ final : derived_with<one_hot_, "one_hot", 1> {
  static constexpr auto doc =
      "1 at each label's place among C classes, along a new last axis, 0 elsewhere: "
      "`one_hot<10>(labels)`, `one_hot<10, double>(labels)`. Integer labels; one out of range is "
      "an index_error, before anything is written.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(const detail::attributes& a, auto labels) {
    auto s = labels.shape();
    if (s.rank == max_rank) {
      labels.fail_because(name, "the result would have more than 6 axes");
      return labels;
    }
    s.d[s.rank++] = a.v[0];
    return detail::is_label(labels, labels.with_axes({{detail::pack_axes<-1>()}}).broadcast_to(s),
                            name)
        .as(static_cast<dtype>(a.v[1]));
  }
};

/// The labels' places among C classes as numbers of dtype T: 1 at the label, 0 elsewhere, along a
/// new last axis. Labels are integers from 0 to C - 1; another one is an index_error at the call,
/// before anything is written.
template <index_t C, element T = float, detail::operand X>
constexpr auto one_hot(const X& labels,
                       std::source_location where = std::source_location::current()) {
  static_assert(C >= 0, "weft: one_hot<C>: the number of classes is negative");
  return detail::apply_with<one_hot_, detail::attributes{{C, static_cast<index_t>(dtype_of<T>)}}>(
      where, labels);
}

}  // namespace weft
