// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/cuda/disk_cache.hpp>
#include <weft/cuda/driver.hpp>
#include <weft/cuda/library.hpp>

namespace weft::detail::cuda {

enum class nvrtc_status : int { success = 0, invalid_option = 5, compilation = 6 };
using nvrtc_program = struct nvrtc_program_object*;

/// The functions of NVRTC that Weft calls; tests/cuda/declarations.cpp compares with nvrtc.h.
struct nvrtc_api {
  nvrtc_status (*version)(int*, int*) = nullptr;
  nvrtc_status (*count_architectures)(int*) = nullptr;
  nvrtc_status (*architectures)(int*) = nullptr;
  nvrtc_status (*create)(nvrtc_program*, const char*, const char*, int, const char* const*,
                         const char* const*) = nullptr;
  nvrtc_status (*destroy)(nvrtc_program*) = nullptr;
  nvrtc_status (*compile)(nvrtc_program, int, const char* const*) = nullptr;
  nvrtc_status (*log_size)(nvrtc_program, std::size_t*) = nullptr;
  nvrtc_status (*log)(nvrtc_program, char*) = nullptr;
  nvrtc_status (*cubin_size)(nvrtc_program, std::size_t*) = nullptr;
  nvrtc_status (*cubin)(nvrtc_program, char*) = nullptr;
  nvrtc_status (*ptx_size)(nvrtc_program, std::size_t*) = nullptr;
  nvrtc_status (*ptx)(nvrtc_program, char*) = nullptr;
  const char* (*status_text)(nvrtc_status) = nullptr;
};

/// NVRTC after an attempt to load it.
struct nvrtc_state {
  nvrtc_api api;
  std::string path;
  std::string failure;  // why it cannot be used; empty if it can
  int major = 0, minor = 0;
  std::vector<int> architectures;  // 90 is sm_90; in rising order
};

inline nvrtc_state load_nvrtc(const std::vector<std::string>& names,
                              const std::vector<std::string>& folders) {
  nvrtc_state state;
  const library found = open_library(names, folders);
  if (!found.handle) {
    state.failure = missing_library_text(
        "libnvrtc", "compile kernels for a GPU (it comes with the CUDA toolkit)", found.places);
    return state;
  }
  state.path = found.path;
  nvrtc_api& api = state.api;
  find_function(found.handle, "nvrtcVersion", api.version);
  find_function(found.handle, "nvrtcGetNumSupportedArchs", api.count_architectures);
  find_function(found.handle, "nvrtcGetSupportedArchs", api.architectures);
  find_function(found.handle, "nvrtcCreateProgram", api.create);
  find_function(found.handle, "nvrtcDestroyProgram", api.destroy);
  find_function(found.handle, "nvrtcCompileProgram", api.compile);
  find_function(found.handle, "nvrtcGetProgramLogSize", api.log_size);
  find_function(found.handle, "nvrtcGetProgramLog", api.log);
  find_function(found.handle, "nvrtcGetCUBINSize", api.cubin_size);
  find_function(found.handle, "nvrtcGetCUBIN", api.cubin);
  find_function(found.handle, "nvrtcGetPTXSize", api.ptx_size);
  find_function(found.handle, "nvrtcGetPTX", api.ptx);
  find_function(found.handle, "nvrtcGetErrorString", api.status_text);
  int count = 0;
  const bool complete = api.version && api.count_architectures && api.architectures && api.create &&
                        api.destroy && api.compile && api.log_size && api.log && api.cubin_size &&
                        api.cubin && api.ptx_size && api.ptx && api.status_text;
  if (!complete || api.version(&state.major, &state.minor) != nvrtc_status::success ||
      state.major < 12 || api.count_architectures(&count) != nvrtc_status::success) {
    state.failure = "weft: " + found.path +
                    " is not an NVRTC of CUDA 12 or newer. Everything on the CPU still works.";
    return state;
  }
  state.architectures.resize(std::size_t(count));
  api.architectures(state.architectures.data());
  std::sort(state.architectures.begin(), state.architectures.end());
  return state;
}

/// NVRTC, loaded at the first call and kept to the end of the process.
inline const nvrtc_state& nvrtc() {
  static const nvrtc_state* state =
      new nvrtc_state(load_nvrtc(toolkit_library_names("libnvrtc"), toolkit_folders("lib64")));
  return *state;
}

/// A header that sources include by this name without there being a file.
struct source_include {
  std::string name, text;
};

/// A translation unit, and the name that messages call it by.
struct kernel_source {
  std::string name, text;
};

/// How sources are compiled: for one architecture, with these headers.
struct compile_settings {
  int major = 9, minor = 0;
  std::vector<source_include> includes;
  std::vector<std::string> extra_options;
};

struct compiled_kernel {
  std::string image;  // a cubin; PTX for a card that is newer than NVRTC
  double milliseconds = 0;
  std::string log;  // warnings
};

/// The target to compile for: the card's own, or PTX for the newest that NVRTC knows below it.
/// Throws device_error if there is no NVRTC, or it does not support the card any more.
inline std::string compile_target(const nvrtc_state& state, int major, int minor) {
  if (!state.failure.empty()) throw device_error(state.failure);
  const int wanted = major * 10 + minor;
  int below = 0;
  for (const int each : state.architectures) {
    if (each == wanted) return "sm_" + std::to_string(wanted);
    if (each < wanted) below = each;
  }
  if (below == 0) {
    throw device_error("weft: NVRTC " + std::to_string(state.major) + "." +
                       std::to_string(state.minor) + " (" + state.path +
                       ") does not compile for sm_" + std::to_string(wanted) + ", only from sm_" +
                       std::to_string(state.architectures.front()) + " on");
  }
  return "compute_" + std::to_string(below);
}

/// The options, which are a part of every key. `--fmad=false`: an fma is a node of the program. No
/// folder is among them: sources include nothing but what the settings give, so a kernel and its
/// key depend on no file of the toolkit.
inline std::vector<std::string> compile_options(const nvrtc_state& state,
                                                const compile_settings& settings) {
  std::vector<std::string> options{
      "--gpu-architecture=" + compile_target(state, settings.major, settings.minor), "--std=c++20",
      "--fmad=false", "--device-as-default-execution-space"};
  // Leaves out textures and the device runtime, which no kernel of ours uses: 4 ms less for each.
  if (state.major * 10 + state.minor >= 128) options.push_back("--minimal");
  options.insert(options.end(), settings.extra_options.begin(), settings.extra_options.end());
  return options;
}

/// All that a compiled kernel depends on.
inline std::string compile_key(const nvrtc_state& state, const compile_settings& settings,
                               const std::string& source) {
  std::string key = "weft " + std::string(version) + "\nnvrtc " + std::to_string(state.major) +
                    "." + std::to_string(state.minor) + "\n";
  for (const std::string& option : compile_options(state, settings)) key += option + "\n";
  for (const source_include& each : settings.includes) {
    key += "include " + each.name + " " + std::to_string(each.text.size()) + "\n" + each.text;
  }
  return key + "source " + std::to_string(source.size()) + "\n" + source;
}

/// Compiles one source. Throws device_error with NVRTC's whole log and the path of the saved
/// source.
inline compiled_kernel compile_source(const nvrtc_state& state, const kernel_source& source,
                                      const compile_settings& settings, disk_cache& keep) {
  const auto start = std::chrono::steady_clock::now();
  const nvrtc_api& api = state.api;
  const std::vector<std::string> options = compile_options(state, settings);
  std::vector<const char*> option_list;
  for (const std::string& each : options) option_list.push_back(each.c_str());
  std::vector<const char*> names, texts;
  for (const source_include& each : settings.includes) {
    names.push_back(each.name.c_str());
    texts.push_back(each.text.c_str());
  }

  struct owned_program {
    const nvrtc_api& api;
    nvrtc_program handle = nullptr;
    ~owned_program() {
      if (handle) api.destroy(&handle);
    }
  } program{api};
  const auto require = [&](nvrtc_status status, const char* what) {
    if (status != nvrtc_status::success) {
      throw device_error("weft: NVRTC cannot " + std::string(what) + " of kernel " + source.name +
                         ": " + api.status_text(status));
    }
  };
  require(api.create(&program.handle, source.text.c_str(), (source.name + ".cu").c_str(),
                     int(names.size()), texts.data(), names.data()),
          "take the source");
  const nvrtc_status status =
      api.compile(program.handle, int(option_list.size()), option_list.data());
  compiled_kernel result;
  std::size_t size = 0;
  require(api.log_size(program.handle, &size), "give the log");
  result.log.resize(size);
  if (size) require(api.log(program.handle, result.log.data()), "give the log");
  while (result.log.ends_with('\0')) result.log.pop_back();
  if (status != nvrtc_status::success) {
    const std::string path = keep.keep_text(source.name, source.text);
    std::string text = "weft: kernel " + source.name +
                       " does not compile: " + api.status_text(status) + "\noptions:";
    for (const std::string& each : options) text += " " + each;
    text += path.empty() ? std::string("\nthe source could not be saved") : "\nsource: " + path;
    throw device_error(text + "\n" + result.log);
  }
  const bool is_ptx = options.front().find("compute_") != std::string::npos;
  require((is_ptx ? api.ptx_size : api.cubin_size)(program.handle, &size), "give the result");
  result.image.resize(size);
  require((is_ptx ? api.ptx : api.cubin)(program.handle, result.image.data()), "give the result");
  result.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

/// Calls `work(i)` for each i below `count` on several threads and waits for all of them; then the
/// error of the lowest i is thrown, if there is one.
template <class Work>
void for_each_in_parallel(std::size_t count, Work&& work) {
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        work(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  const std::size_t threads =
      std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> team;
  for (std::size_t i = 1; i < threads; ++i) {
    try {
      team.emplace_back(run);
    } catch (const std::system_error&) {
      break;  // fewer threads do as well
    }
  }
  run();
  for (std::thread& each : team) each.join();
  for (const std::exception_ptr& each : errors) {
    if (each) std::rethrow_exception(each);
  }
}

/// Compiles sources in parallel; results in their order. An error is thrown when all have ended.
inline std::vector<compiled_kernel> compile_all(const nvrtc_state& state,
                                                std::span<const kernel_source> sources,
                                                const compile_settings& settings,
                                                disk_cache& keep) {
  std::vector<compiled_kernel> results(sources.size());
  for_each_in_parallel(sources.size(), [&](std::size_t i) {
    results[i] = compile_source(state, sources[i], settings, keep);
  });
  return results;
}

}  // namespace weft::detail::cuda
