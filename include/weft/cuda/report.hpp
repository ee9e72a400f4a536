// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/executable.hpp>
#include <weft/plan/tell.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// What the first call of a program cost, as text and on stderr.
namespace weft::detail::cuda {

/// Milliseconds since a clock was started.
class stopwatch {
 public:
  double milliseconds() const {
    const std::chrono::duration<double, std::milli> t = std::chrono::steady_clock::now() - start_;
    return t.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline std::string milliseconds_text(double t) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f ms", t);
  return text;
}

/// What was done before a program's first launch. Capture and gradients cost nothing then: the C++
/// compiler did them.
struct first_call {
  double planning = 0;  ///< milliseconds
  double making = 0;    ///< kernels emitted, compiled and loaded, products chosen
};

inline std::string report_of(const executable& e, const gpu& on, const first_call& cost) {
  std::string s = std::to_string(e.launch_count()) + " launches, " + bytes_text(e.arena_bytes()) +
                  " of memory a call, on " + on.title() + "\n";
  s += "planned in " + milliseconds_text(cost.planning) + ", emitted, compiled and loaded in " +
       milliseconds_text(cost.making) + "\n" + e.graph_text();
  for (const kernel_report& r : e.reports()) {
    using origin = kernel_report::origin;
    s += "  " + r.name + ": ";
    if (r.from == origin::compiled) s += "compiled in " + milliseconds_text(r.compile_milliseconds);
    if (r.from == origin::disk) s += "from the disk in " + milliseconds_text(r.disk_milliseconds);
    if (r.from == origin::binary) s += "from the binary";
    if (r.from == origin::memory) s += "in memory already";
    s += ", loaded in " + milliseconds_text(r.load_milliseconds) + ", " +
         std::to_string(r.registers) + " registers";
    if (r.local_bytes) s += ", " + std::to_string(r.local_bytes) + " bytes spilled";
    s += "\n";
  }
  return s;
}

/// Tells what a new executable became and cost, line by line.
inline void log_first_call(const executable& e, const gpu& on, const first_call& cost,
                           const program_note* note) {
  using logging::line, logging::topic;
  if (!watching()) return;
  const line_text program = program_name(note);
  const std::string text = report_of(e, on, cost);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    line(topic::timing, "%s: %.*s", program.text, static_cast<int>(end - at), text.data() + at);
    at = end + 1;
  }
  for (const kernel_report& r : e.reports()) {
    using origin = kernel_report::origin;
    const char* from = r.from == origin::compiled ? "compiled, now on the disk"
                       : r.from == origin::disk   ? "found on the disk"
                       : r.from == origin::binary ? "found in the binary"
                                                  : "in memory already";
    line(topic::cache, "%s: %s: %s", program.text, r.name.c_str(), from);
    line(topic::kernels, "%s: %s: %d registers, %d bytes of shared memory", program.text,
         r.name.c_str(), r.registers, r.shared_bytes);
  }
  std::string graph = e.graph_text();
  if (!graph.empty()) {
    graph.pop_back();
    line(topic::kernels, "%s: %s", program.text, graph.c_str());
  }
  line(topic::memory, "%s: %s for each call on %s", program.text,
       bytes_text(e.arena_bytes()).c_str(), on.title().c_str());
}
/// Tells how a program is divided into launches, when it is planned.
inline void log_plan(const plan& p, const index_t* graph, const program_note* note) {
  using logging::line, logging::topic;
  if (!logging::on(topic::fusion)) return;
  const line_text program = program_name(note);
  if (auto* const tell = fusion_teller.load()) return tell(graph, program.text);
  int number = 0;
  for (const step& s : p.steps) {
    line_text name;
    if (s.kind != step_kind::kernel) name.add("%s%s", step_name(s.kind), s.kernel < 0 ? "" : " + ");
    if (s.kernel >= 0) add_kernel_name(name, p.kernels[static_cast<std::size_t>(s.kernel)]);
    line(topic::fusion, "%s: launch %d is %s", program.text, number++, name.text);
  }
}

}  // namespace weft::detail::cuda
