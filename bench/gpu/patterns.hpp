// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "bench.hpp"

// The groups of rows, one file or a part of one each. Extents are those of the table; rows are
// fewer in a self-test.
namespace bench {

inline constexpr index_t columns = 4096;
inline constexpr index_t full_rows = 16384;

void pointwise(session&);
void adam(session&);
void reductions(session&);
void layer_norm(session&);
void rms_norm(session&);
void softmax(session&);
void bias_gelu(session&);
void swiglu(session&);
void dropout(session&);
void cross_entropy(session&);
void products(session&);
void tiny_calls(session&);

}  // namespace bench
