// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <string>

// What is known at the call only: an exception that names the op, the shapes and this file's line,
// thrown before anything is written.

namespace w = weft;

namespace {

template <class Error, class F>
std::string said(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}
std::string at(unsigned line) {
  return "; at errors.cpp:" + std::to_string(line);
}

const w::matrix<float> a{{1, 2, 3}, {4, 5, 6}};
const w::vector<float> two{1, 2};

}  // namespace

TEST_CASE("operands that do not broadcast") {
  w::matrix<float> y{{7}};
  const unsigned line = __LINE__ + 1;
  std::string text = said<w::shape_error>([&] { y = w::tanh(a) + two; });
  CHECK(text == "weft: add: shapes do not broadcast: float32 (2, 3) and float32 (2)" + at(line));
  CHECK(y.shape() == std::array<w::index_t, 2>{1, 1});
  CHECK(y(0, 0) == 7);

  const unsigned inner = __LINE__ + 3;
  auto f = w::compile([](auto x, auto v) {
    auto h = w::tanh(x);
    return h * v;
  });
  text = said<w::shape_error>([&] { f.into(std::tie(y), a, two); });
  CHECK(text ==
        "weft: multiply: shapes do not broadcast: float32 (2, 3) and float32 (2)" + at(inner));
  CHECK(y(0, 0) == 7);
}

TEST_CASE("matrices whose inner extents differ") {
  w::matrix<float> y{{7}};
  const unsigned line = __LINE__ + 1;
  std::string text = said<w::shape_error>([&] { y = w::matmul(a, a) + 1; });
  CHECK(text == "weft: matmul: inner extents differ: float32 (2, 3) and float32 (2, 3)" + at(line));
  CHECK(y(0, 0) == 7);

  const unsigned inner = __LINE__ + 1;
  auto loss = [](auto x, auto m) { return w::sum(w::matmul(x, m)); };
  text = said<w::shape_error>([&] { y = w::grad(loss)(a, a); });
  CHECK(text ==
        "weft: matmul: inner extents differ: float32 (2, 3) and float32 (2, 3)" + at(inner));
  CHECK(y(0, 0) == 7);
}

TEST_CASE("a shape that the elements do not fill, joined axes, an empty maximum") {
  w::matrix<float> y{{7}};
  unsigned line = __LINE__ + 1;
  std::string text = said<w::shape_error>([&] { y = w::reshape(a, w::shape<4, -1>); });
  CHECK(text.find("weft: reshape: ") == 0);
  CHECK(text.find("(2, 3)") != std::string::npos);
  CHECK(text.find(at(line)) != std::string::npos);

  line = __LINE__ + 1;
  text = said<w::shape_error>([&] { y = w::concat(w::axis<1>, a, w::transpose(a)); });
  CHECK(text.find(
            "weft: concat: extents differ beside the axis: float32 (2, 3) and float32 (3, 2)") ==
        0);
  CHECK(text.find(at(line)) != std::string::npos);

  const auto empty = w::zeros<float>(2, 0);
  w::vector<float> v{7};
  line = __LINE__ + 1;
  text = said<w::shape_error>([&] { v = w::max(empty, w::axis<1>); });
  CHECK(text == "weft: max: of no elements: an operand of shape (2, 0)" + at(line));
  CHECK(v(0) == 7);
  CHECK(y(0, 0) == 7);
  v = w::max(empty, w::axis<0>);  // of shape (0): no element is asked for
  CHECK(v.size() == 0);
}

TEST_CASE("extents of 1 broadcast at the call, also where a later op asks for equal ones") {
  const w::vector<float> one{1}, five{1, 2, 3, 4, 5};
  const w::matrix<float> m = w::ones<float>(5, 2);
  w::vector<float> y = w::matmul(one + five, m);
  CHECK(y(0) == 20);
  CHECK(y(1) == 20);
  const unsigned line = __LINE__ + 1;
  const std::string text = said<w::shape_error>([&] { y = w::matmul(one + two, m); });
  CHECK(text == "weft: matmul: inner extents differ: float32 (2) and float32 (5, 2)" + at(line));
  CHECK(y(0) == 20);
}

TEST_CASE("one variable name on two tensors") {
  const w::vector<float> other{3, 4};
  w::vector<float> y{7};
  const auto x = w::variable<"x">(two), z = w::variable<"x">(other);
  const unsigned line = __LINE__ + 1;
  const std::string text = said<w::value_error>([&] { y = x + z; });
  CHECK(text.find("\"x\" stands for two tensors") != std::string::npos);
  CHECK(text.find(at(line)) != std::string::npos);
  CHECK(y(0) == 7);
}

TEST_CASE("an integer outside the dtype") {
  const w::vector<std::uint8_t> b{1, 2};
  w::vector<std::uint8_t> y{7};
  const unsigned line = __LINE__ + 1;
  const std::string text = said<w::value_error>([&] { y = b + 300; });
  CHECK(text ==
        "weft: add: the scalar 300 is outside dtype uint8: convert the tensor with cast<T>" +
            at(line));
  CHECK(y(0) == 7);
}

TEST_CASE("a destination of another shape") {
  w::tensor<float, 2, w::dyn> y;
  const w::matrix<float> t = w::ones<float>(3, 2);
  unsigned line = __LINE__ + 1;
  std::string text = said<w::shape_error>([&] { y = w::exp(t); });
  CHECK(
      text ==
      "weft: assignment of an expression to a tensor of float32 (2, ?): the shapes must be equal: "
      "got float32 (3, 2)" +
          at(line));
  w::matrix<float> b{{7, 7}, {7, 7}};
  line = __LINE__ + 1;
  text = said<w::shape_error>([&] { b(0, w::range(0, 1)) = w::exp(two); });
  CHECK(text ==
        "weft: assignment of an expression to a view of shape (1): the shapes must be equal: "
        "got float32 (2)" +
            at(line));
  CHECK(b(0, 0) == 7);

  w::tensor<float, 2, 2> given{};
  given(0, 0) = 7;
  auto f = w::compile([](auto x) { return w::exp(x); });
  text = said<w::shape_error>([&] { f.into(std::tie(given), t); });
  CHECK(text.find("into: result 0 has shape (3, 2)") != std::string::npos);
  CHECK(given(0, 0) == 7);
}

TEST_CASE("compound assignment leaves its target alone") {
  w::matrix<float> y = a;
  const unsigned line = __LINE__ + 1;
  const std::string text = said<w::shape_error>([&] { y -= two * 2; });
  CHECK(text ==
        "weft: subtract: shapes do not broadcast: float32 (2, 3) and float32 (2)" + at(line));
  CHECK(y(1, 2) == 6);
}
