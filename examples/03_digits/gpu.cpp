// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

// The GPU back end: one source file of a program has it, and all others can use `cuda(0)`.
#include <weft/cuda.hpp>
