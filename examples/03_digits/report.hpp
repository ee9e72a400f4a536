// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../common/chart.hpp"
#include "../common/svg.hpp"

/// The report of the digits example, as one SVG.
namespace examples {

/// The curves of one training run. Losses and accuracies have their own abscissae. Losses draw best
/// as means over epochs: those of single steps hide the other runs.
struct report_run {
  std::string name;                           // "seed 0"
  std::vector<double> loss_at, loss;          // epochs and the training loss there
  std::vector<double> accuracy_at, accuracy;  // epochs and the test accuracy there, 0 to 1
};

struct report_misread {
  std::vector<float> image;  // 64 pixels, 0 to 1
  int truth = 0;
  int read = 0;
  std::string note;  // a second line, such as "seeds 0, 3"; may be empty
};

struct report_data {
  std::string title, subtitle;
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, shown large on top
  std::vector<report_run> runs;
  std::vector<std::int64_t> confusion = std::vector<std::int64_t>(100);  // [truth][read]
  std::string confusion_note;
  std::vector<report_misread> misread;
  std::string misread_note;
};

/// Draws loss and accuracy curves, the confusion matrix and the misread digits, and writes the
/// file. Throws std::invalid_argument if a size is wrong, before the file is touched, and
/// std::runtime_error if the file cannot be written.
inline void write_report(std::string const& path, report_data const& data) {
  constexpr double width = 1200, margin = 28, gap = 20, half = (width - 2 * margin - gap) / 2;
  constexpr double chart_height = 350, matrix_height = 636;
  // Few digits are drawn large, many small and with shorter captions.
  const std::size_t drawn = data.misread.size();
  const bool many = drawn > 25;
  const std::size_t across = drawn <= 9 ? 3 : drawn <= 16 ? 4 : many ? 7 : 5;
  const double glyph = drawn <= 9 ? 122 : drawn <= 16 ? 84 : many ? 52 : 66;
  const double cell_width = (half - 28) / static_cast<double>(across);

  for (report_misread const& m : data.misread) {
    if (m.image.size() != 64) {
      throw std::invalid_argument("a misread digit needs 64 pixels, found " +
                                  std::to_string(m.image.size()));
    }
  }
  bool notes = false;
  for (report_misread const& m : data.misread) notes = notes || !m.note.empty();
  const double cell_height = glyph + (notes ? 56 : 42);
  const double rows = static_cast<double>((data.misread.size() + across - 1) / across);

  const double facts_y = 92, charts_y = facts_y + (data.facts.empty() ? 0 : 78 + gap);
  const double lower_y = charts_y + chart_height + gap;
  const double lower_height = std::max(matrix_height, 72 + rows * cell_height + 14);
  const double height = lower_y + lower_height + margin;

  svg::canvas c(width, height, data.title);
  c.rect({0, 0, width, height}, svg::colour::page);
  c.text(margin, 48, data.title, {.size = 25, .weight = 700});
  c.text(margin, 72, data.subtitle, {.size = 13.5, .fill = svg::colour::soft});

  const double count = static_cast<double>(data.facts.size());
  for (std::size_t i = 0; i < data.facts.size(); ++i) {
    const double w = (width - 2 * margin - (count - 1) * gap) / count;
    const svg::box b{margin + static_cast<double>(i) * (w + gap), facts_y, w, 78};
    c.rect(b, svg::colour::card, svg::colour::rule, 10);
    const auto& [name, value] = data.facts[i];
    const auto fitting = [&](std::string const& words, double size) {
      return std::min(size, size * (w - 28) / std::max(svg::width_of(words, size), 1.0));
    };
    c.text(b.x + 18, b.y + 28, name, {.size = fitting(name, 12), .fill = svg::colour::soft});
    c.text(b.x + 18, b.y + 59, value, {.size = fitting(value, 23), .weight = 600});
  }

  svg::line_chart loss{.title = "Training loss",
                       .note = "cross entropy, on a logarithmic scale",
                       .x_label = "epoch",
                       .y_label = "loss",
                       .series = {},
                       .log_y = true,
                       .y_range = {},
                       .y_unit = {}};
  svg::line_chart accuracy{.title = "Test accuracy",
                           .note = "share of the test images read right",
                           .x_label = "epoch",
                           .y_label = "accuracy",
                           .series = {},
                           .log_y = false,
                           .y_range = {},
                           .y_unit = "%"};
  double least = 100;
  for (report_run const& run : data.runs) {
    loss.series.push_back({run.name, run.loss_at, run.loss});
    std::vector<double> percent;
    for (double a : run.accuracy) percent.push_back(100 * a);
    // The steep start is cut off: the axis begins below what a tenth of the run has reached.
    for (std::size_t i = percent.size() / 10; i < percent.size(); ++i) {
      if (percent[i] < least) least = percent[i];
    }
    accuracy.series.push_back({run.name, run.accuracy_at, std::move(percent)});
  }
  accuracy.y_range = {std::clamp(std::floor(least / 5) * 5, 0.0, 95.0), 100.0};
  svg::draw(c, {margin, charts_y, half, chart_height}, loss);
  svg::draw(c, {margin + half + gap, charts_y, half, chart_height}, accuracy);

  svg::count_matrix matrix{.title = "Confusion matrix",
                           .note = data.confusion_note,
                           .row_label = "written",
                           .column_label = "read as",
                           .names = {},
                           .counts = data.confusion};
  for (int digit = 0; digit < 10; ++digit) matrix.names.push_back(std::to_string(digit));
  svg::draw(c, {margin, lower_y, half, lower_height}, matrix);

  const svg::box right{margin + half + gap, lower_y, half, lower_height};
  svg::card(c, right, "Misread digits", data.misread_note);
  if (data.misread.empty()) {
    c.text(right.x + half / 2, right.y + right.height / 2, "every digit was read right",
           {.size = 14, .fill = svg::colour::soft, .anchor = "middle"});
  }
  for (std::size_t i = 0; i < data.misread.size(); ++i) {
    report_misread const& m = data.misread[i];
    const double x = right.x + 14 + static_cast<double>(i % across) * cell_width;
    const double y = right.y + 72 + static_cast<double>(i / across) * cell_height;
    const double middle = x + cell_width / 2;
    svg::image(c, {middle - glyph / 2, y, glyph, glyph}, m.image, 8);
    c.text(middle, y + glyph + 18,
           many ? std::to_string(m.truth) + " read as " + std::to_string(m.read)
                : "truth " + std::to_string(m.truth) + ", read " + std::to_string(m.read),
           {.size = many ? 10.5 : 11.5, .anchor = "middle"});
    if (m.note.empty()) continue;
    c.text(middle, y + glyph + 33, m.note,
           {.size = many ? 9.5 : 11, .fill = svg::colour::soft, .anchor = "middle"});
  }
  c.save(path);
}

}  // namespace examples
