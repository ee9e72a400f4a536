// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>

namespace weft_test {

/// How often this program has called operator new; allocations.cpp replaces it to count.
std::size_t allocations();

/// Requests of more bytes than this fail, so that tests can run out of memory safely.
inline constexpr std::size_t allocation_limit = std::size_t{1} << 40;

}  // namespace weft_test
