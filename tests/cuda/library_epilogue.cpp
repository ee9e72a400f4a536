// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cuda/library_epilogue.hpp>
#include <weft/plan/arguments.hpp>

#include <doctest/doctest.h>

namespace w = weft;
namespace cuda = weft::detail::cuda;
using cuda::blas_epilogue;
using w::dtype;
using w::index_t;
using w::symbol;

namespace {

/// The epilogues that the library takes of the products of f(x, w, b), of m x k by k x n.
template <class F>
std::vector<std::optional<cuda::library_epilogue>> all_found(dtype t, F&& f, bool dynamic = true,
                                                             index_t m = 8, index_t k = 24,
                                                             index_t n = 40) {
  w::detail::builder b;
  auto spec = [&](int rank, index_t rows, index_t columns) {
    w::detail::value_spec s{t, rank, {rows, columns}, false};
    if (dynamic)
      for (int i = 0; i < rank; ++i) s.extent[i] = w::dyn;
    return s;
  };
  const symbol x = w::detail::make_argument(b, spec(2, m, k), 0);
  const symbol y = w::detail::make_argument(b, spec(2, k, n), 1);
  const symbol z = w::detail::make_argument(b, spec(1, n, 0), 2);
  b.g.arguments = 3;
  for (const symbol& s : f(x, y, z)) b.g.outputs.push_back(s.id());
  const auto g = w::detail::optimised(b.finished());
  REQUIRE(std::string(g.error.view()) == "");
  const w::detail::plan p = w::detail::make_plan(g, w::detail::target::gpu);
  const index_t shapes[3][2]{{m, k}, {k, n}, {n, 0}};
  const w::detail::argument_value arguments[]{
      {nullptr, shapes[0], nullptr}, {nullptr, shapes[1], nullptr}, {nullptr, shapes[2], nullptr}};
  std::vector<index_t> extents(p.extents.size());
  w::detail::evaluate_extents<int>(p.extents.data(), static_cast<int>(extents.size()), arguments,
                                   extents.data());
  std::vector<std::optional<cuda::library_epilogue>> r;
  for (const w::detail::step& s : p.steps)
    if (s.kind == w::detail::step_kind::product)
      r.push_back(cuda::library_epilogue_of(p, s, extents.data()));
  return r;
}
/// Of the first.
template <class F>
std::optional<cuda::library_epilogue> found(dtype t, F&& f, bool dynamic = true, index_t m = 8,
                                            index_t k = 24, index_t n = 40) {
  const auto all = all_found(t, f, dynamic, m, k, n);
  REQUIRE(!all.empty());
  return all[0];
}
using symbols = std::vector<symbol>;

}  // namespace

TEST_CASE("library epilogues: those that are planned, in each dtype") {
  CHECK(cuda::known_epilogues(dtype::float32).size() == 3);
  CHECK(cuda::known_epilogues(dtype::float16).size() == 6);
  CHECK(cuda::known_epilogues(dtype::bfloat16).size() == 6);
  CHECK(cuda::known_epilogues(dtype::float64).empty());
  CHECK(cuda::known_epilogues(dtype::int32).empty());
}

TEST_CASE("library epilogues: found where a product has just them") {
  for (const dtype t : {dtype::float32, dtype::bfloat16}) {
    for (const bool dynamic : {false, true}) {
      CAPTURE(dynamic);
      const auto relu = found(
          t, [](symbol x, symbol y, symbol) { return symbols{w::relu(x.matmul(y))}; }, dynamic);
      REQUIRE(relu);
      CHECK(relu->form == blas_epilogue::relu);
      CHECK(relu->bias == -1);
      const auto bias = found(
          t, [](symbol x, symbol y, symbol b) { return symbols{x.matmul(y) + b}; }, dynamic);
      REQUIRE(bias);
      CHECK(bias->form == blas_epilogue::bias);
      CHECK(bias->bias == 4);
      CHECK(bias->result == 5);
      const auto gelu = found(
          t, [](symbol x, symbol y, symbol b) { return symbols{w::gelu_tanh(x.matmul(y) + b)}; },
          dynamic);
      CHECK(gelu.has_value() == (t == dtype::bfloat16));
      if (gelu) CHECK(gelu->form == blas_epilogue::gelu_bias);
    }
  }
}

TEST_CASE("library epilogues: a layer with gelu_tanh, and its gradient") {
  // sum(square(gelu_tanh(x w + b) v)), where v is w's transpose.
  const auto gradients = [](symbol x, symbol y, symbol b) {
    const symbol out = w::gelu_tanh(x.matmul(y) + b).matmul(w::transpose(y));
    const symbol loss = w::sum(w::square(out));
    symbols r;
    for (const symbol& g : w::detail::reverse(loss, loss.number(1), {x.id(), y.id(), b.id()}))
      r.push_back(g);
    return r;
  };
  for (const bool dynamic : {false, true}) {
    CAPTURE(dynamic);
    std::vector<blas_epilogue> forms;
    for (const auto& e : all_found(dtype::bfloat16, gradients, dynamic)) {
      forms.push_back(e ? e->form : blas_epilogue::none);
      if (!e || e->auxiliary < 0) continue;
      CHECK(e->result != e->auxiliary);
      CHECK(e->bias == (e->form == blas_epilogue::gelu_auxiliary_bias ? 4 : -1));
    }
    CHECK(std::count(forms.begin(), forms.end(), blas_epilogue::gelu_auxiliary_bias) == 1);
    CHECK(std::count(forms.begin(), forms.end(), blas_epilogue::gelu_gradient) == 1);
  }
  // In float its tanh would show, and rows of the library's second matrix are whole vectors.
  for (const auto& e : all_found(dtype::float32, gradients)) CHECK((!e || e->auxiliary < 0));
  for (const auto& e : all_found(dtype::bfloat16, gradients, false, 8, 24, 36))
    CHECK((!e || e->auxiliary < 0));
}

TEST_CASE("library epilogues: none where more is asked") {
  const dtype t = dtype::float32;
  // The product itself is needed.
  CHECK(!found(t, [](symbol x, symbol y, symbol b) {
    const symbol p = x.matmul(y);
    return symbols{p, p + b};
  }));
  // The bias lies along rows.
  CHECK(!found(
      t,
      [](symbol x, symbol y, symbol b) {
        return symbols{x.matmul(y) + b.reshaped({2, {24, 1}})};
      },
      false, 24, 24, 24));
  // Another op.
  CHECK(!found(t, [](symbol x, symbol y, symbol) { return symbols{w::tanh(x.matmul(y))}; }));
}
