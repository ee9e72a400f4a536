// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/tensor.hpp>

#include <base/allocations.hpp>
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace w = weft;
using w::dyn;

namespace {

template <class X>
std::vector<typename X::value_type> elements(const X& x) {
  return {x.data(), x.data() + x.size()};
}
template <int R>
using shape = w::shape_t<R>;
using floats = std::vector<float>;

static_assert(w::tensor<float>::rank == 0 && w::matrix<float>::rank == 2);
static_assert(w::tensor<float, dyn, 3>::static_extents == shape<2>{dyn, 3});
static_assert(std::is_nothrow_move_constructible_v<w::matrix<float>>);
static_assert(std::is_nothrow_move_assignable_v<w::matrix<float>>);
static_assert(std::is_convertible_v<w::tensor<float>, float>);
static_assert(!std::is_convertible_v<w::vector<float>, float>);
// Functions may be overloaded on rank: what does not convert does not take part.
static_assert(std::is_convertible_v<w::tensor<float, 2, 3>, w::matrix<float>>);
static_assert(!std::is_convertible_v<w::tensor<float, 2, 3>, w::vector<float>>);
static_assert(!std::is_convertible_v<w::tensor<float, 2, 3>, w::tensor<float, 2, 4>>);
static_assert(!std::is_convertible_v<w::matrix<float>, w::matrix<double>>);

}  // namespace

TEST_CASE("default tensors: static extents are zeros, dynamic ones are 0") {
  const w::tensor<float> scalar;
  CHECK(scalar() == 0);
  const w::tensor<int, 2, 3> fixed;
  CHECK(elements(fixed) == std::vector<int>(6, 0));
  const w::tensor<float, dyn, 128> part;
  CHECK(part.shape() == shape<2>{0, 128});
  CHECK(part.size() == 0);
  const std::size_t before = weft_test::allocations();
  const w::matrix<double> empty;
  CHECK(weft_test::allocations() == before);
  CHECK(empty.shape() == shape<2>{0, 0});
  CHECK(empty.data() == nullptr);
}

TEST_CASE("from braces") {
  const w::vector<float> v{1, 2, 3};
  CHECK(v.shape() == shape<1>{3});
  CHECK(elements(v) == floats{1, 2, 3});
  const w::matrix<float> m{{1, 2}, {3, 4}, {5, 6}};
  CHECK(m.shape() == shape<2>{3, 2});
  CHECK(elements(m) == floats{1, 2, 3, 4, 5, 6});
  const w::tensor<int, dyn, dyn, dyn> t{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  CHECK(t.shape() == shape<3>{2, 2, 2});
  CHECK(t(1, 0, 1) == 6);
  const w::tensor<float, 2, 2> fixed{{1, 2}, {3, 4}};
  CHECK(fixed(1, 0) == 3);
  const w::matrix<float> row{{1, 2}};
  CHECK(row.shape() == shape<2>{1, 2});
  const w::vector<bool> b{true, false};
  CHECK(b(0));
  CHECK_FALSE(b(1));
}

TEST_CASE("ragged or misfitting braces are errors") {
  CHECK_THROWS_WITH_AS((w::matrix<float>{{1, 2}, {3}}),
                       "weft: ragged braces: rows of extent 2 and 1; every row must have the same "
                       "extent",
                       w::shape_error);
  CHECK_THROWS_AS((w::tensor<int, dyn, dyn, dyn>{{{1, 2}}, {{3, 4}, {5, 6}}}), w::shape_error);
  CHECK_THROWS_WITH_AS((w::tensor<float, dyn, 3>{{1, 2}}),
                       "weft: shape (1, 2) does not fit a tensor with extents (?, 3)",
                       w::shape_error);
}

TEST_CASE("uninitialized checks its shape, and costs one allocation") {
  const std::size_t before = weft_test::allocations();
  const auto m = w::matrix<float>::uninitialized({4, 5});
  CHECK(weft_test::allocations() == before + 1);
  CHECK(m.extent(1) == 5);
  CHECK(m.strides() == shape<2>{5, 1});
  CHECK_THROWS_AS(static_cast<void>(w::vector<float>::uninitialized({-1})), w::shape_error);
  CHECK_THROWS_AS(static_cast<void>((w::tensor<float, 2>::uninitialized({3}))), w::shape_error);
  CHECK_THROWS_AS(static_cast<void>(w::matrix<float>::uninitialized(
                      {std::numeric_limits<w::index_t>::max(), 2})),
                  w::memory_error);
}

TEST_CASE("rank 0 converts from and to its number") {
  w::tensor<float> s = 2.0f;
  const float f = s;
  CHECK(f == 2.0f);
  const float* const place = s.data();
  s = 3;
  CHECK(s() == 3.0f);
  CHECK(s.data() == place);
  s() = 4;
  CHECK(static_cast<float>(s) == 4.0f);
  const w::tensor<double> d = 1;
  CHECK(static_cast<double>(d) == 1.0);
  CHECK_THROWS_AS((w::tensor<std::uint8_t>{300}), w::value_error);
  CHECK_THROWS_AS((w::tensor<std::uint32_t>{-1}), w::value_error);
  CHECK_THROWS_AS((w::tensor<bool>{2}), w::value_error);
}

TEST_CASE("copies are copies") {
  w::matrix<float> a{{1, 2}, {3, 4}};
  w::matrix<float> b = a;
  b(0, 0) = 9;
  CHECK(a(0, 0) == 1);
  const float* const place = a.data();
  a = b;
  CHECK(a.data() == place);
  CHECK(elements(a) == floats{9, 2, 3, 4});
  const w::matrix<float>& self = a;
  a = self;
  CHECK(elements(a) == floats{9, 2, 3, 4});
}

TEST_CASE("copy assignment of another shape takes new storage; views keep the old") {
  w::vector<float> a{1, 2, 3};
  const auto old = a(w::range());
  const w::vector<float> b{4, 5};
  a = b;
  CHECK(elements(a) == floats{4, 5});
  CHECK(old.copy()(2) == 3);
  a(0) = 6;
  CHECK(old(0) == 1);
}

TEST_CASE("moves take the storage") {
  w::vector<float> a{1, 2, 3};
  const float* const place = a.data();
  const std::size_t before = weft_test::allocations();
  w::vector<float> b = std::move(a);
  CHECK(b.data() == place);
  CHECK(a.size() == 0);  // NOLINT: a moved-from tensor with dynamic extents is empty
  w::vector<float> c;
  c = std::move(b);
  CHECK(c.data() == place);
  CHECK(weft_test::allocations() == before);
  w::vector<float>& self = c;
  c = std::move(self);
  CHECK(elements(c) == floats{1, 2, 3});
  const auto seen = c(w::range());
  c = {7, 8, 9};  // from braces: a move, so the view keeps what it saw
  CHECK(seen(0) == 1);
}

TEST_CASE("a moved-from tensor of static extents says so, and can be assigned") {
  w::tensor<float, 2> a{1, 2};
  const w::tensor<float, 2> b = std::move(a);
  CHECK_THROWS_WITH_AS(a(0),
                       "weft: a tensor of shape (2) was used after its storage was moved away; "
                       "assign to it first",
                       w::value_error);
  a = b;
  CHECK(a(1) == 2);
}

TEST_CASE("between static and dynamic extents") {
  const w::tensor<float, 2, 3> fixed{{1, 2, 3}, {4, 5, 6}};
  w::matrix<float> loose = fixed;
  CHECK(elements(loose) == elements(fixed));
  const w::tensor<float, dyn, 3> part = loose;
  CHECK(elements(part) == elements(fixed));
  w::tensor<float, 2, 3> back;
  const float* const place = back.data();
  back = loose;
  CHECK(back.data() == place);
  CHECK(elements(back) == elements(fixed));
  CHECK_THROWS_WITH_AS((w::tensor<float, 3, 3>(loose)),
                       "weft: shape (2, 3) does not fit a tensor with extents (3, 3)",
                       w::shape_error);
  const w::matrix<float> other{{1, 2}};
  CHECK_THROWS_AS(back = other, w::shape_error);
  CHECK(elements(back) == elements(fixed));
}

TEST_CASE("moving between static and dynamic extents copies nothing") {
  w::matrix<float> loose{{1, 2}, {3, 4}};
  const float* const place = loose.data();
  w::tensor<float, 2, 2> fixed = std::move(loose);
  CHECK(fixed.data() == place);
  CHECK(loose.size() == 0);  // NOLINT: see above
  w::matrix<float> again;
  again = std::move(fixed);
  CHECK(again.data() == place);
  CHECK_THROWS_AS((w::tensor<float, 3, 3>(std::move(again))), w::shape_error);
  CHECK(again.data() == place);  // NOLINT: a move that fails leaves the source alone
}

TEST_CASE("reset keeps storage of the same shape") {
  w::matrix<float> a{{1, 2}, {3, 4}};
  const float* const place = a.data();
  a.reset({2, 2});
  CHECK(a.data() == place);
  CHECK(elements(a) == floats{1, 2, 3, 4});
  const auto old = a(w::range(), w::range());
  a.reset({4, 1});
  CHECK(a.shape() == shape<2>{4, 1});
  CHECK(old(1, 1) == 4);
  CHECK_THROWS_AS(a.reset({-1, 2}), w::shape_error);
  CHECK(a.shape() == shape<2>{4, 1});
  a.reset({0, 7});
  CHECK(a.shape() == shape<2>{0, 7});
  w::tensor<float, 2> fixed;
  CHECK_THROWS_AS(fixed.reset({3}), w::shape_error);
}

TEST_CASE("every dtype has tensors") {
  CHECK((w::vector<std::uint64_t>{~std::uint64_t{0}}(0)) == ~std::uint64_t{0});
  CHECK((w::vector<std::int64_t>{-1}(0)) == -1);
  CHECK((w::vector<std::uint32_t>{7u}(0)) == 7u);
  CHECK((w::vector<std::uint8_t>{255}(0)) == 255);
  CHECK((w::vector<double>{0.1}(0)) == 0.1);
}
