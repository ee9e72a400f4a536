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

/// One step of an expression: a leaf (no op, operand 0 its place among the leaves), a constant (no
/// op, no operand, the attributes hold bits and dtype), or an op applied to earlier steps. Operands
/// are one number, 12 bits each: every name of an expression's type spells all of its steps.
struct recipe_node {
  const step_op* op = nullptr;
  std::int64_t in = 0;
  attributes at{};
  constexpr int operand(int k) const { return static_cast<int>(in >> 12 * k & 4095) - 1; }
};
constexpr std::int64_t as_operand(int k, int step) {
  return static_cast<std::int64_t>(step + 1) << 12 * k;
}

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
      if (const int leaf = n.operand(0); leaf >= 0)
        v.push_back(arguments[static_cast<std::size_t>(leaf)]);
      else
        v.push_back(
            make_constant(b, static_cast<dtype>(n.at.v[1]), static_cast<std::uint64_t>(n.at.v[0])));
      continue;
    }
    symbol x[3]{};
    for (int k = 0; k < 3; ++k)
      if (const int i = n.operand(k); i >= 0) x[k] = v[static_cast<std::size_t>(i)];
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

/// Steps of several recipes as one, equal steps shared: those of the first operand, the steps that
/// the others add, and the op's own. Room is how many may be added.
template <int Room>
struct merged_steps {
  struct added {
    const recipe_node* from = nullptr;  ///< null: the op's own step
    std::int64_t in = 0;
    short origin = -1;  ///< operand * 4096 + its step
  };
  const recipe_node* first = nullptr;
  int own = 0, count = 0;
  added more[static_cast<std::size_t>(Room)]{};

  constexpr bool has(int i, const recipe_node& e, std::int64_t in) const {
    if (i < own) return first[i].in == in && first[i].op == e.op && first[i].at == e.at;
    const added& a = more[i - own];
    return a.in == in && a.from->op == e.op && a.from->at == e.at;
  }
  /// Where a step is, or goes. Operands are often built from one another, so that it has the same
  /// place in both.
  constexpr int place(const recipe_node& e, std::int64_t in, int operand, int step) {
    if (step < own && has(step, e, in)) return step;
    for (int i = 0; i < own + count; ++i)
      if (has(i, e, in)) return i;
    more[count] = {&e, in, static_cast<short>(operand * 4096 + step)};
    return own + count++;
  }
  /// Adds an operand whose leaves go to these places; returns the place of its last step.
  template <int N>
  constexpr int add(const recipe<N>& r, const int* leaf_of, int operand) {
    int to[static_cast<std::size_t>(N)]{};
    bool moved = false;  // some step is not where it was
    for (int i = 0; i < N; ++i) {
      const recipe_node& e = r.n[i];
      std::int64_t in = e.in;
      if (!e.op) {
        if (in != 0) in = as_operand(0, leaf_of[e.operand(0)]);
      } else if (moved) {
        in = 0;
        for (int k = 0; k < 3; ++k)
          if (const int x = e.operand(k); x >= 0) in |= as_operand(k, to[x]);
      }
      to[i] = place(e, in, operand, i);
      moved = moved || to[i] != i;
    }
    return to[N - 1];
  }
};

}  // namespace weft::detail
