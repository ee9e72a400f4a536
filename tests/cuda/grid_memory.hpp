// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/reference.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

// Elements in memory that is watched.
namespace weft_test {

/// Memory with zones around it that nobody may touch.
class guarded_memory {
 public:
  explicit guarded_memory(std::size_t bytes)
      : bytes_(bytes), all_(bytes + 2 * zone + 64, std::byte{0xA5}) {
    const auto p = reinterpret_cast<std::uintptr_t>(all_.data()) + zone;
    data_ = all_.data() + ((p + 63) / 64 * 64 - reinterpret_cast<std::uintptr_t>(all_.data()));
  }
  std::byte* data() { return data_; }
  std::size_t size() const { return bytes_; }
  bool intact() const {
    for (const std::byte* p = all_.data(); p < data_; ++p)
      if (*p != std::byte{0xA5}) return false;
    for (const std::byte* p = data_ + bytes_; p < all_.data() + all_.size(); ++p)
      if (*p != std::byte{0xA5}) return false;
    return true;
  }

 private:
  static constexpr std::size_t zone = 4096;
  std::size_t bytes_;
  std::vector<std::byte> all_;
  std::byte* data_ = nullptr;
};

/// A value's elements as they lie in memory, and back.
void write_elements(const weft::detail::reference_value& x, std::byte* to);
weft::detail::reference_value read_elements(weft::dtype t, std::vector<weft::index_t> shape,
                                            const std::byte* from);

}  // namespace weft_test
