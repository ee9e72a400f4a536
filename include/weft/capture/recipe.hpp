// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/spec.hpp>

#include <vector>

namespace weft::detail {

/// Applies an op to symbols: how a recipe's node becomes nodes of a graph. Recipes hold pointers to
/// variables of this type, since g++ 12 takes no pointer to a function within a template value.
struct step_op {
  symbol (*expand)(builder&, const attributes&, const symbol*);
};

/// One step of an expression: a leaf (no op, in[0] its place among the leaves), a constant (no op,
/// in[0] is -1, the attributes hold bits and dtype), or an op applied to earlier steps.
struct recipe_node {
  const step_op* op = nullptr;
  short in[3]{-1, -1, -1};
  attributes at{};
  constexpr bool operator==(const recipe_node& o) const {
    return op == o.op && in[0] == o.in[0] && in[1] == o.in[1] && in[2] == o.in[2] && at == o.at;
  }
};

/// The program of an expression as a template value.
template <int N>
struct recipe {
  recipe_node n[static_cast<std::size_t>(N)]{};
  value_spec result{};
  static constexpr int size = N;
};

template <class Op>
constexpr symbol expand(builder&, const attributes& a, const symbol* x) {
  if constexpr (std::is_base_of_v<derived_tag, Op>) {
    return expand_derived<Op>(a, x);
  } else if constexpr (std::is_same_v<Op, cast_>) {
    return x[0].rounded_as(static_cast<dtype>(a.v[0]));
  } else {
    symbol operands[Op::arity];
    for (int i = 0; i < Op::arity; ++i) operands[i] = x[i];
    return pointwise(x[0].builder(), id_of<Op>, operands, Op::arity);
  }
}

template <class Op>
inline constexpr step_op step_for{&expand<Op>};

/// Lowers a recipe to a graph over arguments with the given specs.
template <int N>
constexpr graph lower(const recipe<N>& r, const value_spec* specs, int leaves, capture_mode mode) {
  builder b(mode);
  std::vector<symbol> arguments, v;
  for (int k = 0; k < leaves; ++k) arguments.push_back(make_argument(b, specs[k], k));
  b.g.arguments = leaves;
  for (int i = 0; i < N && !b.failed(); ++i) {
    const recipe_node& n = r.n[i];
    if (!n.op) {
      v.push_back(n.in[0] >= 0 ? arguments[static_cast<std::size_t>(n.in[0])]
                               : make_constant(b, static_cast<dtype>(n.at.v[1]),
                                               static_cast<std::uint64_t>(n.at.v[0])));
      continue;
    }
    symbol x[3]{};
    for (int k = 0; k < 3; ++k)
      if (n.in[k] >= 0) x[k] = v[static_cast<std::size_t>(n.in[k])];
    const builder::scope step(b, {});
    b.here(
        {"", static_cast<unsigned>(i + 1)});  // the step's number: the expression knows the places
    v.push_back(n.op->expand(b, n.at, x));
  }
  if (!b.failed()) b.g.outputs.push_back(v.back().id());
  return b.finished();
}

/// What an op gives for operands of these specs, or the error.
struct inferred {
  value_spec result{};
  message error{};
};
constexpr inferred infer(const step_op* op, const attributes& a, const value_spec* specs, int n,
                         bool grad = false) {
  builder b;
  symbol x[3]{};
  for (int k = 0; k < n; ++k) x[k] = make_argument(b, specs[k], k);
  if (grad) return {specs[1], {}};
  const symbol y = op->expand(b, a, x);
  if (b.failed()) return {specs[0], b.g.error};
  return {spec_of(b, y), {}};
}

/// Steps of several recipes as one, equal steps shared.
struct merged_steps {
  std::vector<recipe_node> n;
  template <int N>
  constexpr std::vector<int> add(const recipe<N>& r, const int* leaf_of) {
    std::vector<int> place;
    for (recipe_node e : r.n) {
      if (!e.op) {
        if (e.in[0] >= 0) e.in[0] = static_cast<short>(leaf_of[e.in[0]]);
      } else {
        for (short& i : e.in)
          if (i >= 0) i = static_cast<short>(place[static_cast<std::size_t>(i)]);
      }
      place.push_back(step(e));
    }
    return place;
  }
  constexpr int step(const recipe_node& e) {
    for (std::size_t i = 0; i < n.size(); ++i)
      if (n[i] == e) return static_cast<int>(i);
    n.push_back(e);
    return static_cast<int>(n.size()) - 1;
  }
};

}  // namespace weft::detail
