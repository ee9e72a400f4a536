// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
#include <weft/cuda/blas_api.hpp>
#include <weft/cuda/driver.hpp>

namespace weft::detail::cuda {

/// d = epilogue(op(a) op(b)), row-major, batched: op(a) has m rows and k columns, op(b) k rows and
/// n columns. Every extent is at least 1. Leading dimensions are the steps from one stored row to
/// the next, strides those from one matrix of the batch to the next, in elements; a stride of 0
/// repeats a matrix.
struct row_major_product {
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  bool transpose_a = false, transpose_b = false;  // stored as k rows of m, n rows of k
  std::int64_t lda = 1, ldb = 1, ldd = 1, ld_auxiliary = 0;
  std::int64_t stride_a = 0, stride_b = 0, stride_d = 0, stride_auxiliary = 0;
  blas_type a = blas_type::float32, b = blas_type::float32, d = blas_type::float32;
  blas_type bias = blas_type::float32;
  bool tf32 = false;        // float32 operands may be rounded to 10 bits of mantissa
  bool accumulate = false;  // adds to what d holds
  blas_epilogue epilogue = blas_epilogue::none;
  std::uint32_t alignment = 16;  // of all addresses, in bytes, a power of two

  bool operator==(const row_major_product&) const = default;

  bool has_bias() const {
    const int bits = int(epilogue);
    return (bits & 4) || epilogue == blas_epilogue::gelu_gradient_bias_gradient ||
           epilogue == blas_epilogue::column_sums_of_b || epilogue == blas_epilogue::row_sums_of_a;
  }
  bool has_auxiliary() const { return (int(epilogue) & 128) != 0; }

  /// The problem in words, for messages and keys.
  std::string text() const {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    const auto name = [](blas_type type) {
      return std::string(type == blas_type::float32   ? "float32"
                         : type == blas_type::float64 ? "float64"
                         : type == blas_type::float16 ? "float16"
                                                      : "bfloat16");
    };
    std::string result = number(m) + "x" + number(n) + "x" + number(k) + " batch " + number(batch);
    result += " a " + name(a) + (transpose_a ? " transposed " : " ") + number(lda) + "+" +
              number(stride_a);
    result += " b " + name(b) + (transpose_b ? " transposed " : " ") + number(ldb) + "+" +
              number(stride_b);
    result += " d " + name(d) + " " + number(ldd) + "+" + number(stride_d);
    if (epilogue != blas_epilogue::none) result += " epilogue " + number(int(epilogue));
    if (has_bias()) result += " bias " + name(bias);
    if (has_auxiliary()) {
      result += " auxiliary " + number(ld_auxiliary) + "+" + number(stride_auxiliary);
    }
    if (tf32) result += " tf32";
    if (accumulate) result += " accumulate";
    return result + " aligned " + number(alignment);
  }
};

struct product_operands {
  device_address a = 0, b = 0, d = 0;
  device_address bias = 0;       // read, or written by the epilogues that store sums
  device_address auxiliary = 0;  // of d's shape and type
};

/// A product whose descriptors are made. cuBLASLt is column-major: a row-major matrix is its own
/// transpose there, so it is asked for d^T = op(b)^T op(a)^T, and the operands change places.
/// Safe to run from many threads.
class prepared_product {
 public:
  prepared_product(const blas_api& api, blas_handle handle, const row_major_product& problem)
      : api_(&api), handle_(handle), problem_(problem) {
    const auto require = [&](blas_status status) { this->require(status, "describe"); };
    const row_major_product& p = problem;
    const bool wide = p.d == blas_type::float64;
    require(api.matmul_create(&matmul_.value,
                              wide     ? blas_compute::float64
                              : p.tf32 ? blas_compute::tf32
                                       : blas_compute::float32,
                              wide ? blas_type::float64 : blas_type::float32));
    set(matmul_attribute::transpose_a, std::int32_t(p.transpose_b));
    set(matmul_attribute::transpose_b, std::int32_t(p.transpose_a));
    set(matmul_attribute::epilogue, std::int32_t(p.epilogue));
    if (p.has_bias()) set(matmul_attribute::bias_type, std::int32_t(p.bias));
    if (p.has_auxiliary()) {
      set(matmul_attribute::auxiliary_leading, p.ld_auxiliary);
      if (p.batch > 1) set(matmul_attribute::auxiliary_batch_stride, p.stride_auxiliary);
    }
    const auto columns = [](bool transposed, std::int64_t rows, std::int64_t inner) {
      return transposed ? std::pair(rows, inner) : std::pair(inner, rows);
    };
    // A stored row of ours is a column of theirs.
    const auto stored_b = columns(p.transpose_b, p.k, p.n);
    const auto stored_a = columns(p.transpose_a, p.m, p.k);
    make_layout(first_, p.b, stored_b.first, stored_b.second, p.ldb, p.stride_b);
    make_layout(second_, p.a, stored_a.first, stored_a.second, p.lda, p.stride_a);
    make_layout(result_, p.d, p.n, p.m, p.ldd, p.stride_d);
  }
  prepared_product(const prepared_product&) = delete;

  const row_major_product& problem() const { return problem_; }
  const matmul_candidate& choice() const { return choice_; }
  std::size_t workspace() const { return choice_.workspace; }
  double microseconds() const { return microseconds_; }  // as measured; 0 if it was not

  /// What the heuristics propose, best guess first, none that wants more workspace.
  std::vector<matmul_candidate> candidates(std::size_t most_workspace, int most) const {
    preference_handle preference = nullptr;
    require(api_->preference_create(&preference), "describe");
    const auto prefer = [&](preference_attribute which, auto value) {
      return api_->preference_set(preference, which, &value, sizeof(value));
    };
    blas_status status =
        prefer(preference_attribute::most_workspace, std::uint64_t(most_workspace));
    const auto also = [&](preference_attribute which, std::uint32_t value) {
      if (status == blas_status::success) status = prefer(which, value);
    };
    also(preference_attribute::reduction_schemes, reduction_in_compute_type);
    also(preference_attribute::alignment_a, problem_.alignment);
    also(preference_attribute::alignment_b, problem_.alignment);
    also(preference_attribute::alignment_c, problem_.alignment);
    also(preference_attribute::alignment_d, problem_.alignment);
    std::vector<matmul_candidate> found(static_cast<std::size_t>(most));
    int count = 0;
    if (status == blas_status::success) {
      status = api_->heuristics(handle_, matmul_.value, first_.value, second_.value, result_.value,
                                result_.value, preference, most, found.data(), &count);
    }
    api_->preference_destroy(preference);
    if (status != blas_status::not_supported) require(status, "find algorithms for");
    found.resize(std::size_t(std::max(count, 0)));
    std::erase_if(found, [&](const matmul_candidate& each) {
      return each.state != blas_status::success || each.workspace > most_workspace;
    });
    return found;
  }

  /// True if this library takes the algorithm for this problem; `made.workspace` is set then.
  bool accepts(matmul_candidate& made, std::size_t most_workspace) const {
    matmul_candidate facts;
    if (api_->check(handle_, matmul_.value, first_.value, second_.value, result_.value,
                    result_.value, &made.algorithm, &facts) != blas_status::success) {
      return false;
    }
    made.workspace = facts.workspace;
    return facts.workspace <= most_workspace;
  }

  void choose(const matmul_candidate& choice, double microseconds) {
    choice_ = choice;
    microseconds_ = microseconds;
  }

  /// Queues the product with the chosen algorithm; `workspace` has workspace() bytes, and the
  /// device's context is current.
  void run(const product_operands& operands, device_address workspace, stream_handle on,
           during task) {
    const blas_status status = try_run(choice_, operands, workspace, on);
    if (status != blas_status::success) require(status, "run", task);
  }

  blas_status try_run(const matmul_candidate& algorithm, const product_operands& operands,
                      device_address workspace, stream_handle on) {
    // The bias is an attribute of the descriptor, which is read during the call.
    const std::scoped_lock lock(mutex_);
    if (problem_.has_bias() && operands.bias != last_bias_) {
      set(matmul_attribute::bias_pointer, operands.bias);
      last_bias_ = operands.bias;
    }
    if (problem_.has_auxiliary() && operands.auxiliary != last_auxiliary_) {
      set(matmul_attribute::auxiliary_pointer, operands.auxiliary);
      last_auxiliary_ = operands.auxiliary;
    }
    const double one_64 = 1, sum_64 = problem_.accumulate ? 1 : 0;
    const float one_32 = 1, sum_32 = problem_.accumulate ? 1 : 0;
    const bool wide = problem_.d == blas_type::float64;
    const void* one = wide ? static_cast<const void*>(&one_64) : &one_32;
    const void* sum = wide ? static_cast<const void*>(&sum_64) : &sum_32;
    return api_->matmul(handle_, matmul_.value, one, operands.b, first_.value, operands.a,
                        second_.value, sum, operands.d, result_.value, operands.d, result_.value,
                        &algorithm.algorithm, workspace, algorithm.workspace, on);
  }

  /// Throws device_error for anything but success.
  void require(blas_status status, const char* what, during task = {}) const {
    if (status == blas_status::success) return;
    std::string text = "weft: cuBLASLt cannot " + std::string(what) + " the product " +
                       problem_.text() + ": " + api_->status_text(status);
    if (!task.what.empty()) text += ", in " + task.text();
    throw device_error(text);
  }

 private:
  template <class Handle, blas_status (*blas_api::*Destroy)(Handle)>
  struct owned {
    const blas_api* api;
    Handle value = nullptr;
    explicit owned(const blas_api* from) : api(from) {}
    owned(const owned&) = delete;
    ~owned() {
      if (value) (api->*Destroy)(value);
    }
  };
  using layout = owned<layout_handle, &blas_api::layout_destroy>;

  template <class Value>
  void set(matmul_attribute which, Value value) {
    require(api_->matmul_set(matmul_.value, which, &value, sizeof(value)), "describe");
  }

  void make_layout(layout& made, blas_type type, std::int64_t rows, std::int64_t columns,
                   std::int64_t leading, std::int64_t stride) {
    require(api_->layout_create(&made.value, type, std::uint64_t(rows), std::uint64_t(columns),
                                leading),
            "describe");
    if (problem_.batch == 1) return;
    const auto batch = std::int32_t(problem_.batch);
    require(api_->layout_set(made.value, layout_attribute::batch_count, &batch, sizeof(batch)),
            "describe");
    require(api_->layout_set(made.value, layout_attribute::batch_stride, &stride, sizeof(stride)),
            "describe");
  }

  const blas_api* api_;
  blas_handle handle_;
  row_major_product problem_;
  owned<matmul_handle, &blas_api::matmul_destroy> matmul_{api_};
  layout first_{api_}, second_{api_}, result_{api_};
  matmul_candidate choice_;
  double microseconds_ = 0;
  std::mutex mutex_;
  device_address last_bias_ = 0, last_auxiliary_ = 0;
};

}  // namespace weft::detail::cuda
