// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// The values that the bodies of CPU kernels are evaluated on: lane<T, W> and mask<T, W>, their
// arithmetic, and how they meet memory. The elementary functions are in lane_math.hpp, which costs
// more to compile.

#include <weft/cpu/lane_convert.hpp>
#include <weft/cpu/lane_float.hpp>
#include <weft/cpu/lane_integer.hpp>
#include <weft/cpu/lane_memory.hpp>
#include <weft/cpu/lane_reduce.hpp>
