// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/text.hpp>

namespace weft::detail {

/// Where C++ code runs in the midst of a program.
struct break_site {
  const char* kind = "";
  const char* why = "";
  location where{};
  int count = 1;  ///< calls from this place
};

/// The breaks of a graph and of its bodies, in the order of its nodes.
constexpr void find_breaks(const graph& g, const sequence<host_function>& hosts,
                           sequence<break_site>& to) {
  for (int i = 0; i < g.size(); ++i) {
    const node& n = g.nodes.data()[i];
    if (n.op == id_of<host_>) {
      const host_function& f = hosts.data()[n.at.v[0]];
      to.push_back({f.kind, f.why, {f.file, f.line, 0}});
    } else if (n.op == id_of<cond_> && n.at.v[2]) {
      to.push_back({"branch", "a condition is decided on the host",
                    g.where.empty() ? location{} : g.where.data()[i]});
    }
    for (int k = 0; k < 2; ++k)
      if (n.op == id_of<scan_> ? k == 0 : n.op == id_of<cond_> || n.op == id_of<while_>)
        find_breaks(g.bodies.data()[n.at.v[k]], hosts, to);
  }
}
/// The same by line, each place once.
constexpr sequence<break_site> breaks_of(const graph& g) {
  sequence<break_site> all, r;
  find_breaks(g, g.hosts, all);
  for (std::size_t k = 1; k < all.size(); ++k)
    for (std::size_t j = k; j > 0 && all[j].where.line < all[j - 1].where.line; --j)
      std::swap(all[j], all[j - 1]);
  for (const break_site& b : all) {
    const bool again = !r.empty() && r.back().where.line == b.where.line &&
                       std::string_view(r.back().kind) == b.kind &&
                       std::string_view(r.back().why) == b.why;
    if (again)
      ++r.back().count;
    else
      r.push_back(b);
  }
  return r;
}

/// What compile<full_graph> says of a graph with breaks; empty if there are none.
constexpr message breaks_message(const graph& g) {
  const sequence<break_site> sites = breaks_of(g);
  message m;
  if (sites.empty()) return m;
  m.put("weft: compile<full_graph>: the function breaks the graph ");
  std::int64_t count = 0;
  for (const break_site& b : sites) count += b.count;
  if (count == 1)
    m.put("once");
  else
    m.put(count).put(" times");
  for (std::size_t i = 0; i < sites.size(); ++i) {
    m.put(i ? "; " : ": ").put(sites[i].kind).put(" \"").put(sites[i].why).put("\"");
    location at = sites[i].where;
    std::string_view file = at.file;
    const std::size_t cut = file.find_last_of('/');
    if (at.line)
      m.put(" at ")
          .put(cut == std::string_view::npos ? file : file.substr(cut + 1))
          .put(":")
          .put(at.line);
    if (sites[i].count > 1) m.put(" (").put(sites[i].count).put(" times)");
  }
  return m;
}

}  // namespace weft::detail
