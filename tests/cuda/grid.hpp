// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emitted.hpp>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "grid_nvrtc.hpp"
#include "on_gpu.hpp"
#include "paths.hpp"

// Emitted kernels, compiled by the host compiler and run by a grid of fibers.
namespace weft_test {

/// Many kernels in one shared library: sources are added, then compiled at once.
class grid_batch {
 public:
  grid_batch() = default;
  grid_batch(const grid_batch&) = delete;
  grid_batch& operator=(const grid_batch&) = delete;
  ~grid_batch() {
    if (library_) dlclose(library_);
  }

  /// The number of a kernel in the batch; equal sources are one.
  int add(const weft::detail::cuda::emitted_kernel& k) {
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i] == k.source) return static_cast<int>(i);
    sources_.push_back(k.source);
    names_.push_back(k.name);
    return static_cast<int>(sources_.size()) - 1;
  }

  /// How many kernels there are.
  std::size_t size() const { return sources_.size(); }

  void compile() {
    if (sources_.empty() || has_gpu()) return;
    const auto folder = std::filesystem::temp_directory_path() /
                        ("weft_grid_" + std::to_string(getpid()) + "_" +
                         std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::filesystem::create_directories(folder);
    std::string kernels, callers;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      // Names are unique within a unit only here, where many share one.
      std::string s = sources_[i];
      const std::string own = names_[i] + "_" + std::to_string(i);
      const std::size_t at = s.find(" " + names_[i] + "(");
      REQUIRE(at != std::string::npos);
      s.replace(at + 1, names_[i].size(), own);
      kernels += s;
      callers += "extern \"C\" bool run_" + std::to_string(i) +
                 "(void** a, const unsigned* grid, unsigned threads) {\n"
                 "  return weft_grid::launch(&weft_grid::caller<&weft::device::" +
                 own + ">::run, a, grid, threads);\n}\n";
    }
    std::ofstream(folder / "kernels.cpp")
        << "#include \"" << source_dir() << "/tests/cuda/grid_device.hpp\"\n"
        << kernels << callers;
    const std::string library = (folder / "kernels.so").string();
    const std::string log = (folder / "log").string();
    const char* compiler = std::getenv("CXX");
    const std::string command =
        std::string(compiler ? compiler : "c++") +
        " -std=c++17 -O1 -w -fwrapv -ffp-contract=off -fno-strict-aliasing -shared -fPIC -I" +
        source_dir() + "/include " + (folder / "kernels.cpp").string() + " -o " + library + " >" +
        log + " 2>&1";
    // Both compilers at once.
    FILE* host = popen(command.c_str(), "r");
    const bool started = host != nullptr;
    REQUIRE(started);
    compile_for_devices(kernels);
    const int rc = pclose(host);
    if (rc != 0) {
      std::ifstream f(log);
      std::stringstream s;
      s << f.rdbuf();
      REQUIRE_MESSAGE(rc == 0, s.str().substr(0, 3000));
    }
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library_ != nullptr, dlerror());
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  /// Whether blocks and threads run from the last one to the first.
  void run_backwards(bool on) {
    if (has_gpu() || !library_) return;
    reinterpret_cast<void (*)(bool)>(dlsym(library_, "run_backwards"))(on);
  }

  /// Runs kernel `number` with values of its parameters; false if threads wait for ever.
  bool run_values(int number, void** values, const unsigned* grid, unsigned threads) const {
    using function = bool (*)(void**, const unsigned*, unsigned);
    const auto f =
        reinterpret_cast<function>(dlsym(library_, ("run_" + std::to_string(number)).c_str()));
    return f && f(values, grid, threads);
  }

  /// Runs kernel `number` with its parameters; numbers are passed as pointers are.
  void run(int number, const weft::detail::cuda::emitted_kernel& k, std::vector<void*> arguments) {
    using function = bool (*)(void**, const unsigned*, unsigned);
    const auto f =
        reinterpret_cast<function>(dlsym(library_, ("run_" + std::to_string(number)).c_str()));
    const bool found = f != nullptr;
    REQUIRE(found);
    const std::string head = k.source.substr(k.source.find("__global__"));
    const std::string list = head.substr(0, head.find("fault)"));
    REQUIRE(static_cast<std::size_t>(std::count(list.begin(), list.end(), '*')) +
                k.numbers.size() ==
            arguments.size());
    const bool ended = f(arguments.data(), k.grid.data(), k.block[0]);
    REQUIRE_MESSAGE(ended, "threads wait for each other for ever: ", k.source);
  }

 private:
  std::vector<std::string> sources_, names_;
  void* library_ = nullptr;
};

}  // namespace weft_test
