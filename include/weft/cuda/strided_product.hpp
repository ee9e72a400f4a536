// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_text.hpp>
#include <weft/cuda/emitted.hpp>
#include <weft/cuda/form.hpp>
#include <weft/cuda/product.hpp>

#include <optional>

namespace weft::detail::cuda {

/// A product's operands by strides in elements: over batch loops, then rows, columns and the summed
/// axis.
struct strided_product {
  dtype type{};
  index_t m = 1, n = 1, k = 1;
  std::vector<index_t> batch;             ///< extents, outermost first
  std::vector<index_t> batch_a, batch_b;  ///< strides
  index_t a_row = 0, a_k = 0, b_k = 0, b_column = 0;

  index_t batches() const {
    index_t r = 1;
    for (index_t e : batch) r *= e;
    return r;
  }
};

/// A product step with its extents as numbers. Batch loops that every operand walks as one are one;
/// rows that follow one another through the batch make one taller product.
inline strided_product product_of(const plan& p, const step& s, const index_t* extents) {
  const access* x = p.accesses.data() + s.first_access;
  auto value = [&](index_t e) { return value_of(e, extents); };
  strided_product r;
  const int n = s.rows;
  r.type = s.type;
  r.m = value(s.extent[n]), r.n = value(s.extent[n + 1]), r.k = value(s.extent[n + 2]);
  r.a_row = value(x[0].stride[n]), r.a_k = value(x[0].stride[n + 2]);
  r.b_k = value(x[1].stride[n + 2]), r.b_column = value(x[1].stride[n + 1]);
  for (int l = 0; l < n; ++l) {
    const index_t e = value(s.extent[l]);
    const index_t by_a = value(x[0].stride[l]), by_b = value(x[1].stride[l]);
    if (e == 1) continue;
    if (!r.batch.empty() && r.batch_a.back() == by_a * e && r.batch_b.back() == by_b * e) {
      r.batch.back() *= e, r.batch_a.back() = by_a, r.batch_b.back() = by_b;
      continue;
    }
    r.batch.push_back(e), r.batch_a.push_back(by_a), r.batch_b.push_back(by_b);
  }
  if (r.batch.size() == 1 && r.batch_b[0] == 0 && r.batch_a[0] == r.m * r.a_row) {
    r.m *= r.batch[0];
    r.batch.clear(), r.batch_a.clear(), r.batch_b.clear();
  }
  return r;
}

/// The innermost batch as cuBLASLt takes it, alignment apart; none where it does not.
inline std::optional<row_major_product> library_form(const strided_product& p, bool tf32) {
  row_major_product f;
  switch (p.type) {
    case dtype::float32:
      f.a = f.b = f.d = blas_type::float32;
      break;
    case dtype::float64:
      f.a = f.b = f.d = blas_type::float64;
      break;
    case dtype::float16:
      f.a = f.b = f.d = blas_type::float16;
      break;
    case dtype::bfloat16:
      f.a = f.b = f.d = blas_type::bfloat16;
      break;
    default:
      return {};
  }
  if (p.k == 0) return {};
  f.m = p.m, f.n = p.n, f.k = p.k;
  f.tf32 = tf32 && p.type == dtype::float32;
  auto lies = [](index_t rows, index_t columns, index_t row, index_t column, bool& transposed,
                 std::int64_t& leading) {
    if ((column == 1 || columns == 1) && (rows == 1 || row >= columns)) {
      transposed = false;
      leading = rows == 1 ? std::max<index_t>(columns, 1) : row;
      return true;
    }
    if ((row == 1 || rows == 1) && (columns == 1 || column >= rows)) {
      transposed = true;
      leading = columns == 1 ? std::max<index_t>(rows, 1) : column;
      return true;
    }
    return false;
  };
  if (!lies(p.m, p.k, p.a_row, p.a_k, f.transpose_a, f.lda)) return {};
  if (!lies(p.k, p.n, p.b_k, p.b_column, f.transpose_b, f.ldb)) return {};
  f.ldd = p.n;
  if (!p.batch.empty()) {
    f.batch = p.batch.back();
    f.stride_a = p.batch_a.back();
    f.stride_b = p.batch_b.back();
    f.stride_d = p.m * p.n;
  }
  return f;
}

/// The product as a kernel of ours, one thread an element, summed in order: for dtypes, extents and
/// strides that cuBLASLt does not take. Parameters: left, right, the row-major result; if
/// `dynamic`, then all of its numbers, and the fault word.
inline emitted_kernel plain_product(const strided_product& p, bool dynamic = false) {
  emitted_kernel r;
  const std::string memory = memory_type(p.type);
  const std::string value = value_type(p.type);
  const index_t count = p.batches() * p.m * p.n;
  int numbers = 0;
  auto number = [&](index_t v) {
    return dynamic ? say(named(v, say("v", numbers++))) : std::to_string(v) + "ll";
  };
  std::string s = "#include <weft/cuda/prelude.hpp>\n\nnamespace weft::device {\n\n";
  if (!dynamic)
    s += say("// ", p.batches(), " products of ", p.m, " x ", p.k, " by ", p.k, " x ", p.n, "\n");
  s += "extern \"C\" __global__ void __launch_bounds__(256) plain_product(const " + memory +
       "* a, const " + memory + "* b, " + memory + "* d";
  if (dynamic) s += std::string(", ") + numbers_listed + "int* fault";
  s += ") {\n";
  s += "  const int64 place = int64(blockIdx.x) * 256 + threadIdx.x;\n";
  s += "  if (place >= " + number(count) + ") return;\n";
  s += "  const int64 column = place % " + number(p.n) + ", row = place / " + number(p.n) + " % " +
       number(p.m) + ";\n";
  s += "  int64 batch = place / " + number(p.m * p.n) + ";\n";
  s += "  a += row * " + number(p.a_row) + ";\n  b += column * " + number(p.b_column) + ";\n";
  for (std::size_t l = p.batch.size(); l-- > 0;) {
    s += "  a += batch % " + number(p.batch[l]) + " * " + number(p.batch_a[l]) + ";\n";
    s += "  b += batch % " + number(p.batch[l]) + " * " + number(p.batch_b[l]) + ";\n";
    s += "  batch /= " + number(p.batch[l]) + ";\n";
  }
  s += "  " + value + " sum = 0;\n";
  s += "  for (int64 k = 0; k < " + number(p.k) + "; ++k)\n";
  s += "    sum += " + value + "(widened(a[k * " + number(p.a_k) + "])) * " + value +
       "(widened(b[k * " + number(p.b_k) + "]));\n";
  s += "  d[place] = stored<" + memory + ">(sum);\n}\n\n}  // namespace weft::device\n";
  r.name = "plain_product";
  finish_kernel(r, s, true);
  r.grid[0] = static_cast<unsigned>((count + 255) / 256);
  r.block[0] = 256;
  return r;
}

}  // namespace weft::detail::cuda
