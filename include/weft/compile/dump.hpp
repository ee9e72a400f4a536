// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/source.hpp>
#include <weft/graph/print.hpp>

#include <chrono>
#include <cstdio>
#include <source_location>

namespace weft {

/// A graph on its way through the passes: what was captured, then what each pass made of it, then
/// the plan. The passes are the ones that the C++ compiler ran, run once more; the times are those
/// of this run.
struct pass_dump {
  struct stage {
    std::string name;
    double microseconds = 0;
    bool changed = false;
    int nodes = 0;
    std::string text;  ///< the graph, or the plan's steps and kernels
  };
  std::vector<stage> stages;
};

/// The stages as text; without times it is the same in every run.
inline std::string to_text(const pass_dump& d, bool times = true) {
  std::string out;
  for (std::size_t i = 0; i < d.stages.size(); ++i) {
    const pass_dump::stage& s = d.stages[i];
    out += (i ? "\n== " : "== ") + s.name;
    if (s.nodes) out += ", " + std::to_string(s.nodes) + (s.nodes == 1 ? " node" : " nodes");
    if (!s.changed) out += ", nothing changed";
    if (times) {
      char text[40];
      std::snprintf(text, sizeof text, ", %.1f us", s.microseconds);
      out += text;
    }
    out += "\n";
    if (s.changed) out += s.text;
  }
  return out;
}

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const pass_dump& d) {
  const std::string s = to_text(d);
  return out.write(s.data(), static_cast<std::ptrdiff_t>(s.size()));
}

namespace detail {

inline bool same_graph(const graph& a, const graph& b) {
  return a.nodes == b.nodes && a.outputs == b.outputs;
}

template <class F>
double microseconds_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Gives nodes of an expression, which know only the step they come from, the places of its steps.
inline void name_places(graph& g, const std::source_location* steps) {
  auto resolve = [&](location& at) {
    if (steps && at.file[0] == 0 && at.line > 0)
      at = {steps[at.line - 1].file_name(), steps[at.line - 1].line()};
  };
  for (location& at : g.where) resolve(at);
  for (guard& c : g.guards) resolve(c.where);
}

/// Runs the pipeline on what `capture` gives and keeps every stage.
inline pass_dump dump_passes(graph (*capture)(), const std::source_location* steps) {
  pass_dump d;
  graph g;
  const double captured = microseconds_of([&] { g = capture(); });
  name_places(g, steps);
  d.stages.push_back({"captured", captured, true, g.size(), to_text(g)});
  for (const pass& p : pipeline) {
    if (p.for_control && !has_control(g)) continue;
    if (!g.error.empty()) return d;
    graph next;
    const double time = microseconds_of([&] { next = p.run(g); });
    d.stages.push_back(
        {std::string(p.name), time, !same_graph(g, next), next.size(), to_text(next)});
    g = std::move(next);
  }
  if (!g.error.empty()) return d;
  plan made;
  const double time = microseconds_of([&] { made = make_plan(g); });
  d.stages.push_back({"plan", time, true, 0, plan_source(view_of(made)).text});
  return d;
}

template <class Program, bool General = false>
pass_dump dump_passes(const std::source_location* steps = nullptr) {
  return dump_passes([] { return Program::source::build(General); }, steps);
}

}  // namespace detail

/// What the passes make of an expression, stage by stage. Runs the passes, not the expression.
template <auto R, class... L>
pass_dump dump_passes(const expr<R, L...>& e) {
  return detail::dump_passes<typename detail::program_of<expr<R, L...>>::type>(e.where);
}

}  // namespace weft
