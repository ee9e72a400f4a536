// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_pass.hpp>

namespace weft::detail::cuda {

/// Passes over a row that is read again in each: the greatest element and the sum of
/// exp(x - greatest), two passes by their formula, are one. A thread keeps the greatest so far, and
/// where that grows it scales its sum; the team's sums are scaled to the greatest of the row before
/// they are added (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018).
class online_writer : protected pass_writer {
 protected:
  using pass_writer::pass_writer;

  /// Looks for such a maximum and sum. What else would end with the sum is left to a later pass.
  void find_online() {
    for (int i = 0; i < k_.size && max_ < 0; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (n.load >= 0 || n.op != id_of<reduce_max_> || !is_floating(n.type)) continue;
      for (int s = 0; s < k_.size; ++s)
        if (ends_at(s, n.phase) && is_sum_below(s, i) && put_off_others(n.phase, s)) {
          max_ = i;
          sum_ = s;
          break;
        }
    }
  }
  /// Whether pass p and the next one are one.
  bool is_online(int p) const { return max_ >= 0 && ends_at(max_, p); }

  /// Passes p and p + 1, combined: every thread then has the results of both, or, where its block
  /// has a part of the row only, the part's results as `NAME_part`.
  void online_pass(text& t, int p, bool whole_row = true) {
    t.line("// passes ", p + 1, " and ", p + 2, " of ", k_.phases, ": ", purpose(p), ", ",
           purpose(p + 1));
    const std::string max = value(max_), sum = value(sum_), type = value_of_type(max_);
    open_totals(t, p);
    open_totals(t, p + 1);
    open_turns(t);
    open_sums(t, p);
    std::vector<int> loads = loads_of(p);
    for (int a : loads_of(p + 1))
      if (std::find(loads.begin(), loads.end(), a) == loads.end()) loads.push_back(a);
    load_parts(t, p + 1, loads);
    t.line("const ", type, " ", max, "_before = ", max, "_part;");
    work_on_parts(t, p, {});
    close_sums(t, p);
    open_sums(t, p + 1);
    define_max_so_far(t);
    t.line(sum, "_part *= ", scale(max + "_before - " + max), ";");
    work_on_parts(t, p + 1, {});
    close_sums(t, p + 1);
    t.close();
    t.line("const ", type, " ", max, "_own = ", max, "_part;");
    combine(t, p, whole_row);
    if (whole_row)
      row_values(t, p + 1);
    else
      define_max_so_far(t);
    t.line(sum, "_part *= ", scale(max + "_own - " + max), ";");
    combine(t, p + 1, whole_row);
  }
  /// What a part's reduction at node i is multiplied by where the row's is known: `parts` gives a
  /// part's reductions. Empty where that is 1.
  template <class Parts>
  std::string scale_of_part(int i, Parts parts) const {
    return i == sum_ ? " * " + scale(parts(max_) + " - " + value(max_)) : std::string();
  }

 private:
  /// Whether node s is the sum of exp(x - max) and node i the greatest x.
  bool is_sum_below(int s, int i) const {
    if (k_.nodes[s].op != id_of<reduce_sum_>) return false;
    const kernel_node& exp = k_.nodes[k_.nodes[s].in[0]];
    if (exp.load >= 0 || exp.op != id_of<exp_> || exp.kept) return false;
    return is_below_max(exp.in[0]) && k_.nodes[exp.in[0]].in[1] == i;
  }
  /// Of infinities alone there is no difference yet.
  void define_max_so_far(text& t) const {
    const std::string max = value(max_), type = value_of_type(max_);
    t.line("const ", type, " ", max, " = ", max, "_part == limits<", type, ">::lowest() ? ", type,
           "(0) : ", max, "_part;");
  }
  /// exp of a difference, by the function that the row's elements take.
  std::string scale(const std::string& difference) const {
    std::string s = spelled(k_.nodes[sum_].in[0]);
    s.replace(s.find("$0"), 2, difference);
    return s;
  }
  /// Moves the reductions that end in pass p beside `sum` to the next pass that runs. Whether that
  /// can be: nothing is stored in pass p, and no element waits for them.
  bool put_off_others(int p, int sum) {
    for (int s = 0; s < k_.store_count; ++s)
      if (stores_at(s, p, store_kind::element) || stores_at(s, p, store_kind::column)) return false;
    std::vector<char> later(static_cast<std::size_t>(k_.size), 0);
    bool any = false;
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      bool waits = ends_at(i, p) && i != sum;
      const int arity = n.load >= 0 ? 0 : info(n.op).arity;
      for (int j = 0; j < arity; ++j) waits = waits || later[static_cast<std::size_t>(n.in[j])];
      if (!waits) continue;
      if (n.at != level::row || (is_reduction(n.op) && !ends_at(i, p))) return false;
      later[static_cast<std::size_t>(i)] = any = true;
    }
    if (!any) return true;
    int next = p + 1;
    while (next < k_.phases && !runs(next)) ++next;
    if (next >= k_.phases) return false;
    for (int i = 0; i < k_.size; ++i)
      if (later[static_cast<std::size_t>(i)])
        k_.nodes[i].phase = std::max(k_.nodes[i].phase, static_cast<std::uint8_t>(next + 1));
    return true;
  }

  int max_ = -1, sum_ = -1;  ///< nodes
};

}  // namespace weft::detail::cuda
