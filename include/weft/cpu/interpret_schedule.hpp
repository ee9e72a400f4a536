// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_kernel.hpp>

#include <algorithm>
#include <bit>
#include <utility>

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

  /// The operand of an op with which it is one step, for nothing else reads it: the comparison by
  /// which a selection selects, or what is negative in x * y + z. -1 if there is none.
  int joined(const kernel_node& n) const {
    auto alone = [&](int i) {
      return uses_[index(i)] == 1 && item_[index(i)] >= 0 && chain_type_[index(i)] != none;
    };
    if (n.op == id_of<where_> && info(node(n.in[0]).op).types == typing::compare && alone(n.in[0]))
      return 0;
    if (n.op == id_of<fma_>)
      for (int j : {2, 0, 1})
        if (node(n.in[j]).op == id_of<negative_> && alone(n.in[j])) return j;
    return -1;
  }
  void emit(int t) {
    if (t < 0 || done_[index(t)]) return;
    done_[index(t)] = 1;
    const tile_instruction x = code(t);
    const kernel_node& n = node(x.node);
    std::vector<int> in(n.in, n.in + operands(x));
    const int with = may_chain(t) ? joined(n) : -1;
    const int other = with < 0 ? -1 : item_[index(n.in[with])];
    if (other >= 0) {
      done_[index(other)] = 1;
      in.erase(in.begin() + with);
      std::reverse(in.begin(), in.end());
      const kernel_node& m = node(code(other).node);
      in.insert(in.end(), m.in, m.in + operands(code(other)));
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
    if (other >= 0) ordered_.push_back(code(other));
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

  /// Appends instruction `end` to the chain that begins at `begin`, if it goes on with its value,
  /// or two that are one step. Returns how many instructions that were.
  int extend(tile_chain& c, int begin, int end) const {
    if (end == size() || !may_chain(end)) return 0;
    const tile_instruction& x = code(end);
    const bool first = begin == end;
    const int before = first ? -1 : code(end - 1).node;
    const dtype type = chain_type_[index(x.node)];
    if (!first && type != chain_type_[index(before)]) return 0;
    int chains = 0;
    tile_chain::part p = pair(end, before, chains);
    const int taken = p.run ? 2 : 1;
    if (!p.run) p = single(x, type, before, chains);
    if (!p.run || (!first && chains == 0)) return 0;
    // What others read, too, is left behind.
    if (!first && uses_[index(before)] > chains) c.parts.push_back(stored(type, before));
    c.parts.push_back(p);
    return taken;
  }
  /// The operands of a step; which of them are `before`, the chain.
  struct step_operands {
    int in[4];
    int fixed[4];
    int count;

    unsigned chain(int before) const {
      unsigned r = 0;
      for (int j = 0; j < count; ++j) r |= static_cast<unsigned>(in[j] == before) << j;
      return r;
    }
    tile_chain::part part(chain_function run, unsigned chain) const {
      tile_chain::part p{run};
      for (int j = 0; j < count; ++j) {
        p.operand[j] = static_cast<std::uint8_t>(in[j]);
        p.fixed = static_cast<std::uint8_t>(p.fixed | (fixed[j] & 1) << j);
      }
      p.in_memory = static_cast<std::uint8_t>(((1u << count) - 1) & ~chain);
      return p;
    }
  };
  /// One op; counts the operands that are `before`.
  tile_chain::part single(const tile_instruction& x, dtype type, int before, int& chains) const {
    const kernel_node& n = node(x.node);
    step_operands s{
        {n.in[0], n.in[1], n.in[2]}, {x.fixed, x.fixed >> 1, x.fixed >> 2}, operands(x)};
    const unsigned chain = s.chain(before);
    chains = std::popcount(chain);
    return s.part(chain_functions<A>::of(type, n.op, chain), chain);
  }
  /// The instruction at `end` and its reader behind it, if they are one step.
  tile_chain::part pair(int end, int before, int& chains) const {
    if (end + 1 == size() || !may_chain(end + 1)) return {};
    const tile_instruction &x = code(end), &y = code(end + 1);
    const kernel_node &n = node(x.node), &m = node(y.node);
    const int with = joined(m);
    const dtype type = chain_type_[index(y.node)];
    if (with < 0 || m.in[with] != x.node || chain_type_[index(x.node)] != type) return {};
    step_operands s{};
    unsigned chain = 0;
    chain_function run = nullptr;
    if (m.op == id_of<where_>) {
      const bool turned = n.op == id_of<greater_> || n.op == id_of<greater_equal_>;
      const int l = turned, r = !turned;
      s = {{n.in[l], n.in[r], m.in[1], m.in[2]},
           {x.fixed >> l, x.fixed >> r, y.fixed >> 1, y.fixed >> 2},
           4};
      const op_id op = n.op == id_of<greater_>         ? id_of<less_>
                       : n.op == id_of<greater_equal_> ? id_of<less_equal_>
                                                       : n.op;
      run = chain_functions<A>::select(type, op, chain = s.chain(before));
    } else {
      s = {{m.in[0], m.in[1], m.in[2]}, {y.fixed, y.fixed >> 1, y.fixed >> 2}, 3};
      s.in[with] = n.in[0];
      s.fixed[with] = x.fixed;
      if (with == 1) std::swap(s.in[0], s.in[1]), std::swap(s.fixed[0], s.fixed[1]);
      run = chain_functions<A>::negative(type, with != 2, chain = s.chain(before));
    }
    chains = std::popcount(chain);
    return s.part(run, chain);
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
