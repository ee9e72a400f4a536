// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/compile.hpp>
#include <weft/compile/report.hpp>
#include <weft/compile/source_text.hpp>
#include <weft/graph/breaks.hpp>
#include <weft/graph/print.hpp>

namespace weft {
namespace detail {

/// What weft/debug.hpp adds: the nodes of a report, for drawings.
inline std::atomic<void (*)(const graph&, const index_t* extents, const place_table&,
                            weft::report&)>
    node_teller{nullptr};

/// Counts what a plan does once its extents are numbers.
class plan_counter {
 public:
  plan_counter(const plan_view& p, const graph& g, const argument_value* arguments,
               const place_table& places)
      : p_(p),
        g_(g),
        arguments_(arguments),
        extents_(static_cast<std::size_t>(p.extent_count) + 1),
        places_(places) {
    evaluate_extents<xsimd::default_arch>(p.extents, p.extent_count, arguments, extents_.data());
  }

  using workspace = std::size_t (*)(dtype, index_t, index_t, index_t);

  weft::report count(workspace product_workspace) const {
    weft::report r;
    r.optimised_nodes = nodes_of(g_);
    add_steps(r, 0, 1);
    r.arena_bytes = arena(product_workspace);
    for (const break_site& b : breaks_of(g_))
      r.breaks.push_back({b.kind, b.why, place_of(b.where), b.count});
    if (auto* tell = node_teller.load()) tell(g_, extents_.data(), places_, r);
    return r;
  }
  /// The nodes of a graph and of its bodies.
  static int nodes_of(const graph& g) {
    int n = g.size();
    for (const graph& body : g.bodies) n += nodes_of(body);
    return n;
  }

 private:
  /// A step is in the region of the one before it, or in the next if that was a break.
  static int region_of(const weft::report& r, std::size_t i) {
    return i == 0 ? 0 : r.steps[i - 1].region + r.steps[i - 1].is_break();
  }
  static void add_work(weft::report::step& r, const kernel& k) {
    for (int i = 0; i < k.size; ++i)
      if (is_work(k.nodes[i])) add_ops(r.work, std::string(info(k.nodes[i].op).name));
    for (int i = 0; i < k.store_count; ++i)
      if (k.stores[i].kind == store_kind::column)
        add_ops(r.work, std::string(info(k.stores[i].reduce).name));
  }
  void add_steps(weft::report& r, int depth, std::int64_t times) const {
    const int first_kernel = r.kernels;
    r.kernels += p_.kernel_count;
    for (int t = 0; t < p_.step_count; ++t) {
      const step& s = p_.steps[t];
      const bool control = s.kind == step_kind::control;
      r.steps.push_back(control ? control_of(s) : step_of(s));
      if (r.steps.back().kernel >= 0) r.steps.back().kernel += first_kernel;
      r.steps.back().depth = depth;
      r.steps.back().times = times;
      r.steps.back().region = region_of(r, r.steps.size() - 1);
      if (!control) continue;
      const weft::detail::control& c = p_.controls[s.axis];
      for (int k : c.body)
        if (k >= 0)
          body(k).add_steps(r, depth + 1, times * (c.op == id_of<scan_> ? value(c.steps) : 1));
    }
    for (int i = 0; i < g_.size(); ++i) r.bytes_unfused += unfused(i) * times;
  }
  plan_counter body(int k) const {
    return {view_of(p_.bodies[k]), g_.bodies[static_cast<std::size_t>(k)], arguments_, places_};
  }
  weft::report::step control_of(const step& s) const {
    const weft::detail::control& c = p_.controls[s.axis];
    weft::report::step r;
    r.kind = info(c.op).name;
    if (c.host >= 0) r.kind = "host_call";
    if (c.on_host) r.kind = "branch";
    if (!r.is_break()) add_ops(r.work, r.kind);
    if (c.op == id_of<scan_>) r.extents.push_back(value(c.steps));
    if (s.node >= 0 && s.node < g_.size())
      r.place = place_of(g_.where[static_cast<std::size_t>(s.node)]);
    return r;
  }

  index_t value(index_t e) const { return is_symbol(e) ? extents_[index_of_symbol(e)] : e; }
  static std::size_t index_of_symbol(index_t e) {
    return static_cast<std::size_t>(symbol_number(e));
  }
  index_t count_of(const shape_of& s) const {
    index_t n = 1;
    for (int i = 0; i < s.rank; ++i) n *= value(s.d[i]);
    return n;
  }
  const node& at(int i) const { return g_.nodes[static_cast<std::size_t>(i)]; }

  /// Elements that differ among those of a node's value: a broadcast repeats its operand's.
  index_t distinct(int i) const {
    const node& n = at(i);
    if (n.op == id_of<constant_> || n.op == id_of<iota_> || n.op == id_of<extent_>) return 0;
    if (info(n.op).kind != op_kind::view) return count_of(n.shape);
    const index_t inner = distinct(n.in[0]);
    return n.op == id_of<slice_> ? std::min(count_of(n.shape), inner) : inner;
  }
  index_t read_bytes(int i) const { return distinct(i) * size_of(at(i).type); }
  index_t unfused(int i) const {
    const node& n = at(i);
    const op_kind kind = info(n.op).kind;
    if (kind == op_kind::leaf || kind == op_kind::identity || kind == op_kind::view ||
        kind == op_kind::control)
      return 0;
    index_t bytes = count_of(n.shape) * size_of(n.type);
    for (int x : n.in) {
      if (x < 0) continue;
      // take reads the elements that it takes; sum_to only the shape of its second operand.
      if (n.op == id_of<sum_to_> && x == n.in[1]) continue;
      bytes += n.op == id_of<gather_> && x == n.in[0] ? count_of(n.shape) * size_of(n.type)
                                                      : read_bytes(x);
    }
    return bytes;
  }

  std::string place_of(const location& where) const {
    std::string s = places_.text(where);
    if (s.starts_with("; at ")) s.erase(0, 5);
    return s;
  }

  index_t access_bytes(const access& a, const step& s, int loops) const {
    if (a.buffer < 0) return 0;
    index_t n = 1;
    for (int l = 0; l < loops; ++l)
      n *= value(s.extent[l]) == 0 || value(a.stride[l]) != 0 ? value(s.extent[l]) : 1;
    return n * size_of(p_.buffers[a.buffer].type);
  }

  static index_t weight(op_id op) {
    if (info(op).kind != op_kind::pointwise || op == id_of<cast_> || op == id_of<where_>) return 0;
    return op == id_of<fma_> ? 2 : 1;
  }
  /// Arithmetic that a kernel does over so many rows of so many elements, work repeated in later
  /// passes included.
  static index_t kernel_ops(const kernel& k, index_t rows, index_t row) {
    index_t n = 0;
    for (int p = 0; p < k.phases; ++p) {
      const auto need = needs(k, p);
      for (int i = 0; i < k.size; ++i) {
        if (need.computed[i] && is_work(k.nodes[i])) n += weight(k.nodes[i].op) * rows * row;
        if (is_reduction(k.nodes[i].op) && k.nodes[i].phase == p + 1) n += rows * row;
      }
    }
    for (int i = 0; i < k.size; ++i)
      if (k.nodes[i].at == level::row && is_work(k.nodes[i])) n += weight(k.nodes[i].op) * rows;
    for (int s = 0; s < k.store_count; ++s)
      if (k.stores[s].kind == store_kind::column) n += rows * row;
    return n;
  }

  weft::report::step step_of(const step& s) const {
    weft::report::step r;
    r.kind = step_name(s.kind);
    r.kernel = s.kernel;
    // An encoded plan has no places; its graph does.
    if (s.node >= 0 && s.node < g_.size())
      r.place = place_of(g_.where[static_cast<std::size_t>(s.node)]);
    if (s.kind != step_kind::kernel) add_ops(r.work, r.kind);
    if (s.kernel >= 0) {
      r.name = kernel_name(p_.kernels[s.kernel]);
      add_work(r, p_.kernels[s.kernel]);
    }
    const int stores = first_store(s, p_.kernels);
    const access* a = p_.accesses + s.first_access;
    if (s.kind == step_kind::kernel || s.kind == step_kind::product) {
      const bool product = s.kind == step_kind::product;
      const int loops = product ? s.rows + 3 : s.loops();
      index_t rows = 1, row = 1;
      for (int l = 0; l < loops; ++l) {
        r.extents.push_back(value(s.extent[l]));
        (l < s.rows ? rows : row) *= value(s.extent[l]);
      }
      for (int i = 0; i < s.access_count; ++i) {
        const bool written = product ? i == 2 || i >= stores : i >= stores;
        (written ? r.bytes_written : r.bytes_read) += access_bytes(a[i], s, loops);
      }
      r.rows = s.rows;
      if (product) {
        r.ops = 2 * rows * row;
        const index_t k = value(s.extent[s.rows + 2]);
        if (s.kernel >= 0 && k > 0) r.ops += kernel_ops(p_.kernels[s.kernel], 1, rows * row / k);
      } else {
        const kernel& k = p_.kernels[s.kernel];
        for (int i = 0; i < k.size; ++i) r.reduces = r.reduces || is_reduction(k.nodes[i].op);
        r.ops = kernel_ops(k, rows, row);
      }
      return r;
    }
    const node& n = at(s.node);
    const index_t written = count_of(n.shape), read = distinct(n.in[0]);
    for (int d = 0; d < n.shape.rank; ++d) r.extents.push_back(value(n.shape.d[d]));
    r.bytes_written = written * size_of(n.type);
    r.bytes_read =
        s.kind == step_kind::gather ? written * size_of(n.type) : read * size_of(at(n.in[0]).type);
    if (s.kind == step_kind::gather || s.kind == step_kind::scatter_add)
      r.bytes_read += read_bytes(n.in[1]);
    if (s.kind != step_kind::gather) r.ops = read;
    return r;
  }

  /// What a call takes from the heap on its first run: the slots, and the scratch of the step that
  /// needs most.
  std::int64_t arena(workspace product_workspace) const {
    std::size_t bytes = 0, scratch = 0;
    for (int i = 0; i < p_.slot_count; ++i)
      bytes += rounded_up(static_cast<std::size_t>(value(p_.slots[i])));
    for (int t = 0; t < p_.step_count; ++t) {
      const step& s = p_.steps[t];
      std::size_t need = 0;
      if (s.kind == step_kind::product) {
        const index_t m = value(s.extent[s.rows]), n = value(s.extent[s.rows + 1]),
                      k = value(s.extent[s.rows + 2]);
        need = rounded_up(product_workspace(s.type, m, n, k));
        if (computed_in(s.type) != s.type) need += widened_bytes(m * k) + widened_bytes(k * n);
      } else if (s.kind == step_kind::kernel) {
        const index_t inner = value(s.extent[s.rows + s.segments]);
        index_t row = inner;
        for (int i = 0; i < s.segments; ++i) row *= value(s.extent[s.rows + i]);
        need = scratch_bytes(p_.kernels[s.kernel], row, inner);
      } else if (s.kind == step_kind::control) {
        const weft::detail::control& c = p_.controls[s.axis];
        for (int k : c.body)
          if (k >= 0)
            need = std::max(need, static_cast<std::size_t>(body(k).arena(product_workspace)));
        for (int k = 0; k < c.carries; ++k) {
          const access& a = p_.accesses[s.first_access + k];
          need += rounded_up(static_cast<std::size_t>(value(a.stride[0])) *
                             static_cast<std::size_t>(size_of(p_.buffers[a.buffer].type)));
        }
        need += 2 * rounded_up(1);
      }
      scratch = std::max(scratch, need);
    }
    return static_cast<std::int64_t>(bytes + scratch);
  }

  const plan_view p_;
  const graph& g_;
  const argument_value* arguments_;
  std::vector<index_t> extents_;
  const place_table& places_;
};

/// The report of one of a program's two plans. Captures the graph once more, at run time, to count
/// it.
template <class Program, bool General>
weft::report report_of_plan(const argument_value* arguments, const place_table& places) {
  using source = typename Program::source;
  const graph g = stages<source, General>::optimised_graph();
  weft::report r =
      plan_counter(view_of(stages<source, General>::compiled().p), g, arguments, places)
          .count(&product_bytes<xsimd::default_arch>);
  r.captured_nodes = plan_counter::nodes_of(source::build(General));
  r.general = General;
  r.broadcasts = Program::broadcasts_at_call;
  return r;
}

/// Whether arguments of these shapes need a program's general plan. Throws what a call would throw.
template <class Program>
bool needs_general(const argument_value* arguments, const place_table& places) {
  using A = xsimd::default_arch;
  using fast = typename Program::fast;
  const compiled_plan& c = fast::compiled();
  const int count = static_cast<int>(c.p.extents.size());
  std::vector<index_t> extents(static_cast<std::size_t>(count) + 1);
  evaluate_extents<A>(c.p.extents.data(), count, arguments, extents.data());
  const guard_result fits =
      check_guards<false, A>(c.facts, fast::texts.words, extents.data(), places);
  return fits == guard_result::general;
}

/// What a program becomes for arguments of these shapes (their data is not read).
template <class Program>
weft::report report_of_program(const argument_value* arguments, const place_table& places) {
  const bool general = needs_general<Program>(arguments, places);
  if constexpr (Program::broadcasts_at_call)
    if (general) return report_of_plan<Program, true>(arguments, places);
  return report_of_plan<Program, false>(arguments, places);
}

template <auto R, class... L>
auto arguments_of(const expr<R, L...>& e) {
  return std::apply(
      [](const auto&... l) {
        return std::array<argument_value, sizeof...(L) + 1>{
            argument_value{l.address(), l.shape.data(), l.stride.data()}...};
      },
      e.leaves);
}

/// Of a program in parts: shapes that follow from data are not known, and count as empty.
template <class Source, int... P>
weft::report report_of_parts(const argument_value* arguments, const place_table& places,
                             std::integer_sequence<int, P...>) {
  using table = part_table<Source>;
  const part_values<static_cast<std::size_t>(Source::count)> values(table::words, arguments);
  weft::report all;
  int part = 0, region = 0;
  auto add = [&](const weft::report& r) {
    all.captured_nodes += r.captured_nodes;
    all.optimised_nodes += r.optimised_nodes;
    const int first = all.kernels;
    all.kernels += r.kernels;
    const int first_node = static_cast<int>(all.nodes.size()), first_step = all.launches();
    for (weft::report::node n : r.nodes) {
      for (int& x : n.operands) x += first_node;
      if (n.step >= 0) n.step += first_step;
      all.nodes.push_back(std::move(n));
    }
    for (weft::report::step s : r.steps) {
      if (s.kernel >= 0) s.kernel += first;
      s.region += region;
      all.steps.push_back(s);
    }
    region += r.regions() - 1 + values.calls_after(part++);
    all.bytes_unfused += r.bytes_unfused;
    all.arena_bytes = std::max(all.arena_bytes, r.arena_bytes);
  };
  (add(report_of_program<program<part_source<Source, P>>>(values.arguments.data(), places)), ...);
  const graph g = Source::build(false);
  for (const break_site& b : breaks_of(g))
    all.breaks.push_back({b.kind, b.why, place_text({b.where.file, b.where.line, 0}), b.count});
  all.parts = static_cast<int>(sizeof...(P));
  return all;
}
template <class Program>
weft::report make_report(const argument_value* arguments, const place_table& places = {}) {
  if constexpr (Program::in_parts)
    return report_of_parts<typename Program::source>(
        arguments, places,
        std::make_integer_sequence<int, part_table<typename Program::source>::parts>{});
  else
    return report_of_program<Program>(arguments, places);
}

}  // namespace detail

/// What an expression becomes when it is evaluated: its kernels, the bytes they move, their
/// arithmetic. Runs nothing.
template <auto R, class... L>
report explain(const expr<R, L...>& e) {
  const auto arguments = detail::arguments_of(e);
  return detail::make_report<typename detail::program_of<expr<R, L...>>::type>(
      arguments.data(), detail::place_table{e.where});
}

/// What a compiled function becomes for example arguments, whose types choose the program and whose
/// shapes the numbers. Runs nothing but expressions among the arguments.
template <class F, class... X>
report explain(const compiled<F>&, const X&... x) {
  return [](const auto&... t) {
    using P = typename compiled<F>::template program<X...>;
    constexpr int count = (detail::count_of<std::remove_cvref_t<decltype(t)>>::value + ... + 0);
    detail::argument_list<static_cast<std::size_t>(count)> arguments;
    (arguments.add(t), ...);
    return detail::make_report<P>(arguments.value.data());
  }(detail::as_argument(x)...);
}

/// The same of a function that is not compiled yet.
template <class F, class... X>
  requires detail::stateless<F> &&(!detail::operand<F>)report explain(F f, const X&... x) {
    return explain(compile(f), x...);
  }

  /// What a training step becomes: `explain(train, model, x, y)`. Takes no step.
  template <class Trainer, class Model, class... X>
    requires requires(Trainer& t, const Model& m, const X&... x) {
      t.arguments(m, x...);
    }
  report explain(Trainer& train, const Model& model, const X&... x) {
    return [&](const auto&... t) {
      const auto arguments = train.arguments(model, t...);
      return detail::make_report<typename Trainer::template program<X...>>(arguments.value.data());
    }(detail::as_argument(x)...);
  }

}  // namespace weft
