// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/type_list.hpp>
#include <weft/op/abs.hpp>
#include <weft/op/add.hpp>
#include <weft/op/any.hpp>
#include <weft/op/argmax.hpp>
#include <weft/op/argmin.hpp>
#include <weft/op/bitwise_and.hpp>
#include <weft/op/bitwise_or.hpp>
#include <weft/op/bitwise_xor.hpp>
#include <weft/op/cast.hpp>
#include <weft/op/clamp.hpp>
#include <weft/op/concat.hpp>
#include <weft/op/control.hpp>
#include <weft/op/cos.hpp>
#include <weft/op/cross_entropy.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/equal.hpp>
#include <weft/op/erf.hpp>
#include <weft/op/erfc.hpp>
#include <weft/op/exp.hpp>
#include <weft/op/expand.hpp>
#include <weft/op/expm1.hpp>
#include <weft/op/flatten.hpp>
#include <weft/op/floor.hpp>
#include <weft/op/floor_divide.hpp>
#include <weft/op/fma.hpp>
#include <weft/op/gelu.hpp>
#include <weft/op/gelu_tanh.hpp>
#include <weft/op/greater.hpp>
#include <weft/op/greater_equal.hpp>
#include <weft/op/layer_norm.hpp>
#include <weft/op/leaves.hpp>
#include <weft/op/less.hpp>
#include <weft/op/less_equal.hpp>
#include <weft/op/literal.hpp>
#include <weft/op/log.hpp>
#include <weft/op/log1p.hpp>
#include <weft/op/logical_and.hpp>
#include <weft/op/logical_not.hpp>
#include <weft/op/logical_or.hpp>
#include <weft/op/logical_xor.hpp>
#include <weft/op/logsumexp.hpp>
#include <weft/op/matmul.hpp>
#include <weft/op/max.hpp>
#include <weft/op/maximum.hpp>
#include <weft/op/mean.hpp>
#include <weft/op/min.hpp>
#include <weft/op/minimum.hpp>
#include <weft/op/mse.hpp>
#include <weft/op/mul_zero.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/negative.hpp>
#include <weft/op/norm.hpp>
#include <weft/op/not_equal.hpp>
#include <weft/op/one_hot.hpp>
#include <weft/op/random.hpp>
#include <weft/op/random_word.hpp>
#include <weft/op/reduce.hpp>
#include <weft/op/relu.hpp>
#include <weft/op/remainder.hpp>
#include <weft/op/reshape.hpp>
#include <weft/op/rsqrt.hpp>
#include <weft/op/shift_left.hpp>
#include <weft/op/shift_right.hpp>
#include <weft/op/sigmoid.hpp>
#include <weft/op/sign.hpp>
#include <weft/op/silu.hpp>
#include <weft/op/sin.hpp>
#include <weft/op/slice.hpp>
#include <weft/op/softmax.hpp>
#include <weft/op/softplus.hpp>
#include <weft/op/sqrt.hpp>
#include <weft/op/square.hpp>
#include <weft/op/squeeze.hpp>
#include <weft/op/stop_gradient.hpp>
#include <weft/op/subtract.hpp>
#include <weft/op/sum.hpp>
#include <weft/op/take.hpp>
#include <weft/op/tanh.hpp>
#include <weft/op/transpose.hpp>
#include <weft/op/unsqueeze.hpp>
#include <weft/op/var.hpp>
#include <weft/op/views.hpp>
#include <weft/op/where.hpp>

namespace weft::detail {

/// Every primitive; a node's op is a place in this list. New ones go to the end of their group.
using primitives = type_list<
    // leaves and identities
    argument_, constant_, extent_, iota_, fresh_, custom_,
    // views
    broadcast_, permute_, reshape_, slice_, barrier_,
    // pointwise
    add_, subtract_, multiply_, divide_, negative_, floor_divide_, remainder_, maximum_, minimum_,
    abs_, sign_, floor_, exp_, expm1_, log_, log1p_, sin_, cos_, tanh_, sqrt_, rsqrt_, erf_, erfc_,
    sigmoid_, relu_, equal_, not_equal_, less_, less_equal_, greater_, greater_equal_, logical_not_,
    bitwise_and_, bitwise_or_, bitwise_xor_, shift_left_, shift_right_, where_, cast_, fma_,
    mul_zero_, random_word_,
    // reductions
    reduce_sum_, reduce_max_, reduce_min_, arg_max_, arg_min_,
    // the rest
    product_, pad_, sum_to_, concat_, gather_, scatter_add_,
    // control flow and calls of the host
    parameter_, undefined_, link_, result_, cond_, scan_, while_, host_>;
static_assert(all_complete<primitives>);

/// Every op that is made of others.
using derived_ops =
    type_list<sum_, mean_, max_, min_, var_, stddev_, norm_, logsumexp_, argmax_, argmin_, any_,
              all_, reshape_to_, expand_, squeeze_, unsqueeze_, flatten_, slice_range_, transpose_,
              concatenate_, take_, matmul_, square_, clamp_, gelu_, gelu_tanh_, silu_, softplus_,
              logical_and_, logical_or_, logical_xor_, softmax_, log_softmax_, standardize_,
              root_mean_square_, one_hot_, cross_entropy_, mse_, stop_gradient_, bits_like_,
              uniform_like_, normal_like_, bernoulli_like_, fold_in_, dropout_>;

}  // namespace weft::detail
