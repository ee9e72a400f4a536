// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/divide.hpp>
#include <weft/op/exp.hpp>
#include <weft/op/log.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/one_hot.hpp>
#include <weft/op/reduce.hpp>
#include <weft/op/softmax.hpp>
#include <weft/op/subtract.hpp>
#include <weft/op/where.hpp>

namespace weft {

inline constexpr struct cross_entropy_ final : derived<cross_entropy_, "cross_entropy", 2> {
  static constexpr auto doc =
      "The mean over rows of -log_softmax(logits) at the labels: logits (..., C), integer labels "
      "(...), rank 0. Fused with log_softmax: a logit of -1000 at the label gives 1000 with "
      "gradient -1. A label outside 0 .. C - 1 is an index_error at the call, before anything is "
      "written.";
  static constexpr auto body(auto logits, auto labels) {
    if (!check(logits, labels)) return logits;
    const auto last = last_of(logits);
    const auto s = detail::shift_by_max(logits, last);
    auto chosen = where(detail::is_label(labels, logits, name), s.z, 0)
                      .template reduce<detail::reduce_sum_>(last);
    auto row = log(s.total) - chosen;
    const auto rows = last - 1;  // the axes in front of the last
    auto all = row.template reduce<detail::reduce_sum_>(rows) / row.count(rows);
    return all.reshaped(decltype(all.shape()){});
  }
  /// Its own: softmax less the label's place, from the exponentials at hand.
  static constexpr auto vjp(auto g, auto logits, auto labels, auto) {
    const auto last = last_of(logits);
    const auto s = detail::shift_by_max(logits, last);
    auto p = s.e / s.total;
    auto d = where(detail::is_label(labels, logits, name), p - 1, p);
    return std::tuple{g / logits.count(last - 1) * d, detail::no_gradient{}};
  }

 private:
  static constexpr index_t last_of(auto x) { return index_t{1} << (x.rank() - 1); }
  static constexpr bool check(auto logits, auto labels) {
    logits.require_floating(name);
    return labels.require_rows_of(logits, name);
  }
} cross_entropy;

}  // namespace weft
