// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/grad/transforms.hpp>

#include "grid_check.hpp"

// Kernels whose extents are parameters: every form over sizes 0, 1, 3, a vector's width and beyond,
// and how many kernels all those sizes need.

namespace w = weft;
using namespace weft_test;
using weft::dyn;

namespace {

constexpr auto any_norm_loss = [](auto x, auto weight, auto bias, auto g) {
  return w::sum(w::layer_norm(x, weight, bias) * g);
};
constexpr auto any_take_loss = [](auto x, auto i) { return w::sum(w::square(w::take(x, i))); };

reference_value labels(index_t count, index_t classes) {
  reference_value r(dtype::int32, {count});
  for (index_t i = 0; i < count; ++i)
    r.bits[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>((i * 7 + 3) % classes);
  return r;
}

class dynamic_cases {
 public:
  /// f at all sizes n, with arguments make(n), its kernels' schedules made for `like`. They are
  /// `kernels` at most, those of sizes 0 and 1 apart.
  template <std::size_t N, class F, class Make>
  void add(const std::string& name, const value_spec (&specs)[N], F f, Make make, index_t like,
           std::initializer_list<index_t> sizes, std::size_t kernels) {
    const graph g = capture(specs, f);
    std::size_t others = 0;
    const std::size_t before = batch_.size();
    for (const index_t n : sizes) {
      const std::string here = name + " of " + std::to_string(n);
      CAPTURE(here);
      const std::size_t had = batch_.size();
      cases_.push_back({here, std::make_unique<grid_run>(batch_, g, make(n), cuda::tuning{},
                                                         cuda::card{}, make(like))});
      if (n <= 1) others += batch_.size() - had;
    }
    CHECK_MESSAGE(batch_.size() - before - others <= kernels, name);
  }
  void run() {
    batch_.compile();
    for (auto& c : cases_) {
      CAPTURE(c.name);
      check_run(c.name, *c.run);
      CHECK(c.run->fault.state == 0);
    }
  }

 private:
  struct one {
    std::string name;
    std::unique_ptr<grid_run> run;
  };
  grid_batch batch_;
  std::vector<one> cases_;
};

auto filled_as(std::initializer_list<index_t> shape) {
  return filled(dtype::float32, std::vector<index_t>(shape), 1);
}

}  // namespace

TEST_CASE("dynamic extents: pointwise") {
  dynamic_cases c;
  c.add(
      "chain", {f32({dyn}), f32({dyn})}, [](auto a, auto b) { return w::tanh(a * b + 1) - b; },
      [](index_t n) {
        return std::vector{filled_as({n}), filled_as({n})};
      },
      64, {0, 1, 3, 4, 9, 64, 1000, 5001}, 1);
  c.add(
      "bias", {f32({dyn, 12}), f32({12})}, [](auto x, auto b) { return w::exp(x + b); },
      [](index_t n) {
        return std::vector{filled_as({n, 12}), filled_as({12})};
      },
      32, {0, 1, 2, 3, 9, 32, 257}, 1);
  c.add(
      "rows and columns", {f32({dyn, dyn}), f32({dyn})}, [](auto x, auto b) { return x * b + x; },
      [](index_t n) {
        return std::vector{filled_as({n, n + 1}), filled_as({n + 1})};
      },
      31, {0, 1, 3, 7, 8, 9, 31, 63}, 2);
  c.add(
      "transpose", {f32({dyn, dyn})}, [](auto x) { return w::transpose(x) + 1; },
      [](index_t n) {
        return std::vector{filled_as({n, 2 * n})};
      },
      64, {0, 1, 2, 3, 8, 63, 64, 130}, 3);
  c.add(
      "mean's divisor, places", {f32({dyn, dyn})},
      [](auto x) { return x - w::mean(x) + w::sum(x * 0 + 2); },
      [](index_t n) {
        return std::vector{filled_as({3, n})};
      },
      64, {0, 1, 3, 4, 9, 64, 1000}, 3);
  c.run();
}

TEST_CASE("dynamic extents: rows") {
  dynamic_cases c;
  c.add(
      "batch of softmax", {f32({dyn, 33})}, [](auto x) { return w::softmax(x); },
      [](index_t n) {
        return std::vector{filled_as({n, 33})};
      },
      32, {0, 1, 2, 3, 9, 32, 257}, 1);
  c.add(
      "length of softmax", {f32({5, dyn})}, [](auto x) { return w::softmax(x); },
      [](index_t n) {
        return std::vector{filled_as({5, n})};
      },
      200, {0, 1, 3, 4, 9, 32, 200, 256, 257, 1024, 4097, 20000}, 8);
  c.add(
      "both, variance", {f32({dyn, dyn})}, [](auto x) { return w::var(x, w::axis<1>); },
      [](index_t n) {
        return std::vector{filled_as({n, n + 3})};
      },
      16, {1, 2, 3, 5, 9, 32, 65, 100}, 4);
  c.add(
      "few long rows", {f32({2, dyn})}, [](auto x) { return w::softmax(x); },
      [](index_t n) {
        return std::vector{filled_as({2, n})};
      },
      40000, {0, 1, 3, 4, 9, 1000, 4097, 40000, 50001}, 6);
  c.add(
      "sum of all", {f32({dyn})}, [](auto x) { return w::sum(x); },
      [](index_t n) { return std::vector{filled_as({n})}; }, 100000,
      {0, 1, 3, 4, 9, 1000, 100000, 100003}, 2);
  c.add(
      "half", {spec(dtype::bfloat16, {dyn, dyn})}, [](auto x) { return w::softmax(x); },
      [](index_t n) {
        return std::vector{filled(dtype::bfloat16, {n, 8 * n}, 1)};
      },
      8, {1, 2, 3, 8, 9}, 2);
  c.run();
}

TEST_CASE("dynamic extents: columns, and rows with columns") {
  dynamic_cases c;
  c.add(
      "sum of columns", {f32({dyn, 37})}, [](auto x) { return w::sum(x, w::axis<0>); },
      [](index_t n) {
        return std::vector{filled_as({n, 37})};
      },
      128, {0, 1, 3, 4, 9, 128, 1000, 5001}, 1);
  c.add(
      "columns of any number", {f32({dyn, dyn})}, [](auto x) { return w::max(x, w::axis<0>); },
      [](index_t n) {
        return std::vector{filled_as({n + 3, n})};
      },
      128, {1, 3, 4, 9, 128, 333}, 2);
  c.add(
      "gradients of layer norm", {f32({dyn, 40}), f32({40}), f32({40}), f32({dyn, 40})},
      [](auto x, auto a, auto b, auto g) { return w::grad<0, 1, 2>(any_norm_loss)(x, a, b, g); },
      [](index_t n) {
        return std::vector{filled_as({n, 40}), filled_as({40}), filled_as({40}),
                           filled_as({n, 40})};
      },
      64, {0, 1, 2, 3, 9, 64, 700}, 3);
  c.add(
      "gradients of layer norm, of any length",
      {f32({dyn, dyn}), f32({dyn}), f32({dyn}), f32({dyn, dyn})},
      [](auto x, auto a, auto b, auto g) { return w::grad<0, 1, 2>(any_norm_loss)(x, a, b, g); },
      [](index_t n) {
        return std::vector{filled_as({n, 2 * n}), filled_as({2 * n}), filled_as({2 * n}),
                           filled_as({n, 2 * n})};
      },
      20, {1, 2, 3, 9, 20, 64, 150}, 8);
  c.run();
}

TEST_CASE("dynamic extents: indices and random numbers") {
  dynamic_cases c;
  c.add(
      "take", {f32({11, 8}), i32({dyn})}, [](auto x, auto i) { return w::take(x, i); },
      [](index_t n) {
        return std::vector{filled_as({11, 8}), labels(n, 11)};
      },
      16, {0, 1, 3, 4, 16, 100}, 1);
  c.add(
      "gradient of take", {f32({dyn, dyn}), i32({dyn})},
      [](auto x, auto i) { return w::grad(any_take_loss)(x, i); },
      [](index_t n) {
        return std::vector{filled_as({11, n}), labels(n + 2, 11)};
      },
      16, {1, 3, 4, 16, 100}, 6);
  c.add(
      "gradient of take, in lists", {f32({1000, 64}), i32({dyn})},
      [](auto x, auto i) { return w::grad(any_take_loss)(x, i); },
      [](index_t n) {
        return std::vector{filled_as({1000, 64}), labels(n, 1000)};
      },
      1000, {2, 3, 64, 1000}, 7);
  c.add(
      "argmax", {f32({dyn, dyn})}, [](auto x) { return w::argmax(x, w::axis<1>); },
      [](index_t n) {
        return std::vector{filled_as({n, n + 1})};
      },
      64, {1, 3, 4, 31, 64, 100}, 2);
  c.add(
      "cross entropy", {f32({dyn, 10}), i32({dyn})},
      [](auto x, auto i) { return w::cross_entropy(x, i); },
      [](index_t n) {
        return std::vector{filled_as({n, 10}), labels(n, 10)};
      },
      64, {2, 3, 4, 9, 64, 100}, 6);
  c.add(
      "dropout", {f32({dyn, dyn}), spec(dtype::uint32, {2})},
      [](auto x, auto key) { return w::dropout(x, key, 0.5) + x; },
      [](index_t n) {
        return std::vector{filled_as({n, 4 * n}), filled(dtype::uint32, {2}, 5)};
      },
      16, {1, 2, 3, 16, 33}, 1);
  c.run();
}

TEST_CASE("dynamic extents: programs with products") {
  dynamic_cases c;
  c.add(
      "gradients of two layers", {f32({dyn, 6}), i32({dyn}), f32({6, 12}), f32({12}), f32({12, 5})},
      [](auto x, auto y, auto a, auto b, auto m) {
        return w::value_and_grad<2, 3, 4>([](auto x, auto y, auto a, auto b, auto m) {
          return w::cross_entropy(w::matmul(w::gelu_tanh(w::matmul(x, a) + b), m), y);
        })(x, y, a, b, m);
      },
      [](index_t n) {
        return std::vector{filled_as({n, 6}), labels(n, 5), filled_as({6, 12}), filled_as({12}),
                           filled_as({12, 5})};
      },
      32, {1, 2, 3, 17, 32, 100}, 16);
  c.add(
      "attention of a sequence", {f32({2, dyn, 8}), f32({2, dyn, 8}), f32({2, dyn, 8})},
      [](auto q, auto k, auto v) {
        return w::matmul(w::softmax(w::matmul(q, w::transpose(k, w::axis<0, 2, 1>)) * 0.35f), v);
      },
      [](index_t n) {
        return std::vector{filled_as({2, n, 8}), filled_as({2, n, 8}), filled_as({2, n, 8})};
      },
      32, {1, 2, 3, 16, 31, 32, 40}, 6);
  c.run();
}
