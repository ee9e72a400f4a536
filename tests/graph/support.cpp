// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include "../support/gradients.hpp"
#include "../support/tensors.hpp"

// A helper that cannot fail proves nothing: each one meets a difference here.
namespace w = weft;
using namespace weft_test;

TEST_CASE("support: difference sees every kind of difference") {
  const auto x = vector_of({1, 2, 3}, dtype::float32);
  CHECK(difference(x, x) == "");
  CHECK(difference(x, vector_of({1, 2, 4}, dtype::float32)) != "");
  CHECK(difference(x, vector_of({1, 2, 3})) != "");
  CHECK(difference(x, values(dtype::float32, {3, 1}, {1, 2, 3})) != "");
  CHECK(difference(x, vector_of({1, 2}, dtype::float32)) != "");
  CHECK(difference(x, std::vector<long double>{1, 2}) != "");
  const auto one = vector_of({1}, dtype::float32), next = vector_of({1 + 0x1p-23L}, dtype::float32);
  CHECK(difference(next, one) ==
        "element 0 of float32 (1) is 1.0000001192092895508, expected 1 (1 ulp)");
  CHECK(difference(next, one, {.ulp = 1}) == "");
  CHECK(difference(next, one, {.ulp = 0.9}) != "");
  CHECK(difference(next, one, {.relative = 1e-6}) == "");
  CHECK(difference(next, one, {.relative = 1e-8}) != "");
  CHECK(difference(next, one, {.absolute = 1e-6}) == "");
  CHECK(difference(vector_of({qnan}), {qnan}) == "");
  CHECK(difference(vector_of({qnan}), {1}, {.relative = 1e9}) != "");
  CHECK(difference(vector_of({1}), {qnan}, {.relative = 1e9}) != "");
  CHECK(difference(vector_of({inf}), {inf}) == "");
  CHECK(difference(vector_of({inf}), {-inf}, {.relative = 1}) != "");
  CHECK(difference(vector_of({inf}), {1e300L}, {.relative = 1}) != "");
  CHECK(difference(vector_of({0.0}), {-0.0}) == "");
  CHECK(difference(vector_of({0.0}), {-0.0}, {.signs = true}) != "");
  CHECK(difference(vector_of({3}, dtype::int64), vector_of({4}, dtype::int64), {.absolute = 9}) !=
        "");
}

TEST_CASE("support: seeded values differ by seed, keep to their range, and repeat") {
  const auto x = filled(dtype::float32, {100}, 1, -3, 5);
  CHECK(difference(x, filled(dtype::float32, {100}, 1, -3, 5)) == "");
  CHECK(difference(x, filled(dtype::float32, {100}, 2, -3, 5)) != "");
  for (long double v : x.reals) CHECK((v >= -3 && v <= 5));
}

TEST_CASE("support: tensors are read through their strides") {
  auto t = made<float, 2>(values(dtype::float32, {2, 2}, {1, 2, 3, 4}));
  CHECK(difference(t, values(dtype::float32, {2, 2}, {1, 2, 3, 4})) == "");
  CHECK(difference(t(w::range(0, 2), w::range(1, 2)), values(dtype::float32, {2, 1}, {2, 4})) ==
        "");
  t(0, 1) = 7;
  CHECK(difference(t, values(dtype::float32, {2, 2}, {1, 2, 3, 4})) != "");
  const auto b = made<std::int32_t, 1>(vector_of({-1}, dtype::int32));
  CHECK(difference(b, vector_of({-1}, dtype::int32)) == "");
  CHECK_THROWS_AS((made<float, 1>(vector_of({1}))), w::dtype_error);
  CHECK(difference(filled_tensor<double, 1>({4}, 7), filled(dtype::float64, {4}, 7)) == "");
}

TEST_CASE("support: differences find derivatives") {
  const auto g = capture(f64({3}), [](auto x) { return x * x * x; });
  const auto x = vector_of({1, -2, 0.5});
  CHECK(difference(reference_gradient(g, {x}), {3, 12, 0.75}, {.relative = 1e-11}) == "");
  CHECK(difference(reference_gradient(g, {x}), {3, 12, 0.76}, {.relative = 1e-3}) != "");
}
