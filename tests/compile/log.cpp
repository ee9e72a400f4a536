// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/base/log.hpp>

#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>
#include <weft/op/all.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace w = weft;

namespace {

/// Lines of the log while it lives; topics and sink are then as before.
struct heard {
  std::vector<std::string> lines;
  unsigned before = w::detail::watching();
  explicit heard(const char* topics) {
    w::logging::to(*this);
    w::logging::set(topics);
  }
  ~heard() {
    w::detail::watched = before;
    w::logging::to(nullptr);
  }
  void operator()(std::string_view line) { lines.emplace_back(line); }
  int count(const std::string& part) const {
    int n = 0;
    for (const std::string& s : lines) n += s.find(part) != std::string::npos;
    return n;
  }
};

w::matrix<float> ones(w::index_t n, w::index_t m) {
  return w::ones<float>(n, m);
}

}  // namespace

TEST_CASE("topics are chosen by name, and others are refused") {
  heard log("fusion, kernels");
  CHECK(w::logging::on(w::logging::topic::fusion));
  CHECK(w::logging::on(w::logging::topic::kernels));
  CHECK_FALSE(w::logging::on(w::logging::topic::memory));
  w::logging::line(w::logging::topic::fusion, "%d nodes", 3);
  w::logging::line(w::logging::topic::memory, "not told");
  CHECK(log.lines == std::vector<std::string>{"weft: fusion: 3 nodes"});
  try {
    w::logging::set("fusion,kernel");
    FAIL("kernel is no topic");
  } catch (const w::value_error& e) {
    const std::string text = e.what();
    CHECK(text.find("no topic is called \"kernel\"; there are graph_breaks, fusion") !=
          std::string::npos);
    CHECK(text.find("tuning, and all, none and help") != std::string::npos);
  }
  CHECK(w::logging::on(w::logging::topic::fusion));  // as before
  w::logging::set("help");
  CHECK(log.count("guards        which plan") == 1);
  CHECK_FALSE(w::logging::on(w::logging::topic::fusion));
  w::logging::set("all");
  for (const auto& t : w::detail::log_topics) CHECK(w::logging::on(t.bit));
}

TEST_CASE("the first call and new extents are told, and nothing else") {
  heard log("all");
  auto f = w::compile([](auto x, auto y) { return w::sum(w::tanh(x) * y, w::axis<1>); });
  f(ones(8, 64), ones(8, 64));
  CHECK(log.count("weft: guards: log.cpp:") == 1);
  CHECK(log.count("the fast plan") == 1);
  CHECK(log.count("launch 0: tanh_multiply_sum over 8 x [64], reads 4.00 KiB, writes 32 B") == 1);
  CHECK(log.count("weft: fusion: log.cpp:") >= 2);
  CHECK(log.count("weft: memory: ") == 1);
  CHECK(log.count("weft: timing: ") == 1);
  CHECK(log.count("weft: recompiles: ") == 0);
  const std::size_t before = log.lines.size();
  f(ones(8, 64), ones(8, 64));
  CHECK(log.lines.size() == before);
  f(ones(5, 64), ones(5, 64));
  CHECK(log.count("a0[0] 8 -> 5, a1[0] 8 -> 5: no recompilation, rebound in") == 1);
  CHECK(log.count("weft: timing: ") == 1);  // of the first call alone
}

TEST_CASE("the guard that asks for the general plan is told once") {
  heard log("guards");
  auto f = w::compile([](auto x, auto y) { return w::exp(x) + y; });
  f(ones(4, 8), ones(1, 8));
  f(ones(4, 8), ones(1, 8));
  CHECK(log.lines.size() == 1);
  CHECK(log.count("the general plan, since a0[0] = 4 meets a1[0] = 1") == 1);
  f(ones(4, 8), ones(4, 8));
  CHECK(log.count("the fast plan") == 1);
}

TEST_CASE("the environment is read once") {
  heard log("none");
  setenv("WEFT_LOG", "memory,nope", 1);
  w::detail::watched = w::detail::watch_log_unread | w::detail::watch_trace_unread;
  CHECK(w::logging::on(w::logging::topic::memory));
  CHECK_FALSE(w::logging::on(w::logging::topic::fusion));
  setenv("WEFT_LOG", "fusion", 1);
  CHECK_FALSE(w::logging::on(w::logging::topic::fusion));
  CHECK(log.lines.size() == 1);
  CHECK(log.count("no topic is called \"nope\"; there are graph_breaks") == 1);
  unsetenv("WEFT_LOG");
}

TEST_CASE("lines of several threads do not mix") {
  heard log("cache");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i)
        w::logging::line(w::logging::topic::cache, "thread %d, %d of 100", t, i);
    });
  for (std::thread& t : threads) t.join();
  CHECK(log.lines.size() == 400);
  CHECK(log.count("weft: cache: thread 2, ") == 100);
  CHECK(log.count(" of 100") == 400);
}

TEST_CASE("the memory of intermediate values is told with its reuse") {
  heard log("memory");
  auto f =
      w::compile([](auto x) { return w::matmul(w::matmul(w::matmul(w::matmul(x, x), x), x), x); });
  f(ones(16, 16));
  CHECK(log.count("arena 2.00 KiB in 2 slots for 3 intermediate values of 3.00 KiB") == 1);
}
