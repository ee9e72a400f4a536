// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/trace.hpp>
#include <weft/plan/text.hpp>

// What logs and traces tell of a program on the CPU. Every program carries this code, so it is
// small; it runs while somebody watches.
namespace weft::detail {

/// A plan of a program, to those who tell of it.
struct program_note {
  const index_t* graph = nullptr;  ///< optimised, in words
  location where{};                ///< of its first result
  bool general = false;            ///< the plan that keeps broadcasts
};

/// Where a program was written: "life.cpp:10".
[[gnu::cold, gnu::noinline]] inline line_text program_name(const program_note* note) {
  line_text t;
  const char* const file = file_name(note ? note->where.file : "");
  if (*file)
    t.add("%s:%u", file, note->where.line);
  else
    t.add("an expression");
  return t;
}

/// A step with its extents as numbers.
struct step_text {
  line_text name, loops;
  long long read = 0, written = 0;  ///< bytes; each element once
};

[[gnu::cold, gnu::noinline]] inline step_text text_of_step(const plan_view& p, int number,
                                                           const index_t* extents) {
  auto value = [&](index_t e) { return is_symbol(e) ? extents[symbol_number(e)] : e; };
  const step& s = p.steps[number];
  step_text t;
  if (s.kind == step_kind::control) {
    const control& c = p.controls[s.axis];
    t.name.add("%.*s", static_cast<int>(info(c.op).name.size()), info(c.op).name.data());
    if (c.op == id_of<scan_>) t.loops.add("%lld steps", static_cast<long long>(value(c.steps)));
    return t;
  }
  if (s.kind != step_kind::kernel) t.name.add("%s%s", step_name(s.kind), s.kernel < 0 ? "" : " + ");
  if (s.kernel >= 0) add_kernel_name(t.name, p.kernels[s.kernel]);
  const bool product = s.kind == step_kind::product, indexed = !product && s.kernel < 0;
  const int loops = product ? s.rows + 3 : indexed ? s.rank : s.loops();
  bool reduces = false;
  if (s.kind == step_kind::kernel)
    for (const kernel_node& n : p.kernels[s.kernel].nodes) reduces = reduces || is_reduction(n.op);
  for (int l = 0; l < loops; ++l)
    t.loops.add("%s%s%lld", l ? " x " : "", reduces && l == s.rows ? "[" : "",
                static_cast<long long>(value(s.extent[l])));
  if (reduces) t.loops.add("]");
  if (indexed) return t;
  const int stores = first_store(s, p.kernels);
  for (int i = 0; i < s.access_count; ++i) {
    const access& a = p.accesses[s.first_access + i];
    if (a.buffer < 0) continue;
    long long n = size_of(p.buffers[a.buffer].type);
    for (int l = 0; l < loops; ++l)
      if (value(a.stride[l]) != 0 || value(s.extent[l]) == 0) n *= value(s.extent[l]);
    ((product && i == 2) || i >= stores ? t.written : t.read) += n;
  }
  return t;
}

/// A plan that has been bound to extents.
struct binding_story {
  const program_note* note = nullptr;
  const plan_view& plan;
  const index_t* extents = nullptr;
  const index_t* before = nullptr;  ///< the extents that it was bound to, if it was
  const int* threads = nullptr;     ///< by step
  std::size_t arena = 0, scratch = 0;
  std::int64_t nanoseconds = 0;
  const host_function* hosts = nullptr;  ///< that the program calls
};

/// The guard that sends a call to the general plan; the same one again is not told.
[[gnu::cold, gnu::noinline]] inline void tell_guard(const program_note& note,
                                                    const compiled_plan& fast,
                                                    const index_t* extents) {
  if (!logging::on(logging::topic::guards)) return;
  line_text sides[2];
  for (const guard& g : fast.facts.guards) {
    const index_t e[2]{g.a, g.b};
    index_t v[2];
    for (int i = 0; i < 2; ++i) v[i] = is_symbol(e[i]) ? extents[symbol_number(e[i])] : e[i];
    if (g.kind != guard_kind::broadcast || v[0] == v[1]) continue;
    for (int i = 0; i < 2; ++i) {
      if (is_symbol(e[i])) {
        const extent_expr& x = fast.p.extents.data()[symbol_number(e[i])];
        if (x.kind == extent_kind::argument)
          sides[i].add("a%d[%d] = ", static_cast<int>(x.a), static_cast<int>(x.b));
      }
      sides[i].add("%lld", static_cast<long long>(v[i]));
    }
    static std::atomic<std::uint64_t> told[64]{};
    const auto where = reinterpret_cast<std::uintptr_t>(&note) / sizeof(note) +
                       static_cast<std::uint64_t>(g.a) * 7 + static_cast<std::uint64_t>(g.b);
    const auto what =
        (where * 31 + static_cast<std::uint64_t>(v[0])) * 31 + static_cast<std::uint64_t>(v[1]) + 1;
    if (told[where % 64].exchange(what) == what) return;
    logging::line(logging::topic::guards, "%s: the general plan, since %s meets %s",
                  program_name(&note).text, sides[0].text, sides[1].text);
    return;
  }
}

/// What weft/debug.hpp adds: why nodes are in different kernels.
inline std::atomic<void (*)(const index_t* graph, const char* program)> fusion_teller{nullptr};

[[gnu::cold, gnu::noinline]] inline void tell_fusion(const binding_story& b, const char* name) {
  using logging::line, logging::topic;
  const plan_view& p = b.plan;
  line(topic::fusion, "%s: %d launches of %d kernels", name, p.step_count, p.kernel_count);
  auto* const tell = fusion_teller.load();
  if (tell && b.note) return tell(b.note->graph, name);
  for (int t = 0; t < p.step_count; ++t)
    line(topic::fusion, "%s: launch %d is %s", name, t, text_of_step(p, t, b.extents).name.text);
  if (p.step_count > 1)
    line(topic::fusion, "%s: why they are not one: include <weft/debug.hpp> in one source file",
         name);
}

[[gnu::cold, gnu::noinline]] inline void tell_memory(const binding_story& b, const char* name) {
  const plan_view& p = b.plan;
  std::int64_t bytes = 0;
  int values = 0;
  for (int i = 0; i < p.buffer_count; ++i) {
    const buffer& f = p.buffers[i];
    if (f.kind != buffer_kind::arena) continue;
    bytes += (is_symbol(f.count) ? b.extents[symbol_number(f.count)] : f.count) * size_of(f.type);
    ++values;
  }
  line_text t;
  t.add_bytes(static_cast<std::int64_t>(b.arena));
  t.add(" in %d slots for %d intermediate values of ", p.slot_count, values);
  t.add_bytes(bytes);
  t.add(", scratch ");
  t.add_bytes(static_cast<std::int64_t>(b.scratch));
  logging::line(logging::topic::memory, "%s: arena %s", name, t.text);
}

/// Where C++ code runs in the midst of a program, bodies included; how often it is called there.
[[gnu::cold, gnu::noinline]] inline int tell_breaks(const plan_view& p, const host_function* hosts,
                                                    const char* name) {
  int count = 0;
  for (int t = 0; t < p.step_count; ++t) {
    if (p.steps[t].kind != step_kind::control) continue;
    const control& c = p.controls[p.steps[t].axis];
    if (c.host >= 0) {
      const host_function& f = hosts[c.host];
      logging::line(logging::topic::graph_breaks, "%s: %s at %s:%u: %s", name, f.kind,
                    file_name(f.file), f.line, f.why);
    } else if (c.on_host) {
      logging::line(logging::topic::graph_breaks, "%s: branch: a condition is decided on the host",
                    name);
    }
    count += c.host >= 0 || c.on_host;
    for (int k : c.body)
      if (k >= 0) count += tell_breaks(view_of(p.bodies[k]), hosts, name);
  }
  return count;
}

/// The extents of arguments that differ: "a0[0] 32 -> 17".
[[gnu::cold, gnu::noinline]] inline line_text changed_extents(const binding_story& b) {
  line_text t;
  for (int i = 0; i < b.plan.extent_count; ++i) {
    const extent_expr& e = b.plan.extents[i];
    if (b.before[i] == b.extents[i]) continue;
    if (e.kind != extent_kind::argument && e.kind != extent_kind::stride) continue;
    t.add("%sa%d%s[%d] %lld -> %lld", t.size ? ", " : "", static_cast<int>(e.a),
          e.kind == extent_kind::stride ? ".step" : "", static_cast<int>(e.b),
          static_cast<long long>(b.before[i]), static_cast<long long>(b.extents[i]));
  }
  if (!t.size) t.add("another number of threads");
  return t;
}

[[gnu::cold, gnu::noinline]] inline void tell_binding(const binding_story& b) {
  using logging::line, logging::topic;
  const line_text text = program_name(b.note);
  const char* const name = text.text;
  const int us = static_cast<int>(b.nanoseconds / 1000);
  if (b.before) {
    line(topic::recompiles, "%s: %s: no recompilation, rebound in %d us", name,
         changed_extents(b).text, us);
  } else {
    if (!b.note || !b.note->general)
      line(topic::guards, "%s: the fast plan: dynamic extents that meet agree", name);
    line(topic::timing, "%s: compiled with the program, bound to its extents in %d us", name, us);
    if (logging::on(topic::graph_breaks))
      if (const int breaks = tell_breaks(b.plan, b.hosts, name))
        line(topic::graph_breaks, "%s: %d breaks, %d regions", name, breaks, breaks + 1);
    if (logging::on(topic::fusion)) tell_fusion(b, name);
  }
  if (logging::on(topic::kernels))
    for (int t = 0; t < b.plan.step_count; ++t) {
      const step_text s = text_of_step(b.plan, t, b.extents);
      line_text bytes;
      bytes.add(", reads ");
      bytes.add_bytes(s.read);
      bytes.add(", writes ");
      bytes.add_bytes(s.written);
      line(topic::kernels, "%s: launch %d: %s%s%s%s", name, t, s.name.text,
           s.loops.size ? " over " : "", s.loops.text, s.read || s.written ? bytes.text : "");
      if (b.threads[t] > 1)
        line(topic::kernels, "%s: launch %d: %d threads", name, t, b.threads[t]);
    }
  if (logging::on(topic::memory)) tell_memory(b, name);
}

/// The span of a step in a trace.
[[gnu::cold, gnu::noinline]] inline void tell_step(const plan_view& p, int number,
                                                   const index_t* extents, int threads,
                                                   std::int64_t start, std::int64_t end) {
  const step_text t = text_of_step(p, number, extents);
  trace_span s;
  std::snprintf(s.name, sizeof s.name, "%.99s", t.name.text);
  std::snprintf(s.details, sizeof s.details,
                "\"loops\": \"%.80s\", \"bytes_read\": %lld, \"bytes_written\": %lld, "
                "\"threads\": %d",
                t.loops.text, t.read, t.written, threads);
  s.category = "kernel";
  s.start = start;
  s.end = end;
  s.track = thread_track();
  add_span(s);
}

}  // namespace weft::detail
