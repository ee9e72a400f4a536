// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/strided.hpp>
#include <weft/compile/fusion_story.hpp>
#include <weft/compile/guards.hpp>
#include <weft/compile/stance_nodes.hpp>
#include <weft/cpu/hand_over.hpp>
#include <weft/plan/device_check.hpp>

#include <string>
#include <vector>

// Where the first NaN of a call comes from: after every launch, and node by node.
namespace weft::detail {

inline std::string place_of(const graph& g, int i, const program_note* note) {
  if (i >= 0 && static_cast<std::size_t>(i) < g.where.size()) {
    const location& at = g.where[static_cast<std::size_t>(i)];
    if (at.line > 0 && at.file[0]) return place_table{}.text(at);
  }
  return note && note->where.line > 0
             ? "; in the program" + place_table{}.text(note->where).substr(1)
             : "";
}
/// A value for messages: "exp (float32 of shape (3, 4))".
inline std::string value_title(std::string what, dtype type, const std::vector<index_t>& shape) {
  return std::move(what) + " (" + std::string(name(type)) + " of shape " +
         weft::to_text(shape.data(), static_cast<int>(shape.size())) + ")";
}
inline std::string node_title(const graph& g, int i, const std::vector<index_t>& shape) {
  const node& n = g.nodes[static_cast<std::size_t>(i)];
  return value_title(n.op == id_of<argument_> ? "argument " + std::to_string(n.at.v[0])
                                              : std::string(info(n.op).name),
                     n.type, shape);
}

inline bool is_nan(dtype t, const std::byte* at) {
  const long double v = number_at(t, at);
  return v != v;
}
/// The first NaN among the elements, or -1.
inline index_t first_nan(const dense_value& v) {
  if (!v.elements || !is_floating(v.type)) return -1;
  for (index_t k = 0; k < v.size(); ++k)
    if (is_nan(v.type, v.at(k))) return k;
  return -1;
}

/// Throws for the first node that has a NaN.
[[gnu::cold, gnu::noinline]] inline void check_for_nan(const graph& g, const program_note* note,
                                                       const argument_value* arguments,
                                                       const std::vector<index_t>& extents) {
  auto fail = [&](int i, index_t k, const std::vector<index_t>& shape) {
    throw value_error("weft: the first NaN is element " + std::to_string(k) + " of " +
                      node_title(g, i, shape) + place_of(g, i, note));
  };
  std::vector<dense_value> given = dense_arguments(g, arguments);
  if (runs_node_by_node(g)) {
    node_by_node(g, extents).run(std::move(given), [&](int i, const dense_value& v) {
      if (const index_t k = first_nan(v); k >= 0) fail(i, k, v.shape);
      return true;
    });
    return;
  }
  const auto values = reference_trace(g, reference_arguments(given));
  for (int i = 0; i < g.size(); ++i) {
    const reference_value& v = values[static_cast<std::size_t>(i)];
    for (index_t k = 0; is_floating(v.type) && k < v.size(); ++k)
      if (v[k] != v[k]) fail(i, k, v.shape);
  }
}

/// Calls f(access, loops, extents, strides) for the accesses of floats that a step writes, as long
/// as it returns true. False if it did not.
template <class F>
bool each_write(const finished_step& f, F&& each) {
  const plan_view& p = f.code.plan;
  const step& s = p.steps[f.number];
  auto write = [&](int a, int loops, const index_t* extent, const index_t* stride) {
    const access& x = p.accesses[s.first_access + a];
    if (x.buffer < 0 || !is_floating(p.buffers[x.buffer].type)) return true;
    return static_cast<bool>(each(a, loops, extent, stride));
  };
  const index_t one = 1;
  switch (s.kind) {
    case step_kind::kernel:
      for (int a = first_store(s, p.kernels); a < s.access_count; ++a)
        if (!write(a, s.loops(), f.extent, f.stride[a])) return false;
      return true;
    case step_kind::product:
      if (!write(2, s.rows + 2, f.extent, f.stride[2])) return false;
      for (int a = first_store(s, p.kernels); a < s.access_count; ++a)
        if (!write(a, s.rows + 2, f.extent, f.stride[a])) return false;
      return true;
    case step_kind::gather:
      return write(2, s.rank - 1 + s.index_rank, f.extent, f.stride[2]);
    case step_kind::scatter_add: {
      const index_t n = scattered_elements(s, f.extent);
      return write(2, 1, &n, &one);
    }
    case step_kind::sum_to:
      return write(1, s.rank, f.extent, f.stride[1]);
    case step_kind::control: {
      // What bodies write was checked in them.
      const control& c = p.controls[s.axis];
      if (c.host < 0) return true;
      for (int a = c.operands; a < s.access_count; ++a) {
        index_t n = 1;
        for (int d = 0; d < static_cast<int>(c.ranks >> 4 * a & 15); ++d) n *= f.stride[a][d];
        if (!write(a, 1, &n, &one)) return false;
      }
      return true;
    }
    default:
      return true;  // positions
  }
}
/// Calls each(type, address) for the floats that a step wrote, as long as it returns true. False if
/// it did not.
template <class F>
bool each_written(const finished_step& f, F&& each) {
  const plan_view& p = f.code.plan;
  return each_write(f, [&](int a, int loops, const index_t* extent, const index_t* stride) {
    const dtype type = p.buffers[p.accesses[p.steps[f.number].first_access + a].buffer].type;
    index_t count = 1, at[max_loops]{};
    for (int l = 0; l < loops; ++l) count *= extent[l] == 0 || stride[l] != 0 ? extent[l] : 1;
    for (index_t i = 0, offset = 0; i < count; ++i) {
      if (!each(type, f.base[a] + offset * size_of(type))) return false;
      for (int l = loops; l-- > 0;) {
        if (stride[l] == 0) continue;
        offset += stride[l];
        if (++at[l] < extent[l]) break;
        offset -= extent[l] * stride[l];
        at[l] = 0;
      }
    }
    return true;
  });
}

/// Watches a call: after each launch, what it wrote. Lives while the call runs, on its thread.
class nan_check {
 public:
  nan_check(const cpu_code& code, const graph& g, const argument_value* arguments,
            void* const* outputs, const device_call* on_device = nullptr)
      : on_device_(on_device),
        code_(code),
        g_(g),
        arguments_(arguments),
        outputs_(outputs),
        given_(dense_arguments(g, arguments)),
        outer_(current) {
    for (std::size_t k = 0; k < given_.size(); ++k)
      if (const index_t i = first_nan(given_[k]); i >= 0)
        throw value_error(
            "weft: the first NaN is element " + std::to_string(i) + " of " +
            value_title("argument " + std::to_string(k), given_[k].type, given_[k].shape) +
            place_of(g, -1, code.note));
    current = this;
  }
  ~nan_check() { current = outer_; }
  nan_check(const nan_check&) = delete;
  nan_check& operator=(const nan_check&) = delete;

  /// The check_of_steps.
  [[gnu::cold]] static void after(const finished_step& f) {
    if (!current) return;
    const bool clean = each_written(f, [](dtype t, const std::byte* at) { return !is_nan(t, at); });
    if (!clean) current->fail(f, &f.code == &current->code_);
  }

  /// The check_of_device_steps: the same of copies on the host.
  [[gnu::cold]] static void after_on_device(const finished_device_step& f) {
    if (!current) return;
    auto value = [&](index_t e) { return is_symbol(e) ? f.extents[symbol_number(e)] : e; };
    const step& s = f.p.steps[static_cast<std::size_t>(f.number)];
    cpu_code code{};
    code.plan = view_of(f.p);
    const auto count = static_cast<std::size_t>(s.access_count);
    const int loops = s.kind == step_kind::kernel ? s.loops() : max_loops;
    index_t extent[max_loops]{};
    std::unique_ptr<index_t[][max_loops]> stride(new index_t[count + 1][max_loops]());
    std::vector<std::vector<std::byte>> memory(count);
    std::vector<std::byte*> base(count + 1, nullptr);
    for (int l = 0; l < loops; ++l) extent[l] = value(s.extent[l]);
    for (std::size_t a = 0; a < count; ++a) {
      const access& x = f.p.accesses[static_cast<std::size_t>(s.first_access) + a];
      for (int l = 0; l < loops; ++l) stride[a][l] = value(x.stride[l]);
    }
    const finished_step on_host{code, f.number, extent, stride.get(), base.data(), nullptr};
    each_write(on_host, [&](int a, int l, const index_t* e, const index_t* by) {
      const auto k = static_cast<std::size_t>(a);
      const access& x = f.p.accesses[static_cast<std::size_t>(s.first_access) + k];
      const dtype type = f.p.buffers[static_cast<std::size_t>(x.buffer)].type;
      const byte_span span(nullptr, static_cast<std::size_t>(size_of(type)), e, by, l);
      if (span.first == span.past) return true;
      const auto from = static_cast<std::int64_t>(span.first);
      memory[k].resize(span.past - span.first);
      f.read(f.self, x, from, memory[k].size(), memory[k].data());
      base[k] = memory[k].data() - from;
      return true;
    });
    const bool clean =
        each_written(on_host, [](dtype t, const std::byte* at) { return !is_nan(t, at); });
    if (!clean) current->fail(on_host, !f.in_body);
  }
  /// The watch_of_device_calls.
  [[gnu::cold]] static void call_on_device(const device_call& c, void (*run)(const device_call&)) {
    const graph g = decoded_graph(c.program->graph);
    cpu_code code{};
    code.note = c.program->note;
    std::vector<argument_value> arguments(c.arguments, c.arguments + g.arguments);
    std::vector<std::vector<std::byte>> memory(arguments.size());
    for (const node& n : g.nodes) {
      if (n.op != id_of<argument_>) continue;
      const auto k = static_cast<std::size_t>(n.at.v[0]);
      argument_value& a = arguments[k];
      if (c.number_bytes[k]) continue;
      index_t shape[max_rank], stride[max_rank], count = 1;
      for (int d = n.shape.rank; d-- > 0;) {
        shape[d] = is_symbol(n.shape.d[d]) ? a.shape[d] : n.shape.d[d];
        stride[d] = n.at.v[1] ? a.stride[d] : count;
        count *= shape[d];
      }
      const byte_span span(a.data, static_cast<std::size_t>(size_of(n.type)), shape, stride,
                           n.shape.rank);
      if (span.first == span.past) continue;
      memory[k].resize(span.past - span.first);
      memory_of(c.where).to_host(c.where.index, memory[k].data(),
                                 reinterpret_cast<const void*>(span.first), memory[k].size());
      a.data = memory[k].data() + (reinterpret_cast<std::uintptr_t>(a.data) - span.first);
    }
    const nan_check check(code, g, arguments.data(), nullptr, &c);
    run(c);
  }

 private:
  [[noreturn]] void fail(const finished_step& f, bool own) const {
    std::string text;
    const graph* g = own ? &g_ : body_of(code_, g_, f.code);
    if (g) {
      std::vector<index_t> extents(g->extents.size() + 1);
      evaluate_extents<xsimd::default_arch>(g->extents.data(), static_cast<int>(g->extents.size()),
                                            arguments_, extents.data());
      text = origin(*g, extents, f, g == &g_ ? copied(given_) : body_arguments(*g, extents, f));
    }
    if (text.empty()) {
      const location where = f.code.plan.steps[f.number].where;
      text = "the first NaN is in what " + launch(f) + " writes" +
             (where.line > 0 ? place_table{}.text(where) : place_of(g_, -1, code_.note));
    }
    give_back();
    throw value_error("weft: " + text);
  }
  static std::string launch(const finished_step& f) {
    const step& s = f.code.plan.steps[f.number];
    std::string what = s.kind == step_kind::kernel ? "" : step_name(s.kind);
    if (s.kind == step_kind::control && f.code.plan.controls[s.axis].host >= 0) what = "host_call";
    if (s.kernel >= 0)
      what += (what.empty() ? "" : " + ") + kernel_name(f.code.plan.kernels[s.kernel]);
    return "launch " + std::to_string(f.number) + " (" + what + ")";
  }

  /// Goes into a launch, node by node: from a value that it stores and that has a NaN to the
  /// operands that it computes and that have one, too. Empty if no node of it has one.
  std::string origin(const graph& g, const std::vector<index_t>& extents, const finished_step& f,
                     std::vector<dense_value> given) const {
    const fusion_story story(g);
    if (static_cast<int>(story.p.steps.size()) != f.code.plan.step_count) return "";
    const auto values = node_by_node(g, extents).run(std::move(given));
    std::vector<index_t> first(values.size(), -1);  // element
    int found = -1;
    for (int i = 0; i < g.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      first[at] = first_nan(values[at]);
      if (first[at] >= 0 && story.launch_of(i) == f.number) found = i;
    }
    if (found < 0) return "";
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (int x : g.nodes[static_cast<std::size_t>(found)].in)
        if (x >= 0 && !deeper && first[static_cast<std::size_t>(x)] >= 0) found = x, deeper = true;
    }
    const std::string where = place_of(g, found, code_.note);
    return "the first NaN is element " + std::to_string(first[static_cast<std::size_t>(found)]) +
           " of " + node_title(g, found, values[static_cast<std::size_t>(found)].shape) + ", in " +
           launch(f) + where + (where.starts_with("; in") ? " (find_nan names the line)" : "");
  }

  /// The graph of a body by its code; null on a device.
  static const graph* body_of(const cpu_code& code, const graph& g, const cpu_code& wanted) {
    for (std::size_t k = 0; code.bodies && k < g.bodies.size(); ++k) {
      if (code.bodies[k] == &wanted) return &g.bodies[k];
      if (const graph* r = body_of(*code.bodies[k], g.bodies[k], wanted)) return r;
    }
    return nullptr;
  }
  /// A body knows addresses only.
  static std::vector<dense_value> body_arguments(const graph& g,
                                                 const std::vector<index_t>& extents,
                                                 const finished_step& f) {
    std::vector<shape_t<max_rank>> shapes(static_cast<std::size_t>(g.arguments));
    std::vector<argument_value> arguments(f.arguments, f.arguments + g.arguments);
    for (const node& n : g.nodes) {
      if (n.op != id_of<argument_>) continue;
      const auto k = static_cast<std::size_t>(n.at.v[0]);
      for (int d = 0; d < n.shape.rank; ++d) {
        const index_t e = n.shape.d[d];
        shapes[k][static_cast<std::size_t>(d)] =
            is_symbol(e) ? extents[static_cast<std::size_t>(symbol_number(e))] : e;
      }
      arguments[k].shape = shapes[k].data();
      arguments[k].stride = nullptr;
    }
    return dense_arguments(g, arguments.data());
  }
  static std::vector<dense_value> copied(const std::vector<dense_value>& from) {
    std::vector<dense_value> r;
    for (const dense_value& v : from) {
      r.emplace_back(v.type, v.shape);
      if (v.elements) std::memcpy(r.back().elements.get(), v.elements.get(), v.bytes());
    }
    return r;
  }
  /// Arguments that results are written over, as they were.
  void give_back() const {
    for (const node& n : g_.nodes) {
      if (n.op != id_of<argument_> || n.at.v[1]) continue;
      const auto k = static_cast<std::size_t>(n.at.v[0]);
      const dense_value& v = given_[k];
      for (std::size_t j = 0; j < g_.outputs.size() && v.bytes() > 0; ++j)
        if (!on_device_ && outputs_[j] == arguments_[k].data)
          std::memcpy(outputs_[j], v.elements.get(), v.bytes());
        else if (on_device_ && on_device_->results[j] == on_device_->arguments[k].data)
          memory_of(on_device_->where)
              .to_device(on_device_->where.index, on_device_->results[j], v.elements.get(),
                         v.bytes());
    }
  }

  inline static thread_local const nan_check* current = nullptr;
  const device_call* on_device_;
  const cpu_code& code_;
  const graph& g_;
  const argument_value* arguments_;
  void* const* outputs_;
  std::vector<dense_value> given_;
  const nan_check* outer_;
};

}  // namespace weft::detail
