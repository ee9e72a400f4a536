// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>
#include <weft/base/text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iosfwd>
#include <string>
#include <vector>

namespace weft {

/// What a program became for arguments of given shapes. A value: compare it, print it, keep its
/// JSON.
struct report {
  /// Ops of one name.
  struct op_count {
    std::string op;
    int count = 1;
    bool operator==(const op_count&) const = default;
  };
  struct step {
    std::string kind;              ///< kernel, matmul, take, ...
    std::string name;              ///< its ops in order; of a matmul, its epilogue's
    int kernel = -1;               ///< which of the program's kernels, -1 for none
    std::vector<index_t> extents;  ///< of its loops, outermost first; of a matmul batch, m, n, k
    int rows = 0;  ///< how many of a kernel's loops are rows; the others run within a row
    bool reduces =
        false;  ///< whether a kernel sums (or takes the extremum) over the loops within a row
    std::int64_t bytes_read = 0;  ///< every access once, by its distinct elements
    std::int64_t bytes_written = 0;
    std::int64_t ops = 0;    ///< arithmetic: an fma counts as two, an elementary function as one
    std::string place;       ///< file:line in the user's source
    int depth = 0;           ///< of the bodies that it is in; a body's steps follow its own step
    std::int64_t times = 1;  ///< how often it runs in a call; each other number is of one run; of
                             ///< what a while_loop repeats 1
    int region = 0;          ///< the one that it is in; a break ends its own
    std::vector<op_count> work;  ///< what it computes, by name, in the order of first use
    bool is_break() const { return kind == "host_call" || kind == "branch"; }
    bool operator==(const step&) const = default;
  };
  /// What lies between two breaks; its numbers are sums over its launches.
  struct region {
    std::vector<op_count> work;  ///< by name, in the order of first use
    int kernels = 0;             ///< that differ
    int launches = 0;            ///< breaks not among them
    std::int64_t bytes = 0;      ///< read and written in a call
    std::int64_t ops = 0;        ///< arithmetic in a call
    bool operator==(const region&) const = default;
  };
  /// A value of the graph after the passes.
  struct node {
    std::string op;     ///< its name; of a constant its value
    std::string value;  ///< dtype and extents: "float32(8, 64)"
    std::vector<int> operands;
    int step = -1;        ///< the launch that computes it; -1 for arguments, constants and views
    bool again = false;   ///< computed again in every kernel that reads it
    bool result = false;  ///< of the program
    std::string place;
    bool operator==(const node&) const = default;
  };
  /// A place where C++ code runs in the midst of the program.
  struct graph_break {
    std::string kind;  ///< graph_break, branch, item
    std::string why;
    std::string place;  ///< file:line
    int count = 1;      ///< calls from there
    bool operator==(const graph_break&) const = default;
  };

  int captured_nodes = 0;   ///< before the passes
  int optimised_nodes = 0;  ///< after them
  int kernels = 0;          ///< that differ
  std::vector<step> steps;  ///< in the order in which they run: the launches
  std::vector<node> nodes;  ///< where a source file of the program includes <weft/debug.hpp>
  std::vector<graph_break> breaks;
  int parts = 1;  ///< programs that it is made of, where shapes follow from data
  std::int64_t bytes_unfused =
      0;  ///< if every node of the optimised graph read its operands and wrote its result
  std::int64_t arena_bytes = 0;  ///< memory for intermediate values, scratch included
  bool broadcasts = false;  ///< the program has a second plan, for dynamic extents that broadcast
  bool general = false;     ///< and these arguments need it

  int launches() const { return static_cast<int>(steps.size()); }
  /// Parts of the program between breaks.
  int regions() const {
    int n = 1;
    for (const graph_break& b : breaks) n += b.count;
    return n;
  }
  /// The regions in the order in which they run. The planner computes what it can before a break,
  /// so that a region may be left with nothing.
  std::vector<region> by_region() const;
  std::int64_t bytes() const {
    std::int64_t n = 0;
    for (const step& s : steps) n += (s.bytes_read + s.bytes_written) * s.times;
    return n;
  }
  std::int64_t ops() const {
    std::int64_t n = 0;
    for (const step& s : steps) n += s.ops * s.times;
    return n;
  }
  bool operator==(const report&) const = default;
};

namespace detail {

/// Adds ops to a list in which each name is once.
inline void add_ops(std::vector<report::op_count>& to, const std::string& op, int count = 1) {
  for (report::op_count& c : to)
    if (c.op == op) {
      c.count += count;
      return;
    }
  to.push_back({op, count});
}
/// "3 multiply, tanh, sum".
inline std::string ops_text(const std::vector<report::op_count>& work) {
  std::string r;
  for (const report::op_count& c : work)
    r += (r.empty() ? "" : ", ") + (c.count > 1 ? std::to_string(c.count) + " " : "") + c.op;
  return r;
}

/// Loops as "32 x 64"; those that a row reduces in brackets: "32 x [64]".
inline std::string loops_text(const report::step& s) {
  std::string r;
  const int n = static_cast<int>(s.extents.size());
  for (int i = 0; i < n; ++i) {
    r += i ? " x " : "";
    if (s.reduces && i == s.rows) r += "[";
    r += std::to_string(s.extents[static_cast<std::size_t>(i)]);
  }
  return s.reduces ? r + "]" : r;
}

/// Rows of cells as aligned columns; columns of numbers to the right.
inline std::string table_text(const std::vector<std::vector<std::string>>& rows,
                              const std::vector<bool>& right) {
  std::vector<std::size_t> width(right.size(), 0);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(width[c] - row[c].size(), ' ');
      line += " " + (right[c] ? space + row[c] : row[c] + space) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace detail

inline std::vector<report::region> report::by_region() const {
  int count = regions();
  for (const step& s : steps) count = std::max(count, s.region + 1);
  std::vector<region> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const step& s = steps[i];
    if (s.is_break()) continue;
    region& r = all[static_cast<std::size_t>(s.region)];
    bool known = s.kernel < 0;
    for (std::size_t j = 0; j < i && !known; ++j)
      known = steps[j].kernel == s.kernel && steps[j].region == s.region;
    r.kernels += !known;
    ++r.launches;
    r.bytes += (s.bytes_read + s.bytes_written) * s.times;
    r.ops += s.ops * s.times;
    for (const op_count& c : s.work) detail::add_ops(r.work, c.op, c.count);
  }
  return all;
}

/// A report for a terminal. Of a long program it shows the launches that move the most bytes.
inline std::string to_text(const report& r, std::size_t most = 48) {
  using detail::human_bytes;
  using detail::human_count;
  std::string out = std::to_string(r.captured_nodes) + " nodes captured, " +
                    std::to_string(r.optimised_nodes) + " after the passes; " +
                    std::to_string(r.kernels) + (r.kernels == 1 ? " kernel, " : " kernels, ") +
                    std::to_string(r.launches()) +
                    (r.launches() == 1 ? " launch\n" : " launches\n");
  if (!r.breaks.empty()) {
    out += std::to_string(r.regions()) + " regions, cut by\n";
    for (const report::graph_break& b : r.breaks)
      out += "  " + b.kind + " \"" + b.why + "\"" + (b.place.empty() ? "" : " at " + b.place) +
             (b.count > 1 ? ", " + std::to_string(b.count) + " times\n" : "\n");
    std::vector<std::vector<std::string>> rows{
        {"region", "kernels", "launches", "moved", "ops", "of"}};
    for (const report::region& g : r.by_region())
      rows.push_back({std::to_string(rows.size() - 1), std::to_string(g.kernels),
                      std::to_string(g.launches), human_bytes(g.bytes), human_count(g.ops),
                      detail::ops_text(g.work)});
    out += detail::table_text(rows, {true, true, true, true, true, false});
  } else if (!r.steps.empty()) {
    out += "ops by name: " + detail::ops_text(r.by_region()[0].work) + "\n";
  }
  std::vector<std::size_t> shown(r.steps.size());
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  auto weight = [&](std::size_t i) { return r.steps[i].bytes_read + r.steps[i].bytes_written; };
  if (shown.size() > most) {
    std::stable_sort(shown.begin(), shown.end(),
                     [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
    shown.resize(most);
    std::sort(shown.begin(), shown.end());
  }
  std::vector<std::vector<std::string>> rows{
      {"", "launch", "loops", "read", "written", "ops", "from"}};
  for (std::size_t i : shown) {
    const report::step& s = r.steps[i];
    std::string what = s.name;
    if (s.kind != "kernel") what = s.kind + (s.name.empty() ? "" : " + " + s.name);
    what.insert(0, static_cast<std::size_t>(2 * s.depth), ' ');
    if (s.times > 1) what += ", " + std::to_string(s.times) + " times";
    rows.push_back({std::to_string(i), what, detail::loops_text(s), human_bytes(s.bytes_read),
                    human_bytes(s.bytes_written), human_count(s.ops), s.place});
  }
  out += detail::table_text(rows, {true, false, false, true, true, true, false});
  if (shown.size() < r.steps.size())
    out += "  and " + std::to_string(r.steps.size() - shown.size()) + " launches that move less\n";
  out += "bytes moved: " + human_bytes(r.bytes());
  if (r.bytes_unfused > r.bytes() && r.bytes() > 0) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.1f",
                  static_cast<double>(r.bytes_unfused) / static_cast<double>(r.bytes()));
    out += "; unfused " + human_bytes(r.bytes_unfused) + ", " + ratio + " times as many";
  } else {
    out += "; unfused " + human_bytes(r.bytes_unfused);
  }
  out += "\nops: " + human_count(r.ops()) +
         " (an fma counts as two, an elementary function as one); arena: " +
         human_bytes(r.arena_bytes) + "\n";
  if (r.parts > 1)
    out +=
        std::to_string(r.parts) +
        " parts, since shapes follow from data: those that explain does not know count as empty\n";
  if (r.broadcasts)
    out += r.general ? "plan: the general one, since dynamic extents broadcast in this call\n"
                     : "plan: the fast one, since dynamic extents that meet agree in this call\n";
  return out;
}

/// A report as JSON, its members in a fixed order.
inline std::string to_json(const report& r) {
  using detail::json_string;
  auto number = [](const char* key, std::int64_t v) {
    return json_string(key) + ": " + std::to_string(v);
  };
  std::string out = "{" + number("captured_nodes", r.captured_nodes) + ", " +
                    number("optimised_nodes", r.optimised_nodes) + ", " +
                    number("kernels", r.kernels) + ", " + number("launches", r.launches()) + ", " +
                    number("bytes", r.bytes()) + ", " + number("bytes_unfused", r.bytes_unfused) +
                    ", " + number("ops", r.ops()) + ", " + number("arena_bytes", r.arena_bytes) +
                    ", \"plan\": " + json_string(r.general ? "general" : "fast") +
                    ", \"breaks\": [";
  for (std::size_t i = 0; i < r.breaks.size(); ++i)
    out += (i ? ", {" : "{") + json_string("kind") + ": " + json_string(r.breaks[i].kind) +
           ", \"why\": " + json_string(r.breaks[i].why) +
           ", \"place\": " + json_string(r.breaks[i].place) + ", " +
           number("count", r.breaks[i].count) + "}";
  auto work = [](const std::vector<report::op_count>& list) {
    std::string s = "\"work\": {";
    for (const report::op_count& c : list)
      s += (s.ends_with("{") ? "" : ", ") + json_string(c.op) + ": " + std::to_string(c.count);
    return s + "}";
  };
  out += "], \"regions\": [";
  const std::vector<report::region> regions = r.by_region();
  for (std::size_t i = 0; i < regions.size(); ++i)
    out += (i ? ",\n  {" : "\n  {") + number("kernels", regions[i].kernels) + ", " +
           number("launches", regions[i].launches) + ", " + number("bytes", regions[i].bytes) +
           ", " + number("ops", regions[i].ops) + ", " + work(regions[i].work) + "}";
  out += "\n], \"steps\": [";
  for (std::size_t i = 0; i < r.steps.size(); ++i) {
    const report::step& s = r.steps[i];
    out += (i ? ",\n  {" : "\n  {") + json_string("kind") + ": " + json_string(s.kind) +
           ", \"name\": " + json_string(s.name) + ", " + number("kernel", s.kernel) +
           ", \"extents\": [";
    for (std::size_t d = 0; d < s.extents.size(); ++d)
      out += (d ? ", " : "") + std::to_string(s.extents[d]);
    out += "], " + number("bytes_read", s.bytes_read) + ", " +
           number("bytes_written", s.bytes_written) + ", " + number("ops", s.ops) + ", " +
           work(s.work) + ", " + number("region", s.region) +
           ", \"place\": " + json_string(s.place);
    if (s.depth > 0) out += ", " + number("depth", s.depth) + ", " + number("times", s.times);
    out += "}";
  }
  out += r.steps.empty() ? "], \"nodes\": [" : "\n], \"nodes\": [";
  for (std::size_t i = 0; i < r.nodes.size(); ++i) {
    const report::node& n = r.nodes[i];
    out += (i ? ",\n  {" : "\n  {") + json_string("op") + ": " + json_string(n.op) +
           ", \"value\": " + json_string(n.value) + ", \"operands\": [";
    for (std::size_t d = 0; d < n.operands.size(); ++d)
      out += (d ? ", " : "") + std::to_string(n.operands[d]);
    out += "], " + number("step", n.step) + ", \"again\": " + (n.again ? "true" : "false") +
           ", \"result\": " + (n.result ? "true" : "false") +
           ", \"place\": " + json_string(n.place) + "}";
  }
  return out + (r.nodes.empty() ? "]}\n" : "\n]}\n");
}

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const report& r) {
  const std::string s = to_text(r);
  return out.write(s.data(), static_cast<std::ptrdiff_t>(s.size()));
}

}  // namespace weft
