// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/encode.hpp>
#include <weft/plan/program.hpp>

// A plan and the guards of its graph as words: what a program keeps of its compilation. One flat
// array of numbers costs constant evaluation and the object file a small part of what arrays of
// structs do; it is decoded at the first call.
namespace weft::detail {

/// What a call needs of a captured graph.
struct call_facts {
  sequence<guard> guards;  ///< places are numbers of steps, of an expression; others are in texts
  sequence<node> outputs;  ///< types and shapes
  int arguments = 0;
};

struct compiled_plan {
  call_facts facts;
  plan p;
};

/// Where the parts of an encoding begin.
struct words_header {
  enum : int {
    outputs,
    guards,
    extents,
    kernels,
    steps,
    accesses,
    buffers,
    slots,
    in_place,
    controls,
    bodies,  ///< words of each, then where it begins
    last_failure,
    arguments,
    count
  };
};

/// Writes an encoding to words from their begin on.
template <class Words>
class word_writer {
 public:
  Words& words;

  constexpr word_writer(const graph& g, const plan& p, Words& to) : words(to) {
    for (int i = 0; i < words_header::count; ++i) put(0);
    words[words_header::arguments] = g.arguments;
    words[words_header::last_failure] = p.last_failure;
    begin(words_header::outputs, g.outputs.size());
    for (int o : g.outputs) {
      const node& n = g.nodes.data()[o];
      put(static_cast<index_t>(n.type));
      put(n.shape.rank);
      for (int i = 0; i < n.shape.rank; ++i) put(n.shape.d[i]);
      for (int i = n.shape.rank; i < max_rank; ++i) put(0);
    }
    begin(words_header::guards, g.guards.size());
    for (const guard& q : g.guards) {
      put(packed_guard(q));
      put(q.a);
      put(q.b);
    }
    begin(words_header::extents, p.extents.size());
    for (const extent_expr& e : p.extents) {
      put(static_cast<index_t>(e.kind));
      put(e.a);
      put(e.b);
    }
    begin(words_header::kernels, p.kernels.size());
    const std::size_t index = words.size();
    for (std::size_t i = 0; i < p.kernels.size(); ++i) put(0);
    for (std::size_t i = 0; i < p.kernels.size(); ++i) {
      words[index + i] = static_cast<index_t>(words.size());
      encode_kernel(p.kernels[i], words);
    }
    begin(words_header::steps, p.steps.size());
    for (const step& s : p.steps) put_step(s);
    begin(words_header::accesses, p.accesses.size());
    put_accesses(p);
    begin(words_header::buffers, p.buffers.size());
    index_t* w = words.room_for(2 * p.buffers.size());
    for (const buffer& f : p.buffers) {
      *w++ = static_cast<index_t>(f.kind) | static_cast<index_t>(f.type) << 4 |
             static_cast<index_t>(f.slot + 1) << 8 | static_cast<index_t>(f.index) << 40;
      *w++ = f.count;
    }
    words.written_to(w);
    begin(words_header::slots, p.slots.size());
    for (index_t s : p.slots) put(s);
    begin(words_header::in_place, p.matching.size());
    for (int m : p.matching) put(m);
    for (int w : p.first_write) put(w);
    for (int r : p.last_read) put(r);
    begin(words_header::controls, p.controls.size());
    for (const control& c : p.controls) put_control(c);
    begin(words_header::bodies, p.bodies.size());
    const std::size_t places = words.size();
    for (std::size_t i = 0; i < p.bodies.size(); ++i) put(0);
    for (std::size_t i = 0; i < p.bodies.size(); ++i) {
      words[places + i] = static_cast<index_t>(words.size());
      sequence<index_t> body;
      word_writer<sequence<index_t>>(g.bodies[i], p.bodies[i], body);
      for (index_t w : body) put(w);
    }
  }

 private:
  constexpr void put(index_t v) { words.push_back(v); }
  constexpr void begin(int part, std::size_t count) {
    words[static_cast<std::size_t>(part)] = static_cast<index_t>(words.size());
    put(static_cast<index_t>(count));
  }
  static constexpr index_t byte(int v, int at) { return static_cast<index_t>(v & 255) << at; }

  constexpr void put_control(const control& c) {
    put(byte(c.op, 0) | byte(c.reverse, 8) | byte(c.on_host, 9));
    put(c.body[0]);
    put(c.body[1]);
    put(c.steps);
    put(static_cast<index_t>(c.carries) | static_cast<index_t>(c.slices) << 32);
    put(static_cast<index_t>(c.operands) | static_cast<index_t>(c.results) << 32);
    put(c.host);
    put(c.ranks);
  }
  constexpr void put_step(const step& s) {
    put(byte(static_cast<int>(s.kind), 0) | byte(s.rows, 8) | byte(s.segments, 16) |
        byte(static_cast<int>(s.type), 24) | byte(s.axis, 32) | byte(s.rank, 40) |
        byte(s.index_rank, 48) | static_cast<index_t>(s.index_type) << 56 |
        static_cast<index_t>(s.labels) << 60);
    put(static_cast<index_t>(s.kernel + 1) | static_cast<index_t>(s.access_count) << 16 |
        static_cast<index_t>(s.first_access) << 32);
    put(s.node);
    const int loops = loops_of(s);
    index_t* w = words.room_for(max_loops);
    for (int i = 0; i < loops; ++i) *w++ = s.extent[i];
    words.written_to(w);
  }
  constexpr void put_accesses(const plan& p) {
    std::size_t size = 0;
    for (const step& s : p.steps)
      size += static_cast<std::size_t>(s.access_count * (2 + loops_of(s)));
    index_t* w = words.room_for(size);
    for (const step& s : p.steps) {
      const int loops = loops_of(s);
      const access* x = p.accesses.first + s.first_access;
      for (int a = 0; a < s.access_count; ++a, ++x) {
        *w++ = x->buffer;
        *w++ = x->offset;
        for (int i = 0; i < loops; ++i) *w++ = x->stride[i];
      }
    }
    words.written_to(w);
  }
  static constexpr int loops_of(const step& s) {
    return s.kind == step_kind::kernel ? s.loops() : max_loops;
  }
};

/// One kernel of an encoding; K has its nodes and stores in vectors or in arrays.
template <class K>
[[gnu::cold]] constexpr void read_kernel(const index_t* w, K& k) {
  auto byte = [](index_t v, int at) { return static_cast<int>(v >> at & 255); };
  k.loads = byte(w[0], 16);
  k.phases = byte(w[0], 24);
  k.size = byte(w[0], 0);
  k.store_count = byte(w[0], 8);
  const int size = k.size, stores = k.store_count;
  ++w;
  for (int i = 0; i < size; ++i, w += 2) {
    kernel_node n;
    n.op = static_cast<op_id>(byte(w[0], 0));
    for (int j = 0; j < 3; ++j) n.in[j] = static_cast<signed char>(byte(w[0], 8 + 8 * j) - 1);
    n.load = static_cast<signed char>(byte(w[0], 32) - 1);
    n.phase = static_cast<std::uint8_t>(byte(w[0], 40));
    n.type = static_cast<dtype>(w[0] >> 48 & 15);
    n.lane = static_cast<dtype>(w[0] >> 52 & 15);
    n.at = static_cast<level>(w[0] >> 56 & 1);
    n.kept = w[0] >> 57 & 1;
    n.uniform = w[0] >> 58 & 1;
    n.stride = static_cast<stride_kind>(w[0] >> 59 & 3);
    n.bits = w[1];
    k.nodes[static_cast<std::size_t>(i)] = n;
  }
  for (int i = 0; i < stores; ++i, ++w) {
    kernel_store s;
    s.node = static_cast<signed char>(byte(w[0], 0));
    s.kind = static_cast<store_kind>(byte(w[0], 8));
    s.reduce = static_cast<op_id>(byte(w[0], 16));
    s.type = static_cast<dtype>(byte(w[0], 24));
    s.phase = static_cast<std::uint8_t>(byte(w[0], 32));
    s.stride = static_cast<stride_kind>(byte(w[0], 40));
    k.stores[static_cast<std::size_t>(i)] = s;
  }
}

/// A kernel as a type, by its words: names of functions that are made for one spell it once, and
/// compilers compare it at a glance.
template <index_t... Words>
struct kernel_code {
  static constexpr auto value = [] {
    constexpr index_t words[]{Words...};
    basic_kernel<static_cast<int>(words[0] & 255), static_cast<int>(words[0] >> 8 & 255)> k;
    read_kernel(words, k);
    return k;
  }();
};

/// Reads an encoding back, part by part.
class word_reader {
 public:
  explicit constexpr word_reader(const index_t* words) : w_(words) {}

  constexpr int count(int part) const { return static_cast<int>(w_[w_[part]]); }
  constexpr const index_t* begin(int part) const { return w_ + w_[part] + 1; }
  constexpr const index_t* kernel_words(int i) const {
    return w_ + begin(words_header::kernels)[i];
  }
  constexpr int kernel_word_count(int i) const { return 1 + 2 * kernel_size(i) + kernel_stores(i); }
  constexpr int kernel_size(int i) const { return static_cast<int>(kernel_words(i)[0] & 255); }
  constexpr int kernel_stores(int i) const {
    return static_cast<int>(kernel_words(i)[0] >> 8 & 255);
  }
  /// The kinds of steps with their dtypes (kind * dtype_count + dtype), each once.
  struct used_steps {
    int count = 0;
    int of[static_cast<std::size_t>(step_kind_count * dtype_count)]{};
  };
  constexpr used_steps used() const {
    used_steps r;
    bool seen[static_cast<std::size_t>(step_kind_count * dtype_count)]{};
    const index_t* s = begin(words_header::steps);
    for (int i = count(words_header::steps); i-- > 0;) {
      const int n = static_cast<int>((s[0] & 255) * dtype_count + (s[0] >> 24 & 255));
      if (!seen[n]) r.of[r.count++] = n;
      seen[n] = true;
      s += 3 + loops(s);
    }
    return r;
  }
  /// Type, rank and extents of output j.
  constexpr node output(int j) const {
    const index_t* o = begin(words_header::outputs) + j * (2 + max_rank);
    node n;
    n.type = static_cast<dtype>(o[0]);
    n.shape.rank = static_cast<int>(o[1]);
    for (int i = 0; i < n.shape.rank; ++i) n.shape.d[i] = o[2 + i];
    return n;
  }
  constexpr const index_t* body(int i) const { return w_ + begin(words_header::bodies)[i]; }
  constexpr bool broadcasts() const {
    const index_t* q = begin(words_header::guards);
    for (int i = 0; i < count(words_header::guards); ++i)
      if (unpacked_guard(q + 3 * i).kind == guard_kind::broadcast) return true;
    return false;
  }

  /// The decoded form, which lives as long as the process: nothing of it is ever freed, so that no
  /// program carries the code for that.
  [[gnu::cold, gnu::noinline]] const compiled_plan& decoded() const {
    auto* const r = new compiled_plan;
    r->facts.arguments = static_cast<int>(w_[words_header::arguments]);
    node* outputs = r->facts.outputs.fresh(size(words_header::outputs));
    for (int j = 0; j < count(words_header::outputs); ++j) outputs[j] = output(j);
    const index_t* q = begin(words_header::guards);
    guard* guards = r->facts.guards.fresh(size(words_header::guards));
    for (int i = 0; i < count(words_header::guards); ++i, q += 3) guards[i] = unpacked_guard(q);
    read_plan(r->p);
    return *r;
  }

 private:
  static constexpr int loops(const index_t* s) {
    const auto kind = static_cast<step_kind>(s[0] & 255);
    return kind == step_kind::kernel ? static_cast<int>((s[0] >> 8 & 255) + (s[0] >> 16 & 255)) + 1
                                     : max_loops;
  }
  std::size_t size(int part) const { return static_cast<std::size_t>(count(part)); }
  [[gnu::cold, gnu::noinline]] void read_plan(plan& p) const {
    const index_t* q = begin(words_header::extents);
    extent_expr* extents = p.extents.fresh(size(words_header::extents));
    for (int i = 0; i < count(words_header::extents); ++i, q += 3)
      extents[i] = {static_cast<extent_kind>(q[0]), q[1], q[2]};
    kernel* kernels = p.kernels.fresh(size(words_header::kernels));
    for (int i = 0; i < count(words_header::kernels); ++i) {
      kernels[i].nodes.fresh(static_cast<std::size_t>(kernel_size(i)));
      kernels[i].stores.fresh(static_cast<std::size_t>(kernel_stores(i)));
      read_kernel(kernel_words(i), kernels[i]);
    }
    read_steps(p);
    q = begin(words_header::buffers);
    buffer* buffers = p.buffers.fresh(size(words_header::buffers));
    for (int i = 0; i < count(words_header::buffers); ++i, q += 2) {
      buffer& f = buffers[i];
      f.kind = static_cast<buffer_kind>(q[0] & 15);
      f.type = static_cast<dtype>(q[0] >> 4 & 15);
      f.slot = static_cast<int>(q[0] >> 8 & 0xffffffff) - 1;
      f.index = static_cast<int>(q[0] >> 40);
      f.count = q[1];
    }
    q = begin(words_header::slots);
    index_t* slots = p.slots.fresh(size(words_header::slots));
    for (int i = 0; i < count(words_header::slots); ++i) slots[i] = q[i];
    q = begin(words_header::in_place);
    q = read_numbers(p.matching, q, size(words_header::in_place));
    q = read_numbers(p.first_write, q, size(words_header::outputs));
    read_numbers(p.last_read, q, static_cast<std::size_t>(w_[words_header::arguments]));
    p.last_failure = static_cast<int>(w_[words_header::last_failure]);
    q = begin(words_header::controls);
    control* controls = p.controls.fresh(size(words_header::controls));
    for (int i = 0; i < count(words_header::controls); ++i, q += 8) read_control(q, controls[i]);
    plan* bodies = p.bodies.fresh(size(words_header::bodies));
    for (int i = 0; i < count(words_header::bodies); ++i) word_reader(body(i)).read_plan(bodies[i]);
  }
  static const index_t* read_numbers(sequence<int>& to, const index_t* q, std::size_t n) {
    int* numbers = to.fresh(n);
    for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<int>(*q++);
    return q;
  }
  static void read_control(const index_t* q, control& c) {
    c.op = static_cast<op_id>(q[0] & 255);
    c.reverse = q[0] >> 8 & 1;
    c.on_host = q[0] >> 9 & 1;
    c.body[0] = static_cast<int>(q[1]);
    c.body[1] = static_cast<int>(q[2]);
    c.steps = q[3];
    c.carries = static_cast<int>(q[4] & 0xffffffff);
    c.slices = static_cast<int>(q[4] >> 32);
    c.operands = static_cast<int>(q[5] & 0xffffffff);
    c.results = static_cast<int>(q[5] >> 32);
    c.host = static_cast<int>(q[6]);
    c.ranks = q[7];
  }
  [[gnu::cold]] void read_steps(plan& p) const {
    const index_t* s = begin(words_header::steps);
    const index_t* a = begin(words_header::accesses);
    access* accesses = p.accesses.fresh(size(words_header::accesses));
    step* steps = p.steps.fresh(size(words_header::steps));
    for (int i = 0; i < count(words_header::steps); ++i) {
      step& t = steps[i];
      t.kind = static_cast<step_kind>(s[0] & 255);
      t.rows = static_cast<int>(s[0] >> 8 & 255);
      t.segments = static_cast<int>(s[0] >> 16 & 255);
      t.type = static_cast<dtype>(s[0] >> 24 & 255);
      t.axis = static_cast<int>(s[0] >> 32 & 255);
      t.rank = static_cast<int>(s[0] >> 40 & 255);
      t.index_rank = static_cast<int>(s[0] >> 48 & 255);
      t.index_type = static_cast<dtype>(s[0] >> 56 & 15);
      t.labels = s[0] >> 60 & 1;
      t.kernel = static_cast<int>(s[1] & 0xffff) - 1;
      t.access_count = static_cast<int>(s[1] >> 16 & 0xffff);
      t.first_access = static_cast<int>(s[1] >> 32);
      t.node = static_cast<int>(s[2]);
      const int n = loops(s);
      for (int d = 0; d < n; ++d) t.extent[d] = s[3 + d];
      s += 3 + n;
      for (int k = 0; k < t.access_count; ++k) {
        access& x = *accesses++;
        x.buffer = static_cast<int>(a[0]);
        x.offset = a[1];
        for (int d = 0; d < n; ++d) x.stride[d] = a[2 + d];
        a += 2 + n;
      }
    }
  }

  const index_t* w_;
};

}  // namespace weft::detail
