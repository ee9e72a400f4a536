// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/add.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/literal.hpp>
#include <weft/op/mean.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/reduce.hpp>
#include <weft/op/rsqrt.hpp>
#include <weft/op/subtract.hpp>

namespace weft {

namespace detail {

/// x brought to mean 0 and variance 1 along its last axis; eps is added to the variance.
struct standardize_ final : derived<standardize_, "layer_norm", 2> {
  static constexpr auto doc = "(x - mean) / sqrt(variance + eps) along the last axis.";
  static constexpr auto body(auto x, auto eps) {
    x.require_floating(name);
    const auto last = x.axes(attributes{{pack_axes<-1>()}}, name);
    auto d = x - average(x, last);
    return d * scale(d, eps, last);
  }
  /// Its own: both sums in one pass over the row.
  static constexpr auto vjp(auto g, auto x, auto eps, auto y) {
    const auto last = x.axes(attributes{{pack_axes<-1>()}}, name);
    auto r = scale(x - average(x, last), eps, last);
    auto gy = g * y;
    return std::tuple{r * (g - average(g, last) - y * average(gy, last)),
                      -0.5 * (gy.template reduce<reduce_sum_>(last) * (r * r))};
  }

 private:
  static constexpr auto average(auto x, index_t mask) {
    return x.template reduce<reduce_sum_>(mask) / x.count(mask);
  }
  static constexpr auto scale(auto d, auto eps, index_t mask) {
    return rsqrt(average(d * d, mask) + eps);
  }
};

/// x over the root of its mean square along its last axis; eps is added to the mean square.
struct root_mean_square_ final : derived<root_mean_square_, "rms_norm", 2> {
  static constexpr auto doc = "x / sqrt(mean(x^2) + eps) along the last axis.";
  static constexpr auto body(auto x, auto eps) {
    x.require_floating(name);
    return x * scale(x, eps);
  }
  static constexpr auto vjp(auto g, auto x, auto eps, auto y) {
    const auto last = x.axes(attributes{{pack_axes<-1>()}}, name);
    auto r = scale(x, eps);
    auto total = (g * y).template reduce<reduce_sum_>(last);
    return std::tuple{r * (g - y * (total / x.count(last))), -0.5 * (total * (r * r))};
  }

 private:
  static constexpr auto scale(auto x, auto eps) {
    const auto last = x.axes(attributes{{pack_axes<-1>()}}, name);
    return rsqrt((x * x).template reduce<reduce_sum_>(last) / x.count(last) + eps);
  }
};

/// layer_norm and rms_norm share their ways to call: with or without eps, a weight and a bias.
template <class Core, constant Eps>
struct normalizing {
  template <operand X>
  constexpr auto operator()(const X& x,
                            std::source_location where = std::source_location::current()) const {
    return Core{}(x, lit<Eps>, where);
  }
  template <operand X, number E>
  constexpr auto operator()(const X& x, const E& eps,
                            std::source_location where = std::source_location::current()) const {
    return Core{}(x, eps, where);
  }
  template <operand X, tensorial W>
  constexpr auto operator()(const X& x, const W& weight,
                            std::source_location where = std::source_location::current()) const {
    return multiply(Core{}(x, lit<Eps>, where), weight, where);
  }
  template <operand X, tensorial W, number E>
  constexpr auto operator()(const X& x, const W& weight, const E& eps,
                            std::source_location where = std::source_location::current()) const {
    return multiply(Core{}(x, eps, where), weight, where);
  }
  template <operand X, tensorial W, tensorial B>
  constexpr auto operator()(const X& x, const W& weight, const B& bias,
                            std::source_location where = std::source_location::current()) const {
    return add((*this)(x, weight, where), bias, where);
  }
  template <operand X, tensorial W, tensorial B, number E>
  constexpr auto operator()(const X& x, const W& weight, const B& bias, const E& eps,
                            std::source_location where = std::source_location::current()) const {
    return add((*this)(x, weight, eps, where), bias, where);
  }
};

}  // namespace detail

/// `layer_norm(x)`, `layer_norm(x, weight)`, `layer_norm(x, weight, bias)`, each with an eps after
/// its operands or without (1e-5): (x - mean) / sqrt(variance + eps) * weight + bias along the last
/// axis. Floating dtypes.
inline constexpr detail::normalizing<detail::standardize_, 1e-5> layer_norm{};

/// `rms_norm(x)`, `rms_norm(x, weight)`, each with an eps after its operands or without (1e-6): x /
/// sqrt(mean(x^2) + eps)
/// * weight along the last axis. Floating dtypes.
inline constexpr detail::normalizing<detail::root_mean_square_, 1e-6> rms_norm{};

}  // namespace weft
