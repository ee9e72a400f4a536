// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// Functions captured while the program runs. It brings an interpreter for plans, which takes the
// compiler some seconds: include it in the source files that call jit, and in one that lets stances
// be set.
#include <weft/compile/jit.hpp>
#include <weft/weft.hpp>
