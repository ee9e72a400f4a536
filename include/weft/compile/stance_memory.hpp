// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/execute.hpp>
#include <weft/plan/text.hpp>

#include <string>
#include <vector>

// What a call's memory is checked for while a stance asks for it.
namespace weft::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_memory_fault(const std::string& what) {
  throw value_error("weft: check of memory: " + what);
}

/// Throws value_error where an argument or a result is null or not aligned to its elements, where
/// two results overlap, or where a step would leave its buffer. Arguments with strides have no
/// known end.
[[gnu::cold, gnu::noinline]] inline void check_memory(const cpu_code& code,
                                                      const argument_value* arguments,
                                                      void* const* outputs,
                                                      const index_t* extents) {
  const plan_view& p = code.plan;
  auto value = [&](index_t e) { return is_symbol(e) ? extents[symbol_number(e)] : e; };
  struct piece {
    const std::byte* from;
    const std::byte* to;
  };
  std::vector<piece> results(static_cast<std::size_t>(p.output_count), piece{nullptr, nullptr});
  for (int i = 0; i < p.buffer_count; ++i) {
    const buffer& f = p.buffers[i];
    const bool output = f.kind == buffer_kind::output;
    if (!output && f.kind != buffer_kind::argument) continue;
    const std::string name = (output ? "result " : "argument ") + std::to_string(f.index) + " (" +
                             std::string(weft::name(f.type)) + ")";
    const void* at = output ? outputs[f.index] : arguments[f.index].data;
    const index_t count = value(f.count);
    if (count == 0) continue;
    if (!at) throw_memory_fault(name + " has " + std::to_string(count) + " elements at address 0");
    const auto size = static_cast<std::uintptr_t>(size_of(f.type));
    if (reinterpret_cast<std::uintptr_t>(at) % size != 0)
      throw_memory_fault(name + " lies at an address that is no multiple of its " +
                         std::to_string(size) + " bytes");
    if (!output) continue;
    const auto* first = static_cast<const std::byte*>(at);
    const piece own{first, first + static_cast<std::size_t>(count) * size};
    for (std::size_t k = 0; k < results.size(); ++k)
      if (results[k].from && results[k].from < own.to && own.from < results[k].to)
        throw_memory_fault(name + " overlaps result " + std::to_string(k));
    results[static_cast<std::size_t>(f.index)] = own;
  }
  for (int t = 0; t < p.step_count; ++t) {
    const step& s = p.steps[t];
    const bool product = s.kind == step_kind::product;
    if (s.kind != step_kind::kernel && !product) continue;
    const int loops = product ? s.rows + 3 : s.loops();
    for (int a = 0; a < s.access_count; ++a) {
      const access& x = p.accesses[s.first_access + a];
      if (x.buffer < 0) continue;
      const buffer& f = p.buffers[x.buffer];
      if (f.kind == buffer_kind::argument && arguments[f.index].stride) continue;
      index_t least = value(x.offset), most = least;
      bool empty = false;
      for (int l = 0; l < (product && a > 2 ? s.rows + 2 : loops); ++l) {
        const index_t n = value(s.extent[l]), reach = (n - 1) * value(x.stride[l]);
        empty = empty || n == 0;
        (reach < 0 ? least : most) += reach;
      }
      const index_t count = f.kind == buffer_kind::extent ? 1 : value(f.count);
      if (!empty && (least < 0 || most >= count))
        throw_memory_fault("step " + std::to_string(t) + " reaches from element " +
                           std::to_string(least) + " to " + std::to_string(most) +
                           " of a buffer of " + std::to_string(count));
    }
  }
}

}  // namespace weft::detail
