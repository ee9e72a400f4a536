// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/stance.hpp>

#include <doctest/doctest.h>

#include "stance_table.hpp"

#include <string>

// bisect names the first stage that is wrong.
namespace w = weft;
using w::index_t;
using weft_test::table;
using namespace w::detail;

namespace {

constexpr auto function = [](auto a) { return std::tuple{w::exp(a) + a * a, w::softmax(a)}; };

/// A pass with a fault: every sum becomes a difference.
graph faulty(const graph& g) {
  graph r = g;
  for (node& n : r.nodes)
    if (n.op == id_of<w::add_>) n.op = id_of<w::subtract_>;
  return r;
}

struct search {
  w::matrix<float> x = table(4, 30);
  argument_list<1> arguments;
  bisection b;
  search() : b((arguments.add(x), capture()), arguments.value.data(), 1e-4) {}
  graph capture() {
    return jit_source<std::remove_cvref_t<decltype(function)>, w::matrix<float>>::capture(
        function, arguments, false, false, x);
  }
};

}  // namespace

TEST_CASE("a right function agrees at every stage") {
  const auto x = table(4, 30);
  const auto r = w::bisect(function, x);
  CHECK(r.agrees);
  CHECK(r.text.find("every stage agrees") == 0);
  CHECK(w::bisect(w::compile(function), x).agrees);
  float scale = 3;
  CHECK(w::bisect(w::jit([scale](auto a) { return w::tanh(a * scale); }), x).agrees);
}

TEST_CASE("a pass that changes a result is named") {
  search s;
  const pass passes[]{pipeline[0], {"faulty", faulty}, pipeline[1]};
  const auto r = s.b.run(passes, nullptr);
  CHECK(!r.agrees);
  CHECK(r.stage == "pass faulty");
  CHECK(r.text.find("result 0 differs: element") != std::string::npos);
  CHECK(r.text.find("stance_bisect.cpp:") != std::string::npos);
}

TEST_CASE("an op that is not exact enough is named") {
  const auto r = w::bisect_within(
      1e-9, [](auto a) { return w::sum(w::exp(a)); }, table(4, 30));
  CHECK(!r.agrees);
  CHECK(r.stage == "op exp");
  CHECK(r.text.find("exp (float32 of shape (4, 30)) differs") != std::string::npos);
  CHECK(r.text.find("stance_bisect.cpp:") != std::string::npos);
}

TEST_CASE("a compiled kernel that differs is named") {
  search s;
  std::vector<dense_value> results = compiled_results(function, s.x);
  CHECK(s.b.run(pipeline, &results).agrees);
  search again;
  reinterpret_cast<float*>(results[1].elements.get())[7] += 0.01f;
  const auto r = again.b.run(pipeline, &results);
  CHECK(!r.agrees);
  CHECK(r.stage.find("compiled kernel") == 0);
  CHECK(r.text.find("result 1, which step") != std::string::npos);
  CHECK(r.text.find("element 7") != std::string::npos);
}
