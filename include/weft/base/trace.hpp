// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/log.hpp>
#include <weft/base/text.hpp>

#include <cstdint>
#include <vector>

#include <time.h>

// What ran when, as a Chrome trace: WEFT_TRACE=file.json in the environment, or
// weft::tracing::start("file.json"). The file opens in ui.perfetto.dev and chrome://tracing.
namespace weft::detail {

/// Nanoseconds of a clock that never goes back.
inline std::int64_t clock_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

struct trace_span {
  char name[100]{};
  char details[200]{};              ///< members of a JSON object
  const char* category = "";        ///< a literal
  std::int64_t start = 0, end = 0;  ///< nanoseconds
  int track = 0;
};

/// The spans of a trace that is being taken. Never destroyed: it is written when the process ends.
struct trace_record {
  static constexpr std::size_t most = std::size_t{1} << 20;
  char file[4096]{};
  std::vector<trace_span> spans;
  const char* tracks[32]{};  ///< names of those that are no threads, numbered from 1000; literals
  std::size_t dropped = 0;
  std::atomic<void (*)()>
      more[4]{};  ///< who has spans to add before the file is written: times of a device
};
[[gnu::cold, gnu::noinline]] inline trace_record& the_trace() {
  static auto* t = new trace_record;
  return *t;
}
[[gnu::cold, gnu::noinline]] inline int thread_track() {
  static std::atomic<int> threads{0};
  static thread_local int mine = 0;
  if (mine == 0) mine = ++threads;
  return mine;
}

[[gnu::cold, gnu::noinline]] inline void add_span(const trace_span& s) {
  const told_lock lock;
  trace_record& t = the_trace();
  if (t.spans.size() < trace_record::most)
    t.spans.push_back(s);
  else
    ++t.dropped;
}

[[gnu::cold, gnu::noinline]] inline void write_json(std::FILE* out, const char* key,
                                                    const char* value) {
  std::fprintf(out, ", \"%s\": \"", key);
  for (; *value; ++value) {
    if (*value == '"' || *value == '\\') std::fputc('\\', out);
    std::fputc(static_cast<unsigned char>(*value) < 0x20 ? ' ' : *value, out);
  }
  std::fputc('"', out);
}

[[gnu::cold, gnu::noinline]] inline void write_trace() {
  trace_record& t = the_trace();
  for (auto& each : t.more)
    if (auto* f = each.load()) f();
  const told_lock lock;
  if (!t.file[0]) return;
  std::FILE* const out = std::fopen(t.file, "w");
  if (!out) {
    std::fprintf(stderr, "weft: WEFT_TRACE: %s cannot be written\n", t.file);
    return;
  }
  std::fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", out);
  std::fputs(
      "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", "
      "\"args\": {\"name\": \"weft\"}}",
      out);
  for (int i = 0; i < 32; ++i)
    if (t.tracks[i])
      std::fprintf(out,
                   ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"name\": \"thread_name\", "
                   "\"args\": {\"name\": \"%s\"}}",
                   1000 + i, t.tracks[i]);
  std::int64_t zero = 0;
  for (const trace_span& s : t.spans) zero = zero == 0 || s.start < zero ? s.start : zero;
  for (const trace_span& s : t.spans) {
    std::fprintf(out, ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f",
                 s.track, static_cast<double>(s.start - zero) / 1e3,
                 static_cast<double>(s.end - s.start) / 1e3);
    write_json(out, "name", s.name);
    write_json(out, "cat", s.category);
    std::fprintf(out, ", \"args\": {%s}}", s.details);
  }
  std::fprintf(out, "\n], \"otherData\": {\"dropped\": \"%zu\"}}\n", t.dropped);
  std::fclose(out);
}

[[gnu::cold, gnu::noinline]] inline void start_trace(const char* file) {
  static bool at_exit = false;
  {
    const told_lock lock;
    trace_record& t = the_trace();
    if (!at_exit) at_exit = std::atexit([] { write_trace(); }) == 0;
    std::snprintf(t.file, sizeof t.file, "%s", file);
    t.spans.clear();
    t.dropped = 0;
  }
  watched.fetch_and(~watch_trace_unread);
  if (*file)
    watched.fetch_or(watch_trace);
  else
    watched.fetch_and(~watch_trace);
}

/// Reads WEFT_LOG and WEFT_TRACE; says who watches.
[[gnu::cold, gnu::noinline]] inline unsigned read_environment() {
  if (watched.load() & watch_log_unread) read_log_environment();
  if (watched.load() & watch_trace_unread) {
    const char* file = std::getenv("WEFT_TRACE");
    if (file && *file)
      start_trace(file);
    else
      watched.fetch_and(~watch_trace_unread);
  }
  return watched.load();
}

/// Topics and traces that are on: one relaxed load while none is.
inline unsigned watching() {
  const unsigned w = watched.load(std::memory_order_relaxed);
  if (w & (watch_log_unread | watch_trace_unread)) [[unlikely]]
    return read_environment();
  return w;
}
inline bool tracing_on() {
  constexpr unsigned any = watch_trace | watch_trace_unread | watch_log_unread;
  return (watched.load(std::memory_order_relaxed) & any) != 0 && (watching() & watch_trace) != 0;
}

/// A span from here to the end of its scope, if a trace is being taken: its name as printf has it.
class traced {
 public:
  template <class... X>
  explicit traced(const char* category, const char* format, X... x) {
    if (tracing_on()) [[unlikely]] {
      if constexpr (sizeof...(x) == 0)
        begin(category, "%s", format);
      else
        begin(category, format, x...);
    }
  }
  traced(const traced&) = delete;
  ~traced() {
    if (span_) [[unlikely]]
      end();
  }
  /// Details of the span, as JSON: "\"bytes\": 12".
  trace_span* operator->() { return span_; }
  explicit operator bool() const { return span_ != nullptr; }

 private:
  [[gnu::cold, gnu::noinline, gnu::format(printf, 3, 4)]] void begin(const char* category,
                                                                     const char* format, ...) {
    span_ = new trace_span;
    va_list values;
    va_start(values, format);
    std::vsnprintf(span_->name, sizeof span_->name, format, values);
    va_end(values);
    span_->category = category;
    span_->track = thread_track();
    span_->start = clock_nanoseconds();
  }
  [[gnu::cold, gnu::noinline]] void end() {
    span_->end = clock_nanoseconds();
    add_span(*span_);
    delete span_;
  }
  trace_span* span_ = nullptr;
};

}  // namespace weft::detail

namespace weft::tracing {

/// Records from now on, for this file: it is written by flush(), stop(), and at the process's end.
/// What an earlier start has recorded and not written is lost.
inline void start(const std::string& file) {
  detail::start_trace(file.c_str());
}
/// Writes what has been recorded so far; recording goes on.
inline void flush() {
  detail::write_trace();
}
/// Writes the file and records no more.
inline void stop() {
  detail::write_trace();
  detail::start_trace("");
}

}  // namespace weft::tracing
