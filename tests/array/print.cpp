// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/print.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include <weft/array/creation.hpp>

namespace w = weft;

namespace {

template <class X>
std::string printed(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

}  // namespace

TEST_CASE("rank 0 is the bare number") {
  CHECK(printed(w::tensor<float>(2.5f)) == "2.5");
  CHECK(printed(w::tensor<float>(2.0f)) == "2");
  CHECK(printed(w::tensor<double>(1.0 / 3)) == "0.333333");
  CHECK(printed(w::tensor<double>(1e30)) == "1e+30");
  CHECK(printed(w::tensor<float>(NAN)) == "nan");
  CHECK(printed(w::tensor<float>(-INFINITY)) == "-inf");
  CHECK(printed(w::tensor<bool>(true)) == "true");
  CHECK(printed(w::tensor<std::uint8_t>(65)) == "65");
}

TEST_CASE("columns are aligned") {
  CHECK(printed(w::matrix<float>{{1, 2}, {3, 4}}) == "[[1. 2.]\n [3. 4.]]");
  CHECK(printed(w::vector<float>{1, 2.5f, -10.25f}) == "[  1.     2.5  -10.25]");
  CHECK(printed(w::matrix<int>{{1, -20}, {300, 4}}) == "[[  1 -20]\n [300   4]]");
  CHECK(printed(w::vector<bool>{true, false}) == "[ true false]");
  CHECK(printed(w::vector<float>{NAN, 1.5f, -INFINITY}) == "[ nan  1.5 -inf]");
  CHECK(printed(w::vector<float>{0.0f, -0.0f}) == "[ 0. -0.]");
  CHECK(printed(w::vector<std::uint64_t>{~std::uint64_t{0}}) == "[18446744073709551615]");
}

TEST_CASE("six significant digits") {
  CHECK(printed(w::vector<double>{0.12345678, 0.1}) == "[0.123457 0.1     ]");
  CHECK(printed(w::vector<double>{1234567, 100000}) == "[1234567.  100000.]");
  CHECK(printed(w::vector<double>{9.9999999, 1}) == "[10.  1.]");
}

TEST_CASE("magnitudes that differ much print scientifically") {
  CHECK(printed(w::vector<double>{1.5, 1e-7}) == "[1.5e+00 1.0e-07]");
  CHECK(printed(w::vector<double>{1e8}) == "[1.e+08]");
  CHECK(printed(w::vector<double>{1e8, INFINITY, -1}) == "[ 1.e+08     inf -1.e+00]");
}

TEST_CASE("blocks of rank 3, and empty tensors") {
  CHECK(printed(w::full<int>({2, 1, 2}, 7)) == "[[[7 7]]\n\n [[7 7]]]");
  CHECK(printed(w::zeros<float>(0)) == "[]");
  CHECK(printed(w::zeros<float>(2, 0)) == "[]");
}

TEST_CASE("long rows wrap under their first element") {
  const std::string text = printed(w::arange<int>(1000, 1040));
  CHECK(text ==
        "[1000 1001 1002 1003 1004 1005 1006 1007 1008 1009 1010 1011 1012 1013\n"
        " 1014 1015 1016 1017 1018 1019 1020 1021 1022 1023 1024 1025 1026 1027\n"
        " 1028 1029 1030 1031 1032 1033 1034 1035 1036 1037 1038 1039]");
}

TEST_CASE("past 1000 elements only the edges are printed") {
  CHECK(printed(w::arange<int>(1001)) == "[   0    1    2 ...  998  999 1000]");
  CHECK(printed(w::arange<int>(1000)).find("...") == std::string::npos);
  CHECK(printed(w::full<int>({100, 11}, 1)) ==
        "[[1 1 1 ... 1 1 1]\n [1 1 1 ... 1 1 1]\n [1 1 1 ... 1 1 1]\n ...\n"
        " [1 1 1 ... 1 1 1]\n [1 1 1 ... 1 1 1]\n [1 1 1 ... 1 1 1]]");
  CHECK(printed(w::full<int>({2, 600}, 1)) == "[[1 1 1 ... 1 1 1]\n [1 1 1 ... 1 1 1]]");
}

TEST_CASE("views print what they show") {
  const w::matrix<int> a{{1, 2, 3}, {4, 5, 6}};
  CHECK(printed(a(w::range(), w::range(w::open, w::open, -2))) == "[[3 1]\n [6 4]]");
  CHECK(printed(w::view<const int, 2>(a)) == printed(a));
}
