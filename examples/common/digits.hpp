// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// Reading of examples/data/digits.csv (described in the README beside it).
namespace examples {

/// A set of 8x8 images and what they show, in the order of the file.
struct digits {
  static constexpr int pixels = 64;
  static constexpr int classes = 10;
  static constexpr int ink = 16;     ///< the greatest value of a pixel in the file

  std::vector<float> images;         ///< size() x 64, row by row, 0 (paper) to 1 (ink)
  std::vector<std::int32_t> labels;  ///< size() digits, 0 to 9

  std::size_t size() const { return labels.size(); }
};

/// Reads one image a line: 64 pixels 0 to 16 and a label 0 to 9, separated by commas. Blank lines
/// are skipped. Throws std::runtime_error that names the path, the line and, where there is one,
/// the column at fault.
inline digits load_digits(std::string const& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot open '" + path + "': " + std::strerror(errno) +
                             "; the digits are examples/data/digits.csv of the repository");
  }
  digits result;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const auto fail = [&](std::string const& what) {
      throw std::runtime_error(path + ":" + std::to_string(number) + ": " + what);
    };
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;

    std::string_view rest = line;
    for (int column = 0; column <= digits::pixels; ++column) {
      const bool last = column == digits::pixels;
      const std::size_t comma = rest.find(',');
      if (last != (comma == std::string_view::npos)) {
        const auto found = static_cast<int>(std::count(line.begin(), line.end(), ',')) + 1;
        fail("expected 65 values (64 pixels and a label), found " + std::to_string(found));
      }
      const std::string_view text = rest.substr(0, comma);
      int value = 0;
      const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
      const int most = last ? digits::classes - 1 : digits::ink;
      if (problem != std::errc{} || end != text.data() + text.size() || value < 0 || value > most) {
        fail(std::string(last ? "the label" : "a pixel") + " must be an integer 0 to " +
             std::to_string(most) + ", found '" + std::string(text) + "' in column " +
             std::to_string(column));
      }
      if (last) {
        result.labels.push_back(value);
      } else {
        result.images.push_back(static_cast<float>(value) / static_cast<float>(digits::ink));
        rest.remove_prefix(comma + 1);
      }
    }
  }
  if (file.bad()) {
    throw std::runtime_error("reading '" + path + "' failed: " + std::strerror(errno));
  }
  if (result.labels.empty()) throw std::runtime_error("'" + path + "' holds no images");
  return result;
}

}  // namespace examples
