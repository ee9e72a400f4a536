// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <mutex>
#include <string>
#include <weft/cuda/driver.hpp>

// The kernel that decides conditional nodes of graphs.
namespace weft::detail::cuda {

/// `weft_set_conditions(flag, fault, holds, fails, both)`: condition `holds` becomes whether the
/// byte at `flag` is not 0, and if `both` is not 0 condition `fails` the opposite; both are 0 after
/// a fault, whose int is at `fault` if that is not null. It is PTX because only the driver has
/// `cudaGraphSetConditional`, and links it into what it compiles itself; so NVRTC is not needed
/// either, and PTX of this version is read by every driver that has conditional nodes.
inline constexpr char condition_setter_text[] = R"(.version 7.0
.target sm_52
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 condition, .param .b32 value);
.visible .entry weft_set_conditions (.param .u64 flag, .param .u64 fault, .param .u64 holds,
                                     .param .u64 fails, .param .u64 both) {
  .reg .pred %met, %yes, %no, %none;
  .reg .b32 %state, %byte, %value;
  .reg .b64 %at, %condition;
  .param .b64 which;
  .param .b32 what;
  mov.u32 %state, 0;
  ld.param.u64 %at, [fault];
  setp.eq.u64 %none, %at, 0;
  @%none bra known;
  ld.volatile.u32 %state, [%at];
known:
  setp.ne.u32 %met, %state, 0;
  ld.param.u64 %at, [flag];
  ld.u8 %byte, [%at];
  setp.ne.u32 %yes, %byte, 0;
  setp.eq.u32 %no, %byte, 0;
  selp.u32 %value, 1, 0, %yes;
  @%met mov.u32 %value, 0;
  ld.param.u64 %condition, [holds];
  st.param.b64 [which], %condition;
  st.param.b32 [what], %value;
  call.uni cudaGraphSetConditional, (which, what);
  ld.param.u64 %at, [both];
  setp.eq.u64 %none, %at, 0;
  @%none bra done;
  selp.u32 %value, 1, 0, %no;
  @%met mov.u32 %value, 0;
  ld.param.u64 %condition, [fails];
  st.param.b64 [which], %condition;
  st.param.b32 [what], %value;
  call.uni cudaGraphSetConditional, (which, what);
done:
  ret;
}
)";

/// The setter on one device, loaded when it is first needed.
class condition_setter {
 public:
  condition_setter(const context& on, int driver_version)
      : context_(on), driver_version_(driver_version) {}

  /// Null where graphs have no conditional nodes; then `why` says so.
  function_handle get(std::string& why) {
    const std::scoped_lock lock(mutex_);
    if (!tried_) load();
    tried_ = true;
    why = why_;
    return function_;
  }

 private:
  void load() {
    const driver_api& api = *context_.api;
    if (driver_version_ < 12040 || !api.has_conditional_nodes()) {
      why_ = "the driver is older than CUDA 12.4 and has no conditional nodes";
      return;
    }
    context_.make_current();
    module_handle loaded = nullptr;
    driver_status status = api.module_load(&loaded, condition_setter_text);
    if (status == driver_status::success)
      status = api.module_function(&function_, loaded, "weft_set_conditions");
    if (status == driver_status::success && api.function_load)
      status = api.function_load(function_);
    if (status == driver_status::success) return;
    function_ = nullptr;
    why_ = "the driver does not load the kernel that sets conditions: " + status_text(api, status);
  }

  context context_;
  int driver_version_ = 0;
  std::mutex mutex_;
  bool tried_ = false;
  function_handle function_ = nullptr;
  std::string why_;
};

}  // namespace weft::detail::cuda
