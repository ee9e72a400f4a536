// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>
#include <weft/base/text.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// What happens while programs are made and run, one line an event: WEFT_LOG=fusion,memory in the
// environment, or weft::logging::set("fusion,memory").
namespace weft::logging {

/// What can be told. A topic is one bit, so that asking costs one relaxed load.
enum class topic : unsigned {
  graph_breaks = 1u << 0,  ///< where a captured function is cut into regions, and why
  fusion = 1u << 1,        ///< which nodes share a kernel, and why others do not
  kernels = 1u << 2,       ///< every launch: its loops, reads and writes
  recompiles = 1u << 3,    ///< extents that changed, and what was made for them
  guards = 1u << 4,        ///< which plan a call takes, and the guard that decided
  cache = 1u << 5,         ///< kernels that were found in memory, on disk or in the binary
  timing = 1u << 6,        ///< what a first call cost
  memory = 1u << 7,        ///< arenas: their bytes, slots and reuse
  tuning = 1u << 8         ///< every schedule that was measured
};

}  // namespace weft::logging

namespace weft::detail {

struct topic_row {
  logging::topic bit;
  const char *name, *what;
};
inline constexpr topic_row log_topics[]{
    {logging::topic::graph_breaks, "graph_breaks", "where a function is cut into regions, and why"},
    {logging::topic::fusion, "fusion", "which nodes share a kernel, and why others do not"},
    {logging::topic::kernels, "kernels", "every launch: loops, reads, writes"},
    {logging::topic::recompiles, "recompiles", "extents that changed, and what was made for them"},
    {logging::topic::guards, "guards", "which plan a call takes, and the guard that decided"},
    {logging::topic::cache, "cache", "kernels found in memory, on disk or in the binary"},
    {logging::topic::timing, "timing", "what a first call cost"},
    {logging::topic::memory, "memory", "arenas: bytes, slots, reuse"},
    {logging::topic::tuning, "tuning", "every schedule that was measured"}};

/// Who watches: a bit for each topic, and for traces. Bits of what the environment says are unknown
/// until somebody asks.
inline constexpr unsigned watch_log_unread = 1u << 31, watch_trace_unread = 1u << 30,
                          watch_trace = 1u << 29;
inline std::atomic<unsigned> watched{watch_log_unread | watch_trace_unread};

/// A lock for what is told, which is little and seldom.
struct told_lock {
  inline static std::atomic_flag taken = ATOMIC_FLAG_INIT;
  told_lock() {
    while (taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~told_lock() { taken.clear(std::memory_order_release); }
  told_lock(const told_lock&) = delete;
};

struct log_sink {
  void (*write)(std::string_view line, void* state) = nullptr;
  void* state = nullptr;
};
inline log_sink current_sink;

[[gnu::cold, gnu::noinline]] inline void write_log(const line_text& t) {
  const told_lock lock;
  if (current_sink.write)
    current_sink.write({t.text, static_cast<std::size_t>(t.size)}, current_sink.state);
  else
    std::fprintf(stderr, "%s\n", t.text);
}

/// The bits of a list of topics; a word that is no topic is told in `unknown`, and "help" is a bit
/// of its own.
inline constexpr unsigned help_bit = 1u << 28;
[[gnu::cold, gnu::noinline]] inline unsigned topic_bits(std::string_view list, line_text& unknown) {
  unsigned bits = 0;
  while (!list.empty()) {
    std::size_t end = 0;
    while (end < list.size() && list[end] != ',' && list[end] != ' ') ++end;
    const std::string_view word = list.substr(0, end);
    list.remove_prefix(end == list.size() ? end : end + 1);
    unsigned found = word.empty() || word == "none" ? help_bit << 1 : 0;
    for (const topic_row& t : log_topics)
      if (word == std::string_view(t.name) || word == "all") found |= static_cast<unsigned>(t.bit);
    if (word == "help") found = help_bit;
    if (!found)
      unknown.add("%s \"%.*s\"", unknown.size ? "," : "weft: WEFT_LOG: no topic is called",
                  static_cast<int>(word.size()), word.data());
    bits |= found & ~(help_bit << 1);
  }
  if (unknown.size)
    for (const topic_row& t : log_topics)
      unknown.add("%s %s", &t == log_topics ? "; there are" : ",", t.name);
  if (unknown.size) unknown.add(", and all, none and help");
  return bits;
}
[[gnu::cold, gnu::noinline]] inline void tell_topics() {
  line_text head;
  head.add("weft: topics of WEFT_LOG, a list with commas (all: every one of them):");
  write_log(head);
  for (const topic_row& t : log_topics) {
    line_text row;
    row.add("  %-14s%s", t.name, t.what);
    write_log(row);
  }
}

/// Reads WEFT_LOG, once.
[[gnu::cold, gnu::noinline]] inline void read_log_environment() {
  const char* list = std::getenv("WEFT_LOG");
  line_text unknown;
  const unsigned bits = list ? topic_bits(list, unknown) : 0;
  unsigned now = watched.load();
  while (now & watch_log_unread)
    if (watched.compare_exchange_weak(now, (now & ~watch_log_unread) | (bits & ~help_bit))) {
      if (bits & help_bit) tell_topics();
      if (unknown.size) write_log(unknown);
      return;
    }
}

}  // namespace weft::detail

namespace weft::logging {

/// Whether a topic is told: one relaxed load, once the environment has been read.
inline bool on(topic t) {
  if (detail::watched.load(std::memory_order_relaxed) & detail::watch_log_unread) [[unlikely]]
    detail::read_log_environment();
  return (detail::watched.load(std::memory_order_relaxed) & static_cast<unsigned>(t)) != 0;
}

/// Chooses the topics that are told from now on, in place of those in the environment:
/// "fusion,kernels", "all", "none". Throws value_error for a topic that does not exist.
inline void set(std::string_view list) {
  detail::line_text unknown;
  const unsigned bits = detail::topic_bits(list, unknown);
  if (unknown.size) throw value_error(unknown.text);
  constexpr unsigned others = detail::watch_trace_unread | detail::watch_trace;
  unsigned now = detail::watched.load();
  while (!detail::watched.compare_exchange_weak(now, (now & others) | (bits & ~detail::help_bit))) {
  }
  if (bits & detail::help_bit) detail::tell_topics();
}

/// Where lines go; a null pointer means stderr. One call a line, never two at once.
inline void to(void (*sink)(std::string_view line, void* state), void* state = nullptr) {
  const detail::told_lock lock;
  detail::current_sink = {sink, state};
}
/// The same for a function object, which has to live as long as lines may come.
template <class F>
  requires requires(F& f) {
    f(std::string_view{});
  }
void to(F& f) {
  to([](std::string_view line, void* state) { (*static_cast<F*>(state))(line); }, &f);
}

/// Tells one event as printf would, if its topic is on: "weft: fusion: text".
[[gnu::cold, gnu::noinline, gnu::format(printf, 2, 3)]] inline void line(topic t,
                                                                         const char* format, ...) {
  if (!on(t)) return;
  detail::line_text s;
  for (const detail::topic_row& row : detail::log_topics)
    if (row.bit == t) s.add("weft: %s: ", row.name);
  va_list values;
  va_start(values, format);
  const auto room = sizeof s.text - static_cast<std::size_t>(s.size);
  const int n = std::vsnprintf(s.text + s.size, room, format, values);
  va_end(values);
  s.size += n < 0 ? 0 : n < static_cast<int>(room) ? n : static_cast<int>(room) - 1;
  detail::write_log(s);
}

}  // namespace weft::logging
