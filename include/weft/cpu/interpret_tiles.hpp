// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_code.hpp>

#include <algorithm>
#include <bit>
#include <memory>

// The values of a kernel while it is interpreted: a tile or a splat for each node.
namespace weft::detail {

/// Tiles and splats of a thread.
class tile_space {
 public:
  static std::byte* of(std::size_t bytes) {
    thread_local tile_space own;
    if (own.size_ < bytes) {
      own.memory_.reset(new (std::align_val_t{64}) std::byte[bytes]);
      own.size_ = bytes;
    }
    return own.memory_.get();
  }

 private:
  struct release {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte[], release> memory_;
  std::size_t size_ = 0;
};

template <class A>
class tile_values {
 protected:
  /// A splat, and behind it what it is in chains.
  static constexpr std::size_t narrow_bytes = static_cast<std::size_t>(splat_places<A>) * 8;
  static constexpr std::size_t splat_bytes = narrow_bytes + chain_bytes;

  tile_values(const tile_code& code, const row_run& r)
      : c_(code),
        k_(code.k),
        run_(r),
        call_(r.call),
        part_(r.call.part),
        accesses_(code.k.loads + k_.store_count) {
    const auto nodes = static_cast<std::size_t>(k_.size);
    const auto slots = static_cast<std::size_t>(c_.slots);
    splats_ = tile_space::of(nodes * splat_bytes + slots * c_.slot_bytes + 2 * page);
    tiles_ = splats_ + nodes * splat_bytes;
    inner_ = r.inner;
    std::copy(r.base, r.base + accesses_, base_);
    if (c_.left_behind != 0 && inner_ >= tile_elements) tiles_ = apart(tiles_);
  }

  static constexpr std::uintptr_t page = 4096;
  /// Where tiles begin, so that what a chain stores to them and what it loads from memory differ in
  /// the last twelve bits of their addresses: where they do not, the processor takes the load to be
  /// of the store and waits for it. A page has eight places of a chain's width; each tile begins
  /// one place further than the tile before.
  std::byte* apart(std::byte* p) const {
    constexpr unsigned places = page / chain_bytes;
    unsigned taken = 0;
    for (int a = 0; a < accesses_; ++a) {
      const auto at = reinterpret_cast<std::uintptr_t>(base_[a]);
      taken |=
          1u << at / chain_bytes % places | 1u << (at + chain_bytes - 1) / chain_bytes % places;
    }
    const unsigned own = c_.left_behind;
    int best = places + 1;
    std::uintptr_t place = 0;
    for (unsigned i = 0; i < places && best > 0; ++i) {
      const int common = std::popcount((own << i | own << i >> places) % (1u << places) & taken);
      if (common < best) best = common, place = i;
    }
    const auto from = reinterpret_cast<std::uintptr_t>(p);
    return p + ((page - from % page) % page + place * chain_bytes);
  }

  const kernel_node& node(int i) const { return k_.nodes.data()[i]; }
  const kernel_store& store(int s) const { return k_.stores.data()[s]; }
  int size_of_access(int a) const { return c_.sizes[static_cast<std::size_t>(a)]; }
  const tile_memory& memory(dtype t) const { return tile_data<A>::memory.of[static_cast<int>(t)]; }
  const tile_reduction& reduction(int i) const {
    return tile_data<A>::reduction_of(node(i).op, node(i).type);
  }
  const tile_reduction& column(int s) const {
    return tile_data<A>::reduction_of(store(s).reduce, computed_in(store(s).type));
  }
  std::byte* splat(int i) const { return splats_ + static_cast<std::size_t>(i) * splat_bytes; }
  std::byte* tile(int slot) const {
    return tiles_ + static_cast<std::size_t>(slot) * c_.slot_bytes;
  }
  std::byte* total(int i) { return reinterpret_cast<std::byte*>(totals_ + i); }
  bool in_blocks() const { return part_ && part_->what == kernel_part::kind::blocks; }
  /// A kept value's tile at a place of the row.
  std::byte* kept_at(int i, index_t flat) const {
    return call_.scratch +
           static_cast<std::size_t>(c_.kept_before[static_cast<std::size_t>(i)]) *
               row_bytes(run_.row) +
           flat * size_of(computed_in(node(i).type));
  }
  /// The sums of a column, where the loops around rows have them.
  std::byte* column_at(int s) const {
    const auto before = static_cast<std::size_t>(c_.columns_before[static_cast<std::size_t>(s)]);
    return call_.scratch + static_cast<std::size_t>(c_.kept) * row_bytes(run_.row) +
           2 * before * row_bytes(inner_);
  }

  // Values of a row

  void apply(int i, unsigned fixed, std::byte* to, index_t n) {
    const kernel_node& x = node(i);
    const std::byte* from[3]{};
    for (int j = 0; j < c_.arity.data()[i]; ++j) from[j] = at_[x.in[j]];
    c_.functions.data()[i](to, from, fixed, n);
    at_[i] = to;
  }
  /// The same for n elements of a chain, which lie so many bytes behind the beginnings of tiles.
  void apply_behind(const tile_instruction& t, index_t bytes, index_t n) {
    const kernel_node& x = node(t.node);
    const std::byte* from[3]{};
    for (int j = 0; j < c_.arity.data()[t.node]; ++j)
      from[j] = t.fixed >> j & 1 ? at_[x.in[j]] : at_[x.in[j]] + bytes;
    c_.functions.data()[t.node](at_[t.node] + bytes, from, t.fixed, n);
  }
  /// Runs a chain on as many of n elements as are whole blocks, and returns their number. place(i):
  /// where the value of node i is that is no splat.
  template <class T, class Place>
  index_t run_blocks(const tile_chain& c, index_t n, const Place& place) {
    using step = chain_step<T, A>;
    constexpr index_t block = chain_vectors * static_cast<index_t>(step::L::width);
    const index_t main = n / block * block;
    if (main == 0) return 0;
    step steps[2 * max_kernel_nodes];  // each op, and what it leaves behind
    step* s = steps;
    for (const tile_chain::part& p : c.parts) {
      s->run = reinterpret_cast<typename step::function>(p.run);
      for (unsigned left = p.in_memory; left != 0; left &= left - 1) {
        const int j = std::countr_zero(left), i = p.operand[j];
        if (p.fixed >> j & 1) {
          std::byte* at = splat(i);
          chain_memory<T, A>::repeat(at + narrow_bytes, at, node(i).type == dtype::boolean);
          s->operand[j] = {at + narrow_bytes, 0};
        } else {
          s->operand[j] = place(i);
        }
      }
      ++s;
    }
    const typename step::V none{};
    for (index_t i = 0; i < main; i += block)
      steps->run(steps, i * static_cast<index_t>(sizeof(T)), none, none, none, none, none, none,
                 none, none);
    return main;
  }
  /// Runs a chain on n elements of a tile.
  template <class T>
  void run_chain(const tile_pass& pass, const tile_chain& c, index_t n) {
    using place = typename chain_step<T, A>::place;
    const index_t main = run_blocks<T>(c, n, [&](int i) { return place{at_[i], -1}; });
    if (main == n) return;
    // Truth values, too, lie behind as many bytes: a later value may already fill the rest.
    for (int t = c.begin; t < c.end; ++t)
      apply_behind(pass.code[static_cast<std::size_t>(t)], main * static_cast<index_t>(sizeof(T)),
                   n - main);
  }
  /// Runs a pass that is a chain along the innermost loop, its tiles a page that is used again and
  /// again; returns how far it came.
  index_t run_along(const tile_pass& pass) {
    const tile_chain& c = pass.chains[0];
    index_t done = 0;
    auto run = [&]<class T>(T) {
      using place = typename chain_step<T, A>::place;
      done = run_blocks<T>(c, inner_, [&](int i) {
        const int at = pass.along.data()[i];
        return at >= 0 ? place{base_[at], -1} : place{tile(~at), static_cast<index_t>(page) - 1};
      });
    };
    with_chain_type(c.type, [&]<class... T>(T... t) { (run(t), ...); });
    return done;
  }
  /// A value that does not change along the innermost loop.
  void splat_value(int i) {
    const kernel_node& n = node(i);
    std::byte* to = at_[i] = splat(i);
    if (n.load >= 0 && n.op == id_of<iota_>)
      memory(n.type).positions(to, reinterpret_cast<std::uintptr_t>(base_[n.load]), 0, 0,
                               splat_places<A>);
    else if (n.load >= 0)
      memory(n.type).splat(to, base_[n.load], 1);
    else if (n.op == id_of<constant_>)
      memory(n.type).constant(to, n.bits);
    else if (is_reduction(n.op))
      reduction(i).splat(to, total(i));
    else
      apply(i, 0, to, splat_places<A>);  // 64-bit values, too, fill their place
  }
  void splat_values(const tile_code::nodes& all) {
    for (std::uint8_t i : all) splat_value(i);
  }

  // Tiles

  /// Runs the chain that begins at instruction `at`, if one does, and moves to its last one.
  template <class Place>
  bool chained(const tile_pass& pass, std::size_t& chain, std::size_t& at, index_t n,
               const Place& place) {
    if (chain == pass.chains.size() || pass.chains[chain].begin != static_cast<int>(at))
      return false;
    const tile_chain& c = pass.chains[chain++];
    for (; at < static_cast<std::size_t>(c.end); ++at)
      at_[pass.code[at].node] = place(pass.code[at]);
    --at;
    with_chain_type(c.type, [&]<class... T>(T...) { (run_chain<T>(pass, c, n), ...); });
    return true;
  }

  /// Elements i to i + n of the innermost loop, at place `flat` of the row.
  void run_tile(const tile_pass& pass, index_t i, index_t flat, index_t n) {
    const bool whole = n % splat_places<A> == 0;
    std::size_t chain = 0;
    for (std::size_t at_code = 0; at_code < pass.code.size(); ++at_code) {
      const tile_instruction& t = pass.code[at_code];
      const kernel_node& x = node(t.node);
      std::byte*& at = at_[t.node];
      switch (t.action) {
        case tile_action::load: {
          const std::byte* from =
              moved(base_[x.load], i * run_.step[x.load] * size_of_access(x.load));
          if (whole && reads_memory(x)) {
            at = const_cast<std::byte*>(from);
            break;
          }
          at = tile(t.slot);
          memory(x.type).load(at, from, x.stride == stride_kind::unit ? 1 : run_.step[x.load], n);
          break;
        }
        case tile_action::positions:
          at = tile(t.slot);
          memory(x.type).positions(at, reinterpret_cast<std::uintptr_t>(base_[x.load]),
                                   x.stride == stride_kind::unit ? 1 : run_.step[x.load], i, n);
          break;
        case tile_action::compute: {
          auto place = [&](const tile_instruction& y) {
            const int a = k_.loads + y.direct;
            return node(y.node).kept        ? kept_at(y.node, flat)
                   : y.direct >= 0 && whole ? moved(base_[a], i * size_of_access(a))
                                            : tile(y.slot);
          };
          if (!chained(pass, chain, at_code, n, place)) apply(t.node, t.fixed, place(t), n);
          break;
        }
        case tile_action::reread:
          at = kept_at(t.node, flat);
          break;
        case tile_action::reduce:
          reduction(t.node).add(total(t.node), at_[x.in[0]], t.fixed, n);
          break;
      }
    }
    for (std::uint8_t s : pass.stores) {
      const kernel_store& w = store(s);
      const bool fixed = is_splat(w.node);
      if (w.kind == store_kind::column) {
        const int size = size_of(computed_in(w.type));
        column(s).add_row(column_at(s) + i * size, at_[w.node], fixed, n);
        continue;
      }
      const int a = k_.loads + s;
      const index_t step = w.stride == stride_kind::strided ? run_.step[a] : 1;
      std::byte* to = moved(base_[a], i * step * size_of_access(a));
      if (to != at_[w.node]) memory(w.type).store(to, step, at_[w.node], fixed, n);
    }
  }
  bool is_splat(int i) const { return at_[i] == splat(i); }

  // Several rows as one tile

  void load_rows(const tile_instruction& t, index_t rows) {
    const kernel_node& x = node(t.node);
    const int a = x.load;
    const index_t size = size_of(computed_in(x.type)), bytes = inner_ * size;
    const index_t step = x.stride == stride_kind::unit ? 1 : run_.step[a];
    const bool one_run = run_.to_next_row[a] == inner_ * size_of_access(a) && step == 1;
    if (one_run && computed_in(x.type) == x.type && (rows * inner_) % splat_places<A> == 0) {
      at_[t.node] = base_[a];
      return;
    }
    std::byte* to = at_[t.node] = tile(t.slot);
    if (one_run) return memory(x.type).load(to, base_[a], 1, rows * inner_);
    // Each row writes past its end, where the next one begins; the last has no room for that.
    for (index_t r = 0; r < rows; ++r) {
      const std::byte* from = moved(base_[a], r * run_.to_next_row[a]);
      if (x.op == id_of<iota_>)
        memory(x.type).positions(to + r * bytes, reinterpret_cast<std::uintptr_t>(from),
                                 x.stride == stride_kind::none ? 0 : step, 0, inner_);
      else if (x.stride == stride_kind::none)
        memory(x.type).splat(to + r * bytes, from, inner_);
      else if (r > 0 && run_.to_next_row[a] == 0)
        std::memcpy(to + r * bytes, to, static_cast<std::size_t>(bytes));
      else
        memory(x.type).load(to + r * bytes, from, step, inner_);
    }
  }
  void run_tile_of_rows(index_t rows) {
    const index_t n = rows * inner_;
    const bool whole = n % splat_places<A> == 0;
    auto place = [&](const tile_instruction& y) {
      const int a = k_.loads + y.direct;
      const bool direct =
          y.direct >= 0 && whole && run_.to_next_row[a] == inner_ * size_of_access(a);
      return direct ? base_[a] : tile(y.slot);
    };
    std::size_t chain = 0;
    for (std::size_t at_code = 0; at_code < c_.rows.code.size(); ++at_code) {
      const tile_instruction& t = c_.rows.code[at_code];
      if (t.action != tile_action::compute)
        load_rows(t, rows);
      else if (!chained(c_.rows, chain, at_code, n, place))
        apply(t.node, t.fixed, place(t), n);
    }
    for (std::uint8_t s : c_.rows.stores) {
      const int a = k_.loads + s;
      const kernel_store& w = store(s);
      const index_t step = w.stride == stride_kind::strided ? run_.step[a] : 1;
      const bool fixed = is_splat(w.node);
      if (at_[w.node] == base_[a]) continue;
      if (step == 1 && run_.to_next_row[a] == inner_ * size_of_access(a)) {
        memory(w.type).store(base_[a], 1, at_[w.node], fixed, n);
        continue;
      }
      const index_t bytes = fixed ? 0 : inner_ * size_of(computed_in(node(w.node).type));
      for (index_t r = 0; r < rows; ++r)
        memory(w.type).store(moved(base_[a], r * run_.to_next_row[a]), step,
                             at_[w.node] + r * bytes, fixed, inner_);
    }
  }
  /// How many rows a tile takes: they are short, and leave room for a vector behind them.
  index_t rows_of_tile() const {
    if (!c_.rows.runs || run_.segments != 1 || inner_ < 1) return 1;
    return std::max<index_t>(1, (tile_elements - splat_places<A>) / inner_);
  }

  const tile_code& c_;
  const kernel& k_;
  const row_run& run_;
  const kernel_call& call_;
  const kernel_part* part_;
  const int accesses_;
  index_t inner_;
  std::byte *splats_, *tiles_;
  std::byte* at_[max_kernel_nodes];  ///< a node's tile or splat
  std::uint64_t totals_[max_kernel_nodes];
  std::byte* base_[row_run::most];
};

}  // namespace weft::detail
