// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <string_view>

namespace weft {

/// The library's version, as CMakeLists.txt has it. Part of every key of the disk cache.
inline constexpr std::string_view version = "0.1.0";

}  // namespace weft
