// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

namespace bench {

namespace {

using clock = std::chrono::steady_clock;
double since(clock::time_point start) {
  return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}
void summarise(measured& m, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  m.time = times[times.size() / 2];
  m.fastest = times.front();
  m.slowest = times.back();
}

}  // namespace

int session::sets(double input_bytes) const {
  constexpr double enough = 200e6;  // over three times the largest cache today
  if (place == w::cpu) return 1;
  return std::clamp(static_cast<int>(std::ceil(enough / input_bytes)), 1, 8);
}

bool session::wanted(const std::string& name) const {
  return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const auto& f) {
           return name.find(f) != std::string::npos;
         });
}

void session::print(const measured& m) const {
  if (!m.failure.empty()) {
    std::printf("%-44s %s\n", m.work.name.c_str(), m.failure.c_str());
  } else {
    std::printf("%-44s %9.2f us", m.work.name.c_str(), m.time);
    if (m.work.bytes > 0) std::printf("  %5.2f TB/s", m.work.bytes / m.time * 1e-6);
    if (m.work.flops > 0) std::printf("  %5.0f TFLOP/s", m.work.flops / m.time * 1e-6);
    if (m.work.goal > 0) std::printf("  goal %g (%.2f)", m.work.goal, m.time / m.work.goal);
    std::printf("  error %.1e, first call %.0f ms\n", m.error, m.first / 1e3);
  }
  std::fflush(stdout);
}

void session::fail(const workload& work, const std::string& why) {
  if (!wanted(work.name)) return;
  measured m;
  m.work = work;
  m.failure = why;
  print(m);
  results.push_back(m);
}

// The first call and the check; false if there is nothing to time.
bool session::prepare(measured& m, const std::function<void(int)>& call,
                      const std::function<double()>& check) const {
  const auto start = clock::now();
  call(0);
  wait(place);
  m.first = since(start);
  m.error = check();
  if (!(m.error <= m.work.tolerance)) {
    char text[80];
    std::snprintf(text, sizeof text, "WRONG: relative error %.2e, allowed %.0e", m.error,
                  m.work.tolerance);
    m.failure = text;
    return false;
  }
  return true;
}

void session::row(const workload& work, int sets, const std::function<void(int)>& call,
                  const std::function<double()>& check) {
  if (!wanted(work.name)) return;
  measured m;
  m.work = work;
  m.sets = sets;
  try {
    if (prepare(m, call, check)) {
      int next = 0;
      const auto round = [&](int calls) {
        const auto start = clock::now();
        for (int i = 0; i < calls; ++i, next = (next + 1) % sets) call(next);
        wait(place);
        return since(start) / calls;
      };
      round(std::max(3, sets));
      const double once = round(std::max(3, sets));
      m.calls = std::clamp(static_cast<int>(round_seconds * 1e6 / once), 1, 4000);
      m.rounds = rounds;
      std::vector<double> times;
      for (int r = 0; r < rounds; ++r) times.push_back(round(m.calls));
      summarise(m, std::move(times));
    }
  } catch (const std::exception& e) {
    m.failure = std::string("threw ") + e.what();
  }
  print(m);
  results.push_back(m);
}

void session::host_row(const workload& work, const std::function<void()>& call,
                       const std::function<double()>& check) {
  if (!wanted(work.name)) return;
  measured m;
  m.work = work;
  m.sets = 1;
  m.on_host = true;
  try {
    if (prepare(
            m, [&](int) { call(); }, check)) {
      // Few enough that the driver's queue is never full.
      m.calls = 256;
      m.rounds = 5 * rounds;
      std::vector<double> times;
      for (int r = 0; r < m.rounds; ++r) {
        const auto start = clock::now();
        for (int i = 0; i < m.calls; ++i) call();
        times.push_back(since(start) / m.calls);
        wait(place);
      }
      summarise(m, std::move(times));
    }
  } catch (const std::exception& e) {
    m.failure = std::string("threw ") + e.what();
  }
  print(m);
  results.push_back(m);
}

void fill(float* to, const operand& x) {
  const index_t n = x.rows * x.columns;
#pragma omp parallel for
  for (index_t i = 0; i < n; ++i) to[i] = x.half ? x.from.at16(i) : x.from.at(i);
}
void fill(bf16* to, const operand& x) {
  const index_t n = x.rows * x.columns;
#pragma omp parallel for
  for (index_t i = 0; i < n; ++i) to[i] = bf16(x.from.at16(i));
}
void fill_nan(float* to, index_t n) {
  std::fill_n(to, n, std::numeric_limits<float>::quiet_NaN());
}
void fill_nan(bf16* to, index_t n) {
  std::fill_n(to, n, bf16(std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace bench
