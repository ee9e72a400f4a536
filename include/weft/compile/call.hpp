// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/array/view.hpp>
#include <weft/compile/guards.hpp>
#include <weft/compile/program.hpp>

#include <array>

namespace weft::detail {

/// Bytes that an argument spans, to see whether a result overlaps it.
struct byte_range {
  const std::byte* from = nullptr;
  const std::byte* to = nullptr;
  bool overlaps(const byte_range& o) const { return from < o.to && o.from < to; }
};

/// One of a program's plans with its extents evaluated for a call.
template <class Stages, class A>
struct bound_plan {
  static constexpr std::size_t count =
      static_cast<std::size_t>(Stages::reader.count(words_header::extents));
  std::array<index_t, count + 1> extents;

  void evaluate(const argument_value* arguments) {
    if constexpr (count > 0)
      evaluate_extents<A>(Stages::compiled().p.extents.data(), static_cast<int>(count), arguments,
                          extents.data());
  }
  index_t value(index_t e) const { return is_symbol(e) ? extents.data()[symbol_number(e)] : e; }
};
struct no_plan {};

/// A call of a program on bound arguments: guards checked and shapes computed first, then run into
/// results.
template <class Program, class A = xsimd::default_arch>
class call {
 public:
  static constexpr int outputs = Program::outputs;

  call(const argument_value* arguments, const place_table& places) : arguments_(arguments) {
    fast_.evaluate(arguments);
    if constexpr (Program::fast::reader.count(words_header::guards) > 0)
      general_ = check_guards<false, A>(Program::fast::compiled().facts, Program::fast::texts.words,
                                        fast_.extents.data(), places) == guard_result::general;
    if constexpr (Program::broadcasts_at_call)
      if (general_) {
        if (watching()) [[unlikely]]
          tell_guard(Program::general::note, Program::fast::compiled(), fast_.extents.data());
        wide_.evaluate(arguments);
        check_guards<true, A>(Program::general::compiled().facts, Program::general::texts.words,
                              wide_.extents.data(), places);
      }
  }

  template <int J>
  auto shape() const {
    constexpr value_spec s = Program::output_spec(J);
    std::array<index_t, static_cast<std::size_t>(s.rank)> r{};
    for (int i = 0; i < s.rank; ++i) r[static_cast<std::size_t>(i)] = extent<J>(i, s.extent[i]);
    return r;
  }

  /// The shape of output j into an array of its rank.
  void shape(int j, index_t* out) const {
    const node& n = general_ ? general_output(j)
                             : Program::fast::compiled().facts.outputs[static_cast<std::size_t>(j)];
    for (int i = 0; i < n.shape.rank; ++i) out[i] = value(n.shape.d[i]);
  }

  /// Runs the program; results lie at the addresses given, row-major. in_place(j, k) must have been
  /// heeded.
  void run(void* const* results) {
    if constexpr (Program::broadcasts_at_call) {
      if (general_) {
        execute<A>(cpu_table<typename Program::general, A>::code(), arguments_, results,
                   wide_.extents.data(), Program::arenas);
        return;
      }
    }
    execute<A>(cpu_table<typename Program::fast, A>::code(), arguments_, results,
               fast_.extents.data(), Program::arenas);
  }

  /// The same on a device: the program, arguments and results of `c` are filled in.
  void run_on_device(device_call c, void* const* results) {
    back_end_of(c.where).run(completed(c, results));
  }
  std::string describe_on_device(device_call c, bool source) {
    const std::array<void*, static_cast<std::size_t>(outputs) + 1> none{};
    return back_end_of(c.where).describe(completed(c, none.data()), source);
  }

  /// Whether result j may be written to the memory of argument k while the program runs.
  bool in_place(int j, int k) const {
    return !general_ && Program::fast::compiled().p.in_place(j, k);
  }

  /// Whether result j is written only when nothing can throw any more.
  bool written_last(int j) const {
    if constexpr (Program::broadcasts_at_call)
      if (general_) return late(Program::general::compiled().p, j);
    return late(Program::fast::compiled().p, j);
  }

 private:
  static bool late(const plan& p, int j) {
    return p.last_failure < 0 || p.first_write[static_cast<std::size_t>(j)] > p.last_failure;
  }
  device_call completed(device_call c, void* const* results) const {
    c.program = &Program::fast::on_device;
    if constexpr (Program::broadcasts_at_call)
      if (general_) c.program = &Program::general::on_device;
    c.arguments = arguments_;
    c.results = results;
    return c;
  }
  static const node& general_output(int j) {
    if constexpr (Program::broadcasts_at_call)
      return Program::general::compiled().facts.outputs[static_cast<std::size_t>(j)];
    else
      return Program::fast::compiled().facts.outputs[static_cast<std::size_t>(j)];
  }
  index_t value(index_t e) const {
    if constexpr (Program::broadcasts_at_call)
      if (general_) return wide_.value(e);
    return fast_.value(e);
  }
  template <int J>
  index_t extent(int i, index_t known) const {
    if (known != dyn) return known;
    if constexpr (Program::broadcasts_at_call)
      if (general_) return wide_.value(Program::general::reader.output(J).shape.d[i]);
    return fast_.value(Program::fast::reader.output(J).shape.d[i]);
  }

  const argument_value* arguments_;
  bool general_ = false;
  bound_plan<typename Program::fast, A> fast_;
  [[no_unique_address]] std::conditional_t<Program::broadcasts_at_call,
                                           bound_plan<typename Program::general, A>, no_plan>
      wide_;
};

}  // namespace weft::detail
