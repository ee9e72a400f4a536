// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/number.hpp>
#include <weft/plan/arguments.hpp>
#include <weft/plan/device_call.hpp>

#include <algorithm>
#include <string>
#include <vector>

// Which extents of a program are parameters of its kernels.
namespace weft::detail::cuda {

/// The extents of a program's calls. In `automatic` the first call's are literals; those that were
/// seen to change are parameters in kernels that are made from then on.
class seen_extents {
 public:
  explicit seen_extents(const plan& p)
      : table_(p.extents.begin(), p.extents.end()),
        dynamic_(table_.size() + 1, 0),
        hints_(table_.size() + 1, 0) {}

  /// Notes a call's extents for which kernels are about to be made; `all`: every extent is a
  /// parameter.
  void see(const index_t* values, dynamic_shapes how, bool all) {
    all = all || how == dynamic_shapes::on;
    for (std::size_t k = 0; k < table_.size(); ++k) {
      const bool changed = !first_.empty() && how != dynamic_shapes::off && depends(k, values);
      if (all || changed) dynamic_[k] = 1;
      // Schedules are made for the largest of the extents that were known when it became dynamic.
      if (hints_[k] <= 1 || (!known(k) && dynamic_[k])) hints_[k] = std::max(hints_[k], values[k]);
    }
    if (first_.empty()) first_.assign(values, values + table_.size());
    last_.assign(values, values + table_.size());
    settled_ = dynamic_;
  }

  extent_values values(const index_t* of_call, dynamic_shapes how) const {
    if (how == dynamic_shapes::off) return of_call;
    return {of_call, hints_.data(), dynamic_.data()};
  }
  bool any(dynamic_shapes how) const {
    return how != dynamic_shapes::off && std::count(dynamic_.begin(), dynamic_.end(), 1) > 0;
  }

  /// Whether an extent of the call is a parameter, and its hint.
  const index_t* hint_of(const extent_expr& leaf) const {
    for (std::size_t k = 0; k < table_.size(); ++k)
      if (table_[k] == leaf && dynamic_[k]) return &hints_[k];
    return nullptr;
  }

  /// "argument 0, axis 1: 17, was 128", for every extent of an argument that is another one than
  /// when kernels were made last.
  std::string changes(const index_t* values) const {
    std::string s;
    for (std::size_t k = 0; k < last_.size(); ++k)
      if (table_[k].kind == extent_kind::argument && values[k] != last_[k])
        s += (s.empty() ? "" : "; ") + place(k) + ": " + std::to_string(values[k]) + ", was " +
             std::to_string(last_[k]);
    return s.empty() ? "no extent changed, but alignment, aliasing or an option of the call" : s;
  }
  /// "argument 0, axis 1; argument 1, axis 0": what is a parameter.
  std::string parameters() const {
    std::string s;
    for (std::size_t k = 0; k < table_.size(); ++k)
      if (table_[k].kind == extent_kind::argument && dynamic_[k])
        s += (s.empty() ? "" : "; ") + place(k);
    return s;
  }

 private:
  bool known(std::size_t k) const { return !settled_.empty() && settled_[k]; }
  std::string place(std::size_t k) const {
    return "argument " + std::to_string(table_[k].a + 1) + ", axis " + std::to_string(table_[k].b);
  }
  /// Whether an extent is another one than at first, or follows from one that is a parameter.
  bool depends(std::size_t k, const index_t* values) const {
    const extent_expr& e = table_[k];
    if (values[k] != first_[k]) return true;
    if (is_leaf(e.kind)) return false;
    auto is_dynamic = [&](index_t x) {
      return is_symbol(x) && dynamic_[static_cast<std::size_t>(symbol_number(x))];
    };
    return is_dynamic(e.a) || is_dynamic(e.b);
  }

  std::vector<extent_expr> table_;
  std::vector<char> dynamic_, settled_;
  std::vector<index_t> hints_, first_, last_;
};

/// The extents of a body, which are made of those of the program's arguments.
struct body_extents {
  std::vector<index_t> values, hints;
  std::vector<char> dynamic;
  extent_values get() const { return {values.data(), hints.data(), dynamic.data()}; }
};
inline body_extents body_extents_of(const plan& p, const argument_value* arguments,
                                    const seen_extents* seen, dynamic_shapes how) {
  const std::size_t count = p.extents.size();
  body_extents r{std::vector<index_t>(count + 1), {}, std::vector<char>(count + 1, 0)};
  const int size = static_cast<int>(count);
  evaluate_extents<body_extents>(p.extents.data(), size, arguments, r.values.data());
  r.hints = r.values;
  if (!seen || how == dynamic_shapes::off) return r;
  // Symbol by symbol, those before it done: a table of one entry, whose operands are numbers.
  for (std::size_t k = 0; k < count; ++k) {
    extent_expr e = p.extents.data()[k];
    if (is_leaf(e.kind)) {
      if (const index_t* hint = seen->hint_of(e)) r.dynamic[k] = 1, r.hints[k] = *hint;
      continue;
    }
    for (index_t* x : {&e.a, &e.b})
      if (is_symbol(*x)) {
        const auto of = static_cast<std::size_t>(symbol_number(*x));
        if (r.dynamic[of]) r.dynamic[k] = 1;
        *x = r.hints[of];
      }
    evaluate_extents<body_extents>(&e, 1, arguments, &r.hints[k]);
  }
  return r;
}

}  // namespace weft::detail::cuda
