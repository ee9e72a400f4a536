// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../examples/03_digits/report.hpp"

namespace svg = examples::svg;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Whether every element is closed in order, and no bare & or < is left. Enough XML for our files.
bool well_formed(std::string_view text) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const std::size_t end = text.find(';', i);
      if (end == text.npos || end - i > 6) return false;
    }
    if (text[i] != '<') continue;
    const std::size_t end = text.find('>', i);
    if (end == text.npos) return false;
    const std::string_view tag = text.substr(i + 1, end - i - 1);
    if (tag.find('<') != tag.npos || std::count(tag.begin(), tag.end(), '"') % 2) return false;
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.emplace_back(tag.substr(0, tag.find(' ')));
    }
    i = end;
  }
  return open.empty();
}

int count(std::string_view text, std::string_view part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}

std::string contents(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("svg: the checker of these tests can fail") {
  CHECK(well_formed("<a><b x=\"1\"/>&amp;</a>"));
  CHECK(!well_formed("<a><b></a>"));
  CHECK(!well_formed("<a>1 & 2</a>"));
  CHECK(!well_formed("<a x=\"1/>"));
}

TEST_CASE("svg: numbers, escapes, colours") {
  CHECK(svg::number(1.0) == "1");
  CHECK(svg::number(0.125) == "0.12");
  CHECK(svg::number(2.5) == "2.5");
  CHECK(svg::number(-0.001) == "0");
  CHECK(svg::number(100) == "100");
  CHECK(svg::number(nan_value) == "0");
  CHECK(svg::escaped("a<b> & \"c\" 'd'\n") == "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; ");
  CHECK(svg::mix("#000000", "#ff8040", 0.5) == "#804020");
  CHECK(svg::mix("#102030", "#ffffff", -1) == "#102030");
  CHECK(svg::mix("#102030", "#ffffff", 2) == "#ffffff");
}

TEST_CASE("svg: ticks are round, within the range, and neither few nor many") {
  for (double low : {0.0, -3.7, 12.0, 99.0, -1e6, 1e-5}) {
    for (double span : {1e-4, 0.03, 1.0, 7.0, 60.0, 1234.0, 5e8}) {
      const auto ticks = svg::nice_ticks(low, low + span);
      REQUIRE(ticks.size() >= 2);
      CHECK(ticks.size() <= 6);
      const double step = ticks[1] - ticks[0], slack = 1e-6 * span;
      CHECK(ticks.front() >= low - slack);
      CHECK(ticks.front() < low + step + slack);
      CHECK(ticks.back() <= low + span + slack);
      CHECK(ticks.back() > low + span - step - slack);
      const double lead = step / std::pow(10, std::floor(std::log10(step) + 1e-6));
      CHECK(std::min({std::abs(lead - 1), std::abs(lead - 2), std::abs(lead - 5)}) < 1e-3);
    }
  }
  CHECK(svg::nice_ticks(85, 100) == std::vector<double>{85, 90, 95, 100});
  CHECK(svg::nice_ticks(1, 1).empty());
  CHECK(svg::nice_ticks(nan_value, 1).empty());
  CHECK(svg::log_ticks(0.004, 5).size() == 3);  // 0.01, 0.1, 1
  CHECK(svg::log_ticks(0.9, 12) == std::vector<double>{1, 2, 5, 10});
  CHECK(svg::log_ticks(1.1, 1.4).size() >= 2);
  CHECK(svg::log_ticks(1e-30, 1).size() <= 8);
  CHECK(svg::log_ticks(0, 1).empty());
}

TEST_CASE("svg: the numbers at ticks") {
  CHECK(svg::tick_text(0) == "0");
  CHECK(svg::tick_text(95) == "95");
  CHECK(svg::tick_text(0.001) == "0.001");
  CHECK(svg::tick_text(0.0001) == "0.0001");
  CHECK(svg::tick_text(-2.5) == "-2.5");
  CHECK(svg::tick_text(1000) == "1000");
  CHECK(svg::tick_text(20000) == "20,000");
  CHECK(svg::tick_text(-1500000) == "-1,500,000");
  CHECK(svg::tick_text(1e-6) == "1e-06");
}

TEST_CASE("svg: thinning keeps ends and extremes") {
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 10'000; ++i) points.emplace_back(i, std::sin(i * 0.01));
  points[4321].second = 7;
  points[8765].second = -7;
  const auto few = svg::thinned(points, 100);
  CHECK(few.size() <= 201);
  CHECK(std::count(few.begin(), few.end(), points[4321]) == 1);
  CHECK(std::count(few.begin(), few.end(), points[8765]) == 1);
  CHECK(few.back() == points.back());
  CHECK(std::is_sorted(few.begin(), few.end()));
  points.resize(150);
  CHECK(svg::thinned(points, 100) == points);
}

TEST_CASE("svg: a chart leaves out what it cannot draw") {
  svg::canvas c(400, 300, "t & t");
  svg::line_chart chart;
  chart.title = "<loss>";
  chart.log_y = true;
  chart.series = {{"a", {0, 1, 2, 3, 4}, {1, 0.1, nan_value, 0, 0.01}}, {"b", {}, {}}};
  svg::draw(c, {0, 0, 400, 300}, chart);
  const std::string text = c.str();
  CHECK(well_formed(text));
  CHECK(count(text, "<path") == 1);
  const std::size_t d = text.find(" d=\"");
  const std::string path = text.substr(d, text.find('"', d + 4) - d);
  CHECK(count(path, "M") == 2);  // parted where the values are NaN and 0
  CHECK(count(path, "L") == 1);
  CHECK(text.find("nan") == text.npos);
  CHECK(text.find("&lt;loss&gt;") != text.npos);

  svg::canvas empty(400, 300, "");
  svg::draw(empty, {0, 0, 400, 300}, svg::line_chart{});
  CHECK(well_formed(empty.str()));
}

TEST_CASE("svg: the report of the digits") {
  examples::report_data data;
  data.title = "Digits";
  data.facts = {{"mean test accuracy", "98.00%"}};
  data.runs = {{"seed 0", {1, 2}, {1.0, 0.1}, {1, 2}, {0.5, 0.98}},
               {"seed 1", {1, 2}, {1.1, 0.2}, {1, 2}, {0.4, 0.97}}};
  data.confusion.assign(100, 0);
  data.confusion[3 * 10 + 8] = 77;
  data.misread = {{std::vector<float>(64, 0.5f), 3, 8, "seed 0"}};
  const std::string path = "weft_test_report.svg";
  examples::write_report(path, data);
  const std::string text = contents(path);
  std::remove(path.c_str());
  CHECK(well_formed(text));
  CHECK(count(text, "<path") == 4);
  CHECK(count(text, ">truth 3, read 8<") == 1);
  CHECK(count(text, ">77<") == 1);
  CHECK(count(text, ">98.00%<") == 1);

  // 77 stands in the fourth row, under "written", and the ninth column, under "read as".
  const auto x_of = [&](std::string_view words, std::string_view name) {
    const std::size_t tag = text.rfind("<text", text.find(words));
    return std::stod(text.substr(text.find(std::string(name) + "=\"", tag) + name.size() + 2));
  };
  CHECK(x_of(">77<", " x") > x_of(">read as<", " x"));
  CHECK(x_of(">77<", " y") < x_of(">written<", " y"));

  examples::write_report(path, {});  // nothing known: all cards are there, empty
  CHECK(well_formed(contents(path)));
  std::remove(path.c_str());

  data.confusion.pop_back();
  CHECK_THROWS_WITH_AS(examples::write_report(path, data),
                       "a matrix of 10 classes needs 100 counts, found 99", std::invalid_argument);
  data.confusion.push_back(0);
  CHECK_THROWS_WITH_AS(examples::write_report("no/such/dir.svg", data),
                       "cannot write 'no/such/dir.svg': No such file or directory",
                       std::runtime_error);
  data.misread[0].image.pop_back();
  CHECK_THROWS_AS(examples::write_report(path, data), std::invalid_argument);
  CHECK(contents(path).empty());
}
