// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/back_end.hpp>
#include <weft/cuda/prelude_text.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>

// Kernels for the binary: written and compiled while a program is built, by a program that
// weft_cuda_kernels() of CMake builds and runs for that.
namespace weft::detail::cuda {

/// The driver of a card that is only described.
class paper_card {
 public:
  /// "9.0:132:232448:52428800": compute capability, multiprocessors, bytes of shared memory that a
  /// block may have, bytes of L2 cache. Throws value_error.
  explicit paper_card(const std::string& text) {
    unsigned long long shared = 0, l2 = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "%d.%d:%d:%llu:%llu%n", &facts.major, &facts.minor,
                    &facts.multiprocessors, &shared, &l2, &end) != 5 ||
        static_cast<std::size_t>(end) != text.size())
      throw value_error("weft: \"" + text +
                        "\" describes no card: write MAJOR.MINOR:MULTIPROCESSORS:SHARED:L2, as "
                        "card_text(cuda(0)) gives it");
    facts.shared_per_block = shared;
    facts.l2_bytes = l2;
  }
  card_facts facts;

  driver_api api() const {
    current = this;
    using status = driver_status;
    driver_api a;
    a.driver_version = [](int* v) { return *v = 13000, status::success; };
    a.device_count = [](int* n) { return *n = 1, status::success; };
    a.device_get = [](device_id* id, int) { return *id = 0, status::success; };
    a.device_name = [](char* name, int, device_id) { return *name = 0, status::success; };
    a.device_memory_size = [](std::size_t* n, device_id) { return *n = 0, status::success; };
    a.device_get_attribute = [](int* v, device_attribute which, device_id) {
      const card_facts& f = current->facts;
      *v = which == device_attribute::major             ? f.major
           : which == device_attribute::minor           ? f.minor
           : which == device_attribute::multiprocessors ? f.multiprocessors
           : which == device_attribute::shared_per_block_optin
               ? static_cast<int>(f.shared_per_block)
           : which == device_attribute::l2_bytes ? static_cast<int>(f.l2_bytes)
                                                 : 0;
      return status::success;
    };
    a.context_retain = [](context_handle* c, device_id) { return *c = nullptr, status::success; };
    a.context_get = [](context_handle* c) { return *c = nullptr, status::success; };
    a.context_set = [](context_handle) { return status::success; };
    a.stream_create = [](stream_handle* s, unsigned) { return *s = nullptr, status::success; };
    return a;
  }

 private:
  inline static const paper_card* current = nullptr;
};

/// The kernels of programs that are prepared, for described cards.
class kernel_export {
 public:
  /// Runs `prepare`, which calls compiled::prepare, for one card, and takes the kernels.
  void take(const paper_card& card, const std::function<void()>& prepare) {
    const driver_api api = card.api();
    disk_cache off{""};
    gpu on(api, 0, {}, off);
    on.only_emits = true;
    std::map<const index_t*, std::unique_ptr<program_state>> states;
    session here{*this, on, states};
    session_ = &here;
    static constexpr device_back_end recorder{&run, &describe};
    const device_back_end* before = cuda_back_end.exchange(&recorder);
    try {
      prepare();
    } catch (...) {
      cuda_back_end.store(before);
      throw;
    }
    cuda_back_end.store(before);
  }
  /// By source; the names of their functions.
  const std::map<std::string, std::string>& kernels() const { return kernels_; }

 private:
  struct session {
    kernel_export& to;
    gpu& on;
    std::map<const index_t*, std::unique_ptr<program_state>>& states;
  };
  inline static session* session_ = nullptr;

  static void run(const device_call&) {
    throw device_error(
        "weft: kernels are exported where there is no device: prepare programs, and "
        "run none");
  }
  static std::string describe(const device_call& c, bool) {
    auto& state = session_->states[c.program->graph];
    if (!state) state = std::make_unique<program_state>(c.program->graph);
    const auto e = state->find(session_->on, c);
    for (std::size_t i = 0; i < e->sources().size(); ++i)
      session_->to.kernels_.emplace(e->sources()[i], e->reports()[i].name);
    return std::to_string(e->sources().size()) + " kernels\n";
  }

  std::map<std::string, std::string> kernels_;
};

/// Writes each kernel, compiles it with nvcc for the architectures, and writes the C++ source that
/// puts all of them into a binary.
inline void write_kernels(const kernel_export& from, const std::filesystem::path& folder,
                          const std::string& nvcc, const std::vector<std::string>& architectures) {
  const std::filesystem::path prelude = folder / prelude_name;
  std::filesystem::create_directories(prelude.parent_path());
  std::ofstream(prelude) << prelude_text;
  std::vector<std::string> commands;
  std::string list, images;
  for (const auto& [source, name] : from.kernels()) {
    const std::size_t i = commands.size();
    const std::string number = std::to_string(i), unit = (folder / ("kernel_" + number)).string();
    std::ofstream(unit + ".cu") << source;
    std::string command =
        "\"" + nvcc + "\" -fatbin -w -std=c++20 --fmad=false -I\"" + folder.string() + "\"";
    for (const std::string& a : architectures)
      command += " -gencode arch=compute_" + a + ",code=sm_" + a;
    commands.push_back(command + " -o \"" + unit + ".fatbin\" \"" + unit + ".cu\"");
    for (const char* part : {"cu", "fatbin"}) {
      const std::string symbol = std::string("weft_kernel_") + part + number;
      images += "asm(\".section .rodata\\n.balign 16\\n" + symbol + ":\\n.incbin \\\"" + unit +
                "." + part + "\\\"\\n" + symbol + "_end:\\n.byte 0\\n.previous\\n\");\n";
      images += "extern \"C\" const char " + symbol + "[] __asm__(\"" + symbol + "\"), " + symbol +
                "_end[] __asm__(\"" + symbol + "_end\");\n";
    }
    auto span = [&](const char* part) {
      const std::string s = std::string("weft_kernel_") + part + number;
      return s + ", static_cast<std::size_t>(" + s + "_end - " + s + ")";
    };
    list += "      {{" + span("cu") + "}, " + span("fatbin") + "},  // " + name + "\n";
  }
  for_each_in_parallel(commands.size(), [&](std::size_t i) {
    if (std::system(commands[i].c_str()) != 0)
      throw device_error("weft: a kernel does not compile: " + commands[i]);
  });
  std::ofstream out(folder / "weft_kernels.cpp");
  out << "// Written by weft_cuda_kernels(). " << commands.size() << " kernels.\n"
      << "#include <weft/cuda/built_kernels.hpp>\n\n"
      << images << "\nnamespace {\nconst bool weft_kernels_are_there = [] {\n"
      << "  using weft::detail::cuda::built_kernel;\n  static const built_kernel list[]{\n"
      << list << "      {}};\n  weft::detail::cuda::built_kernels::all().add({list, "
      << commands.size() << "});\n  return true;\n}();\n}  // namespace\n";
  out.close();
  if (!out) throw device_error("weft: kernels cannot be written to " + folder.string());
}

}  // namespace weft::detail::cuda

namespace weft {

/// What kernels depend on of a GPU, as weft_cuda_kernels(... CARDS) takes it.
inline std::string card_text(device where) {
  const detail::cuda::card_facts& f = detail::cuda::device_of(where.index).facts;
  return std::to_string(f.major) + "." + std::to_string(f.minor) + ":" +
         std::to_string(f.multiprocessors) + ":" + std::to_string(f.shared_per_block) + ":" +
         std::to_string(f.l2_bytes);
}

/// The main() of a program that exports kernels: `prepare()` calls `prepare` of compiled functions
/// for cuda(0). CMake's weft_cuda_kernels() builds it and calls it with FOLDER NVCC, then
/// architectures and cards.
template <class F>
int export_kernels(int argc, char** argv, F prepare) {
  try {
    detail::cuda::kernel_export all;
    std::vector<std::string> architectures;
    for (int i = 3; i < argc; ++i) {
      const std::string word = argv[i];
      if (word.find(':') == std::string::npos)
        architectures.push_back(word);
      else
        all.take(detail::cuda::paper_card(word), prepare);
    }
    if (argc < 5 || architectures.empty())
      throw value_error("weft: usage: FOLDER NVCC ARCHITECTURE... CARD...");
    detail::cuda::write_kernels(all, argv[1], argv[2], architectures);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

}  // namespace weft
