// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/function.hpp>
#include <weft/cuda/strided_product.hpp>
#include <weft/grad/reverse.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/make_plan.hpp>

#include <optional>
#include <vector>

// Epilogues that cuBLASLt applies itself, found in plans.
namespace weft::detail::cuda {

/// An epilogue as the planner makes its kernel, beside its name in the library. Accesses are
/// numbers among the kernel's own, its loads (the first is the tile) before its stores; -1 for
/// none.
struct known_epilogue {
  blas_epilogue form{};
  kernel body;
  int bias = -1, auxiliary = -1, result = -1;
};

/// The kernels of relu(x w), x w + b, relu(x w + b) and gelu_tanh(x w + b) in a dtype, of the last
/// one beside x w + b, and of gelu_tanh's gradient at a saved z for a product as its cotangent,
/// made by planning just these programs, so that they follow the planner. gelu is left to 16-bit
/// dtypes, whose rounding hides that the library's tanh is another one.
inline std::vector<known_epilogue> planned_epilogues(dtype t) {
  std::vector<known_epilogue> all;
  // The kernel of the last product; the first output is its result.
  auto add = [&](blas_epilogue form, auto&& f) {
    builder b;
    const value_spec square{t, 2, {64, 64}, false}, row{t, 1, {64}, false};
    const symbol x = make_argument(b, square, 0), w = make_argument(b, square, 1);
    b.g.arguments = 3;
    for (const symbol& y : f(x, w, make_argument(b, row, 2))) b.g.outputs.push_back(y.id());
    const plan p = make_plan(optimised(b.finished()), target::gpu);
    const step& s = p.steps.back();
    if (s.kind != step_kind::product || s.kernel < 0) return;
    known_epilogue e{form, p.kernels[static_cast<std::size_t>(s.kernel)]};
    for (int k = 1; k < e.body.loads + e.body.store_count; ++k) {
      const access& a = p.accesses[static_cast<std::size_t>(s.first_access + 3 + k)];
      const buffer& from = p.buffers[static_cast<std::size_t>(a.buffer)];
      (from.kind == buffer_kind::output && from.index == 0 ? e.result
       : from.kind == buffer_kind::argument                ? e.bias
                                                           : e.auxiliary) = k;
    }
    all.push_back(e);
  };
  using symbols = std::vector<symbol>;
  add(blas_epilogue::relu, [](symbol x, symbol w, symbol) { return symbols{relu(x.matmul(w))}; });
  add(blas_epilogue::bias, [](symbol x, symbol w, symbol b) { return symbols{x.matmul(w) + b}; });
  add(blas_epilogue::relu_bias,
      [](symbol x, symbol w, symbol b) { return symbols{relu(x.matmul(w) + b)}; });
  if (computed_in(t) == t) return all;
  add(blas_epilogue::gelu_bias,
      [](symbol x, symbol w, symbol b) { return symbols{gelu_tanh(x.matmul(w) + b)}; });
  add(blas_epilogue::gelu_auxiliary_bias, [](symbol x, symbol w, symbol b) {
    const symbol z = x.matmul(w) + b;
    return symbols{gelu_tanh(z), z};
  });
  add(blas_epilogue::gelu_gradient, [](symbol x, symbol w, symbol) {
    const symbol z = x.matmul(w), y = gelu_tanh(z);
    return symbols{reverse(y, y.matmul(w), {z.id()})[0]};
  });
  return all;
}
/// Those of a dtype, planned when it first has a product.
template <dtype T>
const std::vector<known_epilogue>& epilogues_of() {
  static const std::vector<known_epilogue> all = planned_epilogues(T);
  return all;
}
inline const std::vector<known_epilogue>& known_epilogues(dtype t) {
  static const std::vector<known_epilogue> none;
  return t == dtype::float32    ? epilogues_of<dtype::float32>()
         : t == dtype::float16  ? epilogues_of<dtype::float16>()
         : t == dtype::bfloat16 ? epilogues_of<dtype::bfloat16>()
                                : none;
}

/// Elements of a product step's result.
inline index_t elements_of_product(const step& s, const index_t* extents) {
  index_t n = 1;
  for (int l = 0; l < s.rows + 2; ++l) n *= value_of(s.extent[l], extents);
  return n;
}

/// What the library does for a product step, by the step's accesses; none where its epilogue is
/// another one, the product itself is needed too, or the operands do not lie as the library wants.
struct library_epilogue {
  blas_epilogue form{};
  int bias = -1, auxiliary = -1, result = -1;
};
inline std::optional<library_epilogue> library_epilogue_of(const plan& p, const step& s,
                                                           const index_t* extents) {
  const access* a = p.accesses.data() + s.first_access;
  if (s.kernel < 0 || a[2].buffer >= 0) return {};
  const kernel& k = p.kernels[static_cast<std::size_t>(s.kernel)];
  const known_epilogue* known = nullptr;
  for (const known_epilogue& e : known_epilogues(s.type))
    if (e.body == k) known = &e;
  if (!known) return {};
  const strided_product product = product_of(p, s, extents);
  if (!product.batch.empty() || !library_form(product, false)) return {};
  // The library's rows of what is beside the result are whole vectors.
  if (known->auxiliary >= 0 && product.n % 8 != 0) return {};
  auto value = [&](index_t e) { return value_of(e, extents); };
  auto moves = [&](int x, int loop, index_t by) {
    return x < 0 || value(s.extent[loop]) == 1 || value(a[x].stride[loop]) == by;
  };
  auto number = [](int own) { return own < 0 ? -1 : 3 + own; };
  const library_epilogue r{known->form, number(known->bias), number(known->auxiliary),
                           number(known->result)};
  // Loops of the tile: batch, rows, columns. A bias moves along columns only, the others are
  // row-major.
  const int last = s.rows + 1;
  index_t step = 1;
  for (int l = last; l >= 0; --l) {
    if (!moves(r.result, l, step) || !moves(r.auxiliary, l, step)) return {};
    if (!moves(r.bias, l, l == last ? 1 : 0)) return {};
    step *= value(s.extent[l]);
  }
  return r;
}

}  // namespace weft::detail::cuda
