// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <atomic>

#if defined(_OPENMP)
#include <omp.h>
#endif

// Threads, by OpenMP where the user's compiler has it on; without it everything runs in the
// caller's thread.
namespace weft {

namespace detail {

inline std::atomic<int> threads_asked{0};

#if defined(_OPENMP)
inline constexpr bool has_openmp = true;
#else
inline constexpr bool has_openmp = false;
#endif

// Units of one program may be built with and without OpenMP: what differs has that among its
// template arguments.

/// How many threads a call may use now: one inside a parallel region.
template <bool OpenMP = has_openmp>
int team_size() {
  if constexpr (OpenMP) {
#if defined(_OPENMP)
    if (omp_in_parallel()) return 1;
    const int asked = threads_asked.load(std::memory_order_relaxed);
    return asked > 0 ? asked : omp_get_max_threads();
#endif
  }
  return 1;
}

/// f(0), ..., f(n - 1), each by a thread of its own where there are threads. f must not throw.
template <bool OpenMP = has_openmp, class F>
void in_parallel(int n, const F& f) {
  if constexpr (OpenMP) {
#if defined(_OPENMP)
    if (n > 1) {
#pragma omp parallel for num_threads(n) schedule(static, 1)
      for (int t = 0; t < n; ++t) f(t);
      return;
    }
#endif
  }
  for (int t = 0; t < n; ++t) f(t);
}

}  // namespace detail

/// Lets calls use up to n threads; 0 (as at the start) leaves it to OpenMP, which reads
/// OMP_NUM_THREADS. Results do not depend on it: not one bit.
inline void set_threads(int n) noexcept {
  detail::threads_asked.store(n < 0 ? 0 : n, std::memory_order_relaxed);
}

/// How many threads a call may use.
inline int threads() noexcept {
  return detail::team_size();
}

}  // namespace weft
