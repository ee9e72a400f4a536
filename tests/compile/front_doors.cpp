// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/capture/apply.hpp>
#include <weft/grad/expression.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/pass/pipeline.hpp>

#include <doctest/doctest.h>
#include <support/capture.hpp>

// The two front doors give one graph: an expression of named variables with numbers as lit, and the
// captured function that says the same. Nothing here runs.
namespace w = weft;
using namespace weft_test;

namespace {

constexpr bool same_graph(const graph& a, const graph& b) {
  if (!a.error.empty() || !b.error.empty()) return false;
  if (a.nodes.size() != b.nodes.size() || a.outputs != b.outputs || a.arguments != b.arguments)
    return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    if (!(a.nodes[i] == b.nodes[i])) return false;
  return true;
}

template <class E>
struct expression_graph;
template <auto R, class... L>
struct expression_graph<w::expr<R, L...>> {
  static constexpr graph build() {
    const value_spec specs[]{L::spec...};
    return weft::detail::optimised(
        weft::detail::lower(R, specs, static_cast<int>(sizeof...(L)), false));
  }
  template <class F>
  static constexpr graph of_function() {
    const value_spec specs[]{L::spec...};
    return weft::detail::optimised(capture(specs, F{}));
  }
};

/// Whether both doors of F, called with named variables or with symbols in the same order, agree.
template <class F, class G, class... V>
constexpr bool agree() {
  using E = std::remove_cvref_t<decltype(F{}(std::declval<V>()...))>;
  using graphs = expression_graph<E>;
  return same_graph(graphs::build(), graphs::template of_function<G>());
}
/// The same text for both doors: a gradient apart, which is asked for in two ways.
template <class F, class... V>
constexpr bool agree_alike() {
  return agree<F, F, V...>();
}

using a_type = decltype(w::variable<"a">(std::declval<const w::matrix<float>&>()));
using b_type = decltype(w::variable<"b">(std::declval<const w::matrix<float>&>()));
using c_type = decltype(w::variable<"c">(std::declval<const w::vector<float>&>()));
using s_type = decltype(w::variable<"s">(std::declval<const w::tensor<float, 4, 6>&>()));
using i_type = decltype(w::variable<"i">(std::declval<const w::vector<std::int32_t>&>()));

using chain = decltype([](auto a, auto b) { return w::tanh(a * b + w::lit<0.5f>) / w::lit<2.0f>; });
using broadcasting = decltype([](auto a, auto c) { return w::exp(a) - c * w::lit<3>; });
using sums = decltype([](auto a) { return w::sum(a * a, w::axis<0>, w::keepdims) + w::mean(a); });
using rows = decltype([](auto a) { return w::softmax(a) * w::max(a, w::axis<-1>, w::keepdims); });
using product = decltype([](auto a, auto b, auto c) { return w::relu(w::matmul(a, b) + c); });
using moved = decltype([](auto a) {
  return w::transpose(a) + w::lit<1> * w::slice<0, 0, w::to_end, 1>(w::transpose(a));
});
using chosen = decltype([](auto a, auto b) {
  return w::where(a > b, w::sqrt(a), w::lit<0>) + w::clamp(b, w::lit<-1>, w::lit<1>);
});
using known = decltype([](auto s) {
  return w::reshape(s, w::shape<2, -1>) * w::lit<2> - w::lit<1>;
});
using taken = decltype([](auto a, auto i) { return w::cast<double>(w::take(a, i)) * w::lit<0.1>; });
using norms = decltype([](auto a) { return w::var(w::gelu(a), w::axis<1>, w::ddof<1>); });
using integers = decltype([](auto i) { return ((i << w::lit<2>)^i) / w::lit<3>; });
using shared = decltype([](auto a) {
  auto e = w::exp(a);
  return e / (e + w::lit<1>);
});

static_assert(agree_alike<chain, a_type, b_type>());
static_assert(agree_alike<broadcasting, a_type, c_type>());
static_assert(agree_alike<sums, a_type>());
static_assert(agree_alike<rows, a_type>());
static_assert(agree_alike<product, a_type, b_type, c_type>());
static_assert(agree_alike<moved, a_type>());
static_assert(agree_alike<chosen, a_type, b_type>());
static_assert(agree_alike<known, s_type>());
static_assert(agree_alike<taken, a_type, i_type>());
static_assert(agree_alike<norms, a_type>());
static_assert(agree_alike<integers, i_type>());
static_assert(agree_alike<shared, a_type>());

// Gradients: of an expression with respect to a variable, and of a function.
using loss = decltype([](auto a, auto b) {
  return w::mean(w::square(w::tanh(a * b) - w::lit<0.25f>));
});
using loss_a = decltype([](auto a, auto b) { return w::grad(loss{}(a, b), a); });
using loss_b = decltype([](auto a, auto b) { return w::grad(loss{}(a, b), b); });
static_assert(agree<loss_a, decltype(w::grad<0>(loss{})), a_type, b_type>());
static_assert(agree<loss_b, decltype(w::grad<1>(loss{})), a_type, b_type>());

using dense = decltype([](auto a, auto b, auto c) {
  return w::sum(w::square(w::matmul(a, b) + c));
});
using dense_c = decltype([](auto a, auto b, auto c) { return w::grad(dense{}(a, b, c), c); });
static_assert(agree<dense_c, decltype(w::grad<2>(dense{})), a_type, b_type, c_type>());

// And the comparison notices what differs.
using other = decltype([](auto a, auto b) { return w::tanh(a * b + w::lit<0.5f>) / w::lit<3.0f>; });
static_assert(!agree<chain, other, a_type, b_type>());

}  // namespace

TEST_CASE("the two front doors give one graph") {
  CHECK(agree_alike<chain, a_type, b_type>());
  CHECK(agree<loss_a, decltype(w::grad<0>(loss{})), a_type, b_type>());
}
