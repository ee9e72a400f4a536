// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>
#include <weft/cpu/binding.hpp>
#include <weft/plan/arguments.hpp>
#include <weft/plan/encode.hpp>
#include <weft/plan/tell.hpp>

#include <atomic>
#include <memory>

// What runs plans that are made at run time. Its code takes the compiler long, so programs know it
// as a pointer, and one source file of a program has it.
namespace weft::detail {

struct interpreted_program {
  interpreted_program() = default;
  interpreted_program(const interpreted_program&) = delete;
  interpreted_program& operator=(const interpreted_program&) = delete;
  virtual ~interpreted_program() = default;
  /// Extents are known and checked.
  virtual void run(const argument_value* arguments, void* const* outputs,
                   const index_t* extents) = 0;
  virtual const plan& planned() const = 0;
  virtual const cpu_code& code() const = 0;
};

/// Beside the plan, what logs tell of it, the host functions that it calls, and the graph that it
/// was made of. All stay where they are.
using interpreter_function = std::unique_ptr<interpreted_program> (*)(plan, const program_note*,
                                                                      const host_function*,
                                                                      const graph*);
/// Installed by weft/jit.hpp, unless WEFT_JIT_ELSEWHERE is defined.
inline std::atomic<interpreter_function> interpreter{nullptr};

inline std::unique_ptr<interpreted_program> interpreted(plan p, const program_note* note = nullptr,
                                                        const host_function* hosts = nullptr,
                                                        const graph* source = nullptr) {
  const interpreter_function make = interpreter.load(std::memory_order_acquire);
  if (!make)
    throw error(
        "weft: jit: no source file of this program has the interpreter: include <weft/jit.hpp> in "
        "one without defining WEFT_JIT_ELSEWHERE");
  return make(std::move(p), note, hosts, source);
}

}  // namespace weft::detail
