// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/dump.hpp>
#include <weft/compile/explain.hpp>
#include <weft/compile/fusion_story.hpp>

#include <string>
#include <string_view>

namespace weft {

/// A node of a program: its number in the graph after the passes, as dump_passes prints it; the
/// name of its op; or where it was written, "life.cpp:10" or ":10".
struct node_name {
  int number = -1;
  std::string name;
  node_name(int n) : number(n) {}               // NOLINT: written as a literal
  node_name(const char* s) : name(s) {}         // NOLINT
  node_name(std::string_view s) : name(s) {}    // NOLINT
  node_name(const std::string& s) : name(s) {}  // NOLINT
};

namespace detail {

/// The node that a name means. Several of one kernel are as good as one.
inline int find_node(const fusion_story& story, const node_name& wanted) {
  const graph& g = story.g;
  if (wanted.name.empty()) {
    if (wanted.number >= 0 && wanted.number < g.size()) return wanted.number;
    throw value_error("weft: why_not_fused: there is no node " + std::to_string(wanted.number) +
                      ": the graph has " + std::to_string(g.size()) + " after the passes");
  }
  const std::size_t colon = wanted.name.rfind(':');
  std::vector<int> found;
  for (int i = 0; i < g.size(); ++i) {
    const node& n = g.nodes[static_cast<std::size_t>(i)];
    const location& l = g.where[static_cast<std::size_t>(i)];
    if (colon == std::string::npos) {
      if (info(n.op).name == wanted.name) found.push_back(i);
    } else if (std::to_string(l.line) == wanted.name.substr(colon + 1) &&
               std::string_view(l.file).ends_with(wanted.name.substr(0, colon)) &&
               story.launch_of(i) >= 0) {
      found.push_back(i);
    }
  }
  bool one_kernel = !found.empty();
  for (int i : found)
    one_kernel = one_kernel &&
                 (found.size() == 1 ||
                  (story.launch_of(i) >= 0 && story.launch_of(i) == story.launch_of(found[0])));
  if (one_kernel) return found.back();
  std::string text = "weft: why_not_fused: ";
  if (found.empty()) {
    text += "no node is called \"" + wanted.name +
            "\" after the passes (ops made of others, such as softmax, are their parts by then: "
            "name one of those, or the line); there are";
    for (int i = 0; i < g.size(); ++i)
      if (story.launch_of(i) >= 0)
        text += (text.ends_with("are") ? " " : ", ") + story.node_text(i);
  } else {
    text += "\"" + wanted.name + "\" is in several kernels: give one of the numbers";
    for (int i : found)
      text += (i == found[0] ? " " : ", ") + story.node_text(i) + " in " +
              story.launch(story.launch_of(i));
  }
  throw value_error(text);
}

template <class Program>
fusion_story story_of(const argument_value* arguments, const place_table& places = {}) {
  static_assert(!Program::in_parts,
                "weft: why_not_fused: shapes that follow from data cut this program into parts, "
                "each planned alone: ask about a function without them");
  graph g = needs_general<Program>(arguments, places)
                ? optimised(Program::source::build(Program::broadcasts_at_call))
                : optimised(Program::source::build(false));
  name_places(g, places.steps);
  return fusion_story(std::move(g));
}
inline std::string why_not(const fusion_story& s, const node_name& a, const node_name& b) {
  return s.why_not(find_node(s, a), find_node(s, b));
}

}  // namespace detail

/// Why two nodes of a program are not computed by one kernel, in a sentence or two; or that they
/// are. The reasons are the planner's own. Throws value_error for a name that fits no node, or
/// several in different kernels.
template <class F, class... X>
std::string why_not_fused(const compiled<F>&, const node_name& a, const node_name& b,
                          const X&... x) {
  return [&](const auto&... t) {
    using P = typename compiled<F>::template program<X...>;
    constexpr int count = (detail::count_of<std::remove_cvref_t<decltype(t)>>::value + ... + 0);
    detail::argument_list<static_cast<std::size_t>(count)> arguments;
    (arguments.add(t), ...);
    return detail::why_not(detail::story_of<P>(arguments.value.data()), a, b);
  }(detail::as_argument(x)...);
}
template <class F, class... X>
  requires(detail::stateless<F> && !detail::operand<F>)
std::string why_not_fused(F f, const node_name& a, const node_name& b, const X&... x) {
  return why_not_fused(compile(f), a, b, x...);
}
template <auto R, class... L>
std::string why_not_fused(const expr<R, L...>& e, const node_name& a, const node_name& b) {
  const auto arguments = detail::arguments_of(e);
  return detail::why_not(detail::story_of<typename detail::program_of<expr<R, L...>>::type>(
                             arguments.data(), detail::place_table{e.where}),
                         a, b);
}

/// What the passes make of a function for example arguments, stage by stage. Runs the passes, not
/// the function.
template <class F, class... X>
  requires(detail::stateless<F> && !detail::operand<F>)
pass_dump dump_passes(F, const X&...) {
  return detail::dump_passes<typename compiled<F>::template program<X...>>();
}

namespace detail {

/// From here on the topic fusion tells why nodes are in different kernels.
inline const bool fusion_is_told = [] {
  fusion_teller = [](const index_t* words, const char* program) {
    const fusion_story s(decoded_graph(words));
    for (int t = 0; t < static_cast<int>(s.p.steps.size()); ++t)
      logging::line(logging::topic::fusion, "%s: %s", program, s.launch(t).c_str());
    for (const std::string& text : s.cuts())
      logging::line(logging::topic::fusion, "%s: %s", program, text.c_str());
  };
  return true;
}();

}  // namespace detail
}  // namespace weft
