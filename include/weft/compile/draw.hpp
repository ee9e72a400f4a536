// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/explain.hpp>
#include <weft/compile/fusion_story.hpp>
#include <weft/graph/dot.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

// A program as a picture: its values as boxes, those of one launch in one colour.
namespace weft {
namespace detail {

inline constexpr const char* launch_colours[]{"#8ecae6", "#ffb703", "#95d5b2", "#f4978e",
                                              "#cdb4db", "#e9c46a", "#a2d2ff", "#d4a373",
                                              "#b7e4c7", "#ffc8dd", "#adb5bd", "#e5989b"};
inline std::string launch_colour(int step) {
  return step < 0 ? "#f1f3f5" : launch_colours[static_cast<std::size_t>(step) % 12];
}
inline std::string launch_title(const report& r, int step) {
  const report::step& s = r.steps[static_cast<std::size_t>(step)];
  const std::string what =
      s.kind == "kernel" ? s.name : s.kind + (s.name.empty() ? "" : " + " + s.name);
  return std::to_string(step) + ": " + what + ", " + human_bytes(s.bytes_read + s.bytes_written) +
         (r.regions() > 1 ? ", region " + std::to_string(s.region) : "");
}
inline std::string file_of(const std::string& place) {
  return place.empty() ? "" : place.substr(place.find_last_of('/') + 1);
}

/// The nodes of a report, with the launch that computes each; the planner is asked once more.
inline void tell_nodes(const graph& g, const index_t* extents, const place_table& places,
                       report& r) {
  const fusion_story story(g);
  std::vector<int> own{-1};  // steps of bodies are none of its launches
  for (int t = 0; t < r.launches(); ++t)
    if (r.steps[static_cast<std::size_t>(t)].depth == 0) own.push_back(t);
  for (int i = 0; i < g.size(); ++i) {
    const node& n = g.nodes[static_cast<std::size_t>(i)];
    report::node v;
    v.op = std::string(info(n.op).name);
    v.value = std::string(name(n.type)) + "(";
    for (int d = 0; d < n.shape.rank; ++d) {
      const index_t e = n.shape.d[d];
      v.value += (d ? ", " : "") + std::to_string(is_symbol(e) ? extents[symbol_number(e)] : e);
    }
    v.value += ")";
    if (n.op == id_of<constant_>) v.op = number_text(n);
    if (n.op == id_of<argument_>) v.op += " " + std::to_string(n.at.v[0]);
    for (int x : n.in)
      if (x >= 0) v.operands.push_back(x);
    v.step = own.at(static_cast<std::size_t>(story.launch_of(i) + 1));
    v.again = story.notes.again[static_cast<std::size_t>(i)];
    std::string where = places.text(g.where[static_cast<std::size_t>(i)]);
    if (where.starts_with("; at ")) where.erase(0, 5);
    v.place = where;
    r.nodes.push_back(std::move(v));
  }
  for (report::node& reader : r.nodes)  // what is computed again is computed where it is read
    for (int x : reader.operands)
      if (r.nodes[static_cast<std::size_t>(x)].again && reader.step >= 0)
        r.nodes[static_cast<std::size_t>(x)].step = reader.step;
  for (int o : g.outputs) r.nodes[static_cast<std::size_t>(o)].result = true;
}
/// From here on reports have nodes.
inline const bool nodes_are_told = [] {
  node_teller = &tell_nodes;
  return true;
}();

/// Boxes in layers: a value stands below all of its operands, near the middle of them.
class drawing {
 public:
  struct box {
    int node = -1;  ///< -1: a bend of a line that crosses a layer
    int layer = 0;
    double x = 0, width = 0;
    std::vector<int> above;  ///< boxes of operands, or of their lines' last bends
  };
  static constexpr double height = 46, gap = 18, layer_gap = 46, character = 7.0;
  std::vector<box> boxes;
  std::vector<std::vector<int>> layers;
  double width = 0;

  explicit drawing(const report& r) {
    const std::size_t n = r.nodes.size();
    std::vector<int> layer(n, 0), uses(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (int x : r.nodes[i].operands) {
        layer[i] = std::max(layer[i], layer[at(x)] + 1);
        ++uses[at(x)];
      }
    // A leaf stands just above its first reader.
    for (std::size_t i = n; i-- > 0;)
      if (r.nodes[i].operands.empty() && uses[i]) {
        int first = 1 << 30;
        for (std::size_t j = 0; j < n; ++j)
          for (int x : r.nodes[j].operands)
            if (at(x) == i) first = std::min(first, layer[j]);
        layer[i] = first - 1;
      }
    for (std::size_t i = 0; i < n; ++i) {
      const report::node& v = r.nodes[i];
      box b;
      b.node = static_cast<int>(i);
      b.layer = layer[i];
      const std::string place = file_of(v.place);
      const std::size_t letters =
          std::max({v.op.size() + std::to_string(i).size() + 2, v.value.size(), place.size()});
      b.width = character * static_cast<double>(letters) + 16;
      boxes.push_back(b);
    }
    for (std::size_t i = 0; i < n; ++i)
      for (int x : r.nodes[i].operands) {
        const int last = line_to(x, layer[i]);  // makes boxes
        boxes[i].above.push_back(last);
      }
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const std::size_t l = at(boxes[i].layer);
      if (layers.size() <= l) layers.resize(l + 1);
      layers[l].push_back(static_cast<int>(i));
    }
    arrange();
  }
  double y(int layer) const { return 20 + layer * (height + layer_gap); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// The bend above a layer of the line that comes down from a box, made if it is new.
  int line_to(int from, int layer) {
    int last = from;
    for (int l = boxes[at(from)].layer + 1; l < layer; ++l) {
      int known = -1;
      for (std::size_t i = boxes.size(); i-- > 0 && boxes[i].node < 0;)
        if (boxes[i].layer == l && boxes[i].above[0] == last) known = static_cast<int>(i);
      if (known < 0) {
        known = static_cast<int>(boxes.size());
        boxes.push_back({-1, l, 0, 4, {last}});
      }
      last = known;
    }
    return last;
  }
  double middle(const box& b) const { return b.x + b.width / 2; }
  /// Orders each layer by the middle of its neighbours and sets boxes side by side, some times
  /// over.
  void arrange() {
    std::vector<std::vector<int>> below(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i)
      for (int a : boxes[i].above) below[at(a)].push_back(static_cast<int>(i));
    for (auto& l : layers) pack(l, {});
    for (int round = 0; round < 12; ++round)
      for (std::size_t k = 0; k < layers.size(); ++k) {
        const bool down = round % 2 == 0;
        auto& l = layers[down ? k : layers.size() - 1 - k];
        std::vector<double> wish(boxes.size());
        for (int i : l) {
          const std::vector<int>& near = down ? boxes[at(i)].above : below[at(i)];
          double sum = 0;
          for (int j : near) sum += middle(boxes[at(j)]);
          wish[at(i)] =
              near.empty() ? middle(boxes[at(i)]) : sum / static_cast<double>(near.size());
        }
        std::stable_sort(l.begin(), l.end(),
                         [&](int a, int b) { return wish[at(a)] < wish[at(b)]; });
        pack(l, wish);
      }
    double least = 1e30;
    for (const box& b : boxes) least = std::min(least, b.x);
    for (box& b : boxes) {
      b.x += 20 - least;
      width = std::max(width, b.x + b.width + 20);
    }
  }
  /// Sets a layer's boxes near where they wish to be, in their order, without overlap: neighbours
  /// that would overlap form a block around the mean of their wishes.
  void pack(const std::vector<int>& l, const std::vector<double>& wish) {
    struct block {
      double start, width, wish, count;
      std::size_t first;
    };
    std::vector<block> all;
    for (std::size_t k = 0; k < l.size(); ++k) {
      const box& b = boxes[at(l[k])];
      const double start = wish.empty() ? 0 : wish[at(l[k])] - b.width / 2;
      all.push_back({start, b.width + gap, start, 1, k});
      while (all.size() > 1 &&
             all[all.size() - 2].start + all[all.size() - 2].width > all.back().start) {
        const block last = all.back();
        all.pop_back();
        block& f = all.back();
        f.wish += last.wish - last.count * f.width;
        f.count += last.count;
        f.width += last.width;
        f.start = f.wish / f.count;
      }
    }
    for (std::size_t q = 0; q < all.size(); ++q) {
      double x = all[q].start;
      const std::size_t end = q + 1 < all.size() ? all[q + 1].first : l.size();
      for (std::size_t k = all[q].first; k < end; ++k) {
        boxes[at(l[k])].x = x;
        x += boxes[at(l[k])].width + gap;
      }
    }
  }
};

inline std::string xml_text(const std::string& s) {
  std::string r;
  for (char c : s)
    r += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return r;
}

}  // namespace detail

/// A report's graph in Graphviz's language, nodes of one launch in one frame and colour: `dot
/// -Tsvg` draws it.
inline std::string to_dot(const report& r) {
  using detail::in_quotes;
  std::string s = "digraph weft {\n  node [shape=box, style=filled, fontname=\"monospace\"];\n";
  auto one = [&](std::size_t i) {
    const report::node& n = r.nodes[i];
    return "n" + std::to_string(i) + " [label=" +
           in_quotes("%" + std::to_string(i) + " " + n.op + "\n" + n.value +
                     (n.place.empty() ? "" : "\n" + detail::file_of(n.place))) +
           ", fillcolor=" + in_quotes(detail::launch_colour(n.step)) +
           (n.result ? ", peripheries=2" : "") + "];\n";
  };
  for (int t = 0; t < r.launches(); ++t) {
    s += "  subgraph cluster_" + std::to_string(t) +
         " {\n    label=" + in_quotes(detail::launch_title(r, t)) + ";\n";
    for (std::size_t i = 0; i < r.nodes.size(); ++i)
      if (r.nodes[i].step == t) s += "    " + one(i);
    s += "  }\n";
  }
  for (std::size_t i = 0; i < r.nodes.size(); ++i)
    if (r.nodes[i].step < 0) s += "  " + one(i);
  for (std::size_t i = 0; i < r.nodes.size(); ++i)
    for (int x : r.nodes[i].operands)
      s += "  n" + std::to_string(x) + " -> n" + std::to_string(i) + ";\n";
  return s + "}\n";
}

/// A report's graph as an SVG picture, coloured by launch, with a legend of the launches.
inline std::string to_svg(const report& r) {
  using detail::xml_text;
  const detail::drawing d(r);
  auto number = [](double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", v);
    return std::string(text);
  };
  const double legend_height = 22, top = d.y(static_cast<int>(d.layers.size()));
  double width = d.width;
  for (int t = 0; t < r.launches(); ++t)
    width = std::max(width, 70 + 7.0 * static_cast<double>(detail::launch_title(r, t).size()));
  const double height = top + legend_height * (r.launches() + 1);
  std::string s = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) +
                  "\" height=\"" + number(height) + "\" viewBox=\"0 0 " + number(width) + " " +
                  number(height) +
                  "\" font-family=\"monospace\" font-size=\"11\">\n"
                  "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  const double half = detail::drawing::height / 2;
  for (const auto& b : d.boxes)
    for (int a : b.above) {
      const auto& from = d.boxes[static_cast<std::size_t>(a)];
      const double x1 = from.x + from.width / 2, x2 = b.x + b.width / 2,
                   y1 = d.y(from.layer) + (from.node < 0 ? half : 2 * half),
                   y2 = d.y(b.layer) + (b.node < 0 ? half : 0), bend = (y2 - y1) / 2;
      s += "<path d=\"M" + number(x1) + " " + number(y1) + "C" + number(x1) + " " +
           number(y1 + bend) + " " + number(x2) + " " + number(y2 - bend) + " " + number(x2) + " " +
           number(y2) + "\" fill=\"none\" stroke=\"#868e96\"/>\n";
    }
  for (const auto& b : d.boxes) {
    if (b.node < 0) continue;
    const report::node& n = r.nodes[static_cast<std::size_t>(b.node)];
    const double y = d.y(b.layer);
    s += "<g><rect x=\"" + number(b.x) + "\" y=\"" + number(y) + "\" width=\"" + number(b.width) +
         "\" height=\"" + number(2 * half) + "\" rx=\"4\" fill=\"" + detail::launch_colour(n.step) +
         "\" stroke=\"#343a40\" stroke-width=\"" + (n.result ? "2.5" : "1") + "\"" +
         (n.step < 0 ? " stroke-dasharray=\"3 2\"" : "") + "/>";
    const std::string lines[]{"%" + std::to_string(b.node) + " " + n.op, n.value,
                              detail::file_of(n.place)};
    for (int k = 0; k < 3; ++k)
      s += "<text x=\"" + number(b.x + b.width / 2) + "\" y=\"" + number(y + 14 + 13 * k) +
           "\" text-anchor=\"middle\"" + (k ? " fill=\"#495057\"" : " font-weight=\"bold\"") + ">" +
           xml_text(lines[k]) + "</text>";
    s += "</g>\n";
  }
  for (int t = 0; t < r.launches(); ++t) {
    const double y = top + legend_height * t;
    s += "<rect x=\"20\" y=\"" + number(y) + "\" width=\"26\" height=\"15\" fill=\"" +
         detail::launch_colour(t) + "\" stroke=\"#343a40\"/><text x=\"54\" y=\"" + number(y + 12) +
         "\">" + xml_text(detail::launch_title(r, t)) + "</text>\n";
  }
  return s + "</svg>\n";
}

}  // namespace weft
