// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/compile/explain.hpp>

#include <weft/array/creation.hpp>
#include <weft/compile/dump.hpp>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <sstream>
#include <string>

namespace w = weft;
using weft_test::contains;

namespace {}  // namespace

TEST_CASE("explain counts what a fused chain moves") {
  const w::matrix<float> a = w::ones<float>(4, 8), b = w::ones<float>(4, 8);
  const w::vector<float> c = w::ones<float>(8);
  const w::report r = w::explain(w::tanh(a * b + c) / 2.0f);
  REQUIRE(r.launches() == 1);
  CHECK(r.kernels == 1);
  CHECK(r.steps[0].kind == "kernel");
  CHECK(r.steps[0].name == "fma_tanh_divide");
  CHECK(r.steps[0].extents == std::vector<w::index_t>{4, 8});
  CHECK(r.steps[0].bytes_read == 4 * (32 + 32 + 8 + 1));  // a, b, c once, the number
  CHECK(r.steps[0].bytes_written == 4 * 32);
  CHECK(r.steps[0].ops == 4 * 32);  // an fma counts as two
  CHECK(r.bytes() == r.steps[0].bytes_read + r.steps[0].bytes_written);
  // fma reads a, b, c and writes; tanh reads and writes; divide reads one and a number, and writes.
  CHECK(r.bytes_unfused == 4 * ((32 + 32 + 8 + 32) + 64 + (32 + 1 + 32)));
  CHECK(r.arena_bytes == 0);
  CHECK(r.captured_nodes > r.optimised_nodes);
  CHECK(contains(r.steps[0].place, "explain.cpp:"));
}

TEST_CASE("explain counts the passes of a row reduction and its scratch") {
  const w::matrix<float> a = w::ones<float>(3, 64);
  const auto x = w::variable<"x">(a);
  auto e = w::exp(x - w::max(x, w::axis<1>, w::keepdims));
  const w::report r = w::explain(e / w::sum(e, w::axis<1>, w::keepdims));
  REQUIRE(r.launches() == 1);
  CHECK(r.steps[0].reduces);
  CHECK(r.steps[0].bytes_read == 4 * 3 * 64);
  CHECK(r.steps[0].bytes_written == 4 * 3 * 64);
  CHECK(r.steps[0].ops == 5 * 3 * 64);  // max; subtract, exp, sum; divide
  CHECK(r.arena_bytes > 0);             // the row of exponentials
  CHECK(contains(w::to_text(r), "3 x [64]"));
}

TEST_CASE("explain says which plan the arguments need") {
  const w::matrix<float> a = w::ones<float>(4, 8), b = w::ones<float>(4, 8),
                         row = w::ones<float>(1, 8);
  const w::report fast = w::explain(a + b), general = w::explain(a + row);
  CHECK((fast.broadcasts && !fast.general));
  CHECK((general.broadcasts && general.general));
  CHECK(general.bytes() == 4 * (32 + 8 + 32));
  CHECK(contains(w::to_text(fast), "the fast one"));
  CHECK(contains(w::to_text(general), "the general one"));
  CHECK_THROWS_AS(w::explain(a + w::matrix<float>(w::ones<float>(3, 8))), w::shape_error);
}

TEST_CASE("explain counts products with their epilogue") {
  const w::matrix<float> a = w::ones<float>(4, 16), b = w::ones<float>(16, 8);
  const w::vector<float> c = w::ones<float>(8);
  const w::report r = w::explain(w::relu(w::matmul(a, b) + c));
  REQUIRE(r.launches() == 1);
  CHECK(r.steps[0].kind == "matmul");
  CHECK(r.steps[0].name == "add_relu");
  CHECK(r.steps[0].extents == std::vector<w::index_t>{4, 8, 16});
  CHECK(r.steps[0].bytes_read == 4 * (64 + 128 + 8));
  CHECK(r.steps[0].bytes_written == 4 * 32);
  CHECK(r.steps[0].ops == 2 * 4 * 8 * 16 + 2 * 32);
}

TEST_CASE("reports are values with a text and a JSON form") {
  const w::vector<float> a = w::ones<float>(8);
  const w::report r = w::explain(w::sum(a * a));
  CHECK_FALSE(r == w::explain(w::sum(a * a)));  // another line of the source
  w::report s = r;
  CHECK(s == r);
  std::ostringstream out;
  out << r;
  CHECK(out.str() == w::to_text(r));
  const std::string json = w::to_json(r);
  CHECK(contains(json, "\"bytes\": 68"));  // two unnamed leaves, the sum
  CHECK(contains(json, "\"extents\": [8]"));
  CHECK(contains(json, "\"plan\": \"fast\""));
  s.steps[0].place = "a\"b\\c\n";
  CHECK(contains(w::to_json(s), "\"a\\\"b\\\\c\\u000a\""));
  // A long program shows what moves the most.
  s.steps.assign(5, s.steps[0]);
  s.steps[3].name = "heaviest";
  s.steps[3].bytes_read = 1 << 20;
  const std::string text = w::to_text(s, 1);
  CHECK(contains(text, "3  heaviest"));
  CHECK(contains(text, "and 4 launches that move less"));
}

TEST_CASE("functions are explained for example arguments") {
  auto f = [](auto x, auto y) { return w::sum(w::sin(x) * y); };
  const w::vector<float> u = w::ones<float>(8), v = w::ones<float>(8);
  const w::report r = w::explain(w::compile(f), u, v);
  REQUIRE(r.launches() == 1);
  CHECK(r.bytes() == 4 * (8 + 8 + 1));
  CHECK(r == w::explain(f, u, v));
  CHECK(w::explain(w::grad(f), u, v).steps[0].bytes_written == 4 * 8);
  CHECK(contains(w::source(f, u, v).text, "std::sin"));
  CHECK(w::source(f, u, v).text == w::source(w::compile(f), u, v).text);
}

TEST_CASE("numbers for people") {
  using w::detail::human_bytes;
  using w::detail::human_count;
  CHECK(human_bytes(0) == "0 B");
  CHECK(human_bytes(999) == "999 B");
  CHECK(human_bytes(1536) == "1.50 KiB");
  CHECK(human_bytes(10 << 20) == "10.0 MiB");
  CHECK(human_count(999) == "999");
  CHECK(human_count(1000) == "1.00 K");
  CHECK(human_count(12345678) == "12.3 M");
}

TEST_CASE("the dump of the passes shows what each one changed") {
  const w::vector<float> a = w::ones<float>(8), b = w::ones<float>(8);
  const w::pass_dump d = w::dump_passes(a * b + 1.0f);
  REQUIRE(d.stages.size() == 4);  // captured, simplify, contract, plan
  CHECK(d.stages.front().name == "captured");
  CHECK(d.stages.back().name == "plan");
  CHECK(contains(d.stages.front().text, "multiply"));
  CHECK_FALSE(contains(d.stages.front().text, "fma"));
  CHECK(contains(d.stages.back().text, "std::fma"));
  for (const auto& s : d.stages) {
    const bool contracts = s.name == "contract";
    if (contracts) CHECK(s.changed);
    CHECK(s.microseconds >= 0);
  }
  const std::string text = to_text(d, false);
  CHECK_FALSE(text == to_text(w::dump_passes(a * b + 1.0f), false));  // places differ
  CHECK_FALSE(contains(text, " us\n"));
  CHECK(contains(text, "explain.cpp:"));
}
