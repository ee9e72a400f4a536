// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/capture/control.hpp>
#include <weft/capture/host.hpp>
#include <weft/cuda/back_end.hpp>
#include <weft/grad/transforms.hpp>

#include "flow_values.hpp"
#include "grid_check.hpp"
#include "grid_driver.hpp"

// Control flow of programs that are one CUDA graph: on a GPU, else with launches on the host grid.

namespace w = weft;
using namespace weft_test;
using weft::dyn;

namespace {

/// A program that is called again and again in mode reduce_overhead, with the host grid where there
/// is no GPU; one at a time.
class replayed {
 public:
  template <std::size_t N, class F>
  replayed(const value_spec (&specs)[N], F f, int version = 13000)
      : captured_(capture(specs, f)), graph_(w::detail::optimised(captured_)) {
    REQUIRE(std::string(captured_.error.view()) == "");
    if (!has_gpu()) driver_.emplace(version);
    const auto words = w::detail::encoded_graph(graph_);
    state_.emplace(words.data());
  }
  /// Empty if the results are those of the reference evaluator; they and the arguments lie where
  /// they lay at the last call, or elsewhere.
  std::string call(const std::vector<reference_value>& x, bool elsewhere = false) {
    const auto wanted = w::detail::reference_evaluate(captured_, x);
    if (memory_.empty() || elsewhere) {
      memory_.emplace_back();
      for (const auto* list : {&x, &wanted})
        for (const reference_value& v : *list) memory_.back().emplace_back(v);
    }
    std::deque<piece>& at = memory_.back();
    std::vector<w::detail::argument_value> values;
    std::vector<void*> results;
    for (std::size_t i = 0; i < x.size(); ++i) {
      at[i].write(x[i]);
      values.push_back({at[i].data(), x[i].shape.data(), nullptr});
    }
    for (std::size_t j = 0; j < wanted.size(); ++j) results.push_back(at[x.size() + j].data());
    w::compile_options options;
    options.mode = mode;
    const graph_call made(graph_, std::move(values), std::move(results), options);
    it_ = state_->find(on(), made.call);
    on().make_current();
    const cuda::stopwatch running;
    made.run(*it_);
    cuda::wait_and_check(on(), "wait");
    milliseconds = running.milliseconds();
    state_->check_faults(on());
    for (std::size_t j = 0; j < wanted.size(); ++j)
      if (auto d = difference(at[x.size() + j].read(wanted[j]), wanted[j],
                              grid_tolerance(wanted[j].type));
          !d.empty())
        return "result " + std::to_string(j) + ": " + d;
    return "";
  }
  w::mode mode = w::mode::reduce_overhead;
  double milliseconds = 0;  // of the last call
  cuda::gpu& on() { return driver_ ? driver_->gpu() : cuda::device_of(0); }
  weft_tests::fake_driver& fake() { return driver_->fake(); }
  cuda::recorded_graph::counts counts() const { return it_->graph_statistics(); }
  std::string text() const { return it_->graph_text(); }

 private:
  class piece {
   public:
    explicit piece(const reference_value& v)
        : bytes_(static_cast<std::size_t>(v.size() * size_of(v.type))) {
      if (has_gpu())
        there_ = w::detail::allocate_elements(w::cuda(0), v.type, v.shape.data(),
                                              static_cast<int>(v.shape.size()));
      else
        here_.emplace(bytes_);
    }
    void* data() { return here_ ? here_->data() : there_.data(); }
    void write(const reference_value& v) {
      if (here_) return write_elements(v, here_->data());
      std::vector<std::byte> host(bytes_ + 1);
      write_elements(v, host.data());
      if (bytes_) cuda::to_device(0, there_.data(), host.data(), bytes_);
    }
    reference_value read(const reference_value& like) {
      if (here_) return read_elements(like.type, like.shape, here_->data());
      std::vector<std::byte> host(bytes_ + 1);
      if (bytes_) cuda::to_host(0, host.data(), there_.data(), bytes_);
      return read_elements(like.type, like.shape, host.data());
    }

   private:
    std::size_t bytes_;
    w::detail::storage_ptr there_;
    std::optional<guarded_memory> here_;
  };

  graph captured_, graph_;
  std::optional<grid_driver> driver_;
  std::deque<std::deque<piece>> memory_;
  std::optional<cuda::program_state> state_;
  std::shared_ptr<cuda::executable> it_;
};

constexpr auto chosen = [](auto p, auto x) {
  return w::cond(
      p, [](auto x) { return w::exp(x); }, [](auto x) { return w::sum(x) - x; }, x);
};
constexpr auto grown = [](auto x, auto least) {
  return w::while_loop([=](auto s) { return w::sum(s * s) < least; },
                       [](auto s) { return s * 1.5f; }, x);
};

}  // namespace

TEST_CASE("device conditions: one of two ways, in a graph that is captured once") {
  replayed program({spec(dtype::boolean, {}), f32({9})}, chosen);
  for (const bool way : {true, false, false, true})
    CHECK(program.call({truth(way), floats({9}, way ? 1 : 2)}) == "");
  CHECK(program.text() == "one CUDA graph with 2 conditional nodes\n");
  CHECK(program.counts().captures == 1);
  CHECK(program.counts().instantiations == 1);
  for (const bool way : {false, true}) CHECK(program.call({truth(way), floats({9})}, true) == "");
  MESSAGE("moved memory: " << program.counts().captures << " captures, "
                           << program.counts().kernel_updates << " kernels updated");
  CHECK(program.counts().captures == 1);
}

TEST_CASE("device conditions: a loop of any number of turns, in a graph that is captured once") {
  replayed program({f32({6}), f32({})}, grown);
  for (const float least : {100.0f, 0.0f, 1e6f, 10.0f})
    CHECK(program.call({floats({6}), number(least)}) == "");
  CHECK(program.text() == "one CUDA graph with 1 conditional node\n");
  CHECK(program.counts().captures == 1);
  // Its states move by copies, which are captured again.
  for (const float least : {100.0f, 3.0f})
    CHECK(program.call({floats({6}, 2), number(least)}, true) == "");
  CHECK(program.counts().captures == 3);
}

TEST_CASE("device conditions: a condition in a loop in a scan") {
  replayed program({f32({4}), f32({3, 4}), f32({})}, [](auto s, auto xs, auto most) {
    return w::scan(
        [=](auto s, auto x) {
          const auto next =
              w::while_loop([=](auto v) { return w::max(v) < most; },
                            [=](auto v) {
                              return w::cond(
                                  w::sum(v) > 1.0f, [](auto v) { return v * 1.25f + 0.5f; },
                                  [](auto v) { return w::abs(v) + 0.25f; }, v);
                            },
                            s * 0.5f + x);
          return std::tuple{next, w::sum(next)};
        },
        s, xs);
  });
  for (const float most : {2.0f, -100.0f, 30.0f})
    CHECK(program.call({floats({4}), floats({3, 4}, 2), number(most)}) == "");
  CHECK(program.text() == "one CUDA graph with 9 conditional nodes\n");
  CHECK(program.counts().captures == 1);
}

TEST_CASE("device conditions: a loop in one of two ways") {
  replayed nested({spec(dtype::boolean, {}), f32({6}), f32({})}, [](auto p, auto x, auto least) {
    return w::cond(
        p, [](auto x, auto least) { return grown(x, least); }, [](auto x, auto) { return -x; }, x,
        least);
  });
  for (const bool way : {true, false, true})
    CHECK(nested.call({truth(way), floats({6}), number(40.0f)}) == "");
  CHECK(nested.counts().captures == 1);
}

TEST_CASE("device conditions: the gradient of a bounded loop") {
  replayed bounded({f32({4}), f32({})}, [](auto x, auto least) {
    return w::grad<0>([](auto x, auto least) {
      return w::sum(w::while_loop([=](auto s) { return w::sum(s * s) < least; },
                                  [](auto s) { return s * (1.5f + w::tanh(s)); }, x,
                                  w::max_steps<5>));
    })(x, least);
  });
  for (const float least : {0.0f, 4.0f, 1e9f})
    CHECK(bounded.call({floats({4}), number(least)}) == "");
  CHECK(bounded.counts().captures == 1);
  CHECK(bounded.text().starts_with("one CUDA graph with "));
}

TEST_CASE("device conditions: a bad index ends a loop") {
  replayed program({f32({4}), i32({2}), f32({})}, [](auto x, auto at, auto least) {
    return w::while_loop([=](auto s) { return w::sum(s) < least; },
                         [=](auto s) { return s + 1.0f + 0.0f * w::sum(w::take(x, at)); }, x);
  });
  reference_value at(dtype::int32, {2});
  CHECK(program.call({floats({4}), at, number(30.0f)}) == "");
  at.bits[1] = 77;
  CHECK_THROWS_AS(program.call({floats({4}), at, number(1e30f)}), w::index_error);
  at.bits[1] = 3;
  CHECK(program.call({floats({4}), at, number(30.0f)}) == "");
  CHECK(program.counts().captures == 1);
}

TEST_CASE("device conditions: products in a loop") {
  if (!has_gpu()) return;  // the grid has no library of products
  replayed program({f32({64, 64}), f32({64, 64}), i32({})}, [](auto x, auto m, auto n) {
    return w::fori(
        n, [=](auto, auto p) { return w::tanh(w::matmul(p, m) * 0.05f); }, x);
  });
  for (const int turns : {3, 0, 7}) {
    reference_value n(dtype::int32, {});
    n.bits[0] = static_cast<std::uint64_t>(turns);
    CHECK(program.call({floats({64, 64}), floats({64, 64}, 2), n}) == "");
  }
  CHECK(program.counts().captures == 1);
  CHECK(program.text() == "one CUDA graph with 1 conditional node\n");
}

TEST_CASE("device conditions: without a graph where it cannot be, which is told") {
  if (has_gpu()) return;
  const std::vector x{floats({6}), number(50.0f)};
  {
    replayed old({f32({6}), f32({})}, grown, 12030);
    CHECK(old.call(x) == "");
    CHECK(old.text() ==
          "no CUDA graph, since the driver is older than CUDA 12.4 and has no conditional nodes\n");
    CHECK(old.counts().captures == 0);
  }
  for (const char* call : {"condition_create", "graph_add_node", "capture_update",
                           "capture_begin_to_graph", "graph_instantiate"}) {
    CAPTURE(call);
    replayed refused({f32({6}), f32({})}, grown);
    refused.fake().fail(call, 1, cuda::driver_status::invalid_value);
    for (int run = 0; run < 2; ++run) CHECK(refused.call(x) == "");
    CHECK(refused.text().starts_with("no CUDA graph, since the driver did not take it"));
    CHECK_FALSE(refused.fake().capturing());
    CHECK(refused.fake().graphs() == 0);
  }
  replayed calls({f32({6})}, [](auto x) {
    return w::graph_break(x * 2.0f, "a look", [](const w::vector<float>&) {}) + 1.0f;
  });
  CHECK(calls.call({floats({6})}) == "");
  CHECK(calls.text() == "no CUDA graph, since C++ code runs in the middle of it\n");
}

TEST_CASE(
    "device conditions: a graph whose inner kernels the driver does not update is made anew") {
  if (has_gpu()) return;
  replayed program({spec(dtype::boolean, {}), f32({9})}, chosen);
  program.call({truth(true), floats({9})});
  program.fake().refuse_inner_update = true;
  for (const bool way : {true, false}) CHECK(program.call({truth(way), floats({9})}, true) == "");
  CHECK(program.counts().captures == 3);
  CHECK(program.counts().instantiations == 3);
}

TEST_CASE("device conditions: what a turn of a loop costs") {
  if (!has_gpu()) return;
  replayed program({f32({256}), i32({})}, [](auto x, auto n) {
    return w::fori(
        n, [](auto, auto s) { return s * 0.5f + 1.0f; }, x);
  });
  reference_value n(dtype::int32, {});
  n.bits[0] = 1000;
  for (const auto mode : {w::mode::standard, w::mode::reduce_overhead}) {
    program.mode = mode;
    double best = 1e9;
    for (int run = 0; run < 4; ++run) {
      CHECK(program.call({floats({256}), n}) == "");
      best = std::min(best, program.milliseconds);
    }
    MESSAGE(std::string(mode == w::mode::standard ? "with the host: " : "as a graph: ")
            << best << " us a turn");
  }
}
