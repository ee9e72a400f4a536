// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/dtype.hpp>
#include <weft/base/report.hpp>
#include <weft/graph/host_function.hpp>
#include <weft/graph/shape.hpp>
#include <weft/op/all.hpp>

#include <weft/base/sequence.hpp>

namespace weft::detail {

using op_id = std::uint8_t;

/// The number of an op in the catalogue.
template <class Op>
inline constexpr op_id id_of = static_cast<op_id>(index_of<primitives, Op>);

/// What passes and plans need to know of an op without its definition.
struct op_info {
  std::string_view name;
  int arity = 0;
  op_kind kind{};
  typing types{};
  bool singular = false;
};

template <class List>
struct op_infos;
template <class... Op>
struct op_infos<type_list<Op...>> {
  static constexpr op_info value[sizeof...(Op)]{
      {Op::name, Op::arity, Op::kind, Op::types, Op::singular}...};
};

/// By op; inner loops read it without a call.
inline constexpr const auto& op_table = op_infos<primitives>::value;
constexpr const op_info& info(op_id op) {
  return op_table[op];
}

/// Whether a value is worth keeping for later passes over a row rather than computing again.
constexpr bool is_expensive(op_id op) {
  return op == id_of<exp_> || op == id_of<log_> || op == id_of<tanh_> || op == id_of<sin_> ||
         op == id_of<cos_> || op == id_of<sigmoid_> || op == id_of<erf_> || op == id_of<erfc_> ||
         op == id_of<expm1_> || op == id_of<log1p_> || op == id_of<random_word_> ||
         op == id_of<remainder_> || op == id_of<floor_divide_>;
}

/// One value of a graph. Operands are earlier nodes.
struct node {
  op_id op = 0;
  dtype type = dtype::float32;
  int in[3]{-1, -1, -1};
  shape_of shape{};
  attributes at{};

  constexpr bool operator==(const node& o) const {
    if (op != o.op || type != o.type || in[0] != o.in[0] || in[1] != o.in[1] || in[2] != o.in[2])
      return false;
    if (!(at == o.at)) return false;
    if (shape.rank != o.shape.rank) return false;
    for (int i = 0; i < shape.rank; ++i)
      if (shape.d[i] != o.shape.d[i]) return false;
    return true;
  }
};

/// A place in the user's source.
struct location {
  const char* file = "";
  unsigned line = 0;
  int checkpoint = 0;  ///< the call of a checkpointed function that made the node; 0 for none
};

/// What must hold of extents at the call.
enum class guard_kind : std::uint8_t { equal, broadcast, divides, not_empty };
struct guard {
  guard_kind kind{};
  index_t a = 0, b = 0;
  op_id op = 0;  ///< of the node that asks
  int text = 0;  ///< where graph::texts says what is wrong if it does not hold, plus 1; 0: nowhere
  location where{};
};

/// A program as a value: nodes in an order where operands come first, and the table of its extents.
/// The bodies of its control nodes are graphs whose arguments are those nodes' operands; their
/// tables begin with this one's, so that a symbol means the same in all of them.
struct graph {
  sequence<node> nodes;
  sequence<location> where;
  sequence<extent_expr> extents;
  sequence<guard> guards;
  sequence<index_t> texts;  ///< of guards, as builder::keep makes them; passes have no use for them
  sequence<int> outputs;
  sequence<graph> bodies;
  sequence<host_function> hosts;  ///< what host nodes call; bodies use the program's
  int effect = -1;  ///< the last call of the host: it and those before it happen though nothing
                    ///< reads their results
  int arguments = 0;
  message error{};
  location error_at{};

  constexpr int size() const { return static_cast<int>(nodes.size()); }
};

/// Whether some extents follow from data.
constexpr bool has_data_extents(const graph& g) {
  for (const extent_expr& e : g.extents)
    if (e.kind == extent_kind::data) return true;
  return false;
}

}  // namespace weft::detail
