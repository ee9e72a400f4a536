// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "conventions.hpp"

using namespace weft_test;

TEST_CASE("values: ties") {
  auto x = w::zeros<float>(70);
  x(33) = x(50) = 2;
  x(20) = x(21) = -2;
  CHECK(w::item(w::argmax(x)) == 33);
  CHECK(w::item(w::argmin(x)) == 20);
  CHECK(w::item(w::argmax(w::zeros<float>(70))) == 0);
  w::vector<float> zeros{-0.0f, 0.0f};
  CHECK(w::item(w::argmax(zeros)) == 0);
}

TEST_CASE("values: softmax and logsumexp at their limits") {
  const auto rows = [](float a, float b) { return w::matrix<float>{{a, b}, {a, b}}; };
  const auto soft = [&](float a, float b) { return w::eval(w::softmax(rows(a, b))); };
  CHECK(std::isnan(soft(-inf_f, -inf_f)(0, 0)));
  CHECK(soft(-inf_f, 0)(1, 0) == 0);
  CHECK(soft(-inf_f, 0)(1, 1) == 1);
  const auto lse = [&](float a, float b) {
    return w::eval(w::logsumexp(rows(a, b), w::axis<1>))(1);
  };
  CHECK(lse(-inf_f, -inf_f) == -inf_f);
  CHECK(lse(inf_f, 1) == inf_f);
  CHECK(lse(-inf_f, 2) == 2);
  CHECK(w::item(w::logsumexp(w::zeros<float>(0))) == -inf_f);
  const auto l = w::eval(w::log_softmax(rows(1000, 0)));
  CHECK(l(0, 0) == 0);
  CHECK(l(0, 1) == -1000);
}

TEST_CASE("values: cross entropy of extreme logits") {
  const w::matrix<float> logits{{0, -1000}, {-1000, 0}};
  const w::vector<std::int32_t> labels{1, 1};
  CHECK(w::item(w::cross_entropy(logits, labels)) == 500);
  const auto v = w::variable<"x">(logits);
  const w::matrix<float> g = w::grad(w::cross_entropy(v, labels), v);
  CHECK(g(0, 1) == -0.5f);
  CHECK(g(1, 1) == 0);
  CHECK_THROWS_AS(w::item(w::cross_entropy(logits, w::vector<std::int32_t>{0, 2})), w::index_error);
}

TEST_CASE("values: reductions of nothing") {
  const auto none = w::zeros<float>(0);
  CHECK(w::item(w::sum(none)) == 0);
  CHECK(std::isnan(w::item(w::mean(none))));
  CHECK(!w::item(w::any(none)));
  CHECK(w::item(w::all(none)));
  CHECK(std::isnan(w::item(w::var(none))));
  CHECK_THROWS_AS(w::item(w::max(none)), w::error);
  CHECK_THROWS_AS(w::item(w::min(none)), w::error);
  CHECK_THROWS_AS(w::item(w::argmax(none)), w::error);
  const w::matrix<float> flat = w::zeros<float>(0, 2), thin = w::zeros<float>(2, 0);
  CHECK(w::eval(w::max(flat, w::axis<1>)).size() == 0);
  CHECK_THROWS_AS(w::eval(w::max(flat, w::axis<0>)), w::error);
  CHECK(w::eval(w::sum(flat, w::axis<0>))(1) == 0);
  CHECK(w::eval(w::sum(thin, w::axis<1>))(1) == 0);
  CHECK(w::eval(w::argmax(flat, w::axis<1>)).size() == 0);
  CHECK(std::isnan(w::eval(w::mean(thin, w::axis<1>))(0)));
}

TEST_CASE("values: axes") {
  auto x = w::tensor<float, w::dyn, w::dyn, w::dyn>::uninitialized({2, 3, 4});
  for (index_t i = 0; i < 24; ++i) x.data()[i] = static_cast<float>(i);
  const auto a = w::eval(w::sum(x, w::axis<0, 2>)), b = w::eval(w::sum(x, w::axis<-1, 0>));
  CHECK(difference(read(a), read(b)) == "");
  CHECK(difference(read(a), {60, 92, 124}) == "");
  const auto kept = w::eval(w::max(x, w::axis<-2>, w::keepdims));
  CHECK(kept.shape() == w::shape_t<3>{2, 1, 4});
  CHECK(kept(1, 0, 3) == 23);
  CHECK(w::eval(w::min(x, w::axis<2, 1>))(1) == 12);
  CHECK(w::item(w::argmax(x)) == 23);
}

TEST_CASE("values: views are inputs of every kind of op, and targets") {
  auto x = w::matrix<float>::uninitialized({6, 40});
  for (index_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 17);
  const auto part = x(w::range(5, 0, -2), w::range(1, 40, 3));
  const w::matrix<float> dense = part;
  CHECK(difference(w::eval(w::exp(part)), read(w::eval(w::exp(dense)))) == "");
  CHECK(difference(w::eval(w::softmax(part)), read(w::eval(w::softmax(dense)))) == "");
  CHECK(difference(w::eval(w::sum(part, w::axis<0>)), read(w::eval(w::sum(dense, w::axis<0>)))) ==
        "");
  CHECK(difference(w::eval(w::argmax(part, w::axis<1>)),
                   read(w::eval(w::argmax(dense, w::axis<1>)))) == "");
  const w::matrix<float> turned = w::transpose(dense);
  CHECK(difference(w::eval(w::matmul(part, turned)), read(w::eval(w::matmul(dense, turned)))) ==
        "");
  CHECK(difference(w::eval(w::matmul(part, w::transpose(part))),
                   read(w::eval(w::matmul(dense, turned)))) == "");
  const w::vector<std::int32_t> at{2, -1};
  CHECK(difference(w::eval(w::take(part, at)), read(w::eval(w::take(dense, at)))) == "");
  auto target = w::zeros<float>(3, 30);
  target(w::all, w::range(28, 2, -2)) = part + 1;
  CHECK(target(0, 28) == dense(0, 0) + 1);
  CHECK(target(2, 4) == dense(2, 12) + 1);
  CHECK(target(2, 29) == 0);
}

TEST_CASE("values: gather counts from the end, and says what is out of range") {
  const w::vector<float> x{1, 2, 3};
  CHECK(difference(read(w::eval(w::take(x, w::vector<std::int32_t>{-1, 0, -3}))), {3, 1, 1}) == "");
  std::string text;
  try {
    static_cast<void>(w::eval(w::take(x, w::vector<std::int32_t>{0, 3})));
  } catch (const w::index_error& e) {
    text = e.what();
  }
  CAPTURE(text);
  CHECK(text.find("3") != std::string::npos);
  CHECK(text.find("axis 0") != std::string::npos);
}
