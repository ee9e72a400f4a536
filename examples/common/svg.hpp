// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

/// Drawings and simple plots as SVG. Lengths are pixels, y grows downwards.
namespace examples::svg {

namespace colour {
inline constexpr std::string_view page = "#f6f7f9", card = "#ffffff", rule = "#e3e7ee";
inline constexpr std::string_view ink = "#1b2433", soft = "#5b6679", faint = "#a7b0be";
inline constexpr std::string_view series[] = {"#2f6fde", "#e8662a", "#189a6b",
                                              "#8b5bd6", "#d29a00", "#1a9fb8"};
}  // namespace colour

/// `value` with at most `decimals` decimals, no trailing zeros, in any locale.
inline std::string number(double value, int decimals = 2) {
  if (!std::isfinite(value)) return "0";
  value = std::clamp(value, -1e9, 1e9);
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed,
                                 decimals).ptr;
  std::string result(text, end);
  if (result.find('.') != result.npos) {
    result.erase(result.find_last_not_of('0') + 1);
    if (result.back() == '.') result.pop_back();
  }
  return result == "-0" ? "0" : result;
}

/// Text that XML reads back as `text`: markup is escaped, control characters become blanks.
inline std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

/// "#rrggbb" a part `t` of the way from `from` to `to`, both "#rrggbb".
inline std::string mix(std::string_view from, std::string_view to, double t) {
  std::string result = "#";
  for (std::size_t at = 1; at < 7; at += 2) {
    int a = 0, b = 0;
    std::from_chars(from.data() + at, from.data() + at + 2, a, 16);
    std::from_chars(to.data() + at, to.data() + at + 2, b, 16);
    const int c = static_cast<int>(std::lround(a + (b - a) * std::clamp(t, 0.0, 1.0)));
    result += "0123456789abcdef"[c / 16];
    result += "0123456789abcdef"[c % 16];
  }
  return result;
}

struct box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

struct text_style {
  double size = 12;
  std::string_view fill = colour::ink;
  std::string_view anchor = "start";  // start, middle or end
  int weight = 400;
  double turn = 0;                    // degrees, clockwise
};

/// A drawing under construction.
class canvas {
 public:
  canvas(double width, double height, std::string_view title)
      : width_(width), height_(height), title_(title) {}

  void rect(box b, std::string_view fill, std::string_view stroke = "none", double radius = 0) {
    body_ += "<rect" + attributes({{"x", b.x}, {"y", b.y}, {"width", b.width},
                                   {"height", b.height}});
    if (radius > 0) body_ += attributes({{"rx", radius}});
    body_ += paint("fill", fill) + (stroke == "none" ? "" : paint("stroke", stroke)) + "/>\n";
  }
  void line(double x1, double y1, double x2, double y2, std::string_view stroke,
            double width = 1) {
    body_ += "<line" + attributes({{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2},
                                   {"stroke-width", width}}) +
             paint("stroke", stroke) + "/>\n";
  }
  void circle(double x, double y, double radius, std::string_view fill) {
    body_ += "<circle" + attributes({{"cx", x}, {"cy", y}, {"r", radius}}) + paint("fill", fill) +
             "/>\n";
  }
  void text(double x, double y, std::string_view words, text_style style = {}) {
    body_ += "<text" + attributes({{"x", x}, {"y", y}, {"font-size", style.size}}) +
             paint("fill", style.fill);
    if (style.anchor != "start") body_ += paint("text-anchor", style.anchor);
    if (style.weight != 400) body_ += attributes({{"font-weight", double(style.weight)}});
    if (style.turn != 0) {
      body_ += paint("transform",
                     "rotate(" + number(style.turn) + " " + number(x) + " " + number(y) + ")");
    }
    body_ += ">" + escaped(words) + "</text>\n";
  }
  /// A line through points, cut off at the edges of `clip`. A point that is not finite parts it.
  void path(std::span<const std::pair<double, double>> points, std::string_view stroke,
            double width, box clip) {
    std::string d;
    bool pen = false;
    for (const auto& [x, y] : points) {
      const bool there = std::isfinite(x) && std::isfinite(y);
      if (there) d += (pen ? "L" : "M") + number(x) + " " + number(y);
      pen = there;
    }
    if (d.empty()) return;
    const std::string id = "clip" + std::to_string(++clips_);
    body_ += "<clipPath id=\"" + id + "\">";
    rect(clip, "none");
    body_ += "</clipPath>\n<path" + paint("d", d) + paint("clip-path", "url(#" + id + ")") +
             paint("fill", "none") + paint("stroke", stroke) +
             attributes({{"stroke-width", width}}) +
             " stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n";
  }

  std::string str() const {
    const std::string w = number(width_), h = number(height_);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + w +
           "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " + h +
           "\" font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', "
           "sans-serif\">\n<title>" +
           escaped(title_) + "</title>\n" + body_ + "</svg>\n";
  }
  /// Writes the file. Throws std::runtime_error that names it if that fails.
  void save(std::string const& path) const {
    std::ofstream file(path, std::ios::binary);
    file << str();
    file.close();
    if (!file) {
      throw std::runtime_error("cannot write '" + path + "': " + std::strerror(errno));
    }
  }

 private:
  static std::string attributes(
      std::initializer_list<std::pair<std::string_view, double>> values) {
    std::string result;
    for (const auto& [name, value] : values) result += paint(name, number(value));
    return result;
  }
  static std::string paint(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + escaped(value) + "\"";
  }

  double width_, height_;
  std::string title_;
  std::string body_;
  int clips_ = 0;
};

/// The width of words in the page's fonts, roughly.
inline double width_of(std::string_view words, double size) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; };
  return 0.57 * size * static_cast<double>(std::count_if(words.begin(), words.end(), starts));
}

/// A white card with a title, to draw in.
inline void card(canvas& c, box b, std::string_view title, std::string_view note = "") {
  c.rect(b, colour::card, colour::rule, 10);
  c.text(b.x + 20, b.y + 30, title, {.size = 15, .weight = 600});
  if (!note.empty()) c.text(b.x + 20, b.y + 49, note, {.size = 12, .fill = colour::soft});
}

/// A greyscale image, dark where its values, 0 to 1, are 1, with its pixels as squares.
inline void image(canvas& c, box b, std::span<const float> pixels, int columns) {
  const int rows = columns > 0 ? static_cast<int>(pixels.size()) / columns : 0;
  c.rect({b.x - 1, b.y - 1, b.width + 2, b.height + 2}, "#ffffff", colour::rule, 3);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double ink = pixels[static_cast<std::size_t>(row * columns + column)];
      if (!(ink > 0)) continue;
      const double w = b.width / columns, h = b.height / rows;
      // A hair wider than its cell: no seams between neighbours.
      c.rect({b.x + column * w, b.y + row * h, w + 0.2, h + 0.2}, mix("#ffffff", "#141b29", ink));
    }
  }
}

}  // namespace examples::svg
