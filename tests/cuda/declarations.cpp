// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

// Our own declarations of the vendor's interfaces, compared with the vendor's where it is
// installed.
#if defined(WEFT_HAS_CUDA_HEADERS)

#include <cublasLt.h>
#include <cuda.h>
#include <nvrtc.h>

#include <cstddef>
#include <weft/cuda/blas_api.hpp>
#include <weft/cuda/nvrtc.hpp>

namespace cuda = weft::detail::cuda;

// A value of ours is the value of theirs.
#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))

SAME(cuda::driver_status::success, CUDA_SUCCESS);
SAME(cuda::driver_status::invalid_value, CUDA_ERROR_INVALID_VALUE);
SAME(cuda::driver_status::out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
SAME(cuda::driver_status::stub_library, CUDA_ERROR_STUB_LIBRARY);
SAME(cuda::driver_status::no_device, CUDA_ERROR_NO_DEVICE);
SAME(cuda::driver_status::invalid_image, CUDA_ERROR_INVALID_IMAGE);
SAME(cuda::driver_status::invalid_context, CUDA_ERROR_INVALID_CONTEXT);
SAME(cuda::driver_status::no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(cuda::driver_status::unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(cuda::driver_status::not_found, CUDA_ERROR_NOT_FOUND);
SAME(cuda::driver_status::not_ready, CUDA_ERROR_NOT_READY);
SAME(cuda::driver_status::illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(cuda::driver_status::launch_out_of_resources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(cuda::driver_status::launch_timeout, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME(cuda::driver_status::device_assert, CUDA_ERROR_ASSERT);
SAME(cuda::driver_status::hardware_stack_error, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME(cuda::driver_status::launch_failed, CUDA_ERROR_LAUNCH_FAILED);
SAME(cuda::driver_status::stream_capture_unsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME(cuda::driver_status::graph_update_failure, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);

SAME(cuda::device_attribute::multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(cuda::device_attribute::l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(cuda::device_attribute::threads_per_multiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(cuda::device_attribute::major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(cuda::device_attribute::minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(cuda::device_attribute::shared_per_multiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(cuda::device_attribute::registers_per_multiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME(cuda::device_attribute::shared_per_block_optin,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

SAME(cuda::function_attribute::max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(cuda::function_attribute::shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME(cuda::function_attribute::local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(cuda::function_attribute::registers, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME(cuda::function_attribute::max_dynamic_shared_bytes,
     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);

SAME(cuda::capture_mode::relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(cuda::capture_status::none, CU_STREAM_CAPTURE_STATUS_NONE);
SAME(cuda::capture_status::active, CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME(cuda::stream_non_blocking, CU_STREAM_NON_BLOCKING);
SAME(cuda::event_disable_timing, CU_EVENT_DISABLE_TIMING);
SAME(cuda::host_portable, CU_MEMHOSTALLOC_PORTABLE);

static_assert(sizeof(cuda::driver_status) == sizeof(CUresult));
static_assert(sizeof(cuda::device_id) == sizeof(CUdevice));
static_assert(sizeof(cuda::device_address) == sizeof(CUdeviceptr));
static_assert(sizeof(cuda::stream_handle) == sizeof(CUstream));

// A struct of ours has the size of theirs, and its members their places.
using node = cuda::kernel_node_parameters;
static_assert(sizeof(node) == sizeof(CUDA_KERNEL_NODE_PARAMS));
static_assert(offsetof(node, function) == offsetof(CUDA_KERNEL_NODE_PARAMS, func));
static_assert(offsetof(node, grid) == offsetof(CUDA_KERNEL_NODE_PARAMS, gridDimX));
static_assert(offsetof(node, block) == offsetof(CUDA_KERNEL_NODE_PARAMS, blockDimX));
static_assert(offsetof(node, shared_bytes) == offsetof(CUDA_KERNEL_NODE_PARAMS, sharedMemBytes));
static_assert(offsetof(node, arguments) == offsetof(CUDA_KERNEL_NODE_PARAMS, kernelParams));
static_assert(offsetof(node, extra) == offsetof(CUDA_KERNEL_NODE_PARAMS, extra));
static_assert(offsetof(node, kernel) == offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
static_assert(offsetof(node, context) == offsetof(CUDA_KERNEL_NODE_PARAMS, ctx));
static_assert(sizeof(cuda::graph_update_result) == sizeof(CUgraphExecUpdateResultInfo));
static_assert(offsetof(cuda::graph_update_result, error_from) ==
              offsetof(CUgraphExecUpdateResultInfo, errorFromNode));

// From CUDA 12.4 on; older headers do not have them.
#if CUDA_VERSION >= 12040
SAME(cuda::conditional_node, CU_GRAPH_NODE_TYPE_CONDITIONAL);
SAME(cuda::condition_type::once, CU_GRAPH_COND_TYPE_IF);
SAME(cuda::condition_type::repeated, CU_GRAPH_COND_TYPE_WHILE);
SAME(cuda::set_capture_dependencies, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
static_assert(sizeof(cuda::condition_handle) == sizeof(CUgraphConditionalHandle));
using conditional = cuda::conditional_node_parameters;
static_assert(sizeof(conditional) == sizeof(CUgraphNodeParams));
static_assert(offsetof(conditional, type) == offsetof(CUgraphNodeParams, type));
static_assert(offsetof(conditional, handle) == offsetof(CUgraphNodeParams, conditional.handle));
static_assert(offsetof(conditional, condition) == offsetof(CUgraphNodeParams, conditional.type));
static_assert(offsetof(conditional, count) == offsetof(CUgraphNodeParams, conditional.size));
static_assert(offsetof(conditional, bodies) ==
              offsetof(CUgraphNodeParams, conditional.phGraph_out));
static_assert(offsetof(conditional, context) == offsetof(CUgraphNodeParams, conditional.ctx));
#endif

SAME(cuda::nvrtc_status::success, NVRTC_SUCCESS);
SAME(cuda::nvrtc_status::invalid_option, NVRTC_ERROR_INVALID_OPTION);
SAME(cuda::nvrtc_status::compilation, NVRTC_ERROR_COMPILATION);

SAME(cuda::blas_status::success, CUBLAS_STATUS_SUCCESS);
SAME(cuda::blas_status::invalid_value, CUBLAS_STATUS_INVALID_VALUE);
SAME(cuda::blas_status::not_supported, CUBLAS_STATUS_NOT_SUPPORTED);
SAME(cuda::blas_type::float32, CUDA_R_32F);
SAME(cuda::blas_type::float64, CUDA_R_64F);
SAME(cuda::blas_type::float16, CUDA_R_16F);
SAME(cuda::blas_type::bfloat16, CUDA_R_16BF);
SAME(cuda::blas_compute::float32, CUBLAS_COMPUTE_32F);
SAME(cuda::blas_compute::float64, CUBLAS_COMPUTE_64F);
SAME(cuda::blas_compute::tf32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(cuda::layout_attribute::batch_count, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(cuda::layout_attribute::batch_stride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(cuda::matmul_attribute::transpose_a, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(cuda::matmul_attribute::transpose_b, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(cuda::matmul_attribute::epilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME(cuda::matmul_attribute::bias_pointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME(cuda::matmul_attribute::bias_type, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
SAME(cuda::matmul_attribute::auxiliary_pointer, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
SAME(cuda::matmul_attribute::auxiliary_leading, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
SAME(cuda::matmul_attribute::auxiliary_batch_stride,
     CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE);
SAME(cuda::preference_attribute::most_workspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(cuda::preference_attribute::reduction_schemes, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
SAME(cuda::preference_attribute::alignment_a, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(cuda::preference_attribute::alignment_b, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME(cuda::preference_attribute::alignment_c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME(cuda::preference_attribute::alignment_d, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
SAME(cuda::reduction_in_compute_type, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
SAME(cuda::blas_epilogue::none, CUBLASLT_EPILOGUE_DEFAULT);
SAME(cuda::blas_epilogue::relu, CUBLASLT_EPILOGUE_RELU);
SAME(cuda::blas_epilogue::bias, CUBLASLT_EPILOGUE_BIAS);
SAME(cuda::blas_epilogue::relu_bias, CUBLASLT_EPILOGUE_RELU_BIAS);
SAME(cuda::blas_epilogue::gelu, CUBLASLT_EPILOGUE_GELU);
SAME(cuda::blas_epilogue::gelu_bias, CUBLASLT_EPILOGUE_GELU_BIAS);
SAME(cuda::blas_epilogue::gelu_auxiliary, CUBLASLT_EPILOGUE_GELU_AUX);
SAME(cuda::blas_epilogue::gelu_auxiliary_bias, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
SAME(cuda::blas_epilogue::gelu_gradient, CUBLASLT_EPILOGUE_DGELU);
SAME(cuda::blas_epilogue::gelu_gradient_bias_gradient, CUBLASLT_EPILOGUE_DGELU_BGRAD);
SAME(cuda::blas_epilogue::column_sums_of_b, CUBLASLT_EPILOGUE_BGRADA);
SAME(cuda::blas_epilogue::row_sums_of_a, CUBLASLT_EPILOGUE_BGRADB);

using candidate = cuda::matmul_candidate;
using result = cublasLtMatmulHeuristicResult_t;
static_assert(sizeof(cuda::matmul_algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(candidate) == sizeof(result));
static_assert(offsetof(candidate, workspace) == offsetof(result, workspaceSize));
static_assert(offsetof(candidate, state) == offsetof(result, state));
static_assert(offsetof(candidate, waves) == offsetof(result, wavesCount));

// Where a function is renamed by a macro, ours is the one that the headers mean. Some are older
// forms, which older drivers have as well: cuStreamGetCaptureInfo_v2, cuEventElapsedTime,
// cuGraphAddNode and cuStreamUpdateCaptureDependencies.
#define TEXT_OF(...) #__VA_ARGS__
#define NAME_OF(x) TEXT_OF(x)

TEST_CASE("declarations: the exported names that the headers mean") {
  CHECK(std::string(NAME_OF(cuMemAlloc)) == "cuMemAlloc_v2");
  CHECK(std::string(NAME_OF(cuMemFree)) == "cuMemFree_v2");
  CHECK(std::string(NAME_OF(cuMemGetInfo)) == "cuMemGetInfo_v2");
  CHECK(std::string(NAME_OF(cuDeviceTotalMem)) == "cuDeviceTotalMem_v2");
  CHECK(std::string(NAME_OF(cuStreamDestroy)) == "cuStreamDestroy_v2");
  CHECK(std::string(NAME_OF(cuEventDestroy)) == "cuEventDestroy_v2");
  CHECK(std::string(NAME_OF(cuGraphExecUpdate)) == "cuGraphExecUpdate_v2");
  CHECK(std::string(NAME_OF(cuGraphInstantiate)) == "cuGraphInstantiateWithFlags");
  CHECK(std::string(NAME_OF(cuGraphExecKernelNodeSetParams)) ==
        "cuGraphExecKernelNodeSetParams_v2");
}

#else

TEST_CASE("declarations: compared with the toolkit's headers") {
  MESSAGE("SKIPPED: the CUDA toolkit's headers are not installed");
}

#endif
