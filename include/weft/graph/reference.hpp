// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>
#include <weft/graph/reference_control.hpp>

// The oracle: a graph evaluated node by node with plain loops.
namespace weft::detail {

using reference_function = void (*)(const reference_node&, reference_value&);
template <class List>
struct reference_table;
template <class... Op>
struct reference_table<type_list<Op...>> {
  template <class O>
  static constexpr reference_function rule() {
    if constexpr (O::kind == op_kind::control)
      return nullptr;  // see reference_nodes
    else
      return &reference_rule<O>::evaluate;
  }
  static constexpr reference_function value[sizeof...(Op)]{rule<Op>()...};
};

/// The values of a graph's extents for the shapes of given arguments, which must be row-major.
inline std::vector<index_t> reference_extents(const graph& g,
                                              const std::vector<reference_value>& arguments) {
  std::vector<index_t> value;
  auto of = [&](index_t e) {
    return is_symbol(e) ? value.at(static_cast<std::size_t>(symbol_number(e))) : e;
  };
  auto shape_of_argument = [&](index_t a) -> const std::vector<index_t>& {
    if (static_cast<std::size_t>(a) >= arguments.size())
      throw shape_error("weft: reference: the graph has " + std::to_string(g.arguments) +
                        " arguments: got " + std::to_string(arguments.size()));
    return arguments[static_cast<std::size_t>(a)].shape;
  };
  for (const extent_expr& e : g.extents) {
    index_t v = 0;
    switch (e.kind) {
      case extent_kind::argument:
        v = shape_of_argument(e.a).at(static_cast<std::size_t>(e.b));
        break;
      case extent_kind::stride: {
        const auto& s = shape_of_argument(e.a);
        v = 1;
        for (std::size_t k = static_cast<std::size_t>(e.b) + 1; k < s.size(); ++k) v *= s[k];
        break;
      }
      case extent_kind::product:
        v = of(e.a) * of(e.b);
        break;
      case extent_kind::sum:
        v = of(e.a) + of(e.b);
        break;
      case extent_kind::quotient:
        v = of(e.b) ? of(e.a) / of(e.b) : 0;
        break;
      case extent_kind::ceiling:
        v = of(e.b) ? (of(e.a) + of(e.b) - 1) / of(e.b) : 0;
        break;
      case extent_kind::broadcast:
        v = of(e.b) == 1 ? of(e.a) : of(e.b);
        break;
      case extent_kind::unless_one:
        v = of(e.a) == 1 ? 0 : of(e.b);
        break;
      case extent_kind::least:
        v = of(e.a) < of(e.b) ? of(e.a) : of(e.b);
        break;
      case extent_kind::excess:
        v = of(e.a) > of(e.b) ? of(e.a) - of(e.b) : 0;
        break;
      case extent_kind::data:
        throw shape_error(
            "weft: reference: the graph has extents that follow from data: evaluate its parts");
      case extent_kind::number:
        v = static_cast<index_t>(arguments.at(static_cast<std::size_t>(e.a)).bits.at(0));
        break;
    }
    value.push_back(v);
  }
  return value;
}

/// Throws shape_error where a guard of the graph does not hold.
inline void check_reference_guards(const graph& g, const std::vector<index_t>& extents) {
  auto of = [&](index_t e) {
    return is_symbol(e) ? extents.at(static_cast<std::size_t>(symbol_number(e))) : e;
  };
  for (const guard& c : g.guards) {
    const index_t a = of(c.a), b = of(c.b);
    const std::string text = "weft: " + std::string(info(c.op).name) + ": extents " +
                             std::to_string(a) + " and " + std::to_string(b);
    switch (c.kind) {
      case guard_kind::equal:
        if (a != b) throw shape_error(text + " differ");
        break;
      case guard_kind::broadcast:
        if (a != b && a != 1 && b != 1) throw shape_error(text + " do not broadcast");
        break;
      case guard_kind::divides:
        if (b == 0 ? a != 0 : a % b != 0)
          throw shape_error(text + ": the second does not divide the first");
        break;
      case guard_kind::not_empty:
        if (a == 0 && b != 0)
          throw shape_error("weft: " + std::string(info(c.op).name) + ": of no elements");
        break;
    }
  }
}

/// The values of a graph's nodes; of control nodes and links nothing. A body reads extents of the
/// program's arguments.
inline std::vector<reference_value> reference_nodes(
    const graph& g, const std::vector<reference_value>& arguments,
    const std::vector<reference_value>& program_arguments, reference_arithmetic how,
    const sequence<host_function>& hosts) {
  const std::vector<index_t> extents = reference_extents(g, program_arguments);
  auto number = [&](index_t e) {
    return is_symbol(e) ? extents.at(static_cast<std::size_t>(symbol_number(e))) : e;
  };
  auto shape_of_node = [&](const node& n) {
    std::vector<index_t> shape;
    for (int k = 0; k < n.shape.rank; ++k) shape.push_back(number(n.shape.d[k]));
    return shape;
  };
  const reference_control control(
      g,
      [&](const graph& body, const std::vector<reference_value>& x) {
        const auto values = reference_nodes(body, x, program_arguments, how, hosts);
        std::vector<reference_value> outputs;
        for (int o : body.outputs) outputs.push_back(values.at(static_cast<std::size_t>(o)));
        return outputs;
      },
      number);
  std::vector<reference_value> values;
  std::vector<std::vector<reference_value>> results(g.nodes.size());
  values.reserve(g.nodes.size());
  for (int i = 0; i < g.size(); ++i) {
    const node& n = g.nodes[static_cast<std::size_t>(i)];
    const reference_value* x[3]{};
    for (int k = 0; k < 3; ++k)
      if (n.in[k] >= 0) x[k] = &values.at(static_cast<std::size_t>(n.in[k]));
    if (n.op == id_of<result_>) {
      values.push_back(
          results.at(static_cast<std::size_t>(n.in[0])).at(static_cast<std::size_t>(n.at.v[0])));
      continue;
    }
    if (info(n.op).kind == op_kind::control) {
      std::vector<reference_value>& made = results[static_cast<std::size_t>(i)];
      std::vector<reference_value> operands;
      if (is_control(n.op))
        for (int o : operands_of(g.nodes.data(), n))
          operands.push_back(values.at(static_cast<std::size_t>(o)));
      if (has_bodies(n.op)) made = control(n, std::move(operands));
      if (n.op == id_of<host_>) {
        if (n.at.v[2]) made.emplace_back(n.type, shape_of_node(n));
        call_reference_host(hosts[static_cast<std::size_t>(n.at.v[0])], operands, made);
      }
      values.emplace_back();
      continue;
    }
    reference_value r(n.type, shape_of_node(n));
    reference_table<primitives>::value[n.op](reference_node{n, x, extents, arguments, how}, r);
    values.push_back(std::move(r));
  }
  return values;
}

/// Every node's value. Throws shape_error where arguments do not fit or a guard fails, index_error
/// for an index out of range, dtype_error for an argument of another dtype, value_error for a graph
/// that carries an error.
inline std::vector<reference_value> reference_trace(
    const graph& g, const std::vector<reference_value>& arguments,
    reference_arithmetic how = reference_arithmetic::wide) {
  if (!g.error.empty()) throw value_error(std::string(g.error.view()));
  check_reference_guards(g, reference_extents(g, arguments));
  return reference_nodes(g, arguments, arguments, how, g.hosts);
}

/// The outputs of a graph for given arguments. Floats are not rounded between ops, except by casts,
/// unless `how` says that they are evaluated in their own dtype. Errors as in reference_trace.
inline std::vector<reference_value> reference_evaluate(
    const graph& g, const std::vector<reference_value>& arguments,
    reference_arithmetic how = reference_arithmetic::wide) {
  const std::vector<reference_value> values = reference_trace(g, arguments, how);
  std::vector<reference_value> outputs;
  for (int o : g.outputs) outputs.push_back(values.at(static_cast<std::size_t>(o)));
  return outputs;
}

}  // namespace weft::detail
