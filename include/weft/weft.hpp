// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// All of Weft but the interop with Eigen (weft/eigen.hpp).
// Those whose assertions users meet come first: compilers print how a header was first included.
// clang-format off
#include <weft/base/report.hpp>
#include <weft/array/view.hpp>
#include <weft/capture/symbol.hpp>
#include <weft/grad/transforms.hpp>
// clang-format on

#include <weft/array/creation.hpp>
#include <weft/array/print.hpp>
#include <weft/array/tensor.hpp>
#include <weft/array/view.hpp>
#include <weft/base/report.hpp>
#include <weft/capture/data_shapes.hpp>
#include <weft/capture/host.hpp>
#include <weft/compile/control.hpp>
#include <weft/compile/compile.hpp>
#include <weft/compile/evaluate.hpp>
#include <weft/compile/explain.hpp>
#include <weft/compile/random.hpp>
#include <weft/compile/source.hpp>
#include <weft/data/batches.hpp>
#include <weft/grad/checkpoint.hpp>
#include <weft/grad/custom.hpp>
#include <weft/grad/expression.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/nn/dropout.hpp>
#include <weft/nn/init.hpp>
#include <weft/nn/linear.hpp>
#include <weft/nn/losses.hpp>
#include <weft/nn/place.hpp>
#include <weft/op/all.hpp>
#include <weft/optim/adamw.hpp>
#include <weft/optim/schedule.hpp>
#include <weft/optim/sgd.hpp>
#include <weft/optim/training.hpp>

