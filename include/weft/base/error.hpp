// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstdarg>
#include <cstdio>
#include <stdexcept>

namespace weft {

/// The base of every exception Weft throws. An error is thrown before anything is written, and its
/// text says what was asked, what was found, and what to do.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Shapes that do not agree: operands that do not broadcast, an assignment of another shape.
class shape_error : public error {
 public:
  using error::error;
};

/// An index outside its axis, or an axis outside its tensor.
class index_error : public error {
 public:
  using error::error;
};

/// An element type that an operation does not take.
class dtype_error : public error {
 public:
  using error::error;
};

/// An argument whose value is not allowed, such as a step of 0.
class value_error : public error {
 public:
  using error::error;
};

/// Memory that could not be had; the text says how much was asked for.
class memory_error : public error {
 public:
  using error::error;
};

/// A device that cannot be used or that reported a fault, or a library of its vendor that is
/// missing.
class device_error : public error {
 public:
  using error::error;
};

namespace detail {

/// Throws an error whose text is put together as printf does, and cut behind 1,000 characters.
/// Every program carries the code of its errors: a call is a tenth of what joining strings compiles
/// to.
template <class Error>
[[noreturn, gnu::cold, gnu::noinline, gnu::format(printf, 1, 2)]] void throw_error(
    const char* format, ...) {
  char text[1000];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  throw Error(text);
}

}  // namespace detail
}  // namespace weft
