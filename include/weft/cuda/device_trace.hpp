// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/trace.hpp>
#include <weft/cuda/stream.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// When kernels ran on a GPU, for a trace: events between them, read when they have been reached.
namespace weft::detail::cuda {

class device_trace {
 public:
  /// The trace of all devices; never destroyed.
  static device_trace& all() {
    static auto* const it = [] {
      the_trace().more[0] = [] { all().collect(true); };
      return new device_trace;
    }();
    return *it;
  }

  /// A call's launches, one event after each.
  struct call {
    const stream* on;
    int track;
    std::vector<event> events;  ///< one more than names
    std::vector<std::string> names;
  };

  call begin(const context& on, const stream& s, int device) {
    call c{&s, 1000 + device % 32, {}, {}};
    mark(on, c);
    const std::scoped_lock lock(mutex_);
    base_of(on, s, c.track);
    return c;
  }
  static void launched(const context& on, call& c, const std::string& name) {
    c.names.push_back(name);
    mark(on, c);
  }
  void end(call c) {
    {
      const std::scoped_lock lock(mutex_);
      if (waiting_.size() < most) waiting_.push_back(std::move(c));
    }
    collect(false);
  }

 private:
  static constexpr std::size_t most = 4096;
  /// A point that the device reached at a known time of the host.
  struct base {
    int track;
    event at;
    std::int64_t host;
  };

  static void mark(const context& on, call& c) {
    c.events.emplace_back(on, event::use::timing);
    c.events.back().record(c.on->get());
  }
  const base& base_of(const context& on, const stream& s, int track) {
    for (const base& b : bases_)
      if (b.track == track) return b;
    event now(on, event::use::timing);
    now.record(s.get());
    now.synchronize();
    static const char* const names[]{"GPU 0", "GPU 1", "GPU 2", "GPU 3",
                                     "GPU 4", "GPU 5", "GPU 6", "GPU 7"};
    if (track < 1008) {
      const told_lock told;
      the_trace().tracks[track - 1000] = names[track - 1000];
    }
    bases_.push_back({track, std::move(now), clock_nanoseconds()});
    return bases_.back();
  }

  /// Adds the spans of calls that the device has finished; of all of them, if they are waited for.
  /// At the end of the process there may be no driver left to ask.
  void collect(bool wait) try {
    const std::scoped_lock lock(mutex_);
    while (!waiting_.empty()) {
      const call& c = waiting_.front();
      if (wait)
        c.events.back().synchronize("wait for a trace");
      else if (!c.events.back().reached())
        return;
      const base* from = nullptr;
      for (const base& b : bases_)
        if (b.track == c.track) from = &b;
      auto time = [](float milliseconds) {
        return static_cast<std::int64_t>(1e6 * static_cast<double>(milliseconds));
      };
      const std::int64_t first = from->host + time(c.events[0].milliseconds_since(from->at));
      for (std::size_t i = 0; i < c.names.size(); ++i) {
        trace_span s;
        std::snprintf(s.name, sizeof s.name, "%.99s", c.names[i].c_str());
        s.category = "device";
        s.track = c.track;
        s.start = first + time(c.events[i].milliseconds_since(c.events[0]));
        s.end = first + time(c.events[i + 1].milliseconds_since(c.events[0]));
        add_span(s);
      }
      waiting_.pop_front();
    }
  } catch (const error&) {
  }

  std::mutex mutex_;
  std::deque<call> waiting_;
  std::vector<base> bases_;
};

}  // namespace weft::detail::cuda
