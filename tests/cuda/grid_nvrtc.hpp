// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/nvrtc.hpp>
#include <weft/cuda/prelude_text.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

// Emitted kernels through NVRTC, for the architectures that matter.
namespace weft_test {

/// Compiles a unit of kernels for sm_80, sm_90 and sm_100, under WEFT_QUICK for one of them, which
/// its text decides; false where there is no NVRTC, which is said and counted once.
inline bool compile_for_devices(const std::string& source) {
  using namespace weft::detail::cuda;
  const nvrtc_state& state = nvrtc();
  if (!state.failure.empty()) {
    static const bool said = [] {
      MESSAGE("SKIPPED: no NVRTC here, kernels are compiled for the host alone");
      return true;
    }();
    return !said;
  }
  const nvrtc_api& api = state.api;
  std::vector<int> architectures{80, 90, 100};
#ifdef WEFT_QUICK
  architectures = {architectures[source.size() % 3]};
#endif
  for (const int arch : architectures) {
    compile_settings settings;
    settings.major = arch / 10;
    settings.minor = arch % 10;
    std::vector<std::string> options = compile_options(state, settings);
    options.push_back("--ptxas-options=-O0");  // nobody runs them
    std::vector<const char*> list;
    for (const std::string& o : options) list.push_back(o.c_str());
    const char* names[]{prelude_name};
    const char* texts[]{prelude_text};
    nvrtc_program p = nullptr;
    const bool made =
        api.create(&p, source.c_str(), "kernels.cu", 1, texts, names) == nvrtc_status::success;
    REQUIRE(made);
    const bool good =
        api.compile(p, static_cast<int>(list.size()), list.data()) == nvrtc_status::success;
    std::size_t size = 0;
    api.log_size(p, &size);
    std::string log(size, ' ');
    api.log(p, log.data());
    api.destroy(&p);
    REQUIRE_MESSAGE(good, "sm_", arch, ": ", log.substr(0, 3000));
  }
  return true;
}

}  // namespace weft_test
