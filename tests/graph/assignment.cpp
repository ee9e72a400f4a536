// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/grad/transforms.hpp>
#include <weft/graph/print.hpp>

#include "../support/gradients.hpp"

// `x += y` on symbols: x is the name of another value from then on.
namespace w = weft;
using namespace weft_test;

TEST_CASE("assignment operators of symbols: values, gradients, other names keep theirs") {
  const auto f = [](auto x) {
    auto y = x;
    y += x * 2.0;  // 3 x
    y *= x;        // 3 x^2
    y -= 1;
    auto z = y;
    z /= 2.0;
    z += 0.5f;
    return w::sum(z) + w::sum(y) * 0.0;
  };
  const auto found = results(w::value_and_grad(f), vector_of({1, 2, 3}));
  CHECK(static_cast<double>(found[0][0]) == 21);
  CHECK(difference(found[1], vector_of({3, 6, 9})) == "");
}

TEST_CASE("assignment operators of symbols carry the user's line, and numbers keep their kind") {
  const auto f = [](auto x) {
    auto y = x;
    y += 7;
    return y;
  };
  const std::string text = weft::detail::to_text(capture(i32({2}), f));
  CHECK(text.find("assignment.cpp:") != std::string::npos);
  CHECK(text.find("symbol.hpp") == std::string::npos);
  CHECK(text.find("constant 7 : int32") != std::string::npos);
  const auto half = [](auto x) {
    x += 0.5;
    return x;
  };
  CHECK(!capture(i32({2}), half).error.empty());
}

TEST_CASE("the negation of a symbol is one, not the negation of a value") {
  const auto f = [](auto x) { return w::where(!(x > 1.5), x, x * 10.0); };
  CHECK(difference(result(f, vector_of({1, 2})), {1, 20}) == "");
}
