// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/erf.hpp>
#include <weft/cpu/math/exp.hpp>
#include <weft/cpu/math/expm1.hpp>
#include <weft/cpu/math/log.hpp>
#include <weft/cpu/math/sigmoid.hpp>
#include <weft/cpu/math/tanh.hpp>
#include <weft/cpu/math/trig.hpp>

/// Elementary functions on xsimd batches of float and double, in weft::simd::math: each within 4
/// ulp of the exact value over the whole range, denormals included, with the same bits from every
/// compiler whatever its contraction default, each lane independent of the others.
