// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/expression.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <weft/array/tensor.hpp>

namespace w = weft;

namespace {

// An expression of the test's own: n times the same value.
struct repeated {
  using expression_tag = int;
  float value;
  w::index_t n;
};

std::vector<std::string> calls;

static_assert(w::expression<repeated> && w::expression<const repeated&>);
static_assert(!w::expression<float> && !w::expression<w::vector<float>>);
static_assert(w::detail::compound_operand<float> && w::detail::compound_operand<repeated>);
static_assert(w::detail::compound_operand<w::vector<float>>);
static_assert(!w::detail::compound_operand<std::string>);

}  // namespace

template <>
struct weft::detail::evaluator<repeated> {
  template <class Destination>
  static void assign(const repeated& e, Destination& to) {
    calls.emplace_back("assign");
    if constexpr (is_tensor<Destination>) to.reset({e.n});
    as_view(to) = e.value;
  }
  template <class Destination>
  static Destination make(const repeated& e) {
    calls.emplace_back("make");
    auto out = Destination::uninitialized({e.n});
    as_view(out) = e.value;
    return out;
  }
};

// Only for the test's own type: the library's specialisations are in the same program.
template <char Op, class Destination>
struct weft::detail::compound_assign<Op, Destination, repeated> {
  static void apply(Destination&, const repeated&) { calls.emplace_back(1, Op); }
};

TEST_CASE("tensors and views hand expressions to the evaluator") {
  calls.clear();
  w::vector<float> a = repeated{2, 3};
  CHECK(a(2) == 2);
  a = repeated{5, 4};
  CHECK(a.size() == 4);
  auto half = a(w::range(2));
  half = repeated{9, 2};
  CHECK(a(1) == 9);
  CHECK(a(2) == 5);
  CHECK(calls == std::vector<std::string>{"make", "assign", "assign"});
}

TEST_CASE("compound assignments go to their hook") {
  calls.clear();
  w::vector<float> a{1, 2};
  auto v = a(w::range());
  const repeated e{1, 2};
  a += e;
  a -= e;
  a *= e;
  a /= e;
  v += e;
  v -= e;
  v *= e;
  v /= e;
  CHECK(calls == std::vector<std::string>{"+", "-", "*", "/", "+", "-", "*", "/"});
}
