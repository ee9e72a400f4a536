// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/executable.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// What the first call of a program cost, as text and on stderr.
namespace weft::detail::cuda {

/// Whether the environment's WEFT_LOG, a list with commas, names a topic.
inline bool logs(std::string_view topic) {
  const char* all = std::getenv("WEFT_LOG");
  std::string_view rest = all ? all : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) == topic) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

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
       milliseconds_text(cost.making) + "\n";
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

/// WEFT_LOG=timing: tells on stderr what a new executable cost.
inline void log_first_call(const executable& e, const gpu& on, const first_call& cost) {
  if (!logs("timing")) return;
  const std::string text = "weft: a program was made: " + report_of(e, on, cost);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace weft::detail::cuda
