// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/print.hpp>
#include <weft/capture/apply.hpp>
#include <weft/compile/call.hpp>
#include <weft/grad/expression.hpp>

// Evaluation of expressions: assignment to tensors and views, construction, eval and item.
namespace weft {
namespace detail {

/// The program of an expression type.
template <auto Recipe, value_spec... Specs>
struct recipe_source {
  static constexpr graph build(capture_mode mode) {
    const std::array<value_spec, sizeof...(Specs)> specs{as_argument(Specs)...};
    return lower(Recipe, specs.data(), static_cast<int>(sizeof...(Specs)), mode);
  }
  /// Numbers are arguments of rank 0 without strides.
  static constexpr value_spec as_argument(value_spec s) {
    if (s.rank == 0) s.strided = false;
    return s;
  }
};

template <class E>
struct program_of;
template <auto R, class... L>
struct program_of<expr<R, L...>> {
  using type = program<recipe_source<R, L::spec...>>;
};

/// The place of an expression's last op that has one.
[[gnu::cold, gnu::noinline]] inline line_text place_of(const std::source_location* where,
                                                       std::size_t steps) {
  while (steps > 1 && where[steps - 1].line() == 0) --steps;
  return place_table{where}.line({"", static_cast<unsigned>(steps)});
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_conflict(const char* name,
                                                                  const std::source_location* where,
                                                                  std::size_t steps) {
  throw_error<value_error>(
      "weft: the variable name \"%s\" stands for two tensors in one expression: give each tensor a "
      "name of its own%s",
      name, place_of(where, steps).text);
}
/// `to` is the destination in words, `of` its shape.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_destination(
    dtype t, const index_t* from, int rank, const char* to, const char* of,
    const std::source_location* where, std::size_t steps) {
  throw_error<shape_error>(
      "weft: assignment of an expression to a %s %s: the shapes must be equal: got %s %s%s", to, of,
      name(t).data(), shape_text(from, rank).text, place_of(where, steps).text);
}

/// Why an expression cannot become or be assigned to a tensor or view of a type; empty if it can.
template <class E, class D>
constexpr message destination_problem() {
  const bool dtypes = std::is_same_v<typename D::value_type, typename E::value_type>;
  bool extents = D::rank == E::rank;
  value_spec to;
  to.type = dtype_of<typename D::value_type>;
  to.rank = D::rank;
  for (int i = 0; i < D::rank; ++i) {
    if constexpr (is_tensor<D>)
      to.extent[i] = D::static_extents[static_cast<std::size_t>(i)];
    else
      to.extent[i] = dyn;
    extents = extents && (i >= E::rank || to.extent[i] == dyn || E::spec.extent[i] == dyn ||
                          to.extent[i] == E::spec.extent[i]);
  }
  message m;
  if (dtypes && extents) return m;
  put_spec(m.put("weft: assignment of an expression of "), E::spec);
  put_spec(m.put(is_tensor<D> ? " to a tensor of " : " to a view of "), to);
  if (!dtypes) return m.put(": different dtypes do not mix: convert with cast<T>(x)");
  if (D::rank != E::rank)
    return m.put(": the ranks differ: reduce, reshape or expand the expression");
  return m.put(": static extents differ");
}

/// The memory of a leaf's elements.
struct leaf_memory {
  byte_range range;
  std::size_t rank = 0, bytes = 0;
  bool contiguous = false;

  [[gnu::noinline]] void find(const argument_value& a, int axes, bool strided, std::size_t size) {
    rank = static_cast<std::size_t>(axes);
    bytes = size;
    contiguous = !strided || is_row_major(a.shape, a.stride, axes);
    range = {};
    index_t up = static_cast<index_t>(size), down = 0;
    for (int d = 0; d < axes; ++d) {
      if (a.shape[d] == 0) return;
      if (!strided)
        up *= a.shape[d];
      else
        (a.stride[d] < 0 ? down : up) +=
            (a.shape[d] - 1) * a.stride[d] * static_cast<index_t>(size);
    }
    const auto* first = static_cast<const std::byte*>(a.data);
    range = {first + down, first + up};
  }
};

template <class E>
class bound_expression {
 public:
  using Program = typename program_of<E>::type;
  static constexpr std::size_t count = std::tuple_size_v<decltype(E::leaves)>;

  explicit bound_expression(const E& e)
      : places_{e.where}, call_((bind(e), arguments_.data()), places_) {}
  auto shape() const { return call_.template shape<0>(); }
  device where() const { return place_.where(); }

  /// Computes the expression into row-major memory that belongs to nobody else, where its leaves
  /// are.
  [[gnu::noinline]] void into_fresh(void* to) {
    if (place_.on_host()) [[likely]]
      return call_.run(&to);
    device_call c;
    c.where = place_.where();
    c.number_bytes = number_bytes_.data();
    call_.run_on_device(c, &to);
  }

  /// Whether memory can be written while the program runs, read by these arguments as it may be.
  template <std::size_t R>
  bool may_write(const void* to, index_t size, const std::array<index_t, R>& shape) const {
    using T = typename E::value_type;
    const auto* first = static_cast<const std::byte*>(to);
    const byte_range target{first, first + static_cast<std::size_t>(size) * sizeof(T)};
    for (std::size_t k = 0; k < count; ++k) {
      const leaf_memory& m = memory_[k];
      if (!target.overlaps(m.range)) continue;
      // The very same elements, which the plan reads before it writes them; anything else needs a
      // copy.
      const bool same = arguments_[k].data == to && m.contiguous && m.bytes == sizeof(T) &&
                        m.rank == R &&
                        same_extents(shape.data(), arguments_[k].shape, static_cast<int>(R));
      if (!same || !call_.in_place(0, static_cast<int>(k))) return false;
    }
    return true;
  }

 private:
  void bind(const E& e) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (bind_leaf<I>(e, std::get<I>(e.leaves)), ...);
    }
    (std::make_index_sequence<count>{});
  }
  template <std::size_t I, class Leaf>
  void bind_leaf(const E& e, const Leaf& l) {
    if (l.conflict) throw_conflict(Leaf::name.text, e.where, e.steps);
    arguments_[I] = {l.address(), l.shape.data(), l.stride.data()};
    if constexpr (requires { l.storage; }) {
      number_bytes_[I] = 0;
      place_.add(I, l.storage);
      memory_[I].find(arguments_[I], static_cast<int>(l.shape.size()), !l.stride.empty(),
                      sizeof(typename Leaf::T));
    } else {
      number_bytes_[I] = static_cast<int>(sizeof(typename Leaf::T));
      memory_[I] = {};
    }
  }

  std::array<argument_value, count + 1> arguments_;
  std::array<leaf_memory, count + 1> memory_;
  std::array<int, count + 1> number_bytes_;
  call_place place_;
  place_table places_;
  call<Program> call_;
};

template <auto R, class... L>
struct evaluator<expr<R, L...>> {
  using E = expr<R, L...>;

  template <class D>
  static void assign(const E& e, D& to) {
    static_assert(reported<destination_problem<E, D>()>::nothing);
    if constexpr (destination_problem<E, D>().empty()) {
      static_assert(program_of<E>::type::optimised());
      assign_planned(e, to);
    }
  }

  template <class D>
  static D make(const E& e) {
    static_assert(reported<destination_problem<E, D>()>::nothing);
    if constexpr (destination_problem<E, D>().empty()) {
      static_assert(program_of<E>::type::optimised());
      return make_planned<D>(e);
    } else {
      return D{};
    }
  }

 private:
  template <class D, class Shape>
  static void check_extents(const E& e, const Shape& shape) {
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (D::static_extents[i] != dyn && D::static_extents[i] != shape[i])
        throw_destination(E::spec.type, shape.data(), E::rank, "tensor of", extents_text<D>.text,
                          e.where, e.steps);
  }
  /// The dtype and shape of a tensor type, "?" where an extent is known at run time.
  template <class D>
  static constexpr message extents_text = [] {
    message m;
    value_spec s{dtype_of<typename D::value_type>, D::rank, {}, false};
    for (int i = 0; i < D::rank; ++i) s.extent[i] = D::static_extents[static_cast<std::size_t>(i)];
    put_spec(m, s);
    return m;
  }();

  template <class D, class Shape>
  static D fresh_tensor(const bound_expression<E>& bound, const Shape& shape) {
    if (bound.where() == cpu) return D::uninitialized(shape);
    return D::adopt(allocate_elements(bound.where(), E::spec.type, shape.data(), E::rank), shape);
  }
  template <class D>
  static D make_planned(const E& e) {
    bound_expression<E> bound(e);
    const auto shape = bound.shape();
    check_extents<D>(e, shape);
    D fresh = fresh_tensor<D>(bound, shape);
    bound.into_fresh(fresh.address());
    return fresh;
  }
  template <class D>
  static void assign_planned(const E& e, D& to) {
    bound_expression<E> bound(e);
    const auto shape = bound.shape();
    if constexpr (is_tensor<D>) {
      const bool stays = to.shape() == shape && to.device() == bound.where();
      if (stays && bound.may_write(to.address(), to.size(), shape)) {
        bound.into_fresh(to.address());
        return;
      }
      if (!stays) {
        check_extents<D>(e, shape);
        D fresh = fresh_tensor<D>(bound, shape);
        bound.into_fresh(fresh.address());
        to = std::move(fresh);
        return;
      }
    } else {
      if (to.shape() != shape)
        throw_destination(E::spec.type, shape.data(), E::rank, "view of shape",
                          shape_text(to.shape()).text, e.where, e.steps);
      if (!(to.device() == bound.where())) throw_elsewhere(0, bound.where(), to.device());
      if (to.is_contiguous() && bound.may_write(to.address(), to.size(), shape)) {
        bound.into_fresh(to.address());
        return;
      }
    }
    const auto fresh = fresh_tensor<dynamic_tensor<typename E::value_type, E::rank>>(bound, shape);
    bound.into_fresh(fresh.address());
    if (is_tensor<D> || !(bound.where() == cpu))
      overwrite(to.device(), to.address(), to.shape(), to.strides(), fresh.address(),
                to.is_contiguous());
    else if constexpr (is_view<D>)
      to = fresh;
  }
};

template <class E>
void evaluate_planned_item(const E& e, typename E::value_type* to) {
  bound_expression<E> bound(e);
  if (bound.where() == cpu) return bound.into_fresh(to);
  const storage_ptr there = allocate_elements(bound.where(), E::spec.type, nullptr, 0);
  bound.into_fresh(there.data());
  *to = read_number(there, reinterpret_cast<const typename E::value_type*>(there.data()));
}
template <class E>
void evaluate_item_to(const E& e, typename E::value_type* to) {
  static_assert(program_of<E>::type::optimised());
  evaluate_planned_item(e, to);
}
template <class E>
auto evaluate_item(const E& e) {
  typename E::value_type value;
  evaluate_item_to(e, &value);
  return value;
}

template <char Op>
struct compound_op;
template <>
struct compound_op<'+'> {
  using type = add_;
};
template <>
struct compound_op<'-'> {
  using type = subtract_;
};
template <>
struct compound_op<'*'> {
  using type = multiply_;
};
template <>
struct compound_op<'/'> {
  using type = divide_;
};

template <char Op, class D, class B>
struct compound_assign {
  static void apply(D& to, const B& by) {
    using op = typename compound_op<Op>::type;
    std::source_location where{};
    if constexpr (is_expr<B>) where = by.where[B::steps - 1];
    const auto e = application<op, D, B>::run(where, to, by);
    evaluator<std::remove_cvref_t<decltype(e)>>::assign(e, to);
  }
};

}  // namespace detail

/// The tensor that an expression stands for. Extents that the types know stay in its type.
template <auto R, class... L>
auto eval(const expr<R, L...>& e) {
  return detail::evaluator<expr<R, L...>>::template make<
      typename detail::tensor_type<expr<R, L...>::spec>::type>(e);
}
/// A tensor is its own value: a copy.
template <class T, index_t... E>
tensor<T, E...> eval(const tensor<T, E...>& x) {
  return x;
}
template <class T, int Rank>
auto eval(const view<T, Rank>& x) {
  return x.copy();
}

/// The number that a rank-0 expression or tensor stands for.
template <auto R, class... L>
auto item(const expr<R, L...>& e) {
  static_assert(R.result.rank == 0,
                "weft: item(e): e must have rank 0; take its sum, or an element");
  return detail::evaluate_item(e);
}
template <class T>
T item(const tensor<T>& x) {
  return *x.data();
}
template <class T>
std::remove_const_t<T> item(const view<T, 0>& x) {
  return *x.data();
}

/// Prints the value of an expression.
template <auto R, class... L>
std::ostream& operator<<(std::ostream& out, const expr<R, L...>& e) {
  return out << eval(e);
}

}  // namespace weft
