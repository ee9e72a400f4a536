// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "run.hpp"
#include "samples.hpp"

#include <support/gradients.hpp>

#include <weft/grad/reverse.hpp>

#include <doctest/doctest.h>

// The op matrix: every pointwise op of the catalogue, and every derived op that acts element by
// element, at every dtype that it takes. Many ops are results of one program, and so few kernels.
// A new op joins by itself.
namespace weft_test {

using weft::detail::builder;
using weft::detail::op_id;
using weft::detail::reference_arithmetic;
using weft::detail::typing;

/// Applies every op of the matrix to the same operands: a condition, then three of one dtype.
/// Calls visit(name, operands, count, exact, symbol) for each one, in the order of the catalogue.
struct matrix_ops {
  template <class Visit>
  static constexpr void primitives(builder& b, const symbol* c, Visit&& visit) {
    namespace d = weft::detail;
    const dtype type = c[1].type();
    for (int i = 0; i < d::primitives::size; ++i) {
      const auto op = static_cast<op_id>(i);
      const d::op_info& f = d::info(op);
      if (f.kind != d::op_kind::pointwise || f.types == typing::special) continue;
      const d::operand_kinds k = d::kinds_of(f.types);
      if (!(is_floating(type) ? k.floats : type == dtype::boolean ? k.bools : k.integers)) continue;
      symbol x[3];
      for (int j = 0; j < f.arity; ++j) x[j] = c[f.types == typing::select ? j : j + 1];
      // Rounded correctly, or to a rule that leaves no choice; what else is floating is within
      // 4 ulp.
      const bool exact = f.types != typing::floating || op == d::id_of<weft::floor_> ||
                         op == d::id_of<weft::sqrt_> || op == d::id_of<weft::fma_> ||
                         op == d::id_of<weft::mul_zero_>;
      symbol operands[3]{x[0], x[1], x[2]};
      visit(f.name, x, f.arity, exact, d::pointwise(b, op, operands, f.arity));
    }
  }

  template <class Op, std::size_t... I>
  static constexpr symbol body_of(const symbol* x, std::index_sequence<I...>) {
    if constexpr (requires { Op::body(x[I]...); })
      return weft::detail::expand_derived<Op>({}, x);
    else
      return {};
  }
  /// Whether a derived op without attributes acts element by element on operands of a dtype.
  template <class Op>
  static constexpr bool elementwise(dtype type) {
    builder b;
    const auto s = value_spec{type, 2, {5, 7}, false};
    symbol x[3]{weft::detail::make_argument(b, s, 0), weft::detail::make_argument(b, s, 1),
                weft::detail::make_argument(b, s, 2)};
    const symbol y = body_of<Op>(x, std::make_index_sequence<Op::arity>{});
    if (y.id() < 0 || b.failed() || !(y.shape() == x[0].shape())) return false;
    for (const auto& n : b.g.nodes) {
      const auto kind = weft::detail::info(n.op).kind;
      if (kind == weft::detail::op_kind::reduction || kind == weft::detail::op_kind::matmul ||
          kind == weft::detail::op_kind::other)
        return false;
    }
    return true;
  }
  template <class Visit, class... Op>
  static constexpr void derived(const symbol* c, Visit&& visit, weft::detail::type_list<Op...>) {
    auto one = [&]<class O>(std::type_identity<O>) {
      if (elementwise<O>(c[1].type()))
        visit(O::name, c + 1, O::arity, false,
              body_of<O>(c + 1, std::make_index_sequence<O::arity>{}));
    };
    (one(std::type_identity<Op>{}), ...);
  }
  template <class Visit>
  static constexpr void all(builder& b, const symbol* c, bool derived_ones, Visit&& visit) {
    if (derived_ones)
      derived(c, visit, weft::detail::derived_ops{});
    else
      primitives(b, c, visit);
  }
};

/// The operands of the matrix: bool, then three of a dtype; for gradients a cotangent.
constexpr value_spec matrix_spec(dtype type, int rank) {
  value_spec s{type, rank, {}, rank > 1};
  for (int i = 0; i < rank; ++i) s.extent[i] = weft::dyn;
  return s;
}
constexpr void matrix_arguments(builder& b, symbol* c, dtype type, int rank, bool cotangent) {
  c[0] = weft::detail::make_argument(b, matrix_spec(dtype::boolean, rank), 0);
  for (int k = 1; k < (cotangent ? 5 : 4); ++k)
    c[k] = weft::detail::make_argument(b, matrix_spec(type, rank), k);
  const symbol& x = c[1];
  for (int k = 0; k < (cotangent ? 5 : 4); ++k)
    static_cast<void>(b.require_equal(c[k].shape(), x.shape(), x.node().op));
}

/// What a result of a batch is, and how near it must be.
struct matrix_result {
  std::string_view op{};
  bool exact = false;
  int wrt = -1;  ///< of a gradient, the operand
};

/// Results First to First + Count - 1 of all ops: a program.
template <dtype Type, int Rank, bool Derived, bool Gradient, int First, int Count>
struct matrix_batch {
  static constexpr int operands = Gradient ? 5 : 4;

  template <class Keep>
  static constexpr int each(builder& b, Keep&& keep) {
    symbol c[5];
    matrix_arguments(b, c, Type, Rank, Gradient);
    int n = 0;
    matrix_ops::all(
        b, c, Derived,
        [&](std::string_view name, const symbol* x, int arity, bool exact, symbol y) {
          if constexpr (!Gradient) {
            if (n >= First && n < First + Count) keep(matrix_result{name, exact}, y);
            ++n;
          } else {
            if (!is_floating(y.type())) return;
            for (int k = 0; k < arity; ++k) {
              if (!is_floating(x[k].type())) continue;
              if (n >= First && n < First + Count)
                keep(matrix_result{name, false, k}, weft::detail::reverse(y, c[4], {x[k].id()})[0]);
              ++n;
            }
          }
        });
    return n;
  }
  static constexpr graph build(weft::detail::capture_mode mode) {
    builder b;
    b.general = mode.general;
    each(b, [&](const matrix_result&, symbol y) { b.g.outputs.push_back(y.id()); });
    return b.finished();
  }
  static std::vector<matrix_result> results() {
    builder b;
    std::vector<matrix_result> r;
    each(b, [&](const matrix_result& m, symbol) { r.push_back(m); });
    return r;
  }
  /// How many results there are in all.
  static constexpr int total() {
    builder b;
    return each(b, [](const matrix_result&, symbol) {});
  }

  static std::vector<reference_value> arguments(std::vector<index_t> shape, std::uint64_t seed) {
    std::vector<reference_value> a{sample(dtype::boolean, shape, seed)};
    for (int k = 1; k < 4; ++k)
      a.push_back(sample(Type, shape, seed + static_cast<std::uint64_t>(k)));
    if (Gradient) {
      a.push_back(filled(Type, shape, seed + 9));
      for (std::size_t i = 0; i < a.back().reals.size(); i += 7) a.back().reals[i] = 0;
    }
    return a;
  }
};

/// Values against the reference, over many lengths.
template <class Batch, class Tolerance>
void check_lengths(Tolerance&& tolerance_of) {
  const index_t longest = 1025;
  const auto results = Batch::results();
  const auto x = Batch::arguments({longest}, 11);
  const auto found = run<Batch>(x);
  const auto own = expected<Batch>(x, reference_arithmetic::own);
  const auto wide = expected<Batch>(x);
  REQUIRE(found.size() == results.size());
  for (std::size_t j = 0; j < results.size(); ++j) {
    CAPTURE(results[j].op);
    CAPTURE(results[j].wrt);
    // 16-bit types are computed in float, and rounded once.
    const auto wanted = results[j].exact || results[j].wrt >= 0
                            ? weft::detail::converted(own[j], own[j].type)
                            : wide[j];
    const std::string d = difference(found[j], wanted, tolerance_of(results[j]));
    CHECK(d == "");
  }
  for (index_t n = 0; n <= longest; n = n <= 2 * lanes ? n + 1 : 5 * n + 3) {
    std::vector<reference_value> part, wanted;
    for (const auto& v : x) part.push_back(prefix(v, n));
    for (const auto& v : found) wanted.push_back(prefix(v, n));
    CAPTURE(n);
    CHECK(bits_differ(run<Batch>(part), wanted) == "");
    CHECK(bits_differ(run<Batch>(part, std::vector<layout>(5, layout::shifted)), wanted) == "");
  }
}

/// The same bits from arguments that lie otherwise. Flat is the same batch at rank 1.
template <class Batch, class Flat>
void check_layouts() {
  for (index_t n : {index_t{1}, lanes - 1, 2 * lanes + 1}) {
    for (int turn = 0; turn < 6; ++turn) {
      auto x = Batch::arguments({3, n}, static_cast<std::uint64_t>(turn + 20));
      std::vector<layout> layouts;
      std::vector<reference_value> flat;
      for (std::size_t k = 0; k < x.size(); ++k) {
        layouts.push_back(all_layouts[(static_cast<std::size_t>(turn) + (k > 1 ? k : 0)) % 6]);
        if (layouts[k] == layout::expanded) x[k] = levelled(x[k]);
        flat.push_back(reshaped(x[k], {3 * n}));
      }
      auto wanted = run<Flat>(flat);
      for (auto& v : wanted) v = reshaped(v, {3, n});
      CAPTURE(n);
      CAPTURE(turn);
      CHECK(bits_differ(run<Batch>(x, layouts), wanted) == "");
    }
  }
}

/// All ops at a dtype: values at rank 1, at many lengths; at rank 2 from strided memory.
template <dtype Type, bool Derived, bool Gradient, int First = 0, class Tolerance>
void check_matrix(Tolerance tolerance_of) {
  constexpr int most = 15;
  using flat = matrix_batch<Type, 1, Derived, Gradient, First, most>;
  using wide = matrix_batch<Type, 2, Derived, Gradient, First, most>;
  if constexpr (First < flat::total()) {
    check_lengths<flat>(tolerance_of);
    check_layouts<wide, flat>();
    check_matrix<Type, Derived, Gradient, First + most>(tolerance_of);
  }
}
template <dtype Type>
void check_values() {
  const double relative = Type == dtype::float32 ? 1e-5 : 1e-13;
  // A product with a denormal factor, as silu has in its tail, keeps the factor's few digits.
  const double least = Type == dtype::float32 ? 1e-42 : 1e-320;
  check_matrix<Type, false, false>(
      [](const matrix_result& r) { return tolerance{.ulp = r.exact ? 0.0 : 4.0, .signs = true}; });
  check_matrix<Type, true, false>([=](const matrix_result&) {
    return tolerance{.ulp = 8, .relative = relative, .absolute = least};
  });
}

}  // namespace weft_test
