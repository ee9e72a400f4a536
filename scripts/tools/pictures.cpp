// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// usage: pictures fusion | rooms | plan
// Prints a picture of the documentation as SVG. What stands in `fusion` comes from the library: the
// graph is the captured one, the loop is what `source` prints.
#include <weft/debug.hpp>
#include <weft/weft.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace w = weft;

namespace {

std::string escaped(std::string_view text) {
  std::string s;
  for (char c : text)
    s += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return s;
}
std::string number(double v) {
  std::ostringstream s;
  s << v;
  return s.str();
}

class drawing {
 public:
  drawing(double width, double height, std::string_view title) {
    text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" + number(width) +
            "\" height=\"" + number(height) + "\" viewBox=\"0 0 " + number(width) + " " +
            number(height) + "\" font-family=\"Inter, 'Segoe UI', Arial, sans-serif\">\n<title>" +
            escaped(title) +
            "</title>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
            "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 "
            "4L0 8z\" fill=\"#5b6679\"/></marker></defs>\n";
    box(0, 0, width, height, "#f6f7f9", "none", 0);
  }
  void box(double x, double y, double width, double height, std::string_view fill,
           std::string_view stroke, double radius = 6) {
    text_ += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) +
             "\" height=\"" + number(height) + "\" rx=\"" + number(radius) + "\" fill=\"" +
             std::string(fill) + "\" stroke=\"" + std::string(stroke) + "\"/>\n";
  }
  void words(double x, double y, std::string_view words, double size, std::string_view fill,
             std::string_view more = "") {
    text_ += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" font-size=\"" + number(size) +
             "\" fill=\"" + std::string(fill) + "\"" + std::string(more) +
             " xml:space=\"preserve\">" + escaped(words) + "</text>\n";
  }
  void code(double x, double y, std::string_view words, double size = 12.5,
            std::string_view fill = "#1b2433") {
    this->words(
        x, y, words, size, fill,
        " font-family=\"'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace\"");
  }
  void arrow(double x1, double y1, double x2, double y2, std::string_view stroke = "#5b6679",
             double width = 1.4) {
    text_ += "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
             "\" y2=\"" + number(y2) + "\" stroke=\"" + std::string(stroke) + "\" stroke-width=\"" +
             number(width) + "\" marker-end=\"url(#tip)\"/>\n";
  }
  void path(const std::string& way) {
    text_ += "<path d=\"" + way +
             "\" fill=\"none\" stroke=\"#a7b0be\" stroke-width=\"1.2\" "
             "marker-end=\"url(#tip)\"/>\n";
  }
  std::string str() const { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

constexpr std::string_view centred = " text-anchor=\"middle\"", bold = " font-weight=\"600\"",
                           centred_bold = " text-anchor=\"middle\" font-weight=\"600\"";
constexpr std::string_view ink = "#1b2433", soft = "#5b6679", rule = "#d5dbe5";

void card(drawing& d, double x, double width, double height, std::string_view title,
          std::string_view note) {
  d.box(x, 16, width, height, "#ffffff", rule, 10);
  d.words(x + 18, 44, title, 15, ink, bold);
  d.words(x + 18, 63, note, 12, soft);
}

/// The graph, drawn from top to bottom: forward nodes blue, those of the gradient orange, what the
/// passes remove grey. Views and constants are left out.
void draw_graph(drawing& d, const w::detail::graph& g, double left, double width) {
  using namespace w::detail;
  const auto at = [&](int i) -> const node& { return g.nodes[std::size_t(i)]; };
  std::vector<bool> needed(g.nodes.size()), forward(g.nodes.size());
  std::vector<int> open = g.outputs;
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    if (needed[std::size_t(i)]) continue;
    needed[std::size_t(i)] = true;
    for (int in : at(i).in)
      if (in >= 0) open.push_back(in);
  }
  // The loss is the first reduction; the nodes up to it are the forward pass.
  int loss = 0;
  while (info(at(loss).op).kind != op_kind::reduction) ++loss;
  const auto skipped = [&](int i) {
    const op_kind kind = info(at(i).op).kind;
    return kind == op_kind::view || (kind == op_kind::leaf && at(i).op != id_of<argument_>);
  };
  std::vector<int> depth(g.nodes.size());
  const auto source_of = [&](int i) {
    while (i >= 0 && skipped(i)) i = at(i).in[0];
    return i;
  };
  // Uses that the output does not need are the sum of the loss, and the other argument's gradient.
  const auto shown = [&](int i) { return !skipped(i) && (needed[std::size_t(i)] || i <= loss); };
  int deepest = 0;
  std::map<int, std::vector<int>> layers;
  for (int i = 0; i < g.size(); ++i) {
    if (!shown(i)) continue;
    for (int in : at(i).in)
      if (const int from = source_of(in); from >= 0)
        depth[std::size_t(i)] = std::max(depth[std::size_t(i)], depth[std::size_t(from)] + 1);
    layers[depth[std::size_t(i)]].push_back(i);
    deepest = std::max(deepest, depth[std::size_t(i)]);
  }
  const double box_width = 84, box_height = 26, step = 53;
  std::map<int, std::pair<double, double>> place;
  for (const auto& [layer, members] : layers)
    for (std::size_t k = 0; k < members.size(); ++k)
      place[members[k]] = {left + 12 + (width - 48) * (double(k) + 0.5) / double(members.size()),
                           98 + step * layer};
  for (const auto& [i, p] : place)
    for (int in : at(i).in)
      if (const int from = source_of(in); from >= 0 && place.count(from)) {
        if (depth[std::size_t(i)] > depth[std::size_t(from)] + 1) {  // around the layers between
          const auto [fx, fy] = place[from];
          const double edge = left + width - 20;
          d.path("M" + number(fx + box_width / 2) + " " + number(fy) + "H" + number(edge) + "V" +
                 number(p.second) + "H" + number(p.first + box_width / 2 + 1));
          continue;
        }
        d.arrow(place[from].first, place[from].second + box_height / 2, p.first,
                p.second - box_height / 2 - 1, "#a7b0be", 1.2);
      }
  for (const auto& [i, p] : place) {
    const bool argument = at(i).op == id_of<argument_>, kept = needed[std::size_t(i)];
    const std::string_view fill = argument    ? "#ffffff"
                                  : !kept     ? "#eef0f4"
                                  : i <= loss ? "#e3edfc"
                                              : "#fdeadf";
    const std::string_view edge = argument    ? "#a7b0be"
                                  : !kept     ? "#d5dbe5"
                                  : i <= loss ? "#2f6fde"
                                              : "#e8662a";
    d.box(p.first - box_width / 2, p.second - box_height / 2, box_width, box_height, fill, edge,
          argument ? 13 : 5);
    const std::string name =
        argument ? (at(i).at.v[0] == 0 ? "x" : "m") : std::string(info(at(i).op).name);
    d.words(p.first, p.second + 4.5, name, 12.5, kept ? ink : "#a7b0be", centred);
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void fusion() {
  w::matrix<float> X = w::ones<float>(512, 512), M = w::ones<float>(512, 512);
  auto x = w::variable<"x">(X);
  auto m = w::variable<"m">(M);
  auto loss = w::sum(w::square(w::tanh(x * m)));
  auto g = w::grad(loss, x);

  using program = w::detail::program_of<decltype(g)>::type;
  const w::detail::graph captured = program::source::build(false);
  const auto report = w::explain(g);
  const double height = 460;
  drawing d(1180, height, "From an expression to its graph and to one loop");
  card(d, 16, 330, height - 32, "What you write", "C++; nothing runs");
  double y = 100;
  for (std::string_view line :
       {"auto x = w::variable<\"x\">(X);", "auto m = w::variable<\"m\">(M);", "",
        "auto loss = w::sum(w::square(", "                w::tanh(x * m)));", "",
        "auto g = w::grad(loss, x);", "", "w::matrix<float> G = g;"}) {
    d.code(34, y, line);
    y += 21;
  }
  y += 14;
  for (std::string_view line : {"The type of g is its program. The gradient is one",
                                "more op of it: an expression like any "
                                "other."}) {
    d.words(34, y, line, 12, soft);
    y += 18;
  }
  y += 12;
  const auto bytes = [](double b) { return number(b / 1048576) + " MiB"; };
  std::int64_t moved = 0;
  for (const auto& s : report.steps) moved += s.bytes_read + s.bytes_written;
  for (const std::string& line :
       {std::string("w::explain(g), for 512 x 512 floats:"),
        std::to_string(report.captured_nodes) + " nodes captured, " +
            std::to_string(report.optimised_nodes) + " after the passes",
        std::to_string(report.kernels) + (report.kernels == 1 ? " kernel" : " kernels") + ", " +
            std::to_string(report.steps.size()) +
            (report.steps.size() == 1 ? " launch" : " launches"),
        bytes(double(moved)) + " moved; node by node " + bytes(double(report.bytes_unfused))}) {
    d.words(34, y, line, 12, line[0] == 'w' ? soft : ink);
    y += 19;
  }

  d.arrow(350, height / 2, 374, height / 2, soft, 2);
  card(d, 380, 330, height - 32, "What the C++ compiler sees",
       "the graph of g: forward blue, backward orange");
  draw_graph(d, captured, 380, 330);

  d.arrow(714, height / 2, 738, height / 2, soft, 2);
  card(d, 744, 420, height - 32, "What runs", "one loop, inlined SIMD; printed by w::source(g)");
  y = 100;
  bool printing = false;
  for (std::string line : lines_of(w::source(g).text)) {
    printing = printing || line.starts_with("void ");
    if (!printing) continue;
    if (const auto comment = line.find("//"); comment != line.npos) line.erase(comment);
    d.code(762, y, line, 12);
    y += 20;
  }
  std::cout << d.str();
}

struct room {
  std::string_view name, what, form, when;
};

void rooms() {
  constexpr std::string_view rest = "at rest", constant = "in constant evaluation",
                             instance = "as template instances", call = "at the call";
  constexpr room list[]{
      {"base", "fixed strings, errors, hashing, random words", "", rest},
      {"array", "dtype, extents, storage, tensor, view: data at rest", "", rest},
      {"op", "the catalogue: one op, one header", "rules: gradient, SIMD form, reference", rest},
      {"graph", "node, builder, verifier, printing, reference evaluator", "", constant},
      {"capture", "expressions: a recipe; functions: symbols", "graph", constant},
      {"grad", "reverse and forward mode, custom rules", "graph, with its derivative", constant},
      {"pass", "simplify, contract", "graph, optimised", constant},
      {"plan", "fusion into kernels, loop order, memory", "plan: kernels, steps, accesses, slots",
       constant},
      {"cpu", "SIMD reading of kernels, products, threads", "a function for each different kernel",
       instance},
      {"compile", "program, guards, calls, explain, source", "results", call},
      {"nn, optim, data", "what a training loop needs", "", call},
  };
  const double step = 52, height = 40 + step * double(std::size(list)) + 12;
  drawing d(1120, height, "The rooms of Weft, and what flows through them");
  double y = 28;
  for (std::size_t i = 0; i < std::size(list); ++i) {
    const room& r = list[i];
    const bool first = i == 0 || list[i - 1].when != r.when;
    const std::string_view fill = r.when == constant   ? "#e3edfc"
                                  : r.when == instance ? "#fdeadf"
                                  : r.when == call     ? "#e2f4ec"
                                                       : "#ffffff";
    d.box(28, y, 520, 38, fill, rule, 7);
    d.code(46, y + 24, r.name, 13.5);
    d.words(180, y + 24, r.what, 13, ink);
    if (i + 1 < std::size(list)) d.arrow(104, y + 38, 104, y + step - 1);
    if (!r.form.empty()) {
      d.arrow(550, y + 19, 578, y + 19);
      d.words(586, y + 24, r.form, 13, ink);
    }
    if (first) d.words(880, y + 24, r.when, 13, soft, bold);
    y += step;
  }
  d.words(
      28, y + 8,
      "A room includes only rooms above it. Beside a room: what leaves it, and when that happens.",
      12.5, soft);
  std::cout << d.str();
}

/// What to_svg draws of a small function.
void plan() {
  const w::matrix<float> x = w::ones<float>(64, 64);
  auto f = [](auto a) {
    auto s = w::softmax(a);
    auto t = w::tanh(w::transpose(s)) * s;
    return w::relu(w::matmul(t, a) + 1.0f);
  };
  std::cout << w::to_svg(w::explain(f, x));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view which = count == 2 ? arguments[1] : "";
  if (which == "fusion")
    fusion();
  else if (which == "rooms")
    rooms();
  else if (which == "plan")
    plan();
  else {
    std::cerr << "usage: pictures fusion | rooms | plan\n";
    return 2;
  }
}
