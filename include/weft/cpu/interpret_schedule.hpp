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
  }

  /// Puts what is read once right before its reader, if the two can be one chain.
  void order() {
    done_.assign(pass_.code.size(), 0);
    for (int t = 0; t < size(); ++t) emit(t);
    pass_.code = std::move(ordered_);
  }

  void find_chains() {
    for (int t = 0; t < size();) {
      tile_chain c;
      int end = t;
      while (end < size() && extend(c, t, end)) ++end;
      if (end - t < 2) {
        ++t;
        continue;
      }
      c.begin = t;
      c.end = end;
      c.type = node(code(t).node).type;
      finish(c);
      pass_.chains.push_back(std::move(c));
      t = end;
    }
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

  /// The function for an op on operands from these places, none where there is none.
  static void (*function_of(dtype t, op_id op, int form))() {
    auto of = [&]<class T>(T) -> void (*)() {
      const int i = chain_table<T, A>::index(op);
      if (i < 0) return nullptr;
      return reinterpret_cast<void (*)()>(chain_table<T, A>::table.of[i].of[form]);
    };
    return t == dtype::float32 ? of(float{}) : t == dtype::float64 ? of(double{}) : nullptr;
  }
  bool may_chain(int t) const {
    return t >= 0 && code(t).action == tile_action::compute &&
           function_of(node(code(t).node).type, node(code(t).node).op, 0) != nullptr;
  }

  void emit(int t) {
    if (t < 0 || done_[index(t)]) return;
    done_[index(t)] = 1;
    const tile_instruction x = code(t);
    int last = -1;
    for (int j = 0; j < operands(x); ++j) {
      const int o = item_[index(node(x.node).in[j])];
      if (last < 0 && may_chain(t) && may_chain(o) && uses_[index(node(x.node).in[j])] == 1 &&
          node(node(x.node).in[j]).type == node(x.node).type)
        last = o;
    }
    for (int j = 0; j < operands(x); ++j)
      if (const int o = item_[index(node(x.node).in[j])]; o != last) emit(o);
    emit(last);
    ordered_.push_back(x);
  }

  /// Appends instruction `end` to the chain that begins at `begin`, if it goes on with its value.
  bool extend(tile_chain& c, int begin, int end) const {
    const tile_instruction& x = code(end);
    const kernel_node& n = node(x.node);
    if (x.action != tile_action::compute) return false;
    const bool first = begin == end;
    const int before = first ? -1 : code(end - 1).node;
    if (!first && n.type != node(before).type) return false;
    tile_chain::part p;
    int form = 0, digit = 1, memory = 0, chains = 0;
    for (int j = 0; j < operands(x); ++j, digit *= 3) {
      const bool fixed = x.fixed >> j & 1;
      if (first ? chains == 0 && !fixed : n.in[j] == before) {
        if (first) c.parts.push_back({nullptr, {n.in[j], -1}});
        ++chains;
        continue;
      }
      form += digit * static_cast<int>(fixed ? chain_operand::splat : chain_operand::tile);
      if (memory < 2) p.operand[memory] = n.in[j];
      ++memory;
    }
    p.run = chains > 0 ? function_of(n.type, n.op, form) : nullptr;
    if (!p.run) return false;
    // What others read, too, is left behind.
    if (!first && uses_[index(before)] > chains)
      c.parts.push_back({nullptr, {static_cast<signed char>(before), -1}});
    c.parts.push_back(p);
    return true;
  }
  /// Fills in the functions that begin, store and end.
  void finish(tile_chain& c) const {
    auto of = [&]<class T>(T) {
      using memory = chain_memory<T, A>;
      bool first = true;
      for (tile_chain::part& p : c.parts) {
        if (!p.run) p.run = reinterpret_cast<void (*)()>(first ? &memory::begin : &memory::store);
        first = false;
      }
      c.parts.push_back({reinterpret_cast<void (*)()>(&memory::store),
                         {static_cast<signed char>(code(c.end - 1).node), -1}});
      c.parts.push_back({reinterpret_cast<void (*)()>(&memory::end), {-1, -1}});
    };
    if (c.type == dtype::float32)
      of(float{});
    else
      of(double{});
  }

  const tile_code& c_;
  const kernel& k_;
  tile_pass& pass_;
  std::vector<int> uses_, item_;
  std::vector<char> done_;
  std::vector<tile_instruction> ordered_;
};

}  // namespace weft::detail
