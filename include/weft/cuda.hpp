// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// The GPU back end. One source file of a program includes it, and all of them can then use
// `to(cuda(0))`. It needs no toolkit to compile; the driver and NVRTC are opened when a device is
// first used.
#include <weft/cuda/back_end.hpp>
#include <weft/weft.hpp>
