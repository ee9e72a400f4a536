// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/compile.hpp>
#include <weft/compile/source_kernel.hpp>

#include <algorithm>
#include <iosfwd>

namespace weft {

/// What a program became, as C++ text: its steps in a comment, then each kernel as the loops it
/// stands for. Compiles under `using namespace weft::loops` (compile/source_prelude.hpp).
struct source_text {
  std::string text;
  operator const std::string&() const { return text; }
};

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const source_text& s) {
  return out.write(s.text.data(), static_cast<std::ptrdiff_t>(s.text.size()));
}

namespace detail {

class plan_printer {
 public:
  explicit plan_printer(const plan_view& p) : p_(p) {}

  std::string text() {
    find_shapes();
    std::string s;
    for (int t = 0; t < p_.step_count; ++t) s += step_text(t);
    std::string all = "// " + counted(p_.step_count, "step") + ", " +
                      counted(p_.kernel_count, "kernel") +
                      "; a: arguments, out: results, {}: a step in elements for each loop\n";
    for (int i = 0; i < p_.slot_count; ++i)
      all += "// m" + std::to_string(i) + ": " + extent_of(p_.slots[i]) + " bytes of the arena\n";
    all += s;
    for (const use& u : uses_)
      all += "\n" + kernel_printer(p_.kernels[u.kernel], u.shape).text(u.name);
    return all;
  }

 private:
  struct use {
    int kernel;
    nest_shape shape;
    std::string name;
  };
  static std::string counted(int n, const char* what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  }
  std::string extent_of(index_t e) const { return extent_text(e, p_.extents); }

  /// The loops around a step's kernel; a product runs its epilogue on tiles of rows and columns.
  nest_shape shape_of_step(const step& s) const {
    if (s.kind == step_kind::product) return {s.extent[s.rows + 1] == 1 ? 0 : 1, 0, 0};
    nest_shape r{s.rows, s.segments, 0};
    const kernel& k = p_.kernels[s.kernel];
    for (int j = 0; j < k.store_count; ++j) {
      if (k.stores[j].kind != store_kind::column) continue;
      const access& a = p_.accesses[s.first_access + k.loads + j];
      while (r.summed < s.rows && a.stride[s.rows - 1 - r.summed] == 0) ++r.summed;
      break;
    }
    return r;
  }

  void find_shapes() {
    for (int i = 0; i < p_.kernel_count; ++i) {
      const std::size_t first = uses_.size();
      for (int t = 0; t < p_.step_count; ++t) {
        if (p_.steps[t].kernel != i) continue;
        const nest_shape shape = shape_of_step(p_.steps[t]);
        bool known = false;
        for (std::size_t u = first; u < uses_.size(); ++u) known = known || uses_[u].shape == shape;
        if (!known) uses_.push_back({i, shape, "kernel_" + std::to_string(i)});
      }
      if (uses_.size() > first + 1)
        for (std::size_t u = first; u < uses_.size(); ++u)
          uses_[u].name += static_cast<char>('a' + (u - first) % 26);
    }
  }
  const std::string& kernel_of(const step& s) const {
    const nest_shape shape = shape_of_step(s);
    return std::find_if(uses_.begin(), uses_.end(),
                        [&](const use& u) { return u.kernel == s.kernel && u.shape == shape; })
        ->name;
  }

  std::string memory_name(int b) const {
    const buffer& f = p_.buffers[b];
    switch (f.kind) {
      case buffer_kind::argument:
        return "a" + std::to_string(f.index);
      case buffer_kind::output:
        return "out" + std::to_string(f.index);
      case buffer_kind::arena:
        return "m" + std::to_string(f.slot);
      case buffer_kind::extent:
        return "the number " + extent_of(f.count);
    }
    return "?";
  }
  std::string access_text(const access& a, int loops) const {
    std::string s = a.buffer < 0 ? "positions" : memory_name(a.buffer);
    if (a.offset != 0) s += " + " + extent_of(a.offset);
    if (loops == 0 || (a.buffer >= 0 && p_.buffers[a.buffer].kind == buffer_kind::extent)) return s;
    s += "{";
    for (int i = 0; i < loops; ++i) s += (i ? ", " : "") + extent_of(a.stride[i]);
    return s + "}";
  }

  /// The kernel's operands; those from `first` on of the step's accesses.
  std::string operands(const step& s, int first, int loops, bool tile) const {
    const kernel& k = p_.kernels[s.kernel];
    std::string r;
    for (int a = 0; a < k.loads + k.store_count; ++a) {
      r += r.empty() ? "" : ", ";
      r += a < k.loads ? "x" + std::to_string(a) : "y" + std::to_string(a - k.loads);
      r += " = ";
      r +=
          tile && a == 0 ? "the tile" : access_text(p_.accesses[s.first_access + first + a], loops);
    }
    return r;
  }

  std::string step_text(int t) const {
    const step& s = p_.steps[t];
    const access* a = p_.accesses + s.first_access;
    std::string head = "// step " + std::to_string(t) + ": ", r;
    if (s.kind == step_kind::kernel) {
      r = head + kernel_of(s);
      for (int l = 0; l < s.loops(); ++l) {
        const bool row = l < s.rows, inner = l == s.loops() - 1;
        const int of = row ? s.rows : s.segments, number = row ? l : l - s.rows;
        r += inner ? ", inner " : row ? ", rows" : ", segments";
        if (!inner) r += (of > 1 ? std::to_string(number) : "") + " ";
        r += extent_of(s.extent[l]);
      }
      return r + "\n//   " + operands(s, 0, s.loops(), false) + "\n";
    }
    r = head + step_name(s.kind) + " of " + std::string(name(s.type));
    if (s.kind == step_kind::product) {
      const int loops = s.rows + 3;
      for (int l = 0; l < s.rows; ++l) r += (l ? " x " : ", batch ") + extent_of(s.extent[l]);
      r += ", m " + extent_of(s.extent[s.rows]) + ", n " + extent_of(s.extent[s.rows + 1]) +
           ", k " + extent_of(s.extent[s.rows + 2]);
      r += "\n//   left = " + access_text(a[0], loops) + ", right = " + access_text(a[1], loops);
      if (a[2].buffer >= 0) r += ", result = " + access_text(a[2], loops);
      if (s.kernel >= 0)
        r += "\n//   then " + kernel_of(s) +
             " on each tile while it is in cache: " + operands(s, 3, loops - 1, true);
      return r + "\n";
    }
    r += s.kind == step_kind::sum_to ? "" : ", axis " + std::to_string(s.axis);
    r += "\n//   ";
    for (int i = 0; i < s.access_count; ++i) {
      const bool result = i == s.access_count - 1;
      r += i == 0 ? "operand = " : result ? ", result = " : ", indices = ";
      r += a[i].buffer < 0 ? "positions" : memory_name(a[i].buffer);
      if (a[i].offset != 0) r += " + " + extent_of(a[i].offset);
    }
    return r + "\n";
  }

  const plan_view& p_;
  std::vector<use> uses_;
};

/// The text of a program's plan: the one for dynamic extents that agree, or the general one.
inline source_text plan_source(const plan_view& p) {
  return {plan_printer(p).text()};
}

template <class Program, bool General = false>
source_text make_source() {
  return plan_source(view_of(stages<typename Program::source, General>::compiled().p));
}

}  // namespace detail

/// The loops that an expression became.
template <auto R, class... L>
source_text source(const expr<R, L...>&) {
  return detail::make_source<typename detail::program_of<expr<R, L...>>::type>();
}

/// The loops that a compiled function becomes for arguments of these types, which are not read.
template <class F, class... X>
source_text source(const compiled<F>&, const X&...) {
  return detail::make_source<typename compiled<F>::template program<X...>>();
}

/// The same of a function that is not compiled yet.
template <class F, class... X>
  requires detail::stateless<F> &&(!detail::operand<F>)source_text source(F f, const X&... x) {
    return source(compile(f), x...);
  }

  /// The loops of a training step: `source(train, model, x, y)`.
  template <class Trainer, class Model, class... X>
    requires requires(Trainer& t, const Model& m, const X&... x) {
      t.arguments(m, x...);
    }
  source_text source(Trainer&, const Model&, const X&...) {
    return detail::make_source<typename Trainer::template program<X...>>();
  }

}  // namespace weft
