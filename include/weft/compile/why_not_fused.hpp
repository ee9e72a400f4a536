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

/// The nodes that a name means, ops and lines alike; of a line those that some launch computes.
inline std::vector<int> nodes_called(const fusion_story& story, const std::string& name) {
  const graph& g = story.g;
  const std::size_t colon = name.rfind(':');
  std::vector<int> found;
  for (int i = 0; i < g.size(); ++i) {
    const location& l = g.where[static_cast<std::size_t>(i)];
    if (colon == std::string::npos) {
      if (info(g.nodes[static_cast<std::size_t>(i)].op).name == name) found.push_back(i);
    } else if (std::to_string(l.line) == name.substr(colon + 1) &&
               std::string_view(l.file).ends_with(name.substr(0, colon)) &&
               story.launch_of(i) >= 0) {
      found.push_back(i);
    }
  }
  return found;
}
[[noreturn]] inline void throw_no_node(const fusion_story* story, std::size_t count,
                                       const std::string& name) {
  std::string text =
      "weft: why_not_fused: no node is called \"" + name +
      "\" after the passes (ops made of others, such as softmax, are their parts by then: "
      "name one of those, or the line); there are";
  for (const fusion_story* s = story; s != story + count; ++s)
    for (int i = 0; i < s->g.size(); ++i)
      if (s->launch_of(i) >= 0) text += (text.ends_with("are") ? " " : ", ") + s->node_text(i);
  throw value_error(text);
}

/// The node that a name means. Several of one kernel are as good as one.
inline int find_node(const fusion_story& story, const node_name& wanted) {
  const graph& g = story.g;
  if (wanted.name.empty()) {
    if (wanted.number >= 0 && wanted.number < g.size()) return wanted.number;
    throw value_error("weft: why_not_fused: there is no node " + std::to_string(wanted.number) +
                      ": the graph has " + std::to_string(g.size()) + " after the passes");
  }
  const std::vector<int> found = nodes_called(story, wanted.name);
  if (found.empty()) throw_no_node(&story, 1, wanted.name);
  bool one_kernel = true;
  for (int i : found)
    one_kernel = one_kernel &&
                 (found.size() == 1 ||
                  (story.launch_of(i) >= 0 && story.launch_of(i) == story.launch_of(found[0])));
  if (one_kernel) return found.back();
  std::string text =
      "weft: why_not_fused: \"" + wanted.name + "\" is in several kernels: give one of the numbers";
  for (int i : found)
    text += (i == found[0] ? " " : ", ") + story.node_text(i) + " in " +
            story.launch(story.launch_of(i));
  throw value_error(text);
}

template <class Program>
fusion_story story_of(const argument_value* arguments, const place_table& places = {}) {
  graph g = needs_general<Program>(arguments, places)
                ? optimised(Program::source::build(Program::broadcasts_at_call))
                : optimised(Program::source::build(false));
  name_places(g, places.steps);
  return fusion_story(std::move(g));
}

/// Of a program whose parts are planned each for itself, since shapes follow from data.
template <class Source, int... P>
std::string why_not_in_parts(const argument_value* arguments, const place_table& places,
                             const node_name& a, const node_name& b,
                             std::integer_sequence<int, P...>) {
  const part_values<static_cast<std::size_t>(Source::count)> values(part_table<Source>::words,
                                                                    arguments);
  std::vector<fusion_story> part;
  (part.push_back(story_of<program<part_source<Source, P>>>(values.arguments.data(), places)), ...);
  const std::string of = " of " + std::to_string(part.size());
  std::vector<std::size_t> in[2];
  for (const node_name* n : {&a, &b}) {
    if (n->name.empty())
      throw value_error("weft: why_not_fused: the program runs in " + std::to_string(part.size()) +
                        " parts, whose nodes are numbered each for itself: name the op or the "
                        "line");
    for (std::size_t p = 0; p < part.size(); ++p)
      if (!nodes_called(part[p], n->name).empty()) in[n == &b].push_back(p);
    if (in[n == &b].empty()) throw_no_node(part.data(), part.size(), n->name);
  }
  for (std::size_t p : in[0])
    for (std::size_t q : in[1])
      if (p == q)
        return part[p].why_not(find_node(part[p], a), find_node(part[p], b)) + " In part " +
               std::to_string(p + 1) + of + ".";
  const std::size_t p = in[0].front(), q = in[1].front();
  std::string text = part[p].node_text(nodes_called(part[p], a.name).front()) + " is in part " +
                     std::to_string(p + 1) + of + ", " +
                     part[q].node_text(nodes_called(part[q], b.name).front()) + " in part " +
                     std::to_string(q + 1) + ": the program is cut between them by ";
  const graph g = Source::build(false);
  bool more = false;
  for (const cut_call& k : cut(g).calls) {
    const auto after = static_cast<std::size_t>(k.after);
    if (after < std::min(p, q) || after >= std::max(p, q)) continue;
    const host_function& f = g.hosts[static_cast<std::size_t>(k.host)];
    text += (more ? ", " : "") + std::string(f.kind) +
            (f.line ? " at " + place_text({f.file, f.line, 0}) : "");
    more = true;
  }
  return text + ", and what follows has shapes that are known only then.";
}
template <class Program>
std::string why_not(const argument_value* arguments, const node_name& a, const node_name& b,
                    const place_table& places = {}) {
  if constexpr (Program::in_parts) {
    using source = typename Program::source;
    return why_not_in_parts<source>(arguments, places, a, b,
                                    std::make_integer_sequence<int, part_table<source>::parts>{});
  } else {
    const fusion_story s = story_of<Program>(arguments, places);
    return s.why_not(find_node(s, a), find_node(s, b));
  }
}

}  // namespace detail

/// Why two nodes of a program are not computed by one kernel, in a sentence or two; or that they
/// are. The reasons are the planner's own. Of a program that runs in parts, since shapes follow
/// from data, it tells what cuts it between nodes of different ones. Throws value_error for a name
/// that fits no node, or several in different kernels.
template <class F, class... X>
std::string why_not_fused(const compiled<F>&, const node_name& a, const node_name& b,
                          const X&... x) {
  return [&](const auto&... t) {
    using P = typename compiled<F>::template program<X...>;
    constexpr int count = (detail::count_of<std::remove_cvref_t<decltype(t)>>::value + ... + 0);
    detail::argument_list<static_cast<std::size_t>(count)> arguments;
    (arguments.add(t), ...);
    return detail::why_not<P>(arguments.value.data(), a, b);
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
  return detail::why_not<typename detail::program_of<expr<R, L...>>::type>(
      arguments.data(), a, b, detail::place_table{e.where});
}
/// The same of a training step: `why_not_fused(train, a, b, model, x, y)`. Takes no step.
template <class Trainer, class Model, class... X>
  requires requires(const Trainer& t, const Model& m, const X&... x) {
    t.arguments(m, x...);
  }
std::string why_not_fused(const Trainer& train, const node_name& a, const node_name& b,
                          const Model& model, const X&... x) {
  return [&](const auto&... t) {
    const auto arguments = train.arguments(model, t...);
    return detail::why_not<typename Trainer::template program<X...>>(arguments.value.data(), a, b);
  }(detail::as_argument(x)...);
}

/// What the passes make of a function for example arguments, stage by stage. Runs the passes, not
/// the function.
template <class F, class... X>
  requires(detail::stateless<F> && !detail::operand<F>)
pass_dump dump_passes(F, const X&...) {
  return detail::dump_passes<typename compiled<F>::template program<X...>>();
}

/// The same of a training step.
template <class Trainer, class Model, class... X>
  requires requires(const Trainer& t, const Model& m, const X&... x) {
    t.arguments(m, x...);
  }
pass_dump dump_passes(const Trainer&, const Model&, const X&...) {
  return detail::dump_passes<typename Trainer::template program<X...>>();
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
