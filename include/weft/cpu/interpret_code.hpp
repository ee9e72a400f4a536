// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_schedule.hpp>

// A kernel made ready for the interpreter: which function each node is, in which order a pass runs
// them, and which tiles they use.
namespace weft::detail {

template <class A>
class tile_coder {
 public:
  static tile_code code_of(const kernel& k) {
    tile_code c;
    c.k = k;
    tile_coder(c).make();
    return c;
  }

 private:
  explicit tile_coder(tile_code& c) : c_(c), k_(c.k) {}
  const kernel_node& node(int i) const { return k_.nodes[static_cast<std::size_t>(i)]; }
  const kernel_store& store(int s) const { return k_.stores[static_cast<std::size_t>(s)]; }
  static std::uint8_t byte(int v) { return static_cast<std::uint8_t>(v); }

  void make() {
    c_.sizes.assign(static_cast<std::size_t>(k_.loads + k_.store_count), 1);
    std::size_t widest = 1;
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = node(i);
      const int arity = n.load >= 0 ? 0 : info(n.op).arity;
      c_.arity.push_back(byte(arity));
      c_.kept_before.push_back(c_.kept);
      c_.kept += n.kept;
      if (is_reduction(n.op)) {
        c_.reductions.push_back(byte(i));
        c_.sums.push_back({i, n.phase, tile_data<A>::reduction_of(n.op, n.type).fold});
      }
      c_.row_values.resize(static_cast<std::size_t>(k_.phases) + 1);
      if (n.at == level::row) (n.uniform ? c_.uniform : c_.row_values[n.phase]).push_back(byte(i));
      c_.functions.push_back(function_of(n));
      if (n.load >= 0)
        c_.sizes[static_cast<std::size_t>(n.load)] = n.op == id_of<iota_> ? 1 : size_of(n.type);
      widest = std::max(widest, static_cast<std::size_t>(size_of(computed_in(n.type))));
    }
    for (int s = 0; s < k_.store_count; ++s) {
      c_.sizes[static_cast<std::size_t>(k_.loads + s)] = size_of(store(s).type);
      c_.columns_before.push_back(static_cast<int>(c_.columns.size()));
      if (store(s).kind == store_kind::row) c_.row_stores.push_back(byte(s));
      if (store(s).kind == store_kind::column)
        c_.columns.push_back(
            {k_.loads + s, tile_data<A>::reduction_of(store(s).reduce, store(s).type).column});
    }
    c_.reduces = !c_.reductions.empty();
    // Not a whole number of pages; see tile_values::apart.
    c_.slot_bytes = widest * static_cast<std::size_t>(tile_elements) + chain_bytes;
    find_steady();
    for (int p = 0; p < k_.phases; ++p) c_.passes.push_back(pass_of(p, false));
    bool by_rows = !c_.reduces && c_.columns.empty() && k_.phases == 1;
    for (int i = 0; i < k_.size; ++i)
      by_rows = by_rows && (node(i).at == level::element || node(i).uniform);
    for (int s = 0; s < k_.store_count; ++s)
      by_rows = by_rows && store(s).kind == store_kind::element;
    if (by_rows) c_.rows = pass_of(0, true);
  }

  tile_function function_of(const kernel_node& n) const {
    if (n.load >= 0 || n.op == id_of<constant_> || is_reduction(n.op)) return nullptr;
    const int last = info(n.op).arity - 1;
    const auto from = static_cast<std::size_t>(computed_in(node(n.in[last]).type));
    const auto to = static_cast<std::size_t>(n.type);
    return n.op == id_of<cast_> ? tile_ops<A>::by_cast.of[from][to]
                                : tile_ops<A>::by_operand.of[n.op][from];
  }

  void find_steady() {
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = node(i);
      bool steady =
          n.at == level::element && (n.load >= 0 ? n.stride == stride_kind::none : !n.kept);
      for (int j = 0; j < c_.arity[static_cast<std::size_t>(i)]; ++j)
        steady = steady && (node(n.in[j]).at == level::row || steady_[n.in[j]]);
      steady_[i] = steady;
    }
  }
  tile_pass pass_of(int p, bool by_rows) {
    tile_pass r;
    const auto need = needs(k_, p);
    auto splat = [&](int i) { return node(i).at == level::row || (!by_rows && steady_[i]); };
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = node(i);
      tile_instruction t;
      t.node = byte(i);
      if (need.computed[i] && !splat(i)) {
        t.action = n.load < 0             ? tile_action::compute
                   : n.op == id_of<iota_> ? tile_action::positions
                                          : tile_action::load;
        for (int j = 0; j < c_.arity[static_cast<std::size_t>(i)]; ++j)
          if (splat(n.in[j])) t.fixed = byte(t.fixed | 1 << j);
        r.code.push_back(t);
      } else if (need.computed[i] && n.at == level::element) {
        r.steady.push_back(byte(i));
      } else if (need.reread[i]) {
        t.action = tile_action::reread;
        r.code.push_back(t);
      }
      if (is_reduction(n.op) && n.phase == p + 1) {
        t = {};
        t.node = byte(i);
        t.action = tile_action::reduce;
        if (splat(n.in[0])) t.fixed = 1;
        r.code.push_back(t);
        r.reduces = true;
      }
    }
    for (int s = 0; s < k_.store_count; ++s)
      if (store(s).kind != store_kind::row && store(s).phase == p) r.stores.push_back(byte(s));
    r.runs = r.reduces || !r.stores.empty();
    tile_scheduler<A>(c_, r).order();
    place(r);
    tile_scheduler<A>(c_, r).find_chains();
    for (const tile_chain& chain : r.chains)
      for (int t = chain.begin; t < chain.end; ++t) {
        const tile_instruction& x = r.code[static_cast<std::size_t>(t)];
        for (const tile_chain::part& part : chain.parts)
          if (part.run == chain_functions<A>::store(chain.type, false) &&
              part.operand[0] == x.node && x.direct < 0 && !node(x.node).kept)
            c_.left_behind = byte(c_.left_behind | 1 << x.slot % 8);
      }
    if (is_chain(r)) find_places(r);
    return r;
  }

  /// Whether a pass is one chain whose operands and results are memory as it is.
  bool is_chain(const tile_pass& r) const {
    if (r.chains.size() != 1 || r.reduces) return false;
    const tile_chain& c = r.chains[0];
    std::size_t direct = 0;
    for (int t = 0; t < static_cast<int>(r.code.size()); ++t) {
      const tile_instruction& x = r.code[static_cast<std::size_t>(t)];
      const bool within = t >= c.begin && t < c.end;
      if (within ? node(x.node).kept : x.action != tile_action::load || !reads_memory(node(x.node)))
        return false;
      direct += within && x.direct >= 0;
    }
    return direct == r.stores.size();
  }
  void find_places(tile_pass& r) const {
    r.along.resize(static_cast<std::size_t>(k_.size));
    for (const tile_instruction& x : r.code)
      r.along[x.node] = static_cast<std::int16_t>(x.action == tile_action::load ? node(x.node).load
                                                  : x.direct >= 0 ? k_.loads + x.direct
                                                                  : ~x.slot);
  }

  /// Gives results their tiles, and the last of them the memory that they are stored to.
  void place(tile_pass& r) {
    const int size = static_cast<int>(r.code.size());
    std::vector<int> last(static_cast<std::size_t>(k_.size), -1);
    for (int t = 0; t < size; ++t) {
      const tile_instruction& x = r.code[static_cast<std::size_t>(t)];
      const bool reads = x.action == tile_action::compute || x.action == tile_action::reduce;
      const int arity = reads ? info(node(x.node).op).arity : 0;
      for (int j = 0; j < arity; ++j) last[static_cast<std::size_t>(node(x.node).in[j])] = t;
    }
    for (std::uint8_t s : r.stores) last[static_cast<std::size_t>(store(s).node)] = size;
    // From here on nothing reads memory, so what is computed may be written to it at once.
    int quiet = 0;
    for (int t = 0; t < size; ++t) {
      const tile_instruction& x = r.code[static_cast<std::size_t>(t)];
      if (x.action == tile_action::load) quiet = std::max(quiet, t + 1);
      if (reads_memory(node(x.node))) quiet = std::max(quiet, last[x.node]);
    }
    std::vector<std::int16_t> free;
    std::vector<std::int16_t> slot(static_cast<std::size_t>(k_.size), -1);
    for (int t = 0; t < size; ++t) {
      tile_instruction& x = r.code[static_cast<std::size_t>(t)];
      const kernel_node& n = node(x.node);
      if (x.action == tile_action::reread || (n.kept && x.action == tile_action::compute)) continue;
      const int own = size_of(computed_in(n.type));
      const int arity = x.action == tile_action::compute ? info(n.op).arity : 0;
      auto give_back = [&](bool of_own_size) {
        for (int j = 0; j < arity; ++j) {
          std::int16_t& s = slot[static_cast<std::size_t>(n.in[j])];
          if (s < 0 || last[static_cast<std::size_t>(n.in[j])] != t ||
              (size_of(computed_in(node(n.in[j]).type)) == own) != of_own_size)
            continue;
          free.push_back(s);
          s = -1;
        }
      };
      give_back(true);  // the op may write where it reads
      if (x.action != tile_action::reduce) {
        if (free.empty()) free.push_back(static_cast<std::int16_t>(c_.slots++));
        x.slot = slot[x.node] = free.back();
        free.pop_back();
      } else if (std::int16_t& s = slot[static_cast<std::size_t>(n.in[0])];
                 s >= 0 && last[static_cast<std::size_t>(n.in[0])] == t) {
        free.push_back(s);
        s = -1;
      }
      give_back(false);
      if (x.action != tile_action::compute || t < quiet) continue;
      for (std::uint8_t s : r.stores)
        if (x.direct < 0 && store(s).node == x.node && store(s).kind == store_kind::element &&
            store(s).stride == stride_kind::unit && store(s).type == n.type)
          x.direct = s;
    }
  }

  tile_code& c_;
  const kernel& k_;
  bool steady_[static_cast<std::size_t>(max_kernel_nodes + 1)]{};
};

}  // namespace weft::detail
