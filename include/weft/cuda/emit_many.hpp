// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit.hpp>

// Several pointwise steps that stand next to each other as one launch: an optimizer's update of
// many parameters.
namespace weft::detail::cuda {

/// Which steps may share a launch: a few thousand blocks each, and none reads or writes what
/// another one writes.
class neighbours {
 public:
  static constexpr int most_pointers = 480;          ///< of 4 KiB of parameters
  static constexpr index_t most_elements = 1 << 24;  ///< of a step: larger ones run alone

  neighbours(const plan& p, const extent_values& extents) : p_(p), extents_(extents) {}

  /// How many steps from `first` on can be one launch; at least 1.
  int from(int first) const {
    const int size = static_cast<int>(p_.steps.size());
    int n = 0, pointers = 0;
    for (; first + n < size; ++n) {
      const step& s = p_.steps[static_cast<std::size_t>(first + n)];
      if (s.kind != step_kind::kernel || !is_small(first + n)) break;
      pointers += s.access_count;
      if (pointers > most_pointers) break;
      bool apart = true;
      for (int t = first; apart && t < first + n; ++t) apart = independent(t, first + n);
      if (!apart) break;
    }
    return std::max(1, n);
  }

 private:
  bool is_small(int t) const {
    const work w = make_work(p_, t, extents_, 0);
    return !w.reduces && !w.columns && !transposed_writer::wanted(w) && !w.is_dynamic() &&
           w.elements.count().value > 0 && w.elements.count().value <= most_elements;
  }
  const buffer* memory(const step& s, int a) const {
    const access& x = p_.accesses[static_cast<std::size_t>(s.first_access + a)];
    return x.buffer < 0 ? nullptr : &p_.buffers[static_cast<std::size_t>(x.buffer)];
  }
  /// Whether two buffers may share memory: an output also with the argument that its own step reads
  /// last. (A call in which one lies in another argument's memory launches steps one by one.)
  bool may_meet(const buffer& a, const buffer& b) const {
    if (a.kind == buffer_kind::extent || b.kind == buffer_kind::extent) return false;
    if (a.kind == b.kind)
      return a.kind == buffer_kind::arena ? a.slot == b.slot : a.index == b.index;
    if (a.kind == buffer_kind::argument) return b.kind == buffer_kind::output && may_meet(b, a);
    return a.kind == buffer_kind::output && b.kind == buffer_kind::argument &&
           p_.first_write[static_cast<std::size_t>(a.index)] ==
               p_.last_read[static_cast<std::size_t>(b.index)] &&
           p_.in_place(a.index, b.index);
  }
  bool independent(int t, int u) const {
    const step &a = p_.steps[static_cast<std::size_t>(t)],
               &b = p_.steps[static_cast<std::size_t>(u)];
    const int stores_of_a = p_.kernels[static_cast<std::size_t>(a.kernel)].loads,
              stores_of_b = p_.kernels[static_cast<std::size_t>(b.kernel)].loads;
    for (int i = 0; i < a.access_count; ++i)
      for (int j = 0; j < b.access_count; ++j) {
        if (i < stores_of_a && j < stores_of_b) continue;
        const buffer *x = memory(a, i), *y = memory(b, j);
        if (x && y && may_meet(*x, *y)) return false;
      }
    return true;
  }

  const plan& p_;
  extent_values extents_;
};

/// One kernel for `count` steps from `first` on, of which `neighbours` says that they may share a
/// launch. Each step keeps its own kernel's text as a function of the number of its block; steps of
/// one text share the function. Its parameters: the pointers of every step's accesses that are
/// memory, step by step in order, then workspace and fault as ever. `unaligned[i]` is tuning's for
/// step first + i.
class many_writer {
 public:
  many_writer(const plan& p, int first, int count, const extent_values& extents, const card& c,
              const std::vector<std::uint64_t>& unaligned, bool stops_at_fault) {
    for (int i = 0; i < count; ++i) {
      tuning u;
      u.unaligned = unaligned[static_cast<std::size_t>(i)];
      u.stops_at_fault = stops_at_fault;
      emitted_step e = emit(p, first + i, extents, c, u);
      if (e.kernels.size() != 1 || e.workspace != 0)
        throw value_error("weft: internal: steps of one launch are one pointwise kernel each");
      add(e.kernels[0]);
    }
  }

  emitted_step emitted() const {
    emitted_kernel r;
    r.name = say("pointwise_steps_", members_.size());
    r.block[0] = threads;
    text t;
    t.raw("#include <weft/cuda/prelude.hpp>\n\nnamespace weft::device {\n\n");
    for (std::size_t f = 0; f < functions_.size(); ++f)
      t.raw(say("WEFT_DEVICE void part_", f, "(\n", functions_[f].parameters,
                "    int block, int* fault) {\n", functions_[f].body, "\n"));
    t.line("// ", members_.size(), " steps, ", functions_.size(), " of them different.");
    t.line("extern \"C\" __global__ void __launch_bounds__(", threads, ") ", r.name, "(");
    for (std::size_t i = 0; i < members_.size(); ++i)
      for (const parameter& q : functions_[members_[i].function].list)
        t.line("    ", q.type, " ", q.name, "_", i, ",");
    t.open("    void* workspace, int* fault)");
    t.line("const int b = int(blockIdx.x);");
    index_t begin = 0;
    for (std::size_t f = 0; f < functions_.size(); ++f) {
      std::vector<std::size_t> of;
      std::vector<index_t> starts;
      const index_t before = begin;
      for (std::size_t i = 0; i < members_.size(); ++i)
        if (members_[i].function == f) {
          of.push_back(i);
          starts.push_back(begin);
          begin += members_[i].blocks;
        }
      t.open("if (b >= ", before, " && b < ", begin, ")");
      std::string arguments;
      for (const parameter& q : functions_[f].list) {
        t.line(q.type, " ", q.name, " = nullptr;");
        arguments += q.name + ", ";
      }
      t.line("int block = 0;");
      choose(t, f, of, starts, 0, of.size());
      t.line("part_", f, "(", arguments, "block, fault);");
      t.close();
    }
    r.grid[0] = static_cast<unsigned>(begin);
    t.close();
    t.raw("\n}  // namespace weft::device\n");
    r.source = t.str();
    emitted_step out;
    out.kernels.push_back(std::move(r));
    return out;
  }

 private:
  static constexpr unsigned threads = 256;
  struct parameter {
    std::string type, name;
  };
  struct function {
    std::string parameters, body;
    std::vector<parameter> list;
  };
  struct member {
    std::size_t function = 0;
    index_t blocks = 0;
  };

  /// Takes a kernel apart: its parameters, and its body with the block's number as a name.
  void add(const emitted_kernel& k) {
    const std::string &s = k.source, end = "    void* workspace, int* fault) {\n";
    const std::size_t head = s.find(k.name + "(\n") + k.name.size() + 2, tail = s.find(end),
                      close = s.find("\n}  // namespace");
    if (k.block[0] != threads || tail == std::string::npos || close == std::string::npos)
      throw value_error("weft: internal: a pointwise kernel of another form");
    function f;
    f.parameters = s.substr(head, tail - head);
    const std::string body = s.substr(tail + end.size(), close - tail - end.size());
    const std::string number = "blockIdx.x";
    for (std::size_t i = 0; i < body.size();)
      if (body.compare(i, number.size(), number) == 0) {
        f.body += "block";
        i += number.size();
      } else {
        f.body += body[i++];
      }
    std::size_t at = 0;
    while (at < functions_.size() &&
           (functions_[at].body != f.body || functions_[at].parameters != f.parameters))
      ++at;
    if (at == functions_.size()) {
      for (std::size_t i = 0; i < f.parameters.size();) {
        const std::size_t comma = f.parameters.find(",\n", i);
        const std::string line = f.parameters.substr(i + 4, comma - i - 4);
        const std::size_t space = line.rfind(' ');
        f.list.push_back({line.substr(0, space), line.substr(space + 1)});
        i = comma + 2;
      }
      functions_.push_back(std::move(f));
    }
    members_.push_back({at, index_t{k.grid[0]}});
  }
  /// Halves the members of a function until one is left.
  void choose(text& t, std::size_t f, const std::vector<std::size_t>& of,
              const std::vector<index_t>& starts, std::size_t low, std::size_t high) const {
    if (high - low == 1) {
      for (const parameter& q : functions_[f].list)
        t.line(q.name, " = ", q.name, "_", of[low], ";");
      t.line("block = b - ", starts[low], ";");
      return;
    }
    const std::size_t middle = (low + high) / 2;
    t.open("if (b < ", starts[middle], ")");
    choose(t, f, of, starts, low, middle);
    t.close();
    t.open("else");
    choose(t, f, of, starts, middle, high);
    t.close();
  }

  std::vector<function> functions_;
  std::vector<member> members_;
};

inline emitted_step emit_many(const plan& p, int first, int count, const extent_values& extents,
                              const card& c, const std::vector<std::uint64_t>& unaligned,
                              bool stops_at_fault = false) {
  return many_writer(p, first, count, extents, c, unaligned, stops_at_fault).emitted();
}

}  // namespace weft::detail::cuda
