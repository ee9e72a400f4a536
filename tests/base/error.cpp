// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/base/error.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace {

template <class E>
void check_error() {
  try {
    throw E("what happened");
  } catch (const weft::error& caught) {
    CHECK(std::string(caught.what()) == "what happened");
    CHECK(dynamic_cast<const E*>(&caught) != nullptr);
  }
  CHECK_THROWS_AS(throw E("x"), std::runtime_error);
}

}  // namespace

TEST_CASE("every exception is a weft::error and a runtime_error") {
  check_error<weft::error>();
  check_error<weft::shape_error>();
  check_error<weft::index_error>();
  check_error<weft::dtype_error>();
  check_error<weft::value_error>();
  check_error<weft::memory_error>();
}
