// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emitted.hpp>
#include <weft/graph/reference.hpp>

#include <vector>

namespace weft_test {

/// Whether tests of emitted kernels run on a GPU, as they do where there is one.
bool has_gpu();

/// The results of an optimised graph from cuda(0), through the executor; `fault` where a kernel met
/// a bad index, and then no results.
std::vector<weft::detail::reference_value> gpu_outputs(
    const weft::detail::graph& g, const std::vector<weft::detail::reference_value>& arguments,
    const std::vector<weft::detail::reference_value>& shapes, bool& fault);

}  // namespace weft_test
