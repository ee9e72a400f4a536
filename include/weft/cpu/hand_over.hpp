// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/binding.hpp>
#include <weft/plan/arguments.hpp>

#include <atomic>

namespace weft::detail {

/// Takes over a call whose extents are known and checked: false leaves it to the program.
using hand_over_function = bool (*)(const cpu_code&, const argument_value* arguments,
                                    void* const* outputs, const index_t* extents);

/// Set while a stance is (weft/stance.hpp); every call asks, at the price of a load.
inline std::atomic<hand_over_function> hand_over{nullptr};

}  // namespace weft::detail
