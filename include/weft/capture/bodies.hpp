// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/apply.hpp>
#include <weft/capture/tree.hpp>
#include <weft/graph/bodies.hpp>

namespace weft::detail {

template <class... X>
concept symbolic = (holds_symbols<X> || ...);

/// A condition with the place where it was written.
struct located_symbol {
  symbol value;
  std::source_location where;
  constexpr located_symbol(symbol s, std::source_location at = std::source_location::current())
      : value(s), where(at) {}
};

template <class T>
constexpr sequence<int> ids_of(const T& tree) {
  sequence<int> r;
  T copy = tree;
  for_each_symbol(copy, [&](symbol& s) { r.push_back(s.id()); });
  return r;
}
template <class... T>
constexpr builder* builder_of(const T&... tree) {
  builder* b = nullptr;
  auto find = [&](auto copy) {
    for_each_symbol(copy, [&](symbol& s) {
      if (s.id() >= 0) b = &s.builder();
    });
  };
  (find(tree), ...);
  return b;
}
/// A tree with other symbols, from position `at` of a list on.
template <class T>
constexpr T with_symbols(T tree, builder& b, const sequence<int>& ids, std::size_t& at) {
  for_each_symbol(tree, [&](symbol& s) { s = {&b, ids[at++]}; });
  return tree;
}

constexpr symbol zeros_like(symbol x) {
  return x.number(0).broadcast_to(x);
}

/// Says that a body returned something else than the loop carries.
constexpr void fail_carry(builder& b, std::string_view op, symbol in, symbol out) {
  message m;
  m.put("weft: ").put(op).put(": the body must return its state with the same dtype and shape: ");
  put_shape(m.put(name(in.type())).put(" "), in.shape());
  put_shape(m.put(" became ").put(name(out.type())).put(" "), out.shape());
  b.fail(m);
}
/// Whether results of a body may take the place of values: otherwise the builder says why not.
constexpr bool check_carry(builder& b, std::string_view op, const sequence<int>& before,
                           const sequence<int>& after) {
  for (std::size_t k = 0; k < before.size(); ++k) {
    const symbol in{&b, before[k]}, out{&b, after[k]};
    complaint why([&] {
      message m;
      m.put("weft: ").put(op).put(": the body must return its state with the same shape: ");
      put_open_shape(m, in.shape());
      return put_open_shape(m.put(" became "), out.shape());
    });
    if (in.type() != out.type() || !b.require_equal(in.shape(), out.shape(), id_of<scan_>, why)) {
      fail_carry(b, op, in, out);
      return false;
    }
  }
  return true;
}

/// A body as it is captured: its parameters are made first, then `run` calls the function.
class body_capture {
 public:
  body_record record;

  /// Of a body that goes on from another one, if it is a derivative.
  explicit constexpr body_capture(builder& b, const body_record& from = {})
      : b_(b),
        effect_(std::exchange(b.effect, -1)),
        successor_(std::exchange(b.successor, from.successor)) {
    record.made = from.made;
    record.made.push_back(b.g.size());
    ++b.open_bodies;
  }
  /// Parameters that stand for these values, without their first axis where `sliced`.
  template <class T>
  constexpr T parameters(const T& like, bool sliced = false) {
    T tree = like;
    for_each_symbol(tree, [&](symbol& s) {
      shape_of shape = s.shape();
      if (sliced) {
        for (int d = 1; d < shape.rank; ++d) shape.d[d - 1] = shape.d[d];
        shape.d[--shape.rank] = 0;
      }
      s = {&b_, make_parameter(b_, s.type(), shape)};
      record.parameters.push_back(s.id());
    });
    return tree;
  }
  template <class T>
  constexpr void returns(const T& tree) {
    for (int id : ids_of(tree)) record.results.push_back(id);
  }
  /// Ends the capture without a body; the record has the last call of the host.
  constexpr void abandon() {
    --b_.open_bodies;
    record.made.push_back(b_.g.size());
    record.effect = std::exchange(b_.effect, effect_);
    record.successor = std::exchange(b_.successor, std::move(successor_));
  }
  /// Ends the capture; gives the number of the body.
  constexpr int finish() {
    abandon();
    b_.records.push_back(record);
    return static_cast<int>(b_.records.size()) - 1;
  }

 private:
  builder& b_;
  int effect_;
  sequence<succession> successor_;
};

/// Makes what bodies read from outside operands of their control node, behind `operands`.
constexpr void close_bodies(builder& b, const sequence<int>& bodies, sequence<int>& operands,
                            bool whole = false) {
  const sequence<int> found = closed_over(b, bodies, whole);
  for (int k : bodies)
    for (int f : found) b.records[static_cast<std::size_t>(k)].parameters.push_back(f);
  for (int f : found) operands.push_back(f);
}
constexpr bool has_effects(const builder& b, const sequence<int>& bodies) {
  bool r = false;
  for (int k : bodies) r = r || b.records[static_cast<std::size_t>(k)].effect >= 0;
  return r;
}

/// A control node where the program has come to: one whose bodies call the host comes after the
/// calls before.
constexpr int next_control(builder& b, op_id op, const attributes& at,
                           const sequence<int>& operands, const sequence<int>& bodies) {
  const bool effects = has_effects(b, bodies);
  const int made = make_control(b, op, at, operands, effects ? b.effect : -1);
  if (effects) b.effect = made;
  return made;
}

/// Results 0, 1, ... of a control node, like the results of its body.
constexpr sequence<int> results_like(builder& b, int control, int body, std::size_t count) {
  sequence<int> r;
  for (std::size_t k = 0; k < count; ++k) {
    const symbol s{&b, b.records[static_cast<std::size_t>(body)].results[k]};
    r.push_back(make_result(b, control, static_cast<int>(k), s.type(), s.shape()));
  }
  return r;
}

template <class T>
inline constexpr bool is_pair_of_results = false;
template <class A, class B>
inline constexpr bool is_pair_of_results<std::tuple<A, B>> = true;

}  // namespace weft::detail
