// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "../../examples/common/progress.hpp"

namespace {

/// A file in memory's stead, and a clock that the test moves.
struct recorder {
  std::FILE* file = std::tmpfile();
  double time = 100;
  ~recorder() { std::fclose(file); }

  examples::progress_options plain(std::int64_t every) {
    return {.every = every, .out = file, .now = [this] { return time; }};
  }
  examples::progress_options on(examples::terminal t) {
    return {.out = file, .shown_on = t, .now = [this] { return time; }};
  }
  std::string text() {
    std::string all;
    std::rewind(file);
    for (int c; (c = std::fgetc(file)) != EOF;) all += static_cast<char>(c);
    return all;
  }
};

int count(std::string const& text, char c) {
  int n = 0;
  for (char t : text) n += t == c;
  return n;
}

constexpr examples::terminal ascii{.columns = 80, .unicode = false, .colour = false};

}  // namespace

TEST_CASE("progress: a pipe gets one plain line each `every` steps, without times") {
  recorder r;
  {
    examples::progress bar(2500, "seed 0", r.plain(1000));
    for (int i = 1; i <= 2500; ++i) {
      r.time += 1;
      bar.update(i, [&] { return "loss " + std::to_string(i); });
    }
    bar.finish();
  }
  CHECK(r.text() ==
        "seed 0  1,000/2,500   40%  loss 1000\n"
        "seed 0  2,000/2,500   80%  loss 2000\n"
        "seed 0  2,500/2,500  100%  loss 2500\n");
}

TEST_CASE("progress: the text is computed only where it is drawn") {
  recorder r;
  int calls = 0;
  examples::progress bar(1000, "", r.on(ascii));
  for (int i = 1; i <= 999; ++i) {
    r.time += 0.001;  // a second in all
    bar.update(i, [&] { return ++calls, std::string("x"); });
  }
  CHECK(calls <= 20);
  CHECK(calls >= 15);
  bar.update(1000, [&] { return ++calls, std::string("the last"); });
  bar.finish();
  CHECK(count(r.text(), '\r') == calls + 2);  // the first and the final line
  CHECK(count(r.text(), '\n') == 1);
  CHECK(r.text().back() == '\n');
  CHECK(r.text().find("the last", r.text().rfind('\r')) != std::string::npos);
}

TEST_CASE("progress: the bar line") {
  recorder r;
  examples::progress bar(200, "train", r.on(ascii));
  CHECK(bar.bar_line(r.time, false) == "train  ------------------------------    0%");
  r.time += 2;
  bar.update(50, "loss 0.5");
  const std::string line = bar.bar_line(r.time, false);
  CHECK(line.find("  25%  25.0 steps/s  6.0 s left  loss 0.5") != std::string::npos);
  CHECK(count(line, '#') == 7);  // a quarter of 29
  CHECK(line.size() == 79);
  r.time += 8;
  bar.update(200, "loss 0.1");
  CHECK(bar.bar_line(r.time, true).find("100%  20.0 steps/s  in 10 s  loss 0.1") !=
        std::string::npos);
}

TEST_CASE("progress: a line never reaches the last column, whatever the width") {
  for (int columns = 0; columns < 140; ++columns) {
    recorder r;
    const examples::terminal narrow{.columns = columns, .unicode = true, .colour = false};
    examples::progress bar(10, "näher", r.on(narrow));
    r.time += 1;
    bar.update(5, "accuracy 98.10% ± 0.1");
    CHECK(examples::columns_of(bar.bar_line(r.time, false)) <= std::max(columns - 1, 0));
    CHECK(examples::columns_of(bar.bar_line(r.time, true)) <= std::max(columns - 1, 0));
  }
}

TEST_CASE("progress: a total of nothing, too much done, early ends") {
  {
    recorder r;
    examples::progress bar(0, "empty", r.on(ascii));
    bar.update(0, "");
    bar.finish();
    bar.finish();
    CHECK(count(r.text(), '\n') == 1);
    CHECK(r.text().find("100%") != std::string::npos);
  }
  {
    recorder r;
    examples::progress bar(4, "over", r.plain(1));
    bar.update(9, "a");
    bar.update(9, "b");
    CHECK(r.text() == "over  4/4  100%  a\n");
    examples::progress exact(100, "", r.plain(1));
    for (int i = 0; i <= 100; ++i) {
      exact.update(i, "");
      CHECK(exact.plain_line().find(" " + std::to_string(i) + "%") != std::string::npos);
    }
  }
  {
    recorder r;
    try {
      examples::progress bar(4, "stopped", r.on(ascii));
      bar.update(1, "a");
      throw std::runtime_error("stop");
    } catch (std::runtime_error const&) {
    }
    CHECK(r.text().back() == '\n');
    CHECK(r.text().find("100%") == std::string::npos);
  }
  recorder r;  // a file is no terminal
  CHECK(!examples::terminal::detect(r.file));
}

TEST_CASE("progress: numbers and durations") {
  CHECK(examples::with_commas(0) == "0");
  CHECK(examples::with_commas(999) == "999");
  CHECK(examples::with_commas(1000) == "1,000");
  CHECK(examples::with_commas(-123456) == "-123,456");
  CHECK(examples::with_commas(1234567) == "1,234,567");
  CHECK(examples::duration(-1) == "0.0 s");
  CHECK(examples::duration(0.44) == "0.4 s");
  CHECK(examples::duration(9.97) == "10 s");
  CHECK(examples::duration(59.7) == "1 min 00 s");
  CHECK(examples::duration(185) == "3 min 05 s");
  CHECK(examples::duration(7620) == "2 h 07 min");
}
