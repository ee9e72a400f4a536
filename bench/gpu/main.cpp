// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// usage: weft_bench_gpu [--json FILE] [--rows PART[,PART...]] [--rounds N] [--mode NAME]
//        [--dynamic] [--check]
// Checks and times Weft's programs on cuda(0), and prints a table. --rows takes rows whose names
// have one of these parts. --dynamic makes open extents parameters of kernels. --check runs
// everything on the CPU with few rows, which tests the benchmark itself.
#include <weft/cuda.hpp>

#include "patterns.hpp"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench {

void wait(w::device place) {
  w::synchronize(place);
}

namespace {

using clock = std::chrono::steady_clock;
double ms_since(clock::time_point start) {
  return std::chrono::duration<double, std::milli>(clock::now() - start).count();
}

/// The best of copies by the driver, in TB/s, bytes read and written both counted.
void driver_copies(session& s) {
  for (const auto& [name, n] : {std::pair{"copy by the driver 256 MiB", index_t{1} << 26},
                                std::pair{"copy by the driver 2 GiB", index_t{1} << 29}}) {
    if (!s.wanted(name)) continue;
    const auto x = operand_of<float>({5}, 1, s.rows(n));
    const auto from = vector<float>(s.place, x);
    auto to = unwritten<float>(s.place, x.columns);
    const double bytes = 4.0 * static_cast<double>(x.columns);
    s.row(
        {name, 0, 2 * bytes, 0, 0}, 1,
        [&](int) {
          w::detail::memory_of(s.place).on_device(s.place.index, to.address(), from.address(),
                                                  static_cast<std::size_t>(bytes));
        },
        [&] { return elements_error(to, 4096, [&](index_t i) { return x.at(0, i); }); });
  }
}

/// Kernels launched by the driver, and as graphs: what a call cannot be faster than.
void bare_launches(session& s) {
  using namespace w::detail::cuda;
  const workload launch{"bare launch of an empty kernel", 0, 0, 0, 0},
      graph{"bare launch of a graph of one kernel", 0, 0, 0, 0},
      tiny{"bare launch of a graph of the tiny call's work", 0, 0, 0, 0};
  if (!s.wanted(launch.name) && !s.wanted(graph.name) && !s.wanted(tiny.name)) return;
  try {
    gpu& on = device_of(s.place.index);
    const std::vector<kernel_request> wanted{
        {"nothing", "extern \"C\" __global__ void nothing(void* a, void* b) {}\n", 0},
        {"tiny", R"(
extern "C" __global__ void tiny(const float4* a, const float4* b, const float4* c, float4* y) {
  const float4 p = a[threadIdx.x], q = b[threadIdx.x], r = c[threadIdx.x];
  auto f = [](float u, float v, float w) { return tanhf(u * v + w) / (1 + expf(-u)) - v; };
  y[threadIdx.x] = float4{f(p.x, q.x, r.x), f(p.y, q.y, r.y), f(p.z, q.z, r.z), f(p.w, q.w, r.w)};
}
)",
         0}};
    const auto loaded = on.modules.load(wanted);
    kernel_launch how, work;
    how.function = loaded[0].function;
    work.function = loaded[1].function;
    work.block[0] = 256;
    const std::vector<device_address> none{0, 0};
    const auto queue = [&](work_queue& q) { q.launch(how, none, "launch nothing"); };
    s.host_row(
        launch,
        [&] {
          work_queue q(on.api(), on.stream.get());
          queue(q);
        },
        [] { return 0; });
    recorded_graph recorded(on.context);
    recorded.run(on.stream.get(), queue, "record nothing");
    s.host_row(
        graph, [&] { recorded.launch(on.stream.get(), "replay nothing"); }, [] { return 0; });
    std::vector<w::vector<float>> memory;
    std::vector<device_address> addresses;
    for (int k = 0; k < 4; ++k) {
      memory.push_back(w::vector<float>(w::full<float>({1024}, 0.5f)).to(s.place));
      addresses.push_back(address_of(memory.back().address()));
    }
    recorded_graph other(on.context);
    other.run(
        on.stream.get(), [&](work_queue& q) { q.launch(work, addresses, "launch tiny"); },
        "record tiny");
    s.host_row(
        tiny, [&] { other.launch(on.stream.get(), "replay tiny"); }, [] { return 0; });
    w::synchronize(s.place);
  } catch (const std::exception& e) {
    s.fail(graph, std::string("threw ") + e.what());
  }
}

// First calls, in a process of their own: lines of "NAME MILLISECONDS".

constexpr auto first_softmax = w::compile([](auto x) { return w::softmax(x, w::axis<-1>); });
constexpr auto first_norm = w::compile([](auto x) { return w::layer_norm(x); });
constexpr auto first_other = w::compile([](auto x) { return x * 2.0f; });

void report_first_calls() {
  const w::device place = w::cuda(0);
  const auto say = [](const char* name, double ms) { std::printf("%s|%.3f\n", name, ms); };
  auto start = clock::now();
  auto& on = w::detail::cuda::device_of(0);
  on.make_current();
  say("driver and context", ms_since(start));
  start = clock::now();
  w::detail::cuda::nvrtc();
  say("loading NVRTC", ms_since(start));
  w::matrix<float> x = w::full<float>({1024, 4096}, 0.5f).to(place);
  w::matrix<float> y = w::full<float>({1024, 4096}, 0.0f).to(place);
  w::synchronize(place);
  const auto call = [&](const char* name, auto& f) {
    start = clock::now();
    f.into(y, x);
    w::synchronize(place);
    say(name, ms_since(start));
  };
  call("first kernel of the process", first_other);
  call("first call: softmax f32", first_softmax);
  call("first call: layer norm f32", first_norm);
}

struct first_call {
  std::string name;
  double cold = 0, cached = 0;  // ms
};

/// Starts this binary twice with a cache folder of its own: empty, then filled.
std::vector<first_call> first_calls(const char* self) {
  namespace fs = std::filesystem;
  std::vector<first_call> calls;
  std::string folder = (fs::temp_directory_path() / "weft-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) return calls;
  for (const bool filled : {false, true}) {
    const std::string command =
        "WEFT_CACHE_DIR='" + folder + "' '" + std::string(self) + "' --first-calls";
    FILE* child = popen(command.c_str(), "r");
    if (!child) break;
    char line[200];
    std::size_t at = 0;
    while (std::fgets(line, sizeof line, child)) {
      const char* bar = std::strchr(line, '|');
      if (!bar) continue;
      if (!filled) calls.push_back({std::string(line, static_cast<std::size_t>(bar - line))});
      if (at < calls.size()) (filled ? calls[at].cached : calls[at].cold) = std::atof(bar + 1);
      ++at;
    }
    pclose(child);
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return calls;
}

const char* mode_name(w::mode m) {
  return m == w::mode::max_autotune      ? "max_autotune"
         : m == w::mode::reduce_overhead ? "reduce_overhead"
                                         : "standard";
}

// JSON

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "\"";
}
std::string number(double v) {
  if (!std::isfinite(v)) return "null";
  std::ostringstream s;
  s.precision(6);
  s << v;
  return s.str();
}

void write_json(const std::string& path, const session& s, double copy,
                const std::vector<first_call>& calls) {
  std::ofstream out(path);
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::string card = "CPU", driver;
  if (!(s.place == w::cpu)) {
    const auto& facts = w::detail::cuda::device_of(s.place.index).facts;
    card = facts.name;
    driver = std::to_string(facts.driver_version / 1000) + "." +
             std::to_string(facts.driver_version % 1000 / 10);
  }
  out << "{\n\"card\": " << quoted(card) << ", \"cuda\": " << quoted(driver)
      << ", \"mode\": " << quoted(mode_name(s.mode)) << ", \"date\": " << quoted(date)
      << ", \"copy_tb_s\": " << number(copy) << ",\n\"rows\": [";
  bool first = true;
  for (const measured& m : s.results) {
    out << (first ? "\n" : ",\n") << "{\"name\": " << quoted(m.work.name);
    first = false;
    if (!m.failure.empty())
      out << ", \"failure\": " << quoted(m.failure);
    else
      out << ", \"us\": " << number(m.time) << ", \"us_min\": " << number(m.fastest)
          << ", \"us_max\": " << number(m.slowest) << ", \"calls\": " << m.calls
          << ", \"rounds\": " << m.rounds << ", \"sets\": " << m.sets
          << ", \"first_ms\": " << number(m.first / 1e3) << ", \"error\": " << number(m.error)
          << ", \"on_host\": " << (m.on_host ? "true" : "false");
    out << ", \"bytes\": " << number(m.work.bytes) << ", \"flops\": " << number(m.work.flops)
        << ", \"goal\": " << number(m.work.goal) << ", \"tolerance\": " << number(m.work.tolerance);
    if (m.failure.empty() && m.work.bytes > 0 && copy > 0)
      out << ", \"tb_s\": " << number(m.work.bytes / m.time * 1e-6)
          << ", \"share\": " << number(m.work.bytes / m.time * 1e-6 / copy);
    out << "}";
  }
  out << "\n],\n\"first_calls\": [";
  first = true;
  for (const first_call& c : calls) {
    out << (first ? "\n" : ",\n") << "{\"name\": " << quoted(c.name)
        << ", \"cold_ms\": " << number(c.cold) << ", \"cached_ms\": " << number(c.cached) << "}";
    first = false;
  }
  out << "\n]\n}\n";
}

struct totals {
  double copy = 0;  // TB/s
  int failures = 0;
};
totals summary(const session& s) {
  totals t;
  for (const measured& m : s.results) {
    if (!m.failure.empty())
      ++t.failures;
    else if (m.work.name.starts_with("copy"))
      t.copy = std::max(t.copy, m.work.bytes / m.time * 1e-6);
  }
  return t;
}

int run(int count, char** arguments) {
  session s;
  std::string json;
  bool check = false;
  for (int i = 1; i < count; ++i) {
    const std::string a = arguments[i];
    const auto next = [&]() -> std::string { return i + 1 < count ? arguments[++i] : ""; };
    if (a == "--first-calls") {
      report_first_calls();
      return 0;
    }
    if (a == "--json")
      json = next();
    else if (a == "--rounds")
      s.rounds = std::max(1, std::atoi(next().c_str()));
    else if (a == "--check")
      check = true;
    else if (a == "--dynamic")
      s.dynamic = w::dynamic_shapes::on;
    else if (a == "--mode") {
      const std::string name = next();
      s.mode = name == "max_autotune"      ? w::mode::max_autotune
               : name == "reduce_overhead" ? w::mode::reduce_overhead
                                           : w::mode::standard;
      if (name != mode_name(s.mode)) throw std::runtime_error("there is no mode " + name);
    } else if (a == "--rows") {
      std::istringstream parts(next());
      for (std::string part; std::getline(parts, part, ',');) s.filters.push_back(part);
    } else {
      std::fprintf(stderr,
                   "usage: weft_bench_gpu [--json FILE] [--rows PART[,PART...]] [--rounds N] "
                   "[--mode standard|reduce_overhead|max_autotune] [--dynamic] [--check]\n");
      return 2;
    }
  }
  std::vector<first_call> calls;
  if (check) {
    s.place = w::cpu;
    s.divisor = 512;
    s.rounds = 1;
    s.round_seconds = 0;
  } else {
    std::printf("%s\n", w::detail::cuda::device_of(s.place.index).title().c_str());
    if (s.wanted("first call")) calls = first_calls(arguments[0]);
    for (const first_call& c : calls)
      std::printf("%-44s %9.1f ms, kernels on disk: %.1f ms\n", c.name.c_str(), c.cold, c.cached);
  }
  // Written after each group, so that a crash keeps what was measured before.
  const auto save = [&] {
    if (!json.empty()) write_json(json, s, summary(s).copy, calls);
  };
  if (!check) driver_copies(s);
  for (auto* group : {&pointwise, &reductions, &layer_norm, &rms_norm, &softmax, &bias_gelu,
                      &swiglu, &dropout, &cross_entropy, &adam, &products, &tiny_calls}) {
    try {
      group(s);
    } catch (const std::exception& e) {
      s.fail({"a group of rows", 0, 0, 0, 0}, std::string("threw ") + e.what());
    }
    save();
  }
  if (!check) bare_launches(s);
  const auto [copy, failures] = summary(s);
  std::printf("copy ceiling: %.2f TB/s; %zu rows, %d failed\n", copy, s.results.size(), failures);
  save();
  return failures ? 1 : 0;
}

}  // namespace
}  // namespace bench

int main(int count, char** arguments) try {
  return bench::run(count, arguments);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
