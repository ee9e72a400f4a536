// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <weft/array/tensor.hpp>
#include <weft/compile/report.hpp>

#include "../common/digits.hpp"
#include "report.hpp"

namespace examples {

/// printf into a string.
template <class... X>
std::string format(char const* pattern, X... x) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, x...);
  return text;
}

/// What came of one training.
struct result {
  report_run curves;                // mean loss and test accuracy, by epoch
  weft::vector<std::int64_t> read;  // the digit that it sees in each test image, in the end
  std::uint64_t losses = 0xcbf29ce484222325;  // FNV-1a over the bits of every step's loss

  double accuracy() const { return curves.accuracy.back(); }

  void add_loss(float loss) {
    losses = (losses ^ std::bit_cast<std::uint32_t>(loss)) * 0x100000001b3;
  }
  void add_epoch(double loss, double accuracy) {
    const double epoch = static_cast<double>(curves.loss.size()) + 1;
    curves.loss_at.push_back(epoch);
    curves.loss.push_back(loss);
    curves.accuracy_at.push_back(epoch);
    curves.accuracy.push_back(accuracy);
  }
  /// "loss 0.0123  accuracy 98.06%" of the last epoch.
  std::string text() const {
    return format("loss %.6f  accuracy %.2f%%", curves.loss.back(), 100 * accuracy());
  }
};

inline double mean_accuracy(std::vector<result> const& results) {
  double sum = 0;
  for (result const& r : results) sum += r.accuracy();
  return sum / static_cast<double>(results.size());
}

/// The bits of all losses of some trainings in one number, to compare two runs by.
inline std::uint64_t fingerprint(std::vector<result> const& results) {
  std::uint64_t h = 0;
  for (result const& r : results) h = h * 0x100000001b3 ^ r.losses;
  return h;
}

/// Fills the confusion matrix, and the misread digits with the seeds that misread them.
inline void add_readings(report_data& data, weft::matrix<float> const& images,
                         weft::vector<std::int64_t> const& labels,
                         std::vector<result> const& results) {
  for (weft::index_t i = 0; i < labels.size(); ++i) {
    std::map<int, std::vector<int>> misread;  // the wrong digit, and the seeds that saw it
    for (std::size_t seed = 0; seed < results.size(); ++seed) {
      const int read = static_cast<int>(results[seed].read(i));
      ++data.confusion[static_cast<std::size_t>(labels(i) * digits::classes + read)];
      if (read != labels(i)) misread[read].push_back(static_cast<int>(seed));
    }
    for (auto const& [read, seeds] : misread) {
      float const* const pixels = images.data() + i * digits::pixels;
      std::string note = seeds.size() == 1 ? "seed " : "seeds ";
      for (std::size_t k = 0; k < seeds.size(); ++k)
        note += (k ? ", " : "") + std::to_string(seeds[k]);
      if (seeds.size() == results.size()) note = "all seeds";
      data.misread.push_back(
          {{pixels, pixels + digits::pixels}, static_cast<int>(labels(i)), read, note});
    }
  }
}

/// Draws the trainings on the random split, and what is known of a training step.
inline void draw(std::string const& path, weft::matrix<float> const& images,
                 weft::vector<std::int64_t> const& labels, std::vector<result> const& results,
                 std::vector<result> const& others, weft::report const& step, double microseconds) {
  const auto kib = [](std::int64_t bytes) {
    return format("%.0f KiB", static_cast<double>(bytes) / 1024);
  };
  report_data data;
  data.title = "Handwritten digits, read by a network of 64-128-10";
  data.subtitle = format(
      "1,437 images of 8x8 pixels to learn from, 360 to be tested on, from %zu different seeds",
      results.size());
  data.facts = {
      {"test accuracy", format("%.2f%%", 100 * mean_accuracy(results))},
      {"on the file's last 360", format("%.2f%%", 100 * mean_accuracy(others))},
      {"one training step", format("%.1f µs", microseconds)},
      {format("launches, of %d nodes", step.captured_nodes), std::to_string(step.launches())},
      {"bytes (unfused " + kib(step.bytes_unfused) + ")", kib(step.bytes())}};
  for (result const& r : results) data.runs.push_back(r.curves);
  data.confusion_note = "all seeds together";
  data.misread_note = "each reading of a test image that is wrong, with the seeds that read so";
  add_readings(data, images, labels, results);
  write_report(path, data);
}

}  // namespace examples
