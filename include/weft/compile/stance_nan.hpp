// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/fusion_story.hpp>
#include <weft/compile/stance_nodes.hpp>
#include <weft/cpu/hand_over.hpp>

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
/// What a node is, for messages: "exp of shape (3, 4)".
inline std::string node_title(const graph& g, int i, const std::vector<index_t>& shape) {
  const node& n = g.nodes[static_cast<std::size_t>(i)];
  std::string s = n.op == id_of<argument_> ? "argument " + std::to_string(n.at.v[0])
                                           : std::string(info(n.op).name);
  return s + " (" + std::string(name(n.type)) + " of shape " +
         weft::to_text(shape.data(), static_cast<int>(shape.size())) + ")";
}

/// Throws for the first node that has a NaN.
[[gnu::cold, gnu::noinline]] inline void check_for_nan(const graph& g, const program_note* note,
                                                       const argument_value* arguments,
                                                       const std::vector<index_t>& extents) {
  auto check = [&](int i, const auto& shape, auto&& element, index_t size) {
    for (index_t k = 0; k < size; ++k)
      if (const long double v = element(k); v != v)
        throw value_error("weft: the first NaN is element " + std::to_string(k) + " of " +
                          node_title(g, i, shape) + place_of(g, i, note));
  };
  std::vector<dense_value> given = dense_arguments(g, arguments);
  if (runs_node_by_node(g)) {
    node_by_node(g, extents).run(std::move(given), [&](int i, const dense_value& v) {
      if (is_floating(v.type))
        check(
            i, v.shape, [&](index_t k) { return number_at(v.type, v.at(k)); }, v.size());
      return true;
    });
    return;
  }
  const auto values = reference_trace(g, reference_arguments(given));
  for (int i = 0; i < g.size(); ++i) {
    const reference_value& v = values[static_cast<std::size_t>(i)];
    if (is_floating(v.type))
      check(
          i, v.shape, [&](index_t k) { return v[k]; }, v.size());
  }
}

/// Calls each(type, address) for the floats that a step wrote, as long as it returns true. False if
/// it did not.
template <class F>
bool each_written(const finished_step& f, F&& each) {
  const plan_view& p = f.code.plan;
  const step& s = p.steps[f.number];
  auto walk = [&](int a, int loops, const index_t* extent, const index_t* stride) {
    const access& x = p.accesses[s.first_access + a];
    if (x.buffer < 0 || !is_floating(p.buffers[x.buffer].type)) return true;
    const dtype type = p.buffers[x.buffer].type;
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
  };
  const index_t one = 1;
  switch (s.kind) {
    case step_kind::kernel:
      for (int a = first_store(s, p.kernels); a < s.access_count; ++a)
        if (!walk(a, s.loops(), f.extent, f.stride[a])) return false;
      return true;
    case step_kind::product:
      if (!walk(2, s.rows + 2, f.extent, f.stride[2])) return false;
      for (int a = first_store(s, p.kernels); a < s.access_count; ++a)
        if (!walk(a, s.rows + 2, f.extent, f.stride[a])) return false;
      return true;
    case step_kind::gather:
      return walk(2, s.rank - 1 + s.index_rank, f.extent, f.stride[2]);
    case step_kind::scatter_add: {
      const index_t n = scattered_elements(s, f.extent);
      return walk(2, 1, &n, &one);
    }
    case step_kind::sum_to:
      return walk(1, s.rank, f.extent, f.stride[1]);
    case step_kind::control: {
      // What bodies write was checked in them.
      const control& c = p.controls[s.axis];
      if (c.host < 0) return true;
      for (int a = c.operands; a < s.access_count; ++a) {
        index_t n = 1;
        for (int d = 0; d < static_cast<int>(c.ranks >> 4 * a & 15); ++d) n *= f.stride[a][d];
        if (!walk(a, 1, &n, &one)) return false;
      }
      return true;
    }
    default:
      return true;  // positions
  }
}

/// Watches a call: after each launch, what it wrote. Lives while the call runs, on its thread.
class nan_check {
 public:
  nan_check(const cpu_code& code, const graph& g, const argument_value* arguments,
            void* const* outputs)
      : code_(code),
        g_(g),
        arguments_(arguments),
        outputs_(outputs),
        given_(dense_arguments(g, arguments)),
        outer_(current) {
    for (std::size_t k = 0; k < given_.size(); ++k) {
      const dense_value& v = given_[k];
      if (!is_floating(v.type)) continue;
      for (index_t i = 0; i < v.size(); ++i)
        if (is_nan(v.type, v.at(i)))
          throw value_error(
              "weft: the first NaN is element " + std::to_string(i) + " of argument " +
              std::to_string(k) + " (" + std::string(name(v.type)) + " of shape " +
              weft::to_text(v.shape.data(), static_cast<int>(v.shape.size())) + ")" +
              (code.note && code.note->where.line > 0
                   ? "; in the program" + place_table{}.text(code.note->where).substr(1)
                   : ""));
    }
    current = this;
  }
  ~nan_check() { current = outer_; }
  nan_check(const nan_check&) = delete;
  nan_check& operator=(const nan_check&) = delete;

  /// The check_of_steps.
  [[gnu::cold]] static void after(const finished_step& f) {
    if (!current) return;
    const bool clean = each_written(f, [](dtype t, const std::byte* at) { return !is_nan(t, at); });
    if (!clean) current->fail(f);
  }

 private:
  static bool is_nan(dtype t, const std::byte* at) {
    const long double v = number_at(t, at);
    return v != v;
  }

  [[noreturn]] void fail(const finished_step& f) const {
    std::string text;
    const graph* g = &f.code == &code_ ? &g_ : body_of(code_, g_, f.code);
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
      const dense_value& v = values[static_cast<std::size_t>(i)];
      if (!v.elements || !is_floating(v.type)) continue;
      for (index_t k = 0; k < v.size() && first[static_cast<std::size_t>(i)] < 0; ++k)
        if (is_nan(v.type, v.at(k))) first[static_cast<std::size_t>(i)] = k;
      if (first[static_cast<std::size_t>(i)] >= 0 && story.launch_of(i) == f.number) found = i;
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

  /// The graph of a body by its code.
  static const graph* body_of(const cpu_code& code, const graph& g, const cpu_code& wanted) {
    for (std::size_t k = 0; k < g.bodies.size(); ++k) {
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
      if (n.op != id_of<argument_>) continue;
      const auto k = static_cast<std::size_t>(n.at.v[0]);
      for (std::size_t j = 0; j < g_.outputs.size(); ++j)
        if (outputs_[j] == arguments_[k].data && !n.at.v[1] && given_[k].bytes() > 0)
          std::memcpy(outputs_[j], given_[k].elements.get(), given_[k].bytes());
    }
  }

  inline static thread_local const nan_check* current = nullptr;
  const cpu_code& code_;
  const graph& g_;
  const argument_value* arguments_;
  void* const* outputs_;
  std::vector<dense_value> given_;
  const nan_check* outer_;
};

}  // namespace weft::detail
