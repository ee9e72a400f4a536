// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// What helps to find out why a program became what it became. One source file that includes this
// makes WEFT_LOG=fusion say why nodes are in different kernels, in the whole program.
#include <weft/base/log.hpp>
#include <weft/base/trace.hpp>
#include <weft/compile/draw.hpp>
#include <weft/compile/dump.hpp>
#include <weft/compile/explain.hpp>
#include <weft/compile/source.hpp>
#include <weft/compile/why_not_fused.hpp>
