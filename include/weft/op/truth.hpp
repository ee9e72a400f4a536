// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/not_equal.hpp>
#include <weft/op/primitive.hpp>

namespace weft {

namespace detail {
/// Whether elements are not 0.
constexpr auto truth(auto x) { return x.type() == dtype::boolean ? x : x != 0; }
}  // namespace detail

}  // namespace weft
