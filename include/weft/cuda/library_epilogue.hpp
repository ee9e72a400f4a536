// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/function.hpp>
#include <weft/cuda/strided_product.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/make_plan.hpp>

#include <optional>
#include <vector>

// Epilogues that cuBLASLt applies itself, found in plans.
namespace weft::detail::cuda {

/// An epilogue as the planner makes its kernel, beside its name in the library.
struct known_epilogue {
  blas_epilogue form{};
  kernel body;
};

/// The kernels of relu(x w), x w + b, relu(x w + b) and gelu_tanh(x w + b) in a dtype, made by
/// planning just these programs, so that they follow the planner. gelu is left to 16-bit dtypes,
/// whose rounding hides that the library's tanh is another one.
inline std::vector<known_epilogue> planned_epilogues(dtype t) {
  std::vector<known_epilogue> all;
  auto add = [&](blas_epilogue form, bool biased, auto&& f) {
    builder b;
    const value_spec square{t, 2, {64, 64}, false}, row{t, 1, {64}, false};
    const symbol x = make_argument(b, square, 0), w = make_argument(b, square, 1);
    const symbol bias = biased ? make_argument(b, row, 2) : x;
    b.g.arguments = biased ? 3 : 2;
    const symbol y = f(x.matmul(w), bias);
    b.g.outputs.push_back(y.id());
    const plan p = make_plan(optimised(b.finished()));
    if (p.steps.size() == 1 && p.steps[0].kind == step_kind::product && p.steps[0].kernel >= 0)
      all.push_back({form, p.kernels[static_cast<std::size_t>(p.steps[0].kernel)]});
  };
  add(blas_epilogue::relu, false, [](symbol p, symbol) { return relu(p); });
  add(blas_epilogue::bias, true, [](symbol p, symbol b) { return p + b; });
  add(blas_epilogue::relu_bias, true, [](symbol p, symbol b) { return relu(p + b); });
  if (computed_in(t) != t)
    add(blas_epilogue::gelu_bias, true, [](symbol p, symbol b) { return gelu_tanh(p + b); });
  return all;
}
inline const std::vector<known_epilogue>& known_epilogues(dtype t) {
  static const std::vector<known_epilogue> all[]{planned_epilogues(dtype::float32),
                                                 planned_epilogues(dtype::float16),
                                                 planned_epilogues(dtype::bfloat16)};
  static const std::vector<known_epilogue> none;
  return t == dtype::float32    ? all[0]
         : t == dtype::float16  ? all[1]
         : t == dtype::bfloat16 ? all[2]
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
  int bias = -1;  ///< access
  int result = -1;
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
  auto value = [&](index_t e) { return value_of(e, extents); };
  // Loops of the tile: batch, rows, columns. A bias moves along columns only, the result is
  // row-major.
  const int last = s.rows + 1;
  auto moves = [&](const access& x, int loop, index_t by) {
    return value(s.extent[loop]) == 1 || value(x.stride[loop]) == by;
  };
  library_epilogue r{known->form, k.loads == 2 ? 4 : -1, 3 + k.loads};
  index_t step = 1;
  for (int l = last; l >= 0; --l) {
    if (!moves(a[r.result], l, step)) return {};
    if (r.bias >= 0 && !moves(a[r.bias], l, l == last ? 1 : 0)) return {};
    step *= value(s.extent[l]);
  }
  return r;
}

}  // namespace weft::detail::cuda
