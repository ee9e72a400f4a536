// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include <weft/array/tensor.hpp>

namespace weft {
namespace detail {

inline constexpr index_t print_threshold = 1000;  // elements; above, only the edges are printed
inline constexpr index_t print_edge = 3;          // elements kept at each end of an axis
inline constexpr std::size_t print_width = 75;    // columns; longer rows are wrapped

/// At most 6 significant digits: "0.1", "1e+20", "nan", "-inf".
inline std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Floats of one array in one notation: plain with the points aligned, or, where the magnitudes
/// differ too much for that, scientific.
inline std::vector<std::string> float_texts(const std::vector<double>& values) {
  double low = 0, high = 0;
  for (const double v : values) {
    const double size = std::fabs(v);
    if (!std::isfinite(v) || size == 0) continue;
    if (low == 0 || size < low) low = size;
    if (size > high) high = size;
  }
  const bool scientific = high >= 1e8 || (low != 0 && (low < 1e-4 || high / low > 1000));
  std::vector<std::string> texts;
  std::size_t fraction = 0;  // the most digits behind a point
  for (const double v : values) {
    if (!std::isfinite(v)) {
      texts.push_back(number_text(v));
      continue;
    }
    char text[64];
    std::snprintf(text, sizeof text, "%.5e", v);
    std::string mantissa = text;
    const std::size_t e = mantissa.find('e');
    std::string exponent = mantissa.substr(e);
    if (scientific) {
      mantissa.resize(e);
    } else {
      const int decimals = 5 - std::atoi(exponent.c_str() + 1);  // 6 significant digits
      std::snprintf(text, sizeof text, "%.*f", decimals > 0 ? decimals : 0, v);
      mantissa = text;
      exponent.clear();
      if (mantissa.find('.') == std::string::npos) mantissa += '.';
    }
    while (mantissa.back() == '0') mantissa.pop_back();
    const std::size_t digits = mantissa.size() - mantissa.find('.') - 1;
    if (digits > fraction) fraction = digits;
    texts.push_back(mantissa + exponent);
  }
  for (std::string& text : texts) {  // fill up behind the point, so that the points align
    const std::size_t point = text.find('.');
    if (point == std::string::npos) continue;
    const std::size_t e = text.find('e'), end = e == std::string::npos ? text.size() : e;
    text.insert(end, fraction - (end - point - 1), scientific ? '0' : ' ');
  }
  return texts;
}

/// The brackets around texts that are already made, one after the other.
struct array_printer {
  std::ostream& out;
  const std::vector<std::string>& texts;
  const index_t* shape;
  int rank;
  bool summary;
  std::size_t next = 0, width = 0;

  [[nodiscard]] bool cut(int axis) const { return summary && shape[axis] > 2 * print_edge; }

  void row(int axis) {
    const std::size_t indent = static_cast<std::size_t>(axis) + 1;
    const std::size_t limit = print_width - indent;  // room for the closing brackets
    std::size_t column = indent;
    const auto put = [&](const std::string& text) {
      if (column > indent && column + 1 + text.size() > limit) {
        out << '\n' << std::string(indent, ' ');
        column = indent;
      } else if (column > indent) {
        out << ' ';
        ++column;
      }
      out << text;
      column += text.size();
    };
    const index_t shown = cut(axis) ? 2 * print_edge : shape[axis];
    for (index_t i = 0; i < shown; ++i) {
      if (cut(axis) && i == print_edge) put("...");
      const std::string& text = texts[next++];
      put(std::string(width - text.size(), ' ') + text);
    }
  }
  void block(int axis) {
    out << '[';
    if (axis == rank - 1) {
      row(axis);
    } else {
      const std::string gap = std::string(static_cast<std::size_t>(rank - 1 - axis), '\n') +
                              std::string(static_cast<std::size_t>(axis) + 1, ' ');
      const index_t shown = cut(axis) ? 2 * print_edge : shape[axis];
      for (index_t i = 0; i < shown; ++i) {
        if (i > 0) out << gap;
        if (cut(axis) && i == print_edge) out << "..." << gap;
        block(axis + 1);
      }
    }
    out << ']';
  }
};

/// Calls f for the elements that are printed, in order.
template <class T, class F>
void for_each_shown(const T* data, const index_t* shape, const index_t* strides, int rank,
                    bool summary, F& f) {
  if (rank == 0) {
    f(*data);
    return;
  }
  const bool cut = summary && shape[0] > 2 * print_edge;
  for (index_t i = 0; i < shape[0]; ++i) {
    if (cut && i == print_edge) i = shape[0] - print_edge;
    for_each_shown(data + i * strides[0], shape + 1, strides + 1, rank - 1, summary, f);
  }
}

template <class T>
void print_array(std::ostream& out, const T* data, const index_t* shape, const index_t* strides,
                 int rank) {
  const index_t size = product(shape, rank);
  if (size == 0) {
    out << "[]";
    return;
  }
  const bool summary = size > print_threshold;
  std::vector<std::string> texts;
  if constexpr (is_real<T>) {
    std::vector<double> values;
    auto keep = [&](T v) { values.push_back(static_cast<double>(v)); };
    for_each_shown(data, shape, strides, rank, summary, keep);
    if (rank == 0) {
      out << number_text(values[0]);
      return;
    }
    texts = float_texts(values);
  } else {
    auto keep = [&](T v) {
      if constexpr (std::is_same_v<T, bool>)
        texts.emplace_back(v ? "true" : "false");
      else
        texts.push_back(std::to_string(v));
    };
    for_each_shown(data, shape, strides, rank, summary, keep);
    if (rank == 0) {
      out << texts[0];
      return;
    }
  }
  array_printer printer{out, texts, shape, rank, summary};
  for (const std::string& text : texts)
    if (text.size() > printer.width) printer.width = text.size();
  printer.block(0);
}

}  // namespace detail

/// Prints as NumPy does: nested brackets, aligned columns, at most 6 significant digits, the edges
/// only past 1000 elements; rank 0 is the bare number.
template <class T, index_t... E>
std::ostream& operator<<(std::ostream& out, const tensor<T, E...>& x) {
  detail::print_array<T>(out, x.data(), x.shape().data(), x.strides().data(), x.rank);
  return out;
}
template <class T, int Rank>
std::ostream& operator<<(std::ostream& out, const view<T, Rank>& x) {
  detail::print_array<std::remove_const_t<T>>(out, x.data(), x.shape().data(), x.strides().data(),
                                              Rank);
  return out;
}

}  // namespace weft
