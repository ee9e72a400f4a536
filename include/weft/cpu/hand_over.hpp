// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/binding.hpp>
#include <weft/plan/arguments.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace weft::detail {

/// A step that has just run.
struct finished_step {
  const cpu_code& code;  ///< of the program, or of the body that the step is in
  int number = 0;
  const index_t* extent = nullptr;
  const index_t (*stride)[max_loops] = nullptr;
  std::byte* const* base = nullptr;
  const argument_value* arguments = nullptr;  ///< of the program or body
};
/// Set while what steps write is checked: watched calls, and bodies, ask it after every step.
using step_check = void (*)(const finished_step&);
inline std::atomic<step_check> check_of_steps{nullptr};

/// A call as it would run; if `watched`, watched after every step.
struct watched_call {
  void (*function)(const cpu_code&, const argument_value*, void* const*, const index_t*,
                   arena_pool&, bool watched) = nullptr;
  arena_pool& pool;
};

/// Takes over a call whose extents are known and checked: false leaves it to the program.
using hand_over_function = bool (*)(const cpu_code&, const argument_value* arguments,
                                    void* const* outputs, const index_t* extents,
                                    const watched_call& as_it_is);

/// Set while a stance is (weft/stance.hpp); every call asks, at the price of a load.
inline std::atomic<hand_over_function> hand_over{nullptr};

/// Whether a source file of the program includes weft/stance.hpp.
inline std::atomic<bool> knows_stances{false};

/// Tells on stderr, once, that nobody listens to the variables of the environment; returns whether.
[[gnu::cold, gnu::noinline]] inline bool tell_missing_stances(const char* how, const char* checks) {
  const char* const name = how && *how ? "WEFT_STANCE" : checks && *checks ? "WEFT_CHECK" : nullptr;
  if (!name || knows_stances) return false;
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return false;
  std::fprintf(stderr,
               "weft: %s is set, but no source file of this program includes <weft/stance.hpp>\n",
               name);
  return true;
}
/// The same of the environment, which is read once.
[[gnu::cold, gnu::noinline]] inline void ask_for_stances() {
  [[maybe_unused]] static const bool told =
      tell_missing_stances(std::getenv("WEFT_STANCE"), std::getenv("WEFT_CHECK"));
}

}  // namespace weft::detail
