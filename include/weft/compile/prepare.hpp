// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/base/trace.hpp>

#include <string>
#include <type_traits>

// Compiling for a device before there is something to run.
namespace weft {

/// Stands for a tensor of type T in `compiled::prepare`: an example of its shape, without memory.
/// example<matrix<float>>(64, 128).
template <class T>
struct example {
  static_assert(detail::is_tensor<T>, "weft: example<T> stands for a tensor: give its type");
  typename T::shape_type shape;

  /// The extents in order. Throws shape_error where the type knows another one.
  template <class... E>
    requires(sizeof...(E) == static_cast<std::size_t>(T::rank) &&
             (std::is_convertible_v<E, index_t> && ...))
  explicit example(E... extents) : shape{static_cast<index_t>(extents)...} {
    for (int d = 0; d < T::rank; ++d) {
      const auto i = static_cast<std::size_t>(d);
      if (shape[i] < 0 || (T::static_extents[i] != dyn && T::static_extents[i] != shape[i]))
        throw shape_error("weft: example: axis " + std::to_string(d) + " is given as " +
                          std::to_string(shape[i]) + ", but its type knows " +
                          std::to_string(T::static_extents[i]));
    }
  }
};

/// What compiling ahead of the first call took.
struct preparation {
  double milliseconds = 0;
  std::string report;  ///< launches, memory, and what each kernel cost; as device_report has it
};

namespace detail {

template <class X>
struct prepared_argument {
  using type = std::remove_cvref_t<X>;
};
template <class T>
struct prepared_argument<example<T>> {
  using type = T;
};

/// Times what `compile` does, which returns the report.
template <class F>
preparation timed_preparation(F&& compile) {
  const std::int64_t start = clock_nanoseconds();
  preparation r;
  r.report = compile();
  const double t = static_cast<double>(clock_nanoseconds() - start) * 1e-6;
  r.milliseconds = t;
  return r;
}

}  // namespace detail
}  // namespace weft
