// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svg.hpp"

/// Line charts and count matrices on a canvas.
namespace examples::svg {

struct line_series {
  std::string name;
  std::vector<double> x, y;  // of one length; values that are not finite part the line
};

struct line_chart {
  std::string title, note, x_label, y_label;
  std::vector<line_series> series;
  bool log_y = false;                               // values of 0 or less are left out
  std::optional<std::pair<double, double>> y_range; // otherwise from the data
  std::string y_unit;                               // behind each number of the y axis
};

/// Round numbers (1, 2 or 5 times a power of ten apart) within [low, high], about `count` of them.
inline std::vector<double> nice_ticks(double low, double high, int count = 5) {
  if (!(std::isfinite(low) && std::isfinite(high)) || !(low < high) || count < 1) return {};
  const double rough = (high - low) / count, base = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * base;
  for (double factor : {5.0, 2.0, 1.0}) {
    if (rough <= factor * base * (1 + 1e-9)) step = factor * base;
  }
  std::vector<double> ticks;
  const double slack = 1e-9 * (high - low);
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k) {
    ticks.push_back(k * step + 0.0);
    if (ticks.size() > 100) break;  // a range too narrow for doubles
  }
  return ticks;
}

/// Powers of ten within [low, high], with their doubles and fivefolds where there are few.
inline std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  if (!(low > 0) || !(low < high) || !std::isfinite(high)) return ticks;
  const double decades = std::log10(high / low);
  const int stride = std::max(1, static_cast<int>(decades / 6));
  for (int e = static_cast<int>(std::floor(std::log10(low))); std::pow(10, e) <= high; e++) {
    for (double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && decades > 2.5) continue;
      const double tick = factor * std::pow(10, e);
      if (e % stride == 0 && tick >= low * (1 - 1e-9) && tick <= high) ticks.push_back(tick);
    }
  }
  return ticks.size() < 2 ? nice_ticks(low, high) : ticks;
}

/// The number of a tick: 20,000, 0.25, 1e-6.
inline std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size < 0.9999e-4 || size >= 1e7)) {
    char text[32];
    const auto general = std::chars_format::general;
    return {text, std::to_chars(text, text + sizeof text, value, general, 3).ptr};
  }
  const int decimals =
      size >= 100 || size == 0 ? 2 : 2 - static_cast<int>(std::floor(std::log10(size) + 1e-9));
  std::string text = number(value, std::max(decimals, 0));
  if (size >= 1e4 - 0.5) {
    const std::size_t whole = std::min(text.find('.'), text.size());
    for (std::size_t at = whole; at > (value < 0 ? 4u : 3u);) text.insert(at -= 3, ",");
  }
  return text;
}

/// At most a few points a pixel column: of more, those that reach lowest and highest.
inline std::vector<std::pair<double, double>> thinned(
    std::vector<std::pair<double, double>> const& points, double columns) {
  const auto most = static_cast<std::size_t>(std::max(columns, 1.0));
  if (points.size() <= 2 * most) return points;
  std::vector<std::pair<double, double>> result;
  for (std::size_t column = 0; column < most; ++column) {
    const std::size_t begin = column * points.size() / most;
    const std::size_t end = (column + 1) * points.size() / most;
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isfinite(points[i].second)) { low = high = i; break; }
      if (points[i].second < points[low].second) low = i;
      if (points[i].second > points[high].second) high = i;
    }
    result.push_back(points[std::min(low, high)]);
    if (low != high) result.push_back(points[std::max(low, high)]);
  }
  if (result.back() != points.back()) result.push_back(points.back());
  return result;
}

/// Draws the chart as a card over `b`.
inline void draw(canvas& c, box b, line_chart const& chart) {
  card(c, b, chart.title, chart.note);
  const box plot{b.x + 66, b.y + 92, b.width - 90, b.height - 92 - 54};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto shown = [&](double v) { return std::isfinite(v) && (!chart.log_y || v > 0); };

  double x0 = infinity, x1 = -infinity, y0 = infinity, y1 = -infinity;
  for (line_series const& s : chart.series) {
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      if (!std::isfinite(s.x[i]) || !shown(s.y[i])) continue;
      x0 = std::min(x0, s.x[i]), x1 = std::max(x1, s.x[i]);
      y0 = std::min(y0, s.y[i]), y1 = std::max(y1, s.y[i]);
    }
  }
  if (!(x0 <= x1)) x0 = 0, x1 = 1, y0 = chart.log_y ? 0.1 : 0, y1 = 1;
  if (x0 == x1) x1 = x0 + std::max(1.0, std::abs(x0));
  if (chart.y_range) {
    y0 = chart.y_range->first, y1 = chart.y_range->second;
  } else if (chart.log_y) {
    const double pad = std::max(std::pow(y1 / y0, 0.06), 1.1);
    y0 /= pad, y1 *= pad;
  } else {
    const double pad = y0 == y1 ? std::max(1.0, std::abs(y0)) / 2 : (y1 - y0) * 0.06;
    y0 -= pad, y1 += pad;
  }
  const auto scale = [&](double v) { return chart.log_y ? std::log(v) : v; };
  const auto at_x = [&](double v) { return plot.x + (v - x0) / (x1 - x0) * plot.width; };
  const auto at_y = [&](double v) {
    return plot.bottom() - (scale(v) - scale(y0)) / (scale(y1) - scale(y0)) * plot.height;
  };

  // A legend in one row, and further rows where that is too narrow.
  double x = b.x + 20, y = b.y + (chart.note.empty() ? 52 : 70);
  for (std::size_t i = 0; i < chart.series.size() && chart.series.size() > 1; ++i) {
    const double width = 24 + width_of(chart.series[i].name, 12) + 16;
    if (x + width > b.right() && x > b.x + 20) x = b.x + 20, y += 16;
    c.line(x, y - 4, x + 16, y - 4, colour::series[i % std::size(colour::series)], 3);
    c.text(x + 22, y, chart.series[i].name, {.size = 12, .fill = colour::soft});
    x += width;
  }

  for (double tick : chart.log_y ? log_ticks(y0, y1) : nice_ticks(y0, y1)) {
    c.line(plot.x, at_y(tick), plot.right(), at_y(tick), colour::rule);
    c.text(plot.x - 8, at_y(tick) + 4, tick_text(tick) + chart.y_unit,
           {.size = 11.5, .fill = colour::soft, .anchor = "end"});
  }
  for (double tick : nice_ticks(x0, x1, 6)) {
    c.line(at_x(tick), plot.bottom(), at_x(tick), plot.bottom() + 5, colour::faint);
    c.text(at_x(tick), plot.bottom() + 19, tick_text(tick),
           {.size = 11.5, .fill = colour::soft, .anchor = "middle"});
  }
  c.line(plot.x, plot.bottom(), plot.right(), plot.bottom(), colour::faint);
  c.text(plot.x + plot.width / 2, b.bottom() - 14, chart.x_label,
         {.size = 12, .fill = colour::soft, .anchor = "middle"});
  c.text(b.x + 20, plot.y + plot.height / 2, chart.y_label,
         {.size = 12, .fill = colour::soft, .anchor = "middle", .turn = -90});

  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    line_series const& s = chart.series[i];
    const std::string_view stroke = colour::series[i % std::size(colour::series)];
    std::vector<std::pair<double, double>> points;
    for (std::size_t k = 0; k < std::min(s.x.size(), s.y.size()); ++k) {
      points.emplace_back(at_x(s.x[k]), shown(s.y[k]) ? at_y(s.y[k]) : infinity);
    }
    const box room{plot.x, plot.y - 2, plot.width + 2, plot.height + 2};
    c.path(thinned(points, plot.width), stroke, 1.75, room);
    if (points.empty()) continue;
    const auto [end_x, end_y] = points.back();
    if (end_y >= plot.y && end_y <= plot.bottom()) c.circle(end_x, end_y, 3, stroke);
  }
}

struct count_matrix {
  std::string title, note, row_label, column_label;
  std::vector<std::string> names;    // of the classes, rows and columns alike
  std::vector<std::int64_t> counts;  // names.size() squared, row by row
};

/// Draws the matrix as a card over `b`: the diagonal in blue, the rest in orange, each on a scale
/// of its own, so that one error among hundreds is seen. Throws std::invalid_argument if the counts
/// are not a square of the names.
inline void draw(canvas& c, box b, count_matrix const& m) {
  card(c, b, m.title, m.note);
  const std::size_t n = m.names.size();
  if (m.counts.size() != n * n) {
    throw std::invalid_argument("a matrix of " + std::to_string(n) + " classes needs " +
                                std::to_string(n * n) + " counts, found " +
                                std::to_string(m.counts.size()));
  }
  if (n == 0) return;
  const std::string_view hue[] = {"#1f5fd0", "#d9480f"};  // right, wrong
  std::int64_t most[] = {0, 0};
  for (std::size_t i = 0; i < n * n; ++i) {
    most[i / n != i % n] = std::max(most[i / n != i % n], m.counts[i]);
  }
  const auto tint = [](std::string_view full, double t) {
    return mix("#ffffff", full, 0.25 + 0.75 * t);
  };
  const auto shade = [&](int kind, std::int64_t count) {
    if (count <= 0) return std::string("#f4f6f9");
    const auto over_one = static_cast<double>(most[kind] - 1);
    return tint(hue[kind], over_one > 0 ? static_cast<double>(count - 1) / over_one : 0.5);
  };

  const double size = std::min(b.width - 86, b.height - 172);
  const double cell = size / static_cast<double>(n);
  const box grid{b.x + 58 + (b.width - 86 - size) / 2, b.y + 108, size, size};
  const double font = std::clamp(cell * 0.36, 7.0, 15.0);
  for (std::size_t row = 0; row < n; ++row) {
    const double y = grid.y + static_cast<double>(row) * cell;
    c.text(grid.x - 10, y + cell / 2 + 4.5, m.names[row],
           {.size = 12.5, .anchor = "end", .weight = 600});
    c.text(grid.x + (static_cast<double>(row) + 0.5) * cell, grid.y - 9, m.names[row],
           {.size = 12.5, .anchor = "middle", .weight = 600});
    for (std::size_t column = 0; column < n; ++column) {
      const std::int64_t count = m.counts[row * n + column];
      const int kind = row != column;
      const double x = grid.x + static_cast<double>(column) * cell;
      c.rect({x + 1, y + 1, cell - 2, cell - 2}, shade(kind, count), "none", 3);
      const bool dark = count * 3 > most[kind] * 2;
      c.text(x + cell / 2, y + cell / 2 + font * 0.36, std::to_string(count),
             {.size = font,
              .fill = count == 0 ? std::string_view("#c6cdd8")
                      : dark     ? std::string_view("#ffffff")
                                 : colour::ink,
              .anchor = "middle",
              .weight = count == 0 ? 400 : 600});
    }
  }
  c.text(grid.x + size / 2, grid.y - 28, m.column_label,
         {.size = 12, .fill = colour::soft, .anchor = "middle"});
  c.text(grid.x - 38, grid.y + size / 2, m.row_label,
         {.size = 12, .fill = colour::soft, .anchor = "middle", .turn = -90});

  // The two colour scales, from 1 to the greatest count.
  for (int kind = 0; kind < 2; ++kind) {
    const double x = grid.x + kind * size / 2, y = grid.bottom() + 26;
    const std::string_view name = kind == 0 ? "right" : "wrong";
    c.text(x, y + 9, name, {.size = 12, .fill = colour::soft});
    constexpr int steps = 24;
    for (int i = 0; i < steps; ++i) {
      const double t = most[kind] > 1 ? static_cast<double>(i) / (steps - 1) : 0.5;
      c.rect({x + 44 + i * 4.0, y, 4.2, 10}, tint(hue[kind], t));
    }
    const std::string top = most[kind] > 1 ? "1 to " + std::to_string(most[kind])
                            : most[kind] == 1 ? "1" : "none";
    c.text(x + 44 + steps * 4 + 8, y + 9, top, {.size = 12, .fill = colour::soft});
  }
}

}  // namespace examples::svg
