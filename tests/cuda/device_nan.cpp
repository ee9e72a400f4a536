// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/stance.hpp>

#include <weft/capture/control.hpp>
#include <weft/cuda/back_end.hpp>

#include "grid_check.hpp"
#include "grid_driver.hpp"

#include <cmath>

// The check for NaN after every launch of a device: on a GPU, else with launches on the host grid.
namespace w = weft;
using namespace weft_test;
using weft::dyn;

namespace {

struct checked {
  checked() {
    w::stance_options o;
    o.check_nan = true;
    w::set_stance(o);
  }
  ~checked() { w::set_stance(w::stance::compiled); }
};
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What a call on the host grid throws; empty if nothing.
template <std::size_t N, class F>
std::string told(const value_spec (&specs)[N], F f, const std::vector<reference_value>& x,
                 w::compile_options options = {}) {
  const graph captured = capture(specs, f);
  REQUIRE(std::string(captured.error.view()) == "");
  const graph g = w::detail::optimised(captured);
  const auto wanted = w::detail::reference_evaluate(captured, x);
  std::deque<std::vector<std::byte>> memory;
  std::vector<w::detail::argument_value> arguments;
  for (const reference_value& v : x) {
    memory.emplace_back(static_cast<std::size_t>(v.size() * size_of(v.type)));
    write_elements(v, memory.back().data());
    arguments.push_back({memory.back().data(), v.shape.data(), nullptr});
  }
  const std::vector<void*> none(wanted.size() + 1, nullptr);
  grid_driver driver;
  w::detail::cpu_code code{};
  const checked stance;
  const w::detail::nan_check check(code, g, arguments.data(), none.data());
  try {
    driver.outputs(g, x, wanted, options);
  } catch (const w::value_error& e) {
    return e.what();
  }
  return "";
}

reference_value floats(std::vector<index_t> shape, std::vector<float> from) {
  reference_value r(dtype::float32, std::move(shape));
  for (std::size_t i = 0; i < from.size(); ++i) r.reals[i] = static_cast<long double>(from[i]);
  return r;
}
const value_spec square[]{{dtype::float32, 2, {dyn, dyn}, false}};
const value_spec line[]{{dtype::float32, 1, {dyn}, false}};

}  // namespace

TEST_CASE("device: a NaN is found after the launch that wrote it, and its op named") {
  if (cuda::device_count() > 0) return;  // the case below
  const auto f = [](auto x) {
    auto y = w::softmax(x);
    return w::sqrt(w::transpose(y) - 0.25f) * y;
  };
  for (const w::mode m : {w::mode::standard, w::mode::reduce_overhead}) {
    w::compile_options o;
    o.mode = m;
    const std::string text = told(square, f, {floats({2, 2}, {0, 0, 0, 5})}, o);
    CHECK_MESSAGE(contains(text, "element 1 of sqrt (float32 of shape (2, 2)), in launch 1 ("),
                  text);
    CHECK(contains(text, "device_nan.cpp:"));
    CHECK(told(square, f, {floats({2, 2}, {1, 1, 1, 1})}, o) == "");
  }
}

TEST_CASE("device: a NaN in a body, and values that lie in parts of memory") {
  if (cuda::device_count() > 0) return;
  const auto loop = [](auto x) {
    return w::fori(
        4, [](auto, auto s) { return w::log(s) * 1.5f; }, x);
  };
  const std::string text = told(line, loop, {floats({2}, {9, 2})});
  CHECK_MESSAGE(contains(text, "in what launch 0 (log_multiply) writes"), text);
  CHECK(told(line, loop, {floats({2}, {60, 60})}) == "");
  const auto parts = [](auto x) { return w::concat(w::axis<1>, w::sqrt(x), x); };
  const std::string part = told(square, parts, {floats({2, 2}, {1, 2, 3, -4})});
  CHECK_MESSAGE(contains(part, "element 3 of sqrt"), part);
  CHECK(told(square, parts, {floats({2, 2}, {1, 2, 3, 4})}) == "");
}

TEST_CASE("device: calls of programs are checked, and what they overwrote is given back") {
  if (cuda::device_count() == 0) {
    MESSAGE("SKIPPED: no GPU here");
    return;
  }
  const auto f = w::compile([](auto x) { return w::log(x) + 1.0f; });
  auto x = w::vector<float>{1, -2, 3}.to(w::cuda(0));
  const checked stance;
  std::string text;
  try {
    f.into(std::tie(x), x);
  } catch (const w::value_error& e) {
    text = e.what();
  }
  CHECK_MESSAGE(contains(text, "element 1 of log (float32 of shape (3)), in launch 0 ("), text);
  const auto back = x.to(w::cpu);
  CHECK((back(0) == 1 && back(1) == -2 && back(2) == 3));
}
