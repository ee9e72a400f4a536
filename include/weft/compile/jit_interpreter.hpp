// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/jit_back_end.hpp>
#include <weft/cpu/interpret_program.hpp>

// Installs the interpreter where a source file includes this header.
namespace weft::detail {

template <class A>
class installed_program final : public interpreted_program {
 public:
  installed_program(plan p, const program_note* note, const host_function* hosts,
                    const graph* source)
      : program_(std::move(p), note, hosts, source) {}
  void run(const argument_value* arguments, void* const* outputs, const index_t* extents) override {
    program_.run(arguments, outputs, extents);
  }
  const plan& planned() const override { return program_.planned(); }

 private:
  tile_program<A> program_;
};

template <class A>
std::unique_ptr<interpreted_program> make_interpreted(plan p, const program_note* note,
                                                      const host_function* hosts,
                                                      const graph* source) {
  return std::make_unique<installed_program<A>>(std::move(p), note, hosts, source);
}

inline const bool interpreter_installed = [] {
  interpreter.store(&make_interpreted<xsimd::default_arch>, std::memory_order_release);
  return true;
}();

}  // namespace weft::detail
