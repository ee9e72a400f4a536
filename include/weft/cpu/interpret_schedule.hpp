// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_kernel.hpp>

// The order in which a pass runs its instructions, and the chains among them.
namespace weft::detail {

template <class A>
class tile_scheduler {
 public:
  tile_scheduler(const tile_code& c, tile_pass& pass) : c_(c), k_(c.k), pass_(pass) {
    uses_.assign(static_cast<std::size_t>(k_.size), 0);
    item_.assign(static_cast<std::size_t>(k_.size), -1);
    for (int t = 0; t < size(); ++t) {
      const tile_instruction& x = code(t);
      if (x.action != tile_action::reduce) item_[x.node] = t;
      for (int j = 0; j < operands(x); ++j) ++uses_[index(node(x.node).in[j])];
    }
    // What is stored or kept is needed beside its chain.
    for (std::uint8_t s : pass_.stores) uses_[index(store(s).node)] += 2;
    for (int i = 0; i < k_.size; ++i)
      if (node(i).kept) uses_[index(i)] += 2;
    for (int i = 0; i < k_.size; ++i) chain_type_.push_back(chain_type(node(i)));
  }

  /// Puts what only names memory first, and what is read once right before its reader, if the two
  /// can be one chain.
  void order() {
    done_.assign(pass_.code.size(), 0);
    for (int t = 0; t < size(); ++t)
      if (names_memory(t)) emit(t);
    // Whatever is read comes with its first reader.
    std::vector<char> read(index(k_.size));
    for (const tile_instruction& x : pass_.code)
      for (int j = 0; j < operands(x); ++j) read[index(node(x.node).in[j])] = 1;
    for (int t = 0; t < size(); ++t)
      if (code(t).action == tile_action::reduce || !read[index(code(t).node)]) emit(t);
    pass_.code = std::move(ordered_);
  }

  void find_chains() {
    do collect();
    while (breaks_up());
    for (tile_chain& c : pass_.chains) c.parts.back().run = chain_functions<A>::store(c.type, true);
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  int size() const { return static_cast<int>(pass_.code.size()); }
  const tile_instruction& code(int t) const { return pass_.code[index(t)]; }
  const kernel_node& node(int i) const { return k_.nodes[index(i)]; }
  const kernel_store& store(int s) const { return k_.stores[index(s)]; }
  int operands(const tile_instruction& x) const {
    const bool reads = x.action == tile_action::compute || x.action == tile_action::reduce;
    return reads ? info(node(x.node).op).arity : 0;
  }

  /// Whether an instruction computes nothing and, but for the last tile of a row, copies nothing.
  bool names_memory(int t) const {
    return code(t).action == tile_action::reread ||
           (code(t).action == tile_action::load && reads_memory(node(code(t).node)));
  }
  bool may_chain(int t) const {
    return t >= 0 && code(t).action == tile_action::compute &&
           chain_type_[index(code(t).node)] != none;
  }
  /// The dtype of the vectors that hold a node's value in a chain.
  static constexpr dtype none = dtype::boolean;
  dtype chain_type(const kernel_node& n) const {
    if (n.load >= 0 || n.op == id_of<constant_> || is_reduction(n.op)) return none;
    dtype t = n.type;
    if (t == dtype::boolean) {
      const typing types = info(n.op).types;
      const bool of_truth_values = types == typing::logical || types == typing::boolean;
      t = of_truth_values            ? chain_type_[index(n.in[0])]
          : types == typing::compare ? node(n.in[0]).type
                                     : none;
      if (of_truth_values && !is_floating(t)) return none;  // where & is an op on integers
    }
    return chain_functions<A>::has(t, n.op) ? t : none;
  }

  /// A comparison that nothing but a selection reads: the two are one step.
  bool selects_by(const kernel_node& where, int comparison) const {
    return where.op == id_of<where_> && where.in[0] == comparison &&
           info(node(comparison).op).types == typing::compare && uses_[index(comparison)] == 1 &&
           chain_type_[index(comparison)] != none;
  }
  void emit(int t) {
    if (t < 0 || done_[index(t)]) return;
    done_[index(t)] = 1;
    const tile_instruction x = code(t);
    const kernel_node& n = node(x.node);
    std::vector<int> in(n.in, n.in + operands(x));
    int comparison = -1;
    if (may_chain(t) && !in.empty() && selects_by(n, in[0])) comparison = item_[index(in[0])];
    if (comparison >= 0 && !done_[index(comparison)]) {
      done_[index(comparison)] = 1;
      in = {n.in[2], n.in[1], node(n.in[0]).in[0], node(n.in[0]).in[1]};
    } else {
      comparison = -1;
    }
    int last = -1;
    for (int i : in) {
      const int o = item_[index(i)];
      if (last < 0 && may_chain(t) && may_chain(o) && uses_[index(i)] == 1 &&
          chain_type_[index(i)] == chain_type_[index(x.node)])
        last = o;
    }
    for (int i : in)
      if (item_[index(i)] != last) emit(item_[index(i)]);
    emit(last);
    if (comparison >= 0) ordered_.push_back(code(comparison));
    ordered_.push_back(x);
  }

  /// Chains that follow each other are run as one: memory is read as a compiled loop reads it, and
  /// not one operand after the other.
  void collect() {
    std::vector<tile_chain>& all = pass_.chains;
    all.clear();
    for (int t = 0; t < size();) {
      tile_chain c;
      c.begin = c.end = t;
      while (const int more = extend(c, t, c.end)) c.end += more;
      if (c.end == t) {
        ++t;
        continue;
      }
      t = c.end;
      c.type = chain_type_[index(code(c.begin).node)];
      c.parts.push_back(stored(c.type, code(c.end - 1).node));
      if (!all.empty() && all.back().end == c.begin && all.back().type == c.type) {
        all.back().end = c.end;
        all.back().parts.insert(all.back().parts.end(), c.parts.begin(), c.parts.end());
      } else {
        all.push_back(std::move(c));
      }
    }
    std::erase_if(all, [](const tile_chain& c) { return c.end - c.begin < 2; });
  }
  /// Bars from chains what makes or takes a truth value that is not only its chain's, for tiles of
  /// them look otherwise. Whether there was any.
  bool breaks_up() {
    bool any = false;
    std::vector<int> own(index(k_.size));
    for (const tile_chain& c : pass_.chains) {
      auto each_truth_value = [&](auto&& f) {
        for (int t = c.begin; t < c.end; ++t)
          for (int j = 0; j < operands(code(t)); ++j)
            if (const int i = node(code(t).node).in[j];
                node(i).type == dtype::boolean && !(code(t).fixed >> j & 1))
              f(code(t).node, i);
      };
      auto made_here = [&](int i) { return item_[index(i)] >= c.begin && item_[index(i)] < c.end; };
      each_truth_value([&](int, int i) { ++own[index(i)]; });
      auto bar = [&](int i) {
        chain_type_[index(i)] = none;
        any = true;
      };
      each_truth_value([&](int reader, int i) {
        if (!made_here(i)) bar(reader);
      });
      for (int t = c.begin; t < c.end; ++t)
        if (const int i = code(t).node;
            node(i).type == dtype::boolean && own[index(i)] != uses_[index(i)])
          bar(i);
    }
    return any;
  }

  /// Appends instruction `end` to the chain that begins at `begin`, if it goes on with its value: a
  /// comparison together with the selection by it. Returns how many instructions that were.
  int extend(tile_chain& c, int begin, int end) const {
    if (end == size() || !may_chain(end)) return 0;
    const tile_instruction& x = code(end);
    const bool first = begin == end;
    const int before = first ? -1 : code(end - 1).node;
    const dtype type = chain_type_[index(x.node)];
    if (!first && type != chain_type_[index(before)]) return 0;
    int chains = 0;
    tile_chain::part p = selection(end, before, chains);
    const int taken = p.run ? 2 : 1;
    if (!p.run) p = single(x, type, before, chains);
    if (!p.run || (!first && chains == 0)) return 0;
    // What others read, too, is left behind.
    if (!first && uses_[index(before)] > chains) c.parts.push_back(stored(type, before));
    c.parts.push_back(p);
    return taken;
  }
  /// One op; counts the operands that are `before`.
  tile_chain::part single(const tile_instruction& x, dtype type, int before, int& chains) const {
    const kernel_node& n = node(x.node);
    tile_chain::part p;
    unsigned chain = 0;
    chains = 0;
    for (int j = 0; j < operands(x); ++j) {
      p.operand[j] = n.in[j];
      if (n.in[j] == before)
        chain |= 1u << j, ++chains;
      else
        p.in_memory = static_cast<std::uint8_t>(p.in_memory | 1u << j);
    }
    p.fixed = x.fixed;
    p.run = chain_functions<A>::of(type, n.op, chain);
    return p;
  }
  /// A comparison at `end` and the selection by it behind it, if they are there.
  tile_chain::part selection(int end, int before, int& chains) const {
    tile_chain::part p;
    const int by = code(end).node;
    if (end + 1 == size() || !may_chain(end + 1)) return p;
    const tile_instruction &x = code(end), &y = code(end + 1);
    const kernel_node &n = node(x.node), &m = node(y.node);
    if (!selects_by(m, by) || chain_type_[index(by)] != chain_type_[index(y.node)]) return p;
    const bool turned = n.op == id_of<greater_> || n.op == id_of<greater_equal_>;
    const op_id op = n.op == id_of<greater_>         ? id_of<less_>
                     : n.op == id_of<greater_equal_> ? id_of<less_equal_>
                                                     : n.op;
    const int l = turned, r = !turned;
    const int in[]{n.in[l], n.in[r], m.in[1], m.in[2]};
    const int fixed[]{x.fixed >> l, x.fixed >> r, y.fixed >> 1, y.fixed >> 2};
    unsigned chain = 0;
    for (unsigned j = 0; j < 4; ++j) {
      p.operand[j] = static_cast<std::uint8_t>(in[j]);
      p.fixed = static_cast<std::uint8_t>(p.fixed | (fixed[j] & 1) << j);
      if (in[j] == before)
        chain |= 1u << j, ++chains;
      else
        p.in_memory = static_cast<std::uint8_t>(p.in_memory | 1u << j);
    }
    p.run = chain_functions<A>::select(chain_type_[index(y.node)], op, chain);
    return p;
  }
  static tile_chain::part stored(dtype t, int node) {
    return {chain_functions<A>::store(t, false), {static_cast<std::uint8_t>(node)}, 1};
  }

  const tile_code& c_;
  const kernel& k_;
  tile_pass& pass_;
  std::vector<int> uses_, item_;
  std::vector<dtype> chain_type_;
  std::vector<char> done_;
  std::vector<tile_instruction> ordered_;
};

}  // namespace weft::detail
