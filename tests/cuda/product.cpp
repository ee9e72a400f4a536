// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "cuda/fake_blas.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <vector>
#include <weft/cuda/product_cache.hpp>

namespace cuda = weft::detail::cuda;
using weft_tests::fake_blas;
using weft_tests::fake_driver;

namespace {

const auto on = reinterpret_cast<cuda::stream_handle>(0x10);

struct product_bench {
  std::string folder = (std::filesystem::temp_directory_path() / "weft-product-XXXXXX").string();
  fake_driver fake;
  fake_blas blas{fake};
  cuda::blas_state library = blas.state();
  cuda::disk_cache disk{make_folder(folder)};
  cuda::device_memory memory{fake.context()};

  ~product_bench() { std::filesystem::remove_all(folder); }
  static std::string make_folder(std::string& name) {
    REQUIRE(mkdtemp(name.data()) != nullptr);
    return name;
  }
  cuda::product_cache cache(const std::string& card = "Fake 9000") {
    return {fake.context(), [this]() -> const cuda::blas_state& { return library; }, card, disk,
            memory};
  }
};

cuda::row_major_product square(std::int64_t n) {
  cuda::row_major_product p;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldd = n;
  return p;
}

cuda::device_address address(const std::vector<float>& values) {
  return reinterpret_cast<cuda::device_address>(values.data());
}

std::vector<float> numbers(std::int64_t count, int seed) {
  std::vector<float> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(float((i * 7 + seed * 5) % 11 - 5));
  return result;
}

}  // namespace

TEST_CASE("product: row-major operands, transposes, leading dimensions, batches, bias and sums") {
  product_bench b;
  cuda::product_cache cache = b.cache();
  for (int form = 0; form < 64; ++form) {
    cuda::row_major_product p;
    p.m = 3, p.n = 5, p.k = 4;
    p.transpose_a = form & 1;
    p.transpose_b = form & 2;
    p.batch = form & 4 ? 2 : 1;
    const std::int64_t more = form & 8 ? 3 : 0;
    p.accumulate = form & 16;
    if (form & 32) p.epilogue = cuda::blas_epilogue::relu_bias;
    p.lda = (p.transpose_a ? p.m : p.k) + more;
    p.ldb = (p.transpose_b ? p.k : p.n) + more;
    p.ldd = p.n + more;
    p.stride_a = 40, p.stride_d = 50;  // b is one matrix for the whole batch
    const std::vector<float> left = numbers(100, 1), right = numbers(100, 2), bias = numbers(5, 3);
    std::vector<float> result = numbers(120, 4), expected = result;
    for (std::int64_t matrix = 0; matrix < p.batch; ++matrix) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t j = 0; j < p.n; ++j) {
          float sum = 0;
          for (std::int64_t k = 0; k < p.k; ++k) {
            const float x = left[std::size_t(matrix * p.stride_a +
                                             (p.transpose_a ? k * p.lda + i : i * p.lda + k))];
            const float y = right[std::size_t(p.transpose_b ? j * p.ldb + k : k * p.ldb + j)];
            sum += x * y;
          }
          float& target = expected[std::size_t(matrix * p.stride_d + i * p.ldd + j)];
          if (p.accumulate) sum += target;
          if (form & 32) sum = std::max(0.0f, sum + bias[std::size_t(j)]);
          target = sum;
        }
      }
    }
    cuda::product_operands operands{address(left), address(right), address(result), address(bias)};
    cuda::prepared_product& product = cache.prepare(p, operands, on);
    product.run(operands, 0, on, "test");
    CAPTURE(p.text());
    CHECK(result == expected);
  }
}

TEST_CASE("product: the fastest algorithm is taken, and remembered in memory and on disk") {
  product_bench b;
  {
    cuda::product_cache cache = b.cache();
    cuda::prepared_product& product = cache.prepare(square(8), {}, on);
    CHECK(product.choice().algorithm.data[0] == 1);
    CHECK(product.workspace() == 1000);
    CHECK(product.microseconds() == doctest::Approx(1000));
    CHECK(b.blas.calls["heuristics"] == 1);
    CHECK(&cache.prepare(square(8), {}, on) == &product);
    CHECK(b.blas.calls["heuristics"] == 1);
    cache.prepare(square(9), {}, on);
    CHECK(b.blas.calls["heuristics"] == 2);
    CHECK(cache.size() == 2);
  }
  b.blas.algorithms_run.clear();
  CHECK(b.cache().prepare(square(8), {}, on).choice().algorithm.data[0] == 1);
  CHECK(b.blas.algorithms_run.empty());
  // Nothing of the measurements is held.
  CHECK(b.memory.statistics().in_use == 0);
  CHECK(b.fake.calls["event_destroy"] == b.fake.calls["event_create"]);
  CHECK(b.blas.calls["layout_destroy"] == b.blas.calls["layout_create"]);
}

TEST_CASE("product: another card, another version or a refused choice is measured again") {
  product_bench b;
  b.cache().prepare(square(8), {}, on);
  const auto measured_again = [&](const std::string& card) {
    b.blas.algorithms_run.clear();
    b.cache(card).prepare(square(8), {}, on);
    return !b.blas.algorithms_run.empty();
  };
  CHECK_FALSE(measured_again("Fake 9000"));
  CHECK(measured_again("Fake 9001"));
  b.blas.refuses_stored = true;
  CHECK(measured_again("Fake 9000"));
  b.blas.refuses_stored = false;
  b.blas.version = 130001;
  CHECK(measured_again("Fake 9000"));
  CHECK_FALSE(measured_again("Fake 9000"));
}

TEST_CASE("product: measuring writes no memory but its own") {
  product_bench b;
  const std::vector<float> left = numbers(64, 1), right = numbers(64, 2);
  std::vector<float> result(64, 5);
  cuda::row_major_product p = square(8);
  p.accumulate = true;
  b.cache().prepare(p, {address(left), address(right), address(result)}, on);
  CHECK(result == std::vector<float>(64, 5));
}

TEST_CASE("product: an algorithm that does not run is passed over") {
  product_bench b;
  b.blas.fails_to_run = 1;
  CHECK(b.cache().prepare(square(8), {}, on).choice().algorithm.data[0] == 2);
}

TEST_CASE("product: without a measurement the best guess is taken, and not kept on disk") {
  product_bench b;
  SUBCASE("as asked") {
    b.cache().prepare(square(8), {}, on, cuda::product_choice::first);
  }
  SUBCASE("where a stream is captured") {
    b.fake.api().capture_begin(on, cuda::capture_mode::relaxed);
    CHECK(b.cache().prepare(square(8), {}, on).choice().algorithm.data[0] == 0);
    cuda::graph_handle graph = nullptr;
    b.fake.api().capture_end(on, &graph);
  }
  SUBCASE("where there is no memory") {
    b.fake.memory_bytes = 16 << 20;
    CHECK(b.cache().prepare(square(8), {}, on).choice().algorithm.data[0] == 0);
    CHECK(b.memory.statistics().in_use == 0);
    b.fake.memory_bytes = 1 << 30;
  }
  CHECK(b.blas.algorithms_run.empty());
  CHECK(b.disk.statistics().entries == 0);
  CHECK(b.cache().prepare(square(8), {}, on).choice().algorithm.data[0] == 1);
}

TEST_CASE("product: errors say which product") {
  product_bench b;
  cuda::product_cache cache = b.cache();
  cuda::row_major_product p = square(8);
  p.ldb = 4;
  CHECK_THROWS_WITH_AS(
      cache.prepare(p, {}, on),
      doctest::Contains("cannot describe the product 8x8x8 batch 1 a float32 8+0 b "
                        "float32 4+0"),
      weft::device_error);
  b.blas.milliseconds.clear();
  CHECK_THROWS_WITH_AS(
      cache.prepare(square(8), {}, on, cuda::product_choice::measured, {"matmul", "a.cpp:3"}),
      doctest::Contains("cannot find an algorithm for the product 8x8x8"), weft::device_error);
  CHECK(cache.size() == 0);
  b.library.failure = "weft: libcublasLt was not found";
  CHECK_THROWS_WITH_AS(cache.prepare(square(8), {}, on), "weft: libcublasLt was not found",
                       weft::device_error);
}

TEST_CASE("product: the real library takes every descriptor") {
  if (!cuda::blas().failure.empty()) {
    MESSAGE("SKIPPED: no cuBLASLt here");
    return;
  }
  // Descriptors need no device.
  const cuda::blas_api& api = cuda::blas().api;
  CHECK(api.version() >= 120000);
  for (const auto type : {cuda::blas_type::float32, cuda::blas_type::float64,
                          cuda::blas_type::float16, cuda::blas_type::bfloat16}) {
    for (const auto epilogue :
         {cuda::blas_epilogue::none, cuda::blas_epilogue::gelu_auxiliary_bias,
          cuda::blas_epilogue::gelu_gradient_bias_gradient, cuda::blas_epilogue::row_sums_of_a}) {
      cuda::row_major_product p = square(64);
      p.a = p.b = p.d = p.bias = type;
      p.epilogue = epilogue;
      p.transpose_b = true;
      p.ld_auxiliary = 64;
      p.batch = 3;
      p.stride_a = p.stride_d = p.stride_auxiliary = 64 * 64;
      CAPTURE(p.text());
      CHECK_NOTHROW(cuda::prepared_product(api, nullptr, p));
    }
  }
}
