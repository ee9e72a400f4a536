// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/eigen.hpp>

#include <doctest/doctest.h>

#include <type_traits>

#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>
#include <weft/op/all.hpp>

namespace w = weft;

TEST_CASE("a tensor as an Eigen::Map shares its elements") {
  w::matrix<float> a{{1, 2, 3}, {4, 5, 6}};
  auto m = w::as_eigen(a);
  CHECK(m.rows() == 2);
  CHECK(m.cols() == 3);
  CHECK(m.data() == a.data());
  CHECK(m(1, 0) == 4);
  m(0, 2) = 30;
  CHECK(a(0, 2) == 30);
}

TEST_CASE("static extents stay known") {
  w::tensor<double, 3, 2> a{{1, 2}, {3, 4}, {5, 6}};
  auto m = w::as_eigen(a);
  static_assert(decltype(m)::RowsAtCompileTime == 3 && decltype(m)::ColsAtCompileTime == 2);
  static_assert(decltype(m)::IsRowMajor);
  w::tensor<double, w::dyn, 1> column{{1}, {2}};
  CHECK(w::as_eigen(column).sum() == 3);
  w::tensor<double, 1, w::dyn> row{{1, 2, 3}};
  CHECK(w::as_eigen(row).sum() == 6);
  w::tensor<double, 4> v{1, 2, 3, 4};
  auto e = w::as_eigen(v);
  static_assert(decltype(e)::RowsAtCompileTime == 4 && decltype(e)::ColsAtCompileTime == 1);
  CHECK((m.transpose() * e.head<3>())(0) == 1 + 6 + 15);
  const Eigen::Matrix2d square = m.transpose() * m;
  CHECK(square(0, 1) == 2 + 12 + 30);
}

TEST_CASE("a const tensor gives a const map") {
  const w::vector<int> a{1, 2, 3};
  auto m = w::as_eigen(a);
  static_assert(std::is_same_v<decltype(m.data()), const int*>);
  CHECK(m.sum() == 6);
  const w::matrix<int> b{{1, 2}};
  static_assert(std::is_same_v<decltype(w::as_eigen(b).data()), const int*>);
}

TEST_CASE("views keep their strides") {
  w::matrix<float> a{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
  auto m = w::as_eigen(a(w::range(0, 3, 2), w::range(1, 4, 2)));
  CHECK(m.rows() == 2);
  CHECK(m(0, 0) == 1);
  CHECK(m(1, 1) == 11);
  m.setZero();
  CHECK(a(2, 1) == 0);
  CHECK(a(2, 2) == 10);
  auto column = w::as_eigen(a(w::range(), 2));
  CHECK(column.sum() == 2 + 6 + 10);
  const auto& c = a;
  CHECK(w::as_eigen(c(1, w::range())).sum() == 4 + 5 + 6 + 7);
  const auto backwards = a(w::range(2, w::open, -1), w::range());
  CHECK_THROWS_WITH_AS(
      w::as_eigen(backwards),
      "weft: as_eigen: axis 0 of the view has stride -4, and Eigen::Map takes none "
      "below 0: give it view.copy()",
      w::value_error);
}

TEST_CASE("an Eigen matrix as a view shares its elements, in either storage order") {
  Eigen::MatrixXf columns(2, 3);
  columns << 1, 2, 3, 4, 5, 6;
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = columns;
  auto v = w::from_eigen(columns);
  auto r = w::from_eigen(rows);
  static_assert(std::is_same_v<decltype(v), w::view<float, 2>>);
  CHECK(v.data() == columns.data());
  CHECK(v(1, 0) == 4);
  CHECK(r(1, 0) == 4);
  CHECK(r.is_contiguous());
  CHECK(!v.is_contiguous());
  columns(0, 1) = 20;
  CHECK(v(0, 1) == 20);
  v(1, 2) = 60;
  CHECK(columns(1, 2) == 60);
  // In expressions, and as the place of a result.
  const w::matrix<float> sum = v + r;
  CHECK(sum(0, 1) == 22);
  v = r * 2.0f;
  CHECK(columns(1, 0) == 8);
  const w::matrix<float> copy = v;
  columns.setZero();
  CHECK(copy(1, 0) == 8);
  const auto& fixed = rows;
  static_assert(std::is_same_v<decltype(w::from_eigen(fixed)), w::view<const float, 2>>);
}

TEST_CASE("columns, rows, blocks and maps") {
  Eigen::VectorXd x(3);
  x << 1, 2, 3;
  Eigen::RowVector3d y(4, 5, 6);
  auto vx = w::from_eigen(x);
  auto vy = w::from_eigen(y);
  static_assert(decltype(vx)::rank == 1 && decltype(vy)::rank == 1);
  CHECK(double(w::sum(vx * vy)) == 32);
  Eigen::MatrixXd m = Eigen::MatrixXd::Identity(4, 4);
  auto block = m.block(1, 1, 2, 3);
  auto vb = w::from_eigen(block);
  vb(0, 1) = 9;
  CHECK(m(1, 2) == 9);
  auto row = m.row(1);
  CHECK(w::from_eigen(row)(2) == 9);
}

TEST_CASE("what is computed or about to end becomes a tensor") {
  Eigen::Matrix3f m = Eigen::Matrix3f::Identity();
  auto t = w::from_eigen(2 * m);
  static_assert(std::is_same_v<decltype(t), w::tensor<float, 3, 3>>);
  CHECK(t(1, 1) == 2);
  CHECK(t(1, 2) == 0);
  auto u = w::from_eigen(Eigen::MatrixXd::Constant(2, 3, 7).eval());
  static_assert(std::is_same_v<decltype(u), w::matrix<double>>);
  CHECK(u(1, 2) == 7);
  auto v = w::from_eigen((m * Eigen::Vector3f(1, 2, 3)).transpose());
  static_assert(std::is_same_v<decltype(v), w::tensor<float, 3>>);
  CHECK(v(2) == 3);
  const auto lazy = m + m;
  CHECK(w::from_eigen(lazy)(0, 0) == 2);
  CHECK(w::from_eigen(Eigen::ArrayXXf::Ones(2, 2) * 3)(1, 0) == 3);
}
