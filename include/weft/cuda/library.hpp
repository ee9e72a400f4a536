// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>
#include <weft/base/error.hpp>

// Shared libraries are opened when first needed, so that one binary runs with and without a GPU.

namespace weft::detail::cuda {

/// A shared library that was opened, or the places where it was looked for in vain.
struct library {
  void* handle = nullptr;
  std::string path;                 // the file that was opened
  std::vector<std::string> places;  // one sentence for each place that was tried
};

/// The folders of a CUDA toolkit, `$CUDA_HOME` first; `part` is "lib64" or "include".
inline std::vector<std::string> toolkit_folders(const std::string& part) {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(variable); value && *value) {
      folders.push_back(std::string(value) + "/" + part);
    }
  }
  folders.push_back("/usr/local/cuda/" + part);
  return folders;
}

/// The file behind an open library, an empty string if the loader does not say.
inline std::string library_path(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return {};
  return map->l_name;
}

/// Opens the first of `names` that the loader's own path has, then the first in `folders`.
/// A library is never closed: its threads and its exit handlers may outlive everything of ours.
inline library open_library(const std::vector<std::string>& names,
                            const std::vector<std::string>& folders) {
  library result;
  const auto attempt = [&](const std::string& file, const std::string& place) {
    result.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (result.handle) {
      result.path = library_path(result.handle);
      if (result.path.empty()) result.path = file;
      return true;
    }
    const char* reason = dlerror();
    result.places.push_back(place + ": " + (reason ? reason : "not found"));
    return false;
  };
  const char* search_path = std::getenv("LD_LIBRARY_PATH");
  const std::string loader =
      search_path && *search_path
          ? "the loader's path (LD_LIBRARY_PATH=" + std::string(search_path) + ")"
          : "the loader's path (LD_LIBRARY_PATH is not set)";
  for (const std::string& name : names) {
    if (attempt(name, loader)) return result;
  }
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      const std::string file = folder + "/" + name;
      std::error_code ignored;
      if (!std::filesystem::exists(file, ignored)) {
        result.places.push_back(file + ": no such file");
      } else if (attempt(file, file)) {
        return result;
      }
    }
  }
  return result;
}

/// What a user reads when a library is missing. `role` says what it is needed for.
inline std::string missing_library_text(const std::string& name, const std::string& role,
                                        const std::vector<std::string>& places) {
  std::string text = "weft: " + name + " was not found; it is needed to " + role +
                     ". Everything that does not use it still works. Looked for in:";
  for (const std::string& place : places) text += "\n  " + place;
  text += "\nInstall it, or name its folder in LD_LIBRARY_PATH";
  if (name != "libcuda") text += " or its toolkit in CUDA_HOME";
  return text + ".";
}

/// The address of a function, null if the library has none of that name.
template <class Function>
void find_function(void* handle, const char* name, Function*& target) {
  target = reinterpret_cast<Function*>(dlsym(handle, name));
}

}  // namespace weft::detail::cuda
