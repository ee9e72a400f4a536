// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/cuda/driver.hpp>
#include <weft/cuda/library.hpp>

// The part of cuBLASLt's interface that Weft calls; tests/cuda/declarations.cpp compares values and
// layouts with cublasLt.h.

namespace weft::detail::cuda {

enum class blas_status : int { success = 0, invalid_value = 7, not_supported = 15 };

/// Element types, as cudaDataType has them.
enum class blas_type : int { float32 = 0, float64 = 1, float16 = 2, bfloat16 = 14 };

enum class blas_compute : int { float32 = 68, float64 = 70, tf32 = 77 };

enum class layout_attribute : int { batch_count = 5, batch_stride = 6 };

enum class matmul_attribute : int {
  transpose_a = 3,
  transpose_b = 4,
  epilogue = 7,
  bias_pointer = 8,
  auxiliary_pointer = 11,
  auxiliary_leading = 12,
  auxiliary_batch_stride = 13,
  bias_type = 26,
};

enum class preference_attribute : int {
  most_workspace = 1,
  reduction_schemes = 3,
  alignment_a = 5,
  alignment_b = 6,
  alignment_c = 7,
  alignment_d = 8,
};

/// Split sums that are added up in the workspace, in the compute type. The schemes that add in the
/// output's type are left out: they round each partial sum.
inline constexpr std::uint32_t reduction_in_compute_type = 2;

/// What a product does to its tile before it is stored. cublasLtEpilogue_t's values; its bias
/// gradients are named after its own column-major operands, so `a` and `b` change places in
/// row-major terms.
enum class blas_epilogue : int {
  none = 1,
  relu = 2,
  bias = 4,
  relu_bias = 6,
  gelu = 32,  // the tanh form, as all of these
  gelu_bias = 36,
  gelu_auxiliary = 160,       // also stores the value before gelu
  gelu_auxiliary_bias = 164,  // the same, after the bias
  gelu_gradient = 192,        // times the derivative at the stored value
  gelu_gradient_bias_gradient = 208,
  column_sums_of_b = 256,  // also stores the sums over k of the row-major b: n values
  row_sums_of_a = 512,     // also stores the sums over k of the row-major a: m values
};

using blas_handle = struct blas_object*;
using matmul_handle = struct matmul_object*;
using layout_handle = struct layout_object*;
using preference_handle = struct preference_object*;

/// cublasLtMatmulAlgo_t: bytes that may be stored and read again with the same library version.
struct matmul_algorithm {
  std::uint64_t data[8] = {};
};

/// cublasLtMatmulHeuristicResult_t.
struct matmul_candidate {
  matmul_algorithm algorithm;
  std::size_t workspace = 0;
  blas_status state = blas_status::success;
  float waves = 0;
  int reserved[4] = {};
};

#define WEFT_BLAS_ENTRIES(X)                                                                   \
  X(create, cublasLtCreate, (blas_handle*))                                                    \
  X(layout_create, cublasLtMatrixLayoutCreate,                                                 \
    (layout_handle*, blas_type, std::uint64_t, std::uint64_t, std::int64_t))                   \
  X(layout_destroy, cublasLtMatrixLayoutDestroy, (layout_handle))                              \
  X(layout_set, cublasLtMatrixLayoutSetAttribute,                                              \
    (layout_handle, layout_attribute, const void*, std::size_t))                               \
  X(matmul_create, cublasLtMatmulDescCreate, (matmul_handle*, blas_compute, blas_type))        \
  X(matmul_destroy, cublasLtMatmulDescDestroy, (matmul_handle))                                \
  X(matmul_set, cublasLtMatmulDescSetAttribute,                                                \
    (matmul_handle, matmul_attribute, const void*, std::size_t))                               \
  X(preference_create, cublasLtMatmulPreferenceCreate, (preference_handle*))                   \
  X(preference_destroy, cublasLtMatmulPreferenceDestroy, (preference_handle))                  \
  X(preference_set, cublasLtMatmulPreferenceSetAttribute,                                      \
    (preference_handle, preference_attribute, const void*, std::size_t))                       \
  X(heuristics, cublasLtMatmulAlgoGetHeuristic,                                                \
    (blas_handle, matmul_handle, layout_handle, layout_handle, layout_handle, layout_handle,   \
     preference_handle, int, matmul_candidate*, int*))                                         \
  X(check, cublasLtMatmulAlgoCheck,                                                            \
    (blas_handle, matmul_handle, layout_handle, layout_handle, layout_handle, layout_handle,   \
     const matmul_algorithm*, matmul_candidate*))                                              \
  X(matmul, cublasLtMatmul,                                                                    \
    (blas_handle, matmul_handle, const void*, device_address, layout_handle, device_address,   \
     layout_handle, const void*, device_address, layout_handle, device_address, layout_handle, \
     const matmul_algorithm*, device_address, std::size_t, stream_handle))

/// cuBLASLt's functions. Device pointers are declared as addresses; the calling convention is the
/// same.
struct blas_api {
#define WEFT_BLAS_MEMBER(member, symbol, parameters) blas_status(*member) parameters = nullptr;
  WEFT_BLAS_ENTRIES(WEFT_BLAS_MEMBER)
#undef WEFT_BLAS_MEMBER
  std::size_t (*version)() = nullptr;
  const char* (*status_text)(blas_status) = nullptr;
};

/// cuBLASLt after an attempt to load it.
struct blas_state {
  blas_api api;
  std::string path;
  std::string failure;  // why it cannot be used; empty if it can
};

inline blas_state load_blas(const std::vector<std::string>& names,
                            const std::vector<std::string>& folders) {
  blas_state state;
  const library found = open_library(names, folders);
  if (!found.handle) {
    state.failure = missing_library_text(
        "libcublasLt", "multiply matrices on a GPU (it comes with the CUDA toolkit)", found.places);
    return state;
  }
  state.path = found.path;
  std::string missing;
#define WEFT_BLAS_FIND(member, symbol, parameters)        \
  find_function(found.handle, #symbol, state.api.member); \
  if (!state.api.member) missing += missing.empty() ? #symbol : ", " #symbol;
  WEFT_BLAS_ENTRIES(WEFT_BLAS_FIND)
#undef WEFT_BLAS_FIND
  find_function(found.handle, "cublasLtGetVersion", state.api.version);
  find_function(found.handle, "cublasLtGetStatusString", state.api.status_text);
  if (!state.api.version || !state.api.status_text) missing += " cublasLtGetVersion";
  if (!missing.empty()) {
    state.failure = "weft: " + found.path + " has no " + missing +
                    "; a cuBLASLt of CUDA 12 or newer is needed. Everything else still works.";
  }
  return state;
}

/// cuBLASLt, loaded at the first call and kept to the end of the process.
inline const blas_state& blas() {
  static const blas_state* state =
      new blas_state(load_blas(toolkit_library_names("libcublasLt"), toolkit_folders("lib64")));
  return *state;
}

}  // namespace weft::detail::cuda

#undef WEFT_BLAS_ENTRIES
