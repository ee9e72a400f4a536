// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// Functions captured while the program runs. It brings an interpreter for plans, which takes the
// compiler long: source files that define WEFT_JIT_ELSEWHERE before they include it leave that to
// another one of the program.
#include <weft/compile/jit.hpp>
#ifndef WEFT_JIT_ELSEWHERE
#include <weft/compile/jit_interpreter.hpp>
#endif
#include <weft/weft.hpp>
