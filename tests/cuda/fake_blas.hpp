// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "cuda/fake_driver.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>
#include <weft/cuda/blas_api.hpp>

// cuBLASLt for float on the host, column-major as the real one. An algorithm's first word is its
// number, and running it takes the time that the test gives to that number.

namespace weft_tests {

class fake_blas {
 public:
  struct layout {
    std::uint64_t rows = 0, columns = 0;
    std::int64_t leading = 0, stride = 0;
    std::int32_t batch = 1;
  };

  std::map<std::string, int> calls;
  std::vector<double> milliseconds{3, 1, 2};  // of each algorithm
  std::vector<std::size_t> workspaces{0, 1000, 0};
  std::uint64_t fails_to_run = ~std::uint64_t(0);  // an algorithm that is proposed and does not run
  bool refuses_stored = false;
  std::size_t version = 130000;
  std::vector<std::uint64_t> algorithms_run;

  explicit fake_blas(fake_driver& driver) : driver_(&driver) { current = this; }
  ~fake_blas() { current = nullptr; }

  cuda::blas_state state() const {
    cuda::blas_state result;
    result.api = make();
    result.path = "fake";
    return result;
  }

  inline static fake_blas* current = nullptr;

 private:
  using status = cuda::blas_status;
  using attributes = std::map<int, std::string>;

  static layout& of(cuda::layout_handle handle) { return *reinterpret_cast<layout*>(handle); }
  static attributes& of(cuda::matmul_handle handle) {
    return *reinterpret_cast<attributes*>(handle);
  }

  template <class Value>
  static Value read(attributes& from, cuda::matmul_attribute which, Value otherwise) {
    const auto found = from.find(int(which));
    if (found == from.end()) return otherwise;
    if (found->second.size() != sizeof(Value)) throw weft::error("an attribute's size is wrong");
    Value value;
    std::memcpy(&value, found->second.data(), sizeof(value));
    return value;
  }

  static cuda::blas_api make() {
    cuda::blas_api api;
    api.create = [](cuda::blas_handle* made) {
      *made = reinterpret_cast<cuda::blas_handle>(0x900);
      ++current->calls["create"];
      return status::success;
    };
    api.version = [] { return current->version; };
    api.status_text = [](status) { return "a fake status"; };
    api.layout_create = [](cuda::layout_handle* made, cuda::blas_type, std::uint64_t rows,
                           std::uint64_t columns, std::int64_t leading) {
      if (std::int64_t(rows) > leading) return status::invalid_value;
      *made = reinterpret_cast<cuda::layout_handle>(new layout{rows, columns, leading});
      ++current->calls["layout_create"];
      return status::success;
    };
    api.layout_destroy = [](cuda::layout_handle handle) {
      delete &of(handle);
      ++current->calls["layout_destroy"];
      return status::success;
    };
    api.layout_set = [](cuda::layout_handle handle, cuda::layout_attribute which, const void* value,
                        std::size_t size) {
      const bool is_stride = which == cuda::layout_attribute::batch_stride;
      if (size != (is_stride ? 8u : 4u)) return status::invalid_value;
      if (is_stride) {
        std::memcpy(&of(handle).stride, value, size);
      } else {
        std::memcpy(&of(handle).batch, value, size);
      }
      return status::success;
    };
    api.matmul_create = [](cuda::matmul_handle* made, cuda::blas_compute, cuda::blas_type) {
      *made = reinterpret_cast<cuda::matmul_handle>(new attributes);
      return status::success;
    };
    api.matmul_destroy = [](cuda::matmul_handle handle) {
      delete &of(handle);
      return status::success;
    };
    api.matmul_set = [](cuda::matmul_handle handle, cuda::matmul_attribute which, const void* value,
                        std::size_t size) {
      of(handle)[int(which)] = std::string(static_cast<const char*>(value), size);
      return status::success;
    };
    api.preference_create = [](cuda::preference_handle* made) {
      *made = reinterpret_cast<cuda::preference_handle>(0x910);
      return status::success;
    };
    api.preference_destroy = [](cuda::preference_handle) { return status::success; };
    api.preference_set = [](cuda::preference_handle, cuda::preference_attribute, const void*,
                            std::size_t) { return status::success; };
    api.heuristics = [](cuda::blas_handle, cuda::matmul_handle, cuda::layout_handle,
                        cuda::layout_handle, cuda::layout_handle, cuda::layout_handle,
                        cuda::preference_handle, int most, cuda::matmul_candidate* found,
                        int* count) {
      ++current->calls["heuristics"];
      *count = 0;
      for (std::size_t i = 0; i < current->milliseconds.size() && *count < most; ++i) {
        found[*count].algorithm.data[0] = i;
        found[(*count)++].workspace = current->workspaces[i];
      }
      return *count ? status::success : status::not_supported;
    };
    api.check = [](cuda::blas_handle, cuda::matmul_handle, cuda::layout_handle, cuda::layout_handle,
                   cuda::layout_handle, cuda::layout_handle,
                   const cuda::matmul_algorithm* algorithm, cuda::matmul_candidate* facts) {
      if (current->refuses_stored) return status::not_supported;
      facts->workspace = current->workspaces[algorithm->data[0]];
      return status::success;
    };
    api.matmul = multiply;
    return api;
  }

  static status multiply(cuda::blas_handle, cuda::matmul_handle how, const void* alpha,
                         cuda::device_address a, cuda::layout_handle layout_a,
                         cuda::device_address b, cuda::layout_handle layout_b, const void* beta,
                         cuda::device_address, cuda::layout_handle, cuda::device_address d,
                         cuda::layout_handle layout_d, const cuda::matmul_algorithm* algorithm,
                         cuda::device_address, std::size_t, cuda::stream_handle) {
    const std::uint64_t number = algorithm->data[0];
    if (number == current->fails_to_run) return status::not_supported;
    current->algorithms_run.push_back(number);
    current->driver_->clock_milliseconds += current->milliseconds[number];
    const bool transpose_a = read(of(how), cuda::matmul_attribute::transpose_a, 0) != 0;
    const bool transpose_b = read(of(how), cuda::matmul_attribute::transpose_b, 0) != 0;
    const int epilogue = read(of(how), cuda::matmul_attribute::epilogue, 1);
    const auto* bias = reinterpret_cast<const float*>(
        read(of(how), cuda::matmul_attribute::bias_pointer, cuda::device_address(0)));
    const layout &first = of(layout_a), &second = of(layout_b), &result = of(layout_d);
    const std::uint64_t inner = transpose_a ? first.rows : first.columns;
    if (inner != (transpose_b ? second.columns : second.rows) ||
        result.rows != (transpose_a ? first.columns : first.rows) ||
        result.columns != (transpose_b ? second.rows : second.columns)) {
      return status::invalid_value;
    }
    const auto element = [](cuda::device_address base, const layout& of, std::int64_t matrix,
                            std::uint64_t row, std::uint64_t column) -> float& {
      return reinterpret_cast<float*>(
          base)[matrix * of.stride + std::int64_t(column) * of.leading + std::int64_t(row)];
    };
    for (std::int64_t matrix = 0; matrix < result.batch; ++matrix) {
      for (std::uint64_t row = 0; row < result.rows; ++row) {
        for (std::uint64_t column = 0; column < result.columns; ++column) {
          float sum = 0;
          for (std::uint64_t i = 0; i < inner; ++i) {
            sum += element(a, first, matrix, transpose_a ? i : row, transpose_a ? row : i) *
                   element(b, second, matrix, transpose_b ? column : i, transpose_b ? i : column);
          }
          float& target = element(d, result, matrix, row, column);
          sum = sum * *static_cast<const float*>(alpha);
          if (*static_cast<const float*>(beta) != 0)
            sum += *static_cast<const float*>(beta) * target;
          if (epilogue & 4) sum += bias[row];
          if ((epilogue & 2) && sum < 0) sum = 0;
          target = sum;
        }
      }
    }
    return status::success;
  }

  fake_driver* driver_;
};

}  // namespace weft_tests
