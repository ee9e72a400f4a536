// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/arena.hpp>
#include <weft/cpu/team.hpp>
#include <weft/plan/arguments.hpp>
#include <weft/plan/encode.hpp>
#include <weft/plan/tell.hpp>

#include <cstring>
#include <vector>

// A plan bound to the extents of a call: all that does not follow from
// addresses alone. It is made when extents change and kept with the arena, so
// that a call like the last one only adds addresses.
namespace weft::detail {

/// A step with its extents and addresses known.
struct bound_step {
  const step* s = nullptr;
  const index_t* extent = nullptr;
  const index_t (*stride)[max_loops] = nullptr;
  std::byte* const* base = nullptr;
  const int* sizes = nullptr;  ///< bytes of an element; 1 for positions
  kernel_function run = nullptr;
  std::byte* scratch = nullptr;
  int team = 1;                ///< threads; scratch has room for each
  const void* code = nullptr;  ///< of an interpreted kernel
};
using step_function = void (*)(bound_step&);

struct control_runner;
struct host_function;

/// A plan with its code: one function for each kernel, one for each kind of
/// other step, by dtype.
struct cpu_code {
  plan_view plan;
  const kernel_function* kernels = nullptr;
  const step_function (*others)[dtype_count] = nullptr;  ///< [step kind][dtype]
  std::size_t (*product_workspace)(dtype, index_t, index_t, index_t) = nullptr;
  const program_note* note = nullptr;        ///< for logs and traces
  const cpu_code* const* bodies = nullptr;   ///< of control steps
  const control_runner* controls = nullptr;  ///< what runs them, where there are any
  const host_function* hosts = nullptr;
  const void* const* interpreted = nullptr;  ///< by kernel: what its function is called with
  const graph* source = nullptr;             ///< the graph with its places, where it is kept
};

/// One extent as a number of a dtype.
inline void write_number(dtype t, index_t v, void* to) {
  auto put = [&](auto x) { std::memcpy(to, &x, sizeof x); };
  switch (t) {
    case dtype::float32:
    case dtype::float16:  // numbers beside 16-bit values are floats: see planner::buffer_of
    case dtype::bfloat16:
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

/// Bytes of so many 16-bit values as floats.
constexpr std::size_t widened_bytes(index_t n) {
  return rounded_up(static_cast<std::size_t>(n) * sizeof(float));
}
/// Elements of the result of a scatter_add.
inline index_t scattered_elements(const step& s, const index_t* extent) {
  index_t n = extent[max_loops - 1];
  for (int d = 0; d < s.rank; ++d)
    if (d != s.axis) n *= extent[d < s.axis ? d : d + s.index_rank - 1];
  return n;
}

/// Multiplications of a product that are worth waking a thread for.
inline constexpr index_t least_product_share = index_t{1} << 22;

inline constexpr int most_accesses = max_kernel_loads + max_kernel_stores + 3;

/// How control steps are bound and run: known to programs that have some.
template <class A>
class plan_binding;
struct control_runner {
  /// The scratch that step number t needs, its bodies bound for the extents of these arguments.
  std::size_t (*bind)(void* binding, const cpu_code&, int t, const argument_value* arguments);
  void (*run)(void* binding, const cpu_code&, int t, std::byte* const* base, std::byte* scratch);
};

/// What a binding keeps of a body.
struct body_attachment {
  virtual ~body_attachment() = default;
};

template <class A>
class plan_binding final : public arena_attachment {
 public:
  /// Where an access begins: so many bytes into what the call says, or
  /// anywhere.
  struct place {
    buffer_kind kind{};  ///< extent: `at` is the address itself, or a position
    int index = 0;
    index_t at = 0;
  };
  struct bound {
    const step* s = nullptr;
    kernel_function run = nullptr;
    step_function other = nullptr;
    const void* code = nullptr;  ///< of an interpreted kernel
    index_t extent[max_loops]{};
    int first = 0;  ///< access
    int threads = 1;
    std::size_t each = 0,
                common = 0;  ///< scratch for each thread, and for all of them
  };
  std::vector<bound> steps;
  std::vector<place> places;
  std::vector<int> sizes;
  std::size_t arena = 0, scratch = 0;                    ///< bytes
  std::vector<std::unique_ptr<body_attachment>> bodies;  ///< see cpu/control.hpp
  std::vector<std::byte*> bases;                         ///< of control steps' accesses

  /// For cpu/control.hpp: an extent as a number, and that a body's teams follow from the number of
  /// threads.
  index_t number(index_t e) const { return value(e); }
  void shares_with(bool body) { shares_ = shares_ || body; }
  bool shares() const { return shares_; }

  const index_t (*strides(int access) const)[max_loops] {
    return reinterpret_cast<const index_t(*)[max_loops]>(strides_.data()) + access;
  }

  bool fits(const cpu_code& code, const index_t* extents) const {
    return code_ == &code &&
           same_extents(extents_.data(), extents, static_cast<int>(extents_.size())) &&
           (!shares_ || threads_ == team_size());
  }

  /// Binds, and tells those who watch.
  [[gnu::cold, gnu::noinline]] void bind_and_tell(const cpu_code& code, const index_t* extents,
                                                  const argument_value* arguments) {
    if (!watching()) return bind(code, extents, arguments);
    const std::vector<index_t> before = code_ == &code ? extents_ : std::vector<index_t>{};
    const bool first = code_ != &code;
    const std::int64_t start = clock_nanoseconds();
    const traced span("first call", "bind to extents");
    bind(code, extents, arguments);
    std::vector<int> threads_of;
    for (const bound& b : steps) threads_of.push_back(b.threads);
    tell_binding({code.note, code.plan, extents, first ? nullptr : before.data(), threads_of.data(),
                  arena, scratch, clock_nanoseconds() - start, code.hosts});
  }
  [[gnu::cold, gnu::noinline]] void bind(const cpu_code& code, const index_t* extents,
                                         const argument_value* arguments) {
    code_ = nullptr;  // until all of it is done
    const plan_view& p = code.plan;
    plan_ = &p;
    values_ = extents;
    shares_ = false;
    threads_ = team_size();
    steps.clear();
    places.clear();
    sizes.clear();
    strides_.clear();
    slot_at_.clear();
    bodies.clear();
    arena = scratch = 0;
    for (int s = 0; s < p.slot_count; ++s) {
      slot_at_.push_back(static_cast<index_t>(arena));
      arena += rounded_up(static_cast<std::size_t>(value(p.slots[s])));
    }
    numbers_.clear();
    std::size_t numbers = 0;
    for (int t = 0; t < p.step_count; ++t)
      numbers += static_cast<std::size_t>(p.steps[t].access_count);
    numbers_.reserve(numbers);  // their addresses stay
    for (int t = 0; t < p.step_count; ++t) {
      const step& s = p.steps[t];
      bound b;
      b.s = &s;
      b.run = s.kernel >= 0 ? code.kernels[s.kernel] : nullptr;
      if (s.kernel >= 0 && code.interpreted) b.code = code.interpreted[s.kernel];
      if (s.kind != step_kind::kernel && s.kind != step_kind::control)
        b.other = code.others[static_cast<int>(s.kind)][static_cast<int>(s.type)];
      const int loops = s.kind == step_kind::kernel ? s.loops() : max_loops;
      for (int i = 0; i < loops; ++i) b.extent[i] = value(s.extent[i]);
      b.first = static_cast<int>(places.size());
      for (int a = 0; a < s.access_count; ++a) add(p.accesses[s.first_access + a], loops);
      if (s.kind == step_kind::control) {
        b.each = code.controls->bind(this, code, t, arguments);
        bases.resize(std::max(bases.size(), static_cast<std::size_t>(s.access_count)));
      } else {
        needs(code, b);
      }
      scratch = std::max(scratch, b.common + b.each * static_cast<std::size_t>(b.threads));
      steps.push_back(b);
    }
    extents_.assign(extents, extents + p.extent_count);
    code_ = &code;
  }

 private:
  index_t value(index_t e) const { return is_symbol(e) ? values_[symbol_number(e)] : e; }

  [[gnu::cold]] void add(const access& x, int loops) {
    for (int i = 0; i < max_loops; ++i) strides_.push_back(i < loops ? value(x.stride[i]) : 0);
    place q;
    q.kind = buffer_kind::extent;
    q.at = value(x.offset);
    sizes.push_back(1);
    if (x.buffer >= 0) {
      const buffer& f = plan_->buffers[x.buffer];
      sizes.back() = size_of(f.type);
      q.at *= sizes.back();
      q.kind = f.kind;
      q.index = f.index;
      if (f.kind == buffer_kind::arena) {
        q.at += slot_at_[static_cast<std::size_t>(f.slot)];
      } else if (f.kind == buffer_kind::extent) {
        numbers_.push_back(0);
        write_number(f.type, value(f.count), &numbers_.back());
        q.at += static_cast<index_t>(reinterpret_cast<std::uintptr_t>(&numbers_.back()));
      }
    }
    places.push_back(q);
  }

  /// The team of a step that has enough work for one, and its scratch.
  [[gnu::cold]] void needs(const cpu_code& code, bound& b) {
    const step& s = *b.s;
    index_t work = 1;
    for (int i = 0; i < s.rows; ++i) work *= b.extent[i];
    if (s.kind == step_kind::product) {
      const index_t m = b.extent[s.rows], n = b.extent[s.rows + 1], k = b.extent[s.rows + 2];
      b.each = rounded_up(code.product_workspace(s.type, m, n, k));
      if (computed_in(s.type) != s.type) b.common = widened_bytes(m * k) + widened_bytes(k * n);
      work *= m * n * k;
      if (work < 2 * least_product_share) return;
      shares_ = true;
      b.threads = static_cast<int>(std::min<index_t>(threads_, work / least_product_share));
    } else if (s.kind == step_kind::kernel) {
      const kernel& k = plan_->kernels[s.kernel];
      const index_t inner = b.extent[s.rows + s.segments];
      index_t row = inner;
      for (int i = 0; i < s.segments; ++i) row *= b.extent[s.rows + i];
      b.each = scratch_bytes(k, row, inner);
      if (work * row < least_shared) return;
      shares_ = true;
      b.threads = std::max(1, team<A>::size_for(k, work * row, threads_));
      if (b.threads > 1) b.common = team<A>::shared_bytes(k, s.rows, b.extent, inner);
    } else if (s.kind == step_kind::scatter_add && computed_in(s.type) != s.type) {
      b.each = widened_bytes(scattered_elements(s, b.extent));
    }
  }

  const cpu_code* code_ = nullptr;
  const plan_view* plan_ = nullptr;
  const index_t* values_ = nullptr;
  std::vector<index_t> extents_, strides_, slot_at_;
  std::vector<std::uint64_t> numbers_;
  int threads_ = 1;
  bool shares_ = false;  ///< some step's team depends on the number of threads
};

}  // namespace weft::detail
