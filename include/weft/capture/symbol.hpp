// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/operators.hpp>
#include <weft/graph/builder.hpp>

#include <array>

namespace weft {

namespace detail {
/// Stands in an exception specification, which is instantiated where the conversion is chosen: at
/// the user's line, not in the midst of constant evaluation.
template <class B>
constexpr auto no_value() {
  static_assert(sizeof(B) == 0,
                "weft: a symbol has no value while a function is captured, so it cannot steer an "
                "if or a loop: "
                "use where(condition, x, y), or decide on a value that is known at capture. See "
                "docs/errors.md");
  return true;
}
}  // namespace detail

/// A value of a program that is being captured: a node of its graph. Symbols exist while a function
/// is captured (in constant evaluation, mostly); every operator and op on them appends a node.
class symbol : public detail::operators<symbol> {
 public:
  constexpr symbol() = default;
  constexpr symbol(detail::builder* b, int id) : builder_(b), id_(id) {}

  constexpr detail::builder& builder() const { return *builder_; }
  constexpr int id() const { return id_; }
  constexpr const detail::node& node() const { return builder_->g.nodes.first[id_]; }
  constexpr dtype type() const { return builder_->g.nodes.first[id_].type; }
  constexpr int rank() const { return node().shape.rank; }
  constexpr detail::shape_of shape() const { return builder_->find(node().shape); }
  constexpr index_t extent(int axis) const { return builder_->find(node().shape.d[axis]); }

  template <class B>
    requires std::is_same_v<B, bool>
  explicit constexpr operator B() const noexcept(detail::no_value<B>()) { return false; }

  // The vocabulary of op definitions: attributes resolved, shapes inferred, errors recorded.
  // Defined in capture/shapes.hpp.

  constexpr symbol as(dtype to) const;
  /// The same, as a cast that was asked for: a 16-bit value, which may not be rounded yet, is.
  constexpr symbol rounded_as(dtype to) const;
  constexpr dtype sum_type() const;
  constexpr symbol broadcast_to(const detail::shape_of& s) const;
  constexpr symbol broadcast_to(symbol like) const;
  /// The gradient of broadcast_to: summed over the axes where `like` is narrower.
  constexpr symbol sum_to(symbol like) const;
  constexpr symbol reshaped(const detail::shape_of& s) const;
  constexpr symbol reshaped_like(symbol like) const;
  constexpr symbol permuted(const int* axes) const;
  constexpr symbol permuted_back(symbol permutation) const;
  constexpr symbol swapped() const;
  constexpr symbol transposed(const detail::attributes& a) const;
  constexpr symbol sliced(int axis, index_t start, index_t step, index_t extent) const;
  constexpr symbol padded_like(symbol like, symbol slice) const;
  constexpr symbol sliced_like(symbol like, symbol pad) const;
  constexpr symbol reshaped(const detail::attributes& a) const;
  constexpr symbol expanded(const detail::attributes& a) const;
  constexpr symbol flattened() const;
  constexpr symbol without_axes(const detail::attributes& a) const;
  constexpr symbol with_axes(const detail::attributes& a) const;
  constexpr symbol sliced(const detail::attributes& a) const;
  constexpr symbol product(symbol y) const;
  constexpr symbol matmul(symbol y) const;
  constexpr symbol joined(symbol y, index_t along) const;
  constexpr symbol taken(symbol indices, index_t along) const;
  /// The vjp of take: zeros like x, with this cotangent added at the indices.
  constexpr symbol scattered(symbol x, symbol indices, index_t along) const;
  constexpr symbol gathered(symbol indices, index_t along) const;
  template <class Op>
  constexpr symbol reduce(index_t mask) const;
  constexpr symbol reduced_like(symbol reduction) const;
  constexpr index_t axes(const detail::attributes& a, std::string_view op) const;
  constexpr int axis(index_t a, std::string_view op) const;
  constexpr symbol squeezed(const detail::attributes& a, index_t mask) const;
  constexpr symbol count(index_t mask) const;
  /// The place of an extreme element: Op is arg_max_ or arg_min_, the attributes are those of a
  /// reduction.
  template <class Op>
  constexpr symbol extremum_place(const detail::attributes& a) const;
  /// uint64 positions, of this shape: along an axis, or in row-major order where it is -1.
  constexpr symbol positions(int axis) const;
  /// Labels as uint64 positions among `classes`; a label out of range is an error at the call.
  constexpr symbol as_classes(index_t classes, std::string_view op) const;
  /// Whether this has the shape of x without its last axis; otherwise the builder has recorded why
  /// not.
  constexpr bool require_rows_of(symbol x, std::string_view op) const;
  constexpr detail::message misfit(std::string_view op, std::string_view what, symbol y) const;
  constexpr void fail_because(std::string_view op, std::string_view what) const;
  /// One word of a key, of rank 0.
  constexpr symbol key_word(int i, std::string_view op) const;
  /// Word `index` of the stream of the key (this, high); see op/random.hpp.
  constexpr symbol random_word(symbol high, symbol index) const;
  /// A key that is known at capture.
  constexpr symbol known_key(std::uint32_t low, std::uint32_t high) const;
  constexpr symbol number(double v) const;
  constexpr void require_floating(std::string_view op) const;
  constexpr void require_not_empty(index_t mask, std::string_view op) const;

 private:
  detail::builder* builder_ = nullptr;
  int id_ = -1;
};

namespace detail {
/// A number and where it stands.
struct located_number {
  double real = 0;
  std::int64_t whole = 0;
  bool floats = false;
  std::source_location where;
  template <class N>
    requires std::is_arithmetic_v<N>
  constexpr located_number(N n, std::source_location at = std::source_location::current())
      : real(static_cast<double>(n)), floats(std::is_floating_point_v<N>), where(at) {
    if (!floats) whole = static_cast<std::int64_t>(n);
  }
};
}  // namespace detail

// `x += y` makes x the name of another value; nothing is written.
#define WEFT_ASSIGNMENT(op, name)                                                               \
  template <std::same_as<symbol> S>                                                             \
  constexpr S& operator op(S& x, detail::located<symbol> y) {                                   \
    return x = detail::application<name, S, symbol>::run(y.where, x, y.value);                  \
  }                                                                                             \
  template <std::same_as<symbol> S>                                                             \
  constexpr S& operator op(S& x, detail::located_number y) {                                    \
    return x = y.floats ? detail::application<name, S, double>::run(y.where, x, y.real)         \
                        : detail::application<name, S, std::int64_t>::run(y.where, x, y.whole); \
  }
WEFT_ASSIGNMENT(+=, add_)
WEFT_ASSIGNMENT(-=, subtract_)
WEFT_ASSIGNMENT(*=, multiply_)
WEFT_ASSIGNMENT(/=, divide_)
#undef WEFT_ASSIGNMENT

/// The operator of the base is as good as the built-in one of bool; this one is better.
template <std::same_as<symbol> S>
constexpr S operator!(const S& x) {
  return detail::application<logical_not_, S>::run(std::source_location{}, x);
}

namespace detail {

template <class T>
inline constexpr bool is_symbol_type = std::is_same_v<T, symbol>;

template <class Op>
constexpr symbol make_node(builder& b, dtype type, const shape_of& s, const attributes& at = {},
                           symbol x = {}, symbol y = {}, symbol z = {}) {
  return {&b, b.add({id_of<Op>, type, {x.id(), y.id(), z.id()}, s, at})};
}

/// A number of a dtype as a node. Floats keep their bits as a double, which holds every float
/// exactly; numbers beside 16-bit values are floats, as all that is not stored.
constexpr symbol make_constant(builder& b, dtype type, std::uint64_t bits) {
  return make_node<constant_>(b, type, {}, {{static_cast<index_t>(bits)}});
}
constexpr symbol make_number(builder& b, dtype type, double v) {
  if (computed_in(type) == dtype::float32) v = static_cast<double>(static_cast<float>(v));
  if (is_floating(type)) return make_constant(b, type, std::bit_cast<std::uint64_t>(v));
  return make_constant(b, type, static_cast<std::uint64_t>(static_cast<std::int64_t>(v)));
}

/// Whether a C++ number can stand beside operands of a dtype; otherwise the builder has recorded
/// why not.
template <class S>
constexpr symbol lift(builder& b, S v, dtype type, std::string_view op) {
  if constexpr (is_real<S>) {
    if (!is_floating(type)) {
      b.fail(message{}
                 .put("weft: ")
                 .put(op)
                 .put(": a floating scalar with an operand of dtype ")
                 .put(name(type))
                 .put(": cast the operand with cast<float>, or use an integer scalar"));
      return make_number(b, type, 0);
    }
    return make_number(b, type, static_cast<double>(v));
  } else {
    if (is_floating(type)) return make_number(b, type, static_cast<double>(v));
    bool fits = true;
    if constexpr (!std::is_same_v<S, bool>) {
      if (type == dtype::boolean) fits = v == 0 || v == 1;
      if (!is_signed(type) && std::is_signed_v<S>) fits = v >= 0;
      if (type == dtype::uint8) fits = fits && static_cast<std::uint64_t>(v) <= 255;
      if (type == dtype::uint32) fits = fits && static_cast<std::uint64_t>(v) <= 0xffffffffu;
      if (type == dtype::int32)
        fits = std::is_signed_v<S> ? static_cast<std::int64_t>(v) >= -2147483647 - 1 &&
                                         static_cast<std::int64_t>(v) <= 2147483647
                                   : static_cast<std::uint64_t>(v) <= 2147483647u;
      if (type == dtype::int64 && !std::is_signed_v<S>)
        fits = static_cast<std::uint64_t>(v) <= 0x7fffffffffffffffu;
    }
    if (!fits)
      b.fail(message{}
                 .put("weft: ")
                 .put(op)
                 .put(": the scalar ")
                 .put(static_cast<std::int64_t>(v))
                 .put(" is outside dtype ")
                 .put(name(type))
                 .put(": convert the tensor with cast<T>"));
    return make_constant(b, type, static_cast<std::uint64_t>(static_cast<std::int64_t>(v)));
  }
}

}  // namespace detail
}  // namespace weft
