// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace examples {

/// What a terminal can show. `detect` asks the system; tests give their own.
struct terminal {
  int columns = 80;
  bool unicode = true;
  bool colour = true;

  /// The terminal behind `out`, or nothing where it is a file, a pipe or a dumb terminal.
  static std::optional<terminal> detect(std::FILE* out) {
    const auto env = [](char const* name) {
      char const* value = std::getenv(name);
      return std::string_view(value ? value : "");
    };
    if (!isatty(fileno(out)) || env("TERM") == "dumb") return std::nullopt;
    terminal t;
    winsize size{};
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) t.columns = size.ws_col;
    std::string_view locale = env("LC_ALL");
    if (locale.empty()) locale = env("LC_CTYPE");
    if (locale.empty()) locale = env("LANG");
    t.unicode = locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
    t.colour = env("NO_COLOR").empty();
    return t;
  }
};

/// "12,345" of 12345.
inline std::string with_commas(std::int64_t value) {
  std::string text = std::to_string(value);
  const int first = value < 0 ? 1 : 0;
  for (int at = static_cast<int>(text.size()) - 3; at > first; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

/// "0.4 s", "12 s", "3 min 05 s" or "2 h 07 min" of a number of seconds.
inline std::string duration(double seconds) {
  char text[48];
  if (seconds < 9.95) {
    std::snprintf(text, sizeof text, "%.1f s", std::max(seconds, 0.0));
  } else if (seconds < 59.5) {
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  } else if (seconds < 3570) {
    const long whole = static_cast<long>(seconds + 0.5);
    std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
  } else {
    const long minutes = static_cast<long>(std::min(seconds, 3.6e9) / 60 + 0.5);
    std::snprintf(text, sizeof text, "%ld h %02ld min", minutes / 60, minutes % 60);
  }
  return text;
}

/// Characters of UTF-8 text, each taken as one column wide.
inline int columns_of(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

/// The first `columns` characters of UTF-8 text.
inline std::string_view first_columns(std::string_view text, int columns) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xC0u) != 0x80u;
    if (starts && --columns < 0) break;
  }
  return text.substr(0, end);
}

struct progress_options {
  std::int64_t every = 1;      ///< in a file or pipe: a line whenever a multiple of this is reached
  std::string unit = "steps";  ///< what is counted, for the rate
  std::FILE* out = stdout;
  std::optional<terminal> shown_on = terminal::detect(out);  ///< nothing: plain lines
  std::function<double()> now = [] {                         ///< seconds
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
};

/// A bar for long work. On a terminal it is one line, redrawn in place at most 20 times a second:
///     seed 2  ━━━━━━━━━━━━━────────  62%  12,345 steps/s  0.4 s left  loss 0.0123  accuracy 98.10%
/// In a file or pipe it is one plain line each `every` steps, without times, so that the output of
/// two equal runs is equal:
///     seed 2  1,200/6,000   20%  loss 0.0123  accuracy 98.10%
class progress {
 public:
  static constexpr double redraw_interval = 0.05;  // seconds

  explicit progress(std::int64_t total, std::string label = "", progress_options options = {})
      : total_(std::max<std::int64_t>(total, 0)),
        label_(std::move(label)),
        options_(std::move(options)),
        start_(options_.now()),
        rate_time_(start_) {
    if (options_.shown_on) draw(start_, false);
  }
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  ~progress() { finish(); }  // an exception leaves a whole line behind, too

  /// `done` of the total are done; `text` (a string, or a function returning one, which is called
  /// only where the line is drawn) is shown behind the bar.
  template <class Text>
  void update(std::int64_t done, Text&& text) {
    if (finished_) return;
    const std::int64_t before = done_;
    done_ = std::clamp<std::int64_t>(done, 0, total_);
    const bool last = done_ == total_ && before != total_;
    if (options_.shown_on) {
      const double time = options_.now();
      if (!last && time - drawn_ < redraw_interval) return;
      set_text(std::forward<Text>(text));
      draw(time, false);
    } else if (last || (options_.every > 0 && done_ / options_.every > before / options_.every)) {
      set_text(std::forward<Text>(text));
      write(plain_line());
    }
  }
  void update(std::int64_t done) {
    update(done, [this] { return text_; });
  }

  /// Draws the line for the last time, with the time taken, and ends it. Later calls do nothing.
  void finish() {
    if (finished_) return;
    finished_ = true;
    if (options_.shown_on) draw(options_.now(), true);
  }

  /// The line for a terminal at `time`, without escape codes for its place; for tests.
  std::string bar_line(double time, bool final) {
    const terminal t = options_.shown_on.value_or(terminal{});
    const double elapsed = time - start_;
    std::string facts = percent();
    const double rate = final && elapsed > 0 ? static_cast<double>(done_) / elapsed : rate_;
    if (rate > 0) facts += "  " + rate_text(rate) + " " + options_.unit + "/s";
    if (final) {
      facts += "  in " + duration(elapsed);
    } else if (rate > 0) {
      facts += "  " + duration(static_cast<double>(total_ - done_) / rate) + " left";
    }
    if (!text_.empty()) facts += "  " + text_;
    const std::string label = label_.empty() ? "" : label_ + "  ";

    // The last column stays free: some terminals wrap when it is written.
    const int room = std::max(t.columns - 1, 0);
    const int spare = room - columns_of(label) - columns_of(facts) - 2;
    if (spare < 4) return std::string(first_columns(label + facts, room));
    const int width = width_ = std::min(spare, width_);
    const double part = total_ > 0 ? static_cast<double>(done_) / static_cast<double>(total_) : 1;
    const int full = static_cast<int>(part * width);
    std::string bar;
    if (t.colour) bar += "\x1b[36m";
    for (int i = 0; i < full; ++i) bar += t.unicode ? "━" : "#";
    if (t.colour) bar += "\x1b[90m";
    for (int i = full; i < width; ++i) bar += t.unicode ? "─" : "-";
    if (t.colour) bar += "\x1b[0m";
    return label + bar + "  " + facts;
  }

  /// The line for a file or pipe; for tests.
  std::string plain_line() const {
    std::string line = label_.empty() ? "" : label_ + "  ";
    const std::string total = with_commas(total_), done = with_commas(done_);
    line += std::string(total.size() - std::min(done.size(), total.size()), ' ') + done + "/" +
            total + "  " + percent();
    if (!text_.empty()) line += "  " + text_;
    return line + "\n";
  }

 private:
  template <class Text>
  void set_text(Text&& text) {
    if constexpr (std::invocable<Text>) {
      text_ = std::forward<Text>(text)();
    } else {
      text_ = std::forward<Text>(text);
    }
    std::replace(text_.begin(), text_.end(), '\n', ' ');
  }

  std::string percent() const {
    // Rounded down, so that 100% means all.
    const double part =
        total_ > 0 ? static_cast<double>(done_) * 100 / static_cast<double>(total_) : 100;
    char text[16];
    std::snprintf(text, sizeof text, "%3d%%", static_cast<int>(part));
    return text;
  }

  static std::string rate_text(double rate) {
    if (rate >= 100) return with_commas(static_cast<std::int64_t>(std::min(rate, 1e18)));
    char text[32];
    std::snprintf(text, sizeof text, rate < 0.1 ? "%.3f" : "%.1f", rate);
    return text;
  }

  /// The rate follows the last seconds: each redraw moves it towards what happened since the one
  /// before, by the share of a second that has passed.
  void measure(double time) {
    const double passed = time - rate_time_;
    if (passed <= 0 || done_ < rate_done_) return;
    const double recent = static_cast<double>(done_ - rate_done_) / passed;
    rate_ = rate_ > 0 ? rate_ + (recent - rate_) * std::min(passed, 1.0) : recent;
    rate_time_ = time;
    rate_done_ = done_;
  }

  void draw(double time, bool final) {
    measure(time);
    drawn_ = time;
    // One write, which overwrites in place and clears only what is left over: nothing flickers.
    write("\r" + bar_line(time, final) + "\x1b[K" + (final ? "\n" : ""));
  }

  void write(std::string const& text) {
    std::fwrite(text.data(), 1, text.size(), options_.out);
    std::fflush(options_.out);
  }

  std::int64_t total_;
  std::string label_;
  progress_options options_;
  std::string text_;
  double start_;
  double rate_time_;
  std::int64_t rate_done_ = 0;
  double rate_ = 0;
  double drawn_ = 0;
  int width_ = 30;  // of the bar; it only shrinks, or it would twitch with the length of the text
  std::int64_t done_ = 0;
  bool finished_ = false;
};

}  // namespace examples
