// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/compile/why_not_fused.hpp>

#include <weft/array/creation.hpp>
#include <weft/compile/control.hpp>
#include <weft/nn/init.hpp>
#include <weft/nn/linear.hpp>
#include <weft/op/all.hpp>
#include <weft/optim/sgd.hpp>
#include <weft/optim/training.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace w = weft;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// One function, so that one planner is compiled.
constexpr auto f = [](auto x, auto y) {
  auto h = w::matmul(x, y);
  auto s = w::softmax(h);  // max, subtract, exp, sum, divide
  auto u = w::relu(w::transpose(s)) * s;
  auto v = w::tanh(w::slice<0, 0, 3>(u));
  return std::tuple(v, w::sum(w::cos(h), w::axis<0>), w::sin(x));
};
const w::matrix<float>& square() {
  static const w::matrix<float> x = w::ones<float>(8, 8);
  return x;
}
std::string why(const w::node_name& a, const w::node_name& b) {
  return w::why_not_fused(f, a, b, square(), square());
}

}  // namespace

TEST_CASE("two nodes of one kernel are told to be") {
  const std::string s = why("max", "divide");
  CHECK(contains(s, "They are: launch "));
  CHECK(contains(s, "computes both %"));
  CHECK(contains(s, "max (why_not_fused.cpp:"));
}

TEST_CASE("the planner's reasons are told, whichever node is named first") {
  CHECK(contains(why("matmul", "max"), "max reduces, and the tiles of a matrix product") == false);
  CHECK(contains(why("matmul", "max"), "it reduces, and the tiles of a matrix product"));
  CHECK(why("matmul", "max") == why("max", "matmul"));
  CHECK_MESSAGE(contains(why("divide", "relu"), "it walks the axes of launch"),
                why("divide", "relu"));
  CHECK(contains(why("relu", "tanh"), "slice, a view that is not whole axes of what launch"));
  CHECK(contains(why("sin", "relu"), "the two read no large value in common"));
  // Through what lies between: tanh is after relu, which is apart from exp.
  const std::string s = why("exp", "tanh");
  CHECK(contains(s, "computes, after launch"));
  CHECK(contains(s, "in another order"));
}

TEST_CASE("what no kernel computes is told, too") {
  CHECK(contains(why(0, "relu"), "%0 argument is computed by no kernel"));
  CHECK(contains(why("relu", "relu"), "is one node"));
  CHECK(contains(why("permute", "divide"), "They are"));  // a view of divide's value
}

TEST_CASE("names that fit no node or several are errors that list them") {
  for (const w::node_name& wrong : {w::node_name("softmax"), w::node_name(1000)}) try {
      why(wrong, "relu");
      FAIL("there is no such node");
    } catch (const w::value_error& e) {
      CHECK((contains(e.what(), "no node is called \"softmax\"") ||
             contains(e.what(), "there is no node 1000")));
    }
  try {
    why("sum", "relu");
    FAIL("there are two sums");
  } catch (const w::value_error& e) {
    CHECK(contains(e.what(), "\"sum\" is in several kernels: give one of the numbers %"));
  }
}

TEST_CASE("a line names what it computes") {
  const std::string by_name = why("relu", "tanh");
  const std::size_t at = by_name.find("why_not_fused.cpp:");
  const std::string line = by_name.substr(at, by_name.find(')', at) - at);  // of relu
  CHECK(contains(why(line, "tanh"), "slice, a view that is not whole axes"));
  CHECK(why(line, "tanh") == why(line.substr(line.find(':')), "tanh"));
}

namespace {
constexpr auto shape = w::nn::linear_spec(4, 2);
}

TEST_CASE("a training step is asked like a function") {
  const auto model = w::init(shape, w::random::key(1));
  auto train = w::training<shape>([](const auto& m, auto x) { return w::sum(w::tanh(m(x))); },
                                  w::optim::sgd{.learning_rate = 0.1f});
  const w::matrix<float> x = w::ones<float>(3, 4);
  const std::string s = w::why_not_fused(train, "tanh", "permute", model, x);
  CHECK_MESSAGE(contains(s, " is a view: kernels read "), s);
  const std::string t = w::why_not_fused(train, "tanh", "add", model, x);
  CHECK_MESSAGE(contains(t, "They are: launch 0 (matmul + add_tanh"), t);
  CHECK(train.steps() == 0);
  const std::string dump = to_text(w::dump_passes(train, model, x), false);
  CHECK(contains(dump, "= tanh %"));
  CHECK_THROWS_AS(w::why_not_fused(train, "cosh", "tanh", model, x), w::value_error);
}

TEST_CASE("between parts of a program it tells what cuts it") {
  const auto parts = [](auto x) {
    auto s = w::sin(x);
    auto y = w::masked_select(s, x > 0.5f);
    return w::sum(w::exp(y) * 2.0f) + w::sum(w::cos(s));
  };
  const w::vector<float> x = w::ones<float>(8);
  auto why_parts = [&](const w::node_name& a, const w::node_name& b) {
    return w::why_not_fused(parts, a, b, x);
  };
  const std::string s = why_parts("sin", "exp");
  CHECK_MESSAGE(contains(s, " is in part 1 of 2, "), s);
  CHECK_MESSAGE(contains(s, " in part 2: the program is cut between them by "), s);
  CHECK_MESSAGE(contains(s, "masked_select at why_not_fused.cpp:"), s);
  CHECK(contains(why_parts("exp", "sin"), " is in part 2 of 2, "));
  const std::string t = why_parts("exp", "multiply");
  CHECK_MESSAGE(contains(t, "They are: launch "), t);
  CHECK_MESSAGE(contains(t, " In part 2 of 2."), t);
  CHECK_THROWS_AS(why_parts(3, "exp"), w::value_error);
  CHECK_THROWS_AS(why_parts("tanh", "exp"), w::value_error);
}

TEST_CASE("the topic fusion tells the planner's reasons") {
  std::vector<std::string> lines;
  auto hear = [&](std::string_view s) { lines.emplace_back(s); };
  const unsigned before = w::detail::watching();
  w::logging::to(hear);
  w::logging::set("fusion");
  w::compile(f)(square(), square());
  w::detail::watched = before;
  w::logging::to(nullptr);
  int reasons = 0;
  for (const std::string& s : lines) reasons += contains(s, " is not in launch ");
  CHECK(reasons >= 3);
  REQUIRE(lines.size() > 1);
  CHECK(contains(lines[1], "launch 0 (matmul"));
}
