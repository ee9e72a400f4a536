// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/base/trace.hpp>

#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>
#include <weft/op/all.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace w = weft;

namespace {

std::string read(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream s;
  s << in.rdbuf();
  return s.str();
}
int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}
/// Whether quotes and brackets match, and nothing follows.
bool balanced(const std::string& json) {
  std::string open;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      open += c;
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == '}' ? '{' : '[')) return false;
      open.pop_back();
      if (open.empty()) return json.find_first_not_of(" \n", i + 1) == std::string::npos;
    }
  }
  return false;
}

struct trace_file {
  std::string name = "weft_trace_test.json";
  trace_file() { w::tracing::start(name); }
  ~trace_file() {
    w::tracing::stop();
    std::remove(name.c_str());
  }
};

}  // namespace

TEST_CASE("a trace has a span for each call and each step") {
  const trace_file file;
  auto f = w::compile([](auto x) { return w::matmul(w::softmax(x), x); });
  const w::matrix<float> x = w::ones<float>(8, 8);
  f(x);
  f(x);
  w::tracing::flush();
  const std::string text = read(file.name);
  CHECK(balanced(text));
  CHECK(text.find("{\"displayTimeUnit\"") == 0);
  CHECK(count(text, "\"cat\": \"call\"") == 2);
  CHECK(count(text, "\"name\": \"trace.cpp:") == 2);
  CHECK(count(text, "\"name\": \"bind to extents\"") == 1);
  CHECK(count(text, "\"name\": \"max_subtract_exp_sum_divide\"") == 2);
  CHECK(count(text, "\"loops\": \"8 x [8]\", \"bytes_read\": 256") == 2);
  CHECK(count(text, "\"name\": \"matmul\"") == 2);
}

TEST_CASE("nothing is recorded after stop") {
  std::string name;
  auto f = w::compile([](auto x) { return w::cos(x) + w::exp(x); });
  const w::matrix<float> x = w::ones<float>(8, 8);
  {
    const trace_file file;
    name = file.name;
    f(x);
    w::tracing::stop();
    CHECK(count(read(name), "\"cat\": \"call\"") == 1);
    f(x);
    CHECK_FALSE(w::detail::tracing_on());
    w::tracing::flush();  // no file is open
    CHECK(count(read(name), "\"cat\": \"call\"") == 1);
  }
  CHECK(read(name).empty());
}

TEST_CASE("WEFT_TRACE starts a trace") {
  const std::string name = "weft_trace_environment_test.json";
  const unsigned before = w::detail::watching();
  setenv("WEFT_TRACE", name.c_str(), 1);
  w::detail::watched = before | w::detail::watch_trace_unread;
  CHECK(w::detail::tracing_on());
  unsetenv("WEFT_TRACE");
  { const w::detail::traced span("phase", "once"); }
  w::tracing::stop();
  CHECK(count(read(name), "\"name\": \"once\"") == 1);
  CHECK_FALSE(w::detail::tracing_on());
  std::remove(name.c_str());
}

TEST_CASE("spans say what they are told, as JSON") {
  const trace_file file;
  {
    const w::detail::traced span("phase", "a \"name\" of %d parts", 2);
    CHECK(static_cast<bool>(span));
  }
  w::tracing::flush();
  const std::string text = read(file.name);
  CHECK(balanced(text));
  CHECK(count(text, "\"name\": \"a \\\"name\\\" of 2 parts\", \"cat\": \"phase\"") == 1);
  CHECK_FALSE(balanced(text + "]"));
  CHECK_FALSE(balanced(text.substr(1)));
}
