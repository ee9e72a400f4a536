// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emitted.hpp>
#include <weft/cuda/gpu.hpp>
#include <weft/plan/device_call.hpp>

// What of a call and of a device kernels are made for.
namespace weft::detail::cuda {

/// What an executable is made for, beside its program. The lists: whether argument or result i may
/// begin at an address that is no multiple of 16.
struct executable_key {
  std::vector<index_t> extents;
  std::vector<bool> odd_arguments, odd_results;
  bool numbers = false;  ///< some arguments are numbers of the host
  bool tf32 = false, graph = false, tuned = false;
  /// A result lies in the memory of an argument that another step reads last: no steps share a
  /// launch.
  bool apart = false;
};

inline bool needs_steps_apart(const plan& p, const device_call& c) {
  if (c.prepare) return false;
  for (std::size_t j = 0; j < p.first_write.size(); ++j)
    for (std::size_t k = 0; k < p.last_read.size(); ++k)
      if (c.results[j] == c.arguments[k].data && p.first_write[j] != p.last_read[k] &&
          !c.number_bytes[k])
        return true;
  return false;
}

inline card card_of(const gpu& on) {
  card c;
  c.major = on.facts.major;
  c.minor = on.facts.minor;
  c.multiprocessors = on.facts.multiprocessors;
  c.shared_per_block = on.facts.shared_per_block;
  c.l2_bytes = on.facts.l2_bytes;
  return c;
}

}  // namespace weft::detail::cuda
