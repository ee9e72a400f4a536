// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>

namespace weft::detail::cuda {

/// A kernel that was compiled when the program was built: its whole source, which it is found by,
/// and a fatbin or cubin. Both live as long as the process.
struct built_kernel {
  std::string_view source;
  const void* image = nullptr;
  std::size_t bytes = 0;
};

/// The kernels in this binary. Filled by objects with static lifetime, so it must be there before
/// them and after them.
class built_kernels {
 public:
  static built_kernels& all() {
    static built_kernels* kernels = new built_kernels;
    return *kernels;
  }

  void add(std::span<const built_kernel> more) {
    const std::scoped_lock lock(mutex_);
    for (const built_kernel& each : more) kernels_.insert_or_assign(each.source, each);
  }

  /// A kernel with `image` null if there is none of this source.
  built_kernel find(std::string_view source) const {
    const std::scoped_lock lock(mutex_);
    const auto found = kernels_.find(source);
    return found == kernels_.end() ? built_kernel{} : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string_view, built_kernel> kernels_;
};

}  // namespace weft::detail::cuda
