// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// Stances: how all programs of a process run while something is wrong. One source file of a
// program includes it, and WEFT_STANCE and WEFT_CHECK are heeded from then on. It brings the
// interpreter of weft/jit.hpp.
#include <weft/compile/stance.hpp>
#include <weft/compile/stance_bisect.hpp>
#include <weft/jit.hpp>
#include <weft/weft.hpp>
