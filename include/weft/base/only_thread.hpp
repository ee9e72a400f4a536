// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace weft::detail {

/// Whether the process has no other thread, as the C library knows it; false where it does not say.
/// Then what threads share can be changed without a locked instruction, each of which takes as long
/// as twenty others. No thread can begin between the question and what follows from it.
inline bool only_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace weft::detail
