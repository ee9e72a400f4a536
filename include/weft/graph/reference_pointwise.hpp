// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/graph.hpp>
#include <weft/graph/reference_value.hpp>

#include <type_traits>

// Pointwise nodes, element by element, through the `reference` that each op's definition gives.
namespace weft::detail {

/// In which arithmetic floats are evaluated: wider than their dtype (float64 in
/// long double, others in double) and not rounded between ops, to judge accuracy; or in their own
/// dtype (float32 for those of 16 bits), where overflow and underflow are part of the rule.
enum class reference_arithmetic : std::uint8_t { wide, own };

inline std::uint64_t bits_of_integer(bool v) {
  return v;
}
inline std::uint64_t bits_of_integer(std::uint64_t v) {
  return v;
}
inline std::uint64_t bits_of_integer(std::int64_t v) {
  return static_cast<std::uint64_t>(v);
}

template <class T>
T element_as(const reference_value& x, std::size_t i) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x.reals[i]);
  else
    return static_cast<T>(x.bits[i]);
}

/// One op at one type: T is what numbers are, and the condition of a where is bool.
template <class Op, class T>
void evaluate_elements(reference_value& r, const reference_value* const* x) {
  const bool floats = is_floating(r.type);
  for (std::size_t i = 0; i < static_cast<std::size_t>(r.size()); ++i) {
    auto store = [&](auto v) {
      if constexpr (std::is_floating_point_v<decltype(v)>) {
        if (floats)
          r.reals[i] = v;
        else
          r.bits[i] = integer_from(r.type, v);
      } else {
        if (floats)
          r.reals[i] = static_cast<long double>(v);
        else
          r.bits[i] = wrapped(r.type, bits_of_integer(v));
      }
    };
    if constexpr (Op::arity == 1) {
      store(Op::reference(element_as<T>(*x[0], i)));
    } else if constexpr (Op::arity == 2) {
      store(Op::reference(element_as<T>(*x[0], i), element_as<T>(*x[1], i)));
    } else {
      using First = std::conditional_t<Op::types == typing::select, bool, T>;
      store(Op::reference(element_as<First>(*x[0], i), element_as<T>(*x[1], i),
                          element_as<T>(*x[2], i)));
    }
  }
}

/// Whether operands of an op may be floats, integers, bools: what its `reference` must take.
struct operand_kinds {
  bool floats = false, integers = false, bools = false;
};
constexpr operand_kinds kinds_of(typing t) {
  switch (t) {
    case typing::floating:
      return {true, false, false};
    case typing::numeric:
      return {true, true, false};
    case typing::integral:
      return {false, true, false};
    case typing::logical:
      return {false, true, true};
    case typing::boolean:
      return {false, false, true};
    case typing::any:
    case typing::compare:
    case typing::select:
      return {true, true, true};
    case typing::special:
      break;
  }
  return {};
}

/// Evaluates a pointwise op whose operands have the node's shape. The last operand's dtype chooses
/// the arithmetic. False if the op is not defined for it.
template <class Op>
bool evaluate_pointwise(reference_value& r, const reference_value* const* x,
                        reference_arithmetic how) {
  constexpr operand_kinds kinds = kinds_of(Op::types);
  const dtype t = x[Op::arity - 1]->type;
  const bool own = how == reference_arithmetic::own;
  if (is_floating(t)) {
    if constexpr (kinds.floats) {
      if (t == dtype::float64 && !own)
        evaluate_elements<Op, long double>(r, x);
      else if (t == dtype::float64 || !own)
        evaluate_elements<Op, double>(r, x);
      else
        evaluate_elements<Op, float>(r, x);
      return true;
    }
  } else if (t == dtype::boolean) {
    if constexpr (kinds.bools) {
      evaluate_elements<Op, bool>(r, x);
      return true;
    }
  } else if constexpr (kinds.integers) {
    if (is_signed(t))
      evaluate_elements<Op, std::int64_t>(r, x);
    else
      evaluate_elements<Op, std::uint64_t>(r, x);
    return true;
  }
  return false;
}

}  // namespace weft::detail
