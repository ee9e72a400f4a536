// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/arena.hpp>
#include <weft/cpu/team.hpp>
#include <weft/plan/encode.hpp>

namespace weft::detail {

/// An input of a call: its first element, extents and strides (in elements; used for strided
/// arguments only).
struct argument_value {
  const void* data = nullptr;
  const index_t* shape = nullptr;
  const index_t* stride = nullptr;
};

/// A step with its extents and addresses known.
struct bound_step {
  const step* s = nullptr;
  index_t extent[max_loops];
  index_t stride[max_kernel_loads + max_kernel_stores + 3][max_loops];
  std::byte* base[max_kernel_loads + max_kernel_stores + 3];
  int sizes[max_kernel_loads + max_kernel_stores + 3];  ///< bytes of an element; 1 for positions
  kernel_function run = nullptr;
  std::byte* scratch = nullptr;
  int team = 1;  ///< threads; scratch has room for each
};
using step_function = void (*)(bound_step&);

/// A plan with its code: one function for each kernel, one for each kind of other step, by dtype.
struct cpu_code {
  plan_view plan;
  const kernel_function* kernels = nullptr;
  const step_function (*others)[dtype_count] = nullptr;  ///< [step kind][dtype]
  std::size_t (*product_workspace)(dtype, index_t, index_t, index_t) = nullptr;
};

/// Evaluates a table of extents for the arguments of a call.
template <class A>
inline void evaluate_extents(const extent_expr* table, int count, const argument_value* arguments,
                             index_t* out) {
  auto value = [&](index_t e) { return is_symbol(e) ? out[symbol_number(e)] : e; };
  for (int i = 0; i < count; ++i) {
    const extent_expr& e = table[i];
    switch (e.kind) {
      case extent_kind::argument:
        out[i] = arguments[e.a].shape[e.b];
        break;
      case extent_kind::stride:
        out[i] = arguments[e.a].stride[e.b];
        break;
      case extent_kind::product:
        out[i] = value(e.a) * value(e.b);
        break;
      case extent_kind::sum:
        out[i] = value(e.a) + value(e.b);
        break;
      case extent_kind::quotient:
        out[i] = value(e.b) ? value(e.a) / value(e.b) : 0;
        break;
      case extent_kind::ceiling:
        out[i] = value(e.b) ? (value(e.a) + value(e.b) - 1) / value(e.b) : 0;
        break;
      case extent_kind::broadcast:
        out[i] = value(e.a) == 1 ? value(e.b) : value(e.a);
        break;
      case extent_kind::unless_one:
        out[i] = value(e.a) == 1 ? 0 : value(e.b);
        break;
      case extent_kind::least:
        out[i] = value(e.a) < value(e.b) ? value(e.a) : value(e.b);
        break;
      case extent_kind::excess:
        out[i] = value(e.a) > value(e.b) ? value(e.a) - value(e.b) : 0;
        break;
    }
  }
}

/// One extent as a number of a dtype.
inline void write_number(dtype t, index_t v, void* to) {
  auto put = [&](auto x) { std::memcpy(to, &x, sizeof x); };
  switch (t) {
    case dtype::float32:
      put(static_cast<float>(v));
      break;
    case dtype::float64:
      put(static_cast<double>(v));
      break;
    case dtype::int32:
    case dtype::uint32:
      put(static_cast<std::int32_t>(v));
      break;
    case dtype::int64:
    case dtype::uint64:
      put(v);
      break;
    case dtype::uint8:
      put(static_cast<std::uint8_t>(v));
      break;
    case dtype::boolean:
      put(v != 0);
      break;
  }
}

/// Multiplications of a product that are worth waking a thread for.
inline constexpr index_t least_product_share = index_t{1} << 20;

/// What a step needs to run: threads, and scratch for each and for all of them.
struct step_needs {
  int team = 1;
  std::size_t each = 0, common = 0;
};

/// Runs a plan. Extents are known and checked; nothing that the caller sees is written before a
/// step that can throw.
template <class A>
[[gnu::noinline]] void execute(const cpu_code& code, const argument_value* arguments,
                               void* const* outputs, const index_t* extents, arena_pool& pool) {
  const plan_view& p = code.plan;
  auto value = [&](index_t e) { return is_symbol(e) ? extents[symbol_number(e)] : e; };
  // The arena: slots one after another, then scratch for the step that needs most.
  index_t slot_at[256];
  std::size_t bytes = 0, scratch = 0;
  for (int s = 0; s < p.slot_count; ++s) {
    if (s < 256) slot_at[s] = static_cast<index_t>(bytes);
    bytes += rounded_up(static_cast<std::size_t>(value(p.slots[s])));
  }
  auto offset_of = [&](int slot) {
    if (slot < 256) return slot_at[slot];
    index_t at = slot_at[255];
    for (int s = 255; s < slot; ++s)
      at += static_cast<index_t>(rounded_up(static_cast<std::size_t>(value(p.slots[s]))));
    return at;
  };
  // The team of a step that has enough work for one, and the scratch of a step: for each thread,
  // and for the team.
  int threads = -1;
  auto ask = [&] { return threads < 0 ? threads = team_size() : threads; };
  auto needs_of = [&](const step& s) {
    step_needs need;
    if (s.kind == step_kind::product) {
      const index_t m = value(s.extent[s.rows]), n = value(s.extent[s.rows + 1]),
                    k = value(s.extent[s.rows + 2]);
      need.each = rounded_up(code.product_workspace(s.type, m, n, k));
      index_t work = m * n * k;
      for (int i = 0; i < s.rows; ++i) work *= value(s.extent[i]);
      if (work >= 2 * least_product_share)
        need.team = static_cast<int>(std::min<index_t>(ask(), work / least_product_share));
    }
    if (s.kind == step_kind::kernel) {
      const kernel& k = p.kernels[s.kernel];
      index_t inner = value(s.extent[s.rows + s.segments]), row = inner, elements;
      for (int i = 0; i < s.segments; ++i) row *= value(s.extent[s.rows + i]);
      elements = row;
      for (int i = 0; i < s.rows; ++i) elements *= value(s.extent[i]);
      need.each = scratch_bytes(k, row, inner);
      if (elements >= least_shared && ask() > 1) {
        need.team = std::max(1, team_for(k, elements, threads));
        if (need.team > 1) {
          index_t extent[max_loops];
          for (int i = 0; i < s.rows; ++i) extent[i] = value(s.extent[i]);
          need.common = shared_bytes(k, s.rows, extent, inner);
        }
      }
    }
    return need;
  };
  for (int t = 0; t < p.step_count; ++t) {
    const step_needs need = needs_of(p.steps[t]);
    scratch = std::max(scratch, need.common + need.each * static_cast<std::size_t>(need.team));
  }
  const arena_lease lease(pool, bytes + scratch);
  std::uint64_t numbers[16];
  int number_count = 0;
  bound_step b;
  b.scratch = lease.data() + bytes;
  for (int t = 0; t < p.step_count; ++t) {
    const step& s = p.steps[t];
    b.s = &s;
    number_count = 0;
    const int loops = s.kind == step_kind::kernel ? s.loops() : max_loops;
    for (int i = 0; i < loops; ++i) b.extent[i] = value(s.extent[i]);
    for (int a = 0; a < s.access_count; ++a) {
      const access& x = p.accesses[s.first_access + a];
      for (int i = 0; i < loops; ++i) b.stride[a][i] = value(x.stride[i]);
      const index_t offset = value(x.offset);
      if (x.buffer < 0) {
        b.base[a] = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(offset));
        b.sizes[a] = 1;
        continue;
      }
      const buffer& f = p.buffers[x.buffer];
      std::byte* base = nullptr;
      switch (f.kind) {
        case buffer_kind::argument:
          base = static_cast<std::byte*>(const_cast<void*>(arguments[f.index].data));
          break;
        case buffer_kind::output:
          base = static_cast<std::byte*>(outputs[f.index]);
          break;
        case buffer_kind::arena:
          base = lease.data() + offset_of(f.slot);
          break;
        case buffer_kind::extent:
          base = reinterpret_cast<std::byte*>(&numbers[number_count++ & 15]);
          write_number(f.type, value(f.count), base);
          break;
      }
      b.sizes[a] = size_of(f.type);
      b.base[a] = base + offset * b.sizes[a];
    }
    b.run = s.kernel >= 0 ? code.kernels[s.kernel] : nullptr;
    if (s.kind == step_kind::kernel) {
      const kernel_call call{s.rows, s.segments, b.extent, b.stride, b.base, b.scratch};
      if (threads <= 1) {
        b.run(call);
        continue;
      }
      const step_needs need = needs_of(s);
      if (need.team <= 1)
        b.run(call);
      else
        run_shared<A>({b.run, &p.kernels[s.kernel], call, b.sizes, s.access_count, need.team,
                       need.each, b.scratch + need.each * static_cast<std::size_t>(need.team)});
    } else {
      b.team = threads > 1 ? needs_of(s).team : 1;
      code.others[static_cast<int>(s.kind)][static_cast<int>(s.type)](b);
    }
  }
}

}  // namespace weft::detail
