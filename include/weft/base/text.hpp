// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

// Numbers and strings as people and JSON readers want them.
namespace weft::detail {

/// A file without its folders.
inline const char* file_name(const char* path) {
  for (const char* c = path; *c; ++c)
    if (*c == '/') path = c + 1;
  return path;
}

/// A line that is put together without a heap and with little code, since every program carries
/// what tells of it. What does not fit is cut.
struct line_text {
  char text[1000]{};
  int size = 0;

  /// As printf does.
  [[gnu::cold, gnu::noinline, gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int room = static_cast<int>(sizeof text) - size;
    const int n = std::vsnprintf(text + size, static_cast<std::size_t>(room), format, values);
    va_end(values);
    size += n < 0 ? 0 : n < room ? n : room - 1;
  }
  /// Three digits and a unit: "1.25 MiB", "640 B".
  [[gnu::cold, gnu::noinline]] void add_bytes(std::int64_t n) {
    static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double v = static_cast<double>(n);
    int u = 0;
    while (v >= 1000 && u < 4) v /= 1024, ++u;
    add(u == 0 || v >= 99.95 ? "%.0f %s" : v >= 9.995 ? "%.1f %s" : "%.2f %s", v, units[u]);
  }
};

inline std::string human_bytes(std::int64_t n) {
  line_text t;
  t.add_bytes(n);
  return t.text;
}
inline std::string human_count(std::int64_t n) {
  static const char* const units[] = {"", " K", " M", " G", " T"};
  double v = static_cast<double>(n);
  int u = 0;
  while (v >= 999.5 && u < 4) v /= 1000, ++u;
  line_text t;
  t.add(u == 0 || v >= 99.95 ? "%.0f%s" : v >= 9.995 ? "%.1f%s" : "%.2f%s", v, units[u]);
  return t.text;
}

inline std::string json_string(const std::string& s) {
  std::string r = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') r += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      r += code;
    } else {
      r += c;
    }
  }
  return r + "\"";
}

}  // namespace weft::detail
