// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_program.hpp>

// Installs the interpreter where a source file includes this header.
namespace weft::detail {

template <class A>
std::unique_ptr<interpreted_program> make_interpreted(plan p, const program_note* note,
                                                      const host_function* hosts,
                                                      const graph* source) {
  return std::make_unique<tile_program<A>>(std::move(p), note, hosts, source);
}

inline const bool interpreter_installed = [] {
  interpreter.store(&make_interpreted<xsimd::default_arch>, std::memory_order_release);
  return true;
}();

}  // namespace weft::detail
