// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/jit_program.hpp>
#include <weft/compile/stance_memory.hpp>
#include <weft/compile/stance_nan.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

// How all programs of a process run while something is wrong: a stance is set for a scope, or in
// the environment. It holds for every program on the CPU, in whatever source file it was compiled.
namespace weft {

enum class stance : std::uint8_t {
  compiled,     ///< as always
  reference,    ///< by the reference evaluator: plain loops, floats rounded at the end only
  unfused,      ///< node by node, each a kernel of its own
  interpreted,  ///< the same plans, their kernels op by op
};

struct stance_options {
  stance how = stance::compiled;
  /// Looks at what every kernel wrote when it has run: the first NaN is a value_error that names
  /// the launch, the op and its line. Arguments that the call has written to by then, parameters of
  /// a training step, get their old values back. On a GPU each launch is waited for. In other
  /// stances than `compiled`, every node is evaluated before the program runs.
  bool check_nan = false;
  /// Looks whether arguments and results are where they must be, and every step stays within its
  /// memory; throws value_error.
  bool check_memory = false;
  /// A pass that functions captured by jit leave out: "simplify", "contract".
  std::string_view without = {};

  constexpr stance_options() = default;
  constexpr stance_options(stance s) : how(s) {}
};

namespace detail {

struct stance_state {
  std::atomic<stance> how{stance::compiled};
  std::atomic<bool> check_nan{false}, check_memory{false};
  std::atomic<unsigned> without{0};
};
inline stance_state current_stance;

/// How many host functions a graph and its bodies refer to, by their highest number.
inline int host_count(const graph& g) {
  int count = 0;
  for (const node& n : g.nodes)
    if (n.op == id_of<host_>) count = std::max(count, static_cast<int>(n.at.v[0]) + 1);
  for (const graph& body : g.bodies) count = std::max(count, host_count(body));
  return count;
}

/// A program as stances know it.
struct watched_program {
  graph g;
  std::unique_ptr<interpreted_program> code;
};
/// Found by the words of its graph, which a program keeps while it can be called.
class watched_programs {
 public:
  static watched_program& of(const cpu_code& code) {
    static watched_programs all;
    const std::scoped_lock lock(all.mutex_);
    auto& p = all.known_[code.note->graph];
    if (!p) {
      p = std::make_unique<watched_program>();
      p->g = decoded_graph(code.note->graph);
      const int hosts = host_count(p->g);
      for (int k = 0; k < hosts; ++k) p->g.hosts.push_back(code.hosts[k]);
      p->code = interpreted(make_plan(p->g), code.note, code.hosts);
    }
    return *p;
  }

 private:
  std::mutex mutex_;
  std::map<const index_t*, std::unique_ptr<watched_program>> known_;
};

/// Calls within a call that was taken over run as they are.
inline thread_local bool in_stance = false;
struct stance_entered {
  stance_entered() { in_stance = true; }
  ~stance_entered() { leave(); }
  void leave() { in_stance = false; }
};

[[gnu::cold, gnu::noinline]] inline bool take_over(const cpu_code& code,
                                                   const argument_value* arguments,
                                                   void* const* outputs, const index_t* values,
                                                   const watched_call& as_it_is) {
  if (in_stance || !code.note || !code.note->graph) return false;
  stance_entered entered;
  const stance how = current_stance.how.load(std::memory_order_relaxed);
  const bool nan = current_stance.check_nan, memory = current_stance.check_memory;
  if (how == stance::compiled && !nan && !memory) return false;
  if (memory) check_memory(code, arguments, outputs, values);
  const bool own = code.interpreted && how == stance::interpreted;
  if (!nan && (how == stance::compiled || own)) return false;
  // A program that was captured at run time has its graph, and may end before others have its
  // words.
  watched_program fresh;
  watched_program* w = nullptr;
  const graph* g = code.source;
  if (!g) w = &watched_programs::of(code), g = &w->g;
  std::vector<index_t> extents(g->extents.size() + 1);
  evaluate_extents<xsimd::default_arch>(g->extents.data(), static_cast<int>(g->extents.size()),
                                        arguments, extents.data());
  if (nan && (how == stance::compiled || own)) {
    const nan_check check(code, *g, arguments, outputs);
    entered.leave();  // calls within this one are checked, too
    as_it_is.function(code, arguments, outputs, values, as_it_is.pool, true);
    return true;
  }
  if (nan) check_for_nan(*g, code.note, arguments, extents);
  if (how == stance::compiled || own) return false;
  if (how == stance::interpreted || (how == stance::unfused && !runs_node_by_node(*g))) {
    if (!w) return false;
    const auto& table = w->code->planned().extents;
    std::vector<index_t> of_plan(table.size() + 1);
    evaluate_extents<xsimd::default_arch>(table.data(), static_cast<int>(table.size()), arguments,
                                          of_plan.data());
    w->code->run(arguments, outputs, of_plan.data());
    return true;
  }
  std::vector<dense_value> given = dense_arguments(*g, arguments);
  if (how == stance::reference) {
    const auto results = reference_evaluate(*g, reference_arguments(given));
    for (std::size_t j = 0; j < results.size(); ++j)
      write_reference(results[j], static_cast<std::byte*>(outputs[j]));
    return true;
  }
  const auto computed = node_by_node(*g, extents).run(std::move(given));
  for (std::size_t j = 0; j < g->outputs.size(); ++j) {
    const dense_value& v = computed[static_cast<std::size_t>(g->outputs[j])];
    if (v.bytes() > 0) std::memcpy(outputs[j], v.elements.get(), v.bytes());
  }
  return true;
}

inline unsigned pass_bit(std::string_view name) {
  if (name.empty()) return 0;
  std::string names;
  unsigned bit = 1;
  for (const pass& p : pipeline) {
    if (p.name == name) return bit;
    names += (names.empty() ? "" : ", ") + std::string(p.name);
    bit <<= 1;
  }
  throw value_error("weft: no pass is called \"" + std::string(name) + "\"; there are " + names);
}

}  // namespace detail

/// Sets how programs run from now on, on all threads.
inline void set_stance(const stance_options& o) {
  using namespace detail;
  const unsigned without = pass_bit(o.without);
  current_stance.how = o.how;
  current_stance.check_nan = o.check_nan;
  current_stance.check_memory = o.check_memory;
  left_out_passes = without;
  check_of_device_steps.store(o.check_nan ? &nan_check::after_on_device : nullptr);
  watch_of_device_calls.store(o.check_nan ? &nan_check::call_on_device : nullptr);
  check_of_steps.store(o.check_nan ? &nan_check::after : nullptr, std::memory_order_release);
  const bool any = o.how != stance::compiled || o.check_nan || o.check_memory;
  hand_over.store(any ? &take_over : nullptr, std::memory_order_release);
}
/// The stance that is set. Of passes the first that is left out is named.
inline stance_options current_stance_options() {
  stance_options o;
  o.how = detail::current_stance.how;
  o.check_nan = detail::current_stance.check_nan;
  o.check_memory = detail::current_stance.check_memory;
  unsigned bit = 1;
  for (const detail::pass& p : detail::pipeline) {
    if (detail::left_out_passes & bit) o.without = p.name;
    bit <<= 1;
  }
  return o;
}

/// A stance for the length of a scope.
class stance_scope {
 public:
  explicit stance_scope(const stance_options& o) : before_(current_stance_options()) {
    set_stance(o);
  }
  ~stance_scope() { set_stance(before_); }
  stance_scope(const stance_scope&) = delete;
  stance_scope& operator=(const stance_scope&) = delete;

 private:
  stance_options before_;
};

namespace detail {

/// WEFT_STANCE=reference, unfused, interpreted, compiled or without=PASS; WEFT_CHECK=nan,memory.
inline stance_options stance_of_environment(const char* how, const char* checks) {
  stance_options o;
  auto each = [](std::string_view list, auto&& f) {
    while (!list.empty()) {
      const std::size_t end = std::min(list.find(','), list.size());
      if (end > 0) f(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  };
  each(how ? how : "", [&](std::string_view word) {
    if (word == "reference")
      o.how = stance::reference;
    else if (word == "unfused")
      o.how = stance::unfused;
    else if (word == "interpreted")
      o.how = stance::interpreted;
    else if (word.substr(0, 8) == "without=")
      o.without = word.substr(8);
    else if (word != "compiled")
      throw value_error("weft: WEFT_STANCE: \"" + std::string(word) +
                        "\" is none of compiled, reference, unfused, interpreted, without=PASS");
  });
  each(checks ? checks : "", [&](std::string_view word) {
    if (word == "nan")
      o.check_nan = true;
    else if (word == "memory")
      o.check_memory = true;
    else
      throw value_error("weft: WEFT_CHECK: \"" + std::string(word) + "\" is none of nan, memory");
  });
  return o;
}

/// Takes the environment's stance where a source file of the program includes this header.
inline const bool stance_installed = [] {
  knows_stances = true;
  const char *how = std::getenv("WEFT_STANCE"), *checks = std::getenv("WEFT_CHECK");
  if (!how && !checks) return true;
  try {
    set_stance(stance_of_environment(how, checks));
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  return true;
}();

}  // namespace detail
}  // namespace weft
