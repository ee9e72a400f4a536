// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_text.hpp>
#include <weft/cuda/emitted.hpp>

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

/// The product as a kernel of ours, one thread an element, summed in order: for dtypes, extents and
/// strides that cuBLASLt does not take. Parameters: left, right, the row-major result.
inline emitted_kernel plain_product(const strided_product& p) {
  const std::string memory = memory_type(p.type);
  const std::string value = value_type(p.type);
  const index_t count = p.batches() * p.m * p.n;
  auto number = [](index_t v) { return std::to_string(v); };
  std::string s = "#include <weft/cuda/prelude.hpp>\n\nnamespace weft::device {\n\n";
  s += "// " + number(p.batches()) + " products of " + number(p.m) + " x " + number(p.k) + " by " +
       number(p.k) + " x " + number(p.n) + "\n";
  s += "extern \"C\" __global__ void __launch_bounds__(256) plain_product(const " + memory +
       "* a, const " + memory + "* b, " + memory + "* d) {\n";
  s += "  const int64 place = int64(blockIdx.x) * 256 + threadIdx.x;\n";
  s += "  if (place >= " + number(count) + "ll) return;\n";
  s += "  const int64 column = place % " + number(p.n) + "ll, row = place / " + number(p.n) +
       "ll % " + number(p.m) + "ll;\n";
  s += "  int64 batch = place / " + number(p.m * p.n) + "ll;\n";
  s += "  a += row * " + number(p.a_row) + "ll;\n  b += column * " + number(p.b_column) + "ll;\n";
  for (std::size_t l = p.batch.size(); l-- > 0;) {
    s += "  a += batch % " + number(p.batch[l]) + "ll * " + number(p.batch_a[l]) + "ll;\n";
    s += "  b += batch % " + number(p.batch[l]) + "ll * " + number(p.batch_b[l]) + "ll;\n";
    s += "  batch /= " + number(p.batch[l]) + "ll;\n";
  }
  s += "  " + value + " sum = 0;\n";
  s += "  for (int64 k = 0; k < " + number(p.k) + "ll; ++k)\n";
  s += "    sum += " + value + "(widened(a[k * " + number(p.a_k) + "ll])) * " + value +
       "(widened(b[k * " + number(p.b_k) + "ll]));\n";
  s += "  d[place] = stored<" + memory + ">(sum);\n}\n\n}  // namespace weft::device\n";
  emitted_kernel r;
  r.name = "plain_product";
  r.source = std::move(s);
  r.grid[0] = static_cast<unsigned>((count + 255) / 256);
  r.block[0] = 256;
  return r;
}

}  // namespace weft::detail::cuda
