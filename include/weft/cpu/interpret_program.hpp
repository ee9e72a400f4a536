// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/control.hpp>
#include <weft/cpu/execute.hpp>
#include <weft/cpu/interpret.hpp>
#include <weft/cpu/interpreted.hpp>
#include <weft/cpu/other_steps.hpp>

// A plan that was made at run time, as a table of code like those that compiled programs have: the
// same executor binds it, leases arenas for it and shares its steps among a team.
namespace weft::detail {

/// Integers of a width give the same bits in steps that do not compare them.
template <class T>
using signed_of = typename std::conditional_t<std::is_same_v<T, std::uint32_t> ||
                                                  std::is_same_v<T, std::uint64_t>,
                                              std::make_signed<T>, std::type_identity<T>>::type;

/// The functions of steps that are no kernels, for every dtype that they have one for.
template <class A>
struct all_other_steps {
  using row = step_function[dtype_count];
  struct table {
    row of[step_kind_count];
  };
  template <step_kind S, class T>
  static constexpr step_function step_of() {
    constexpr bool is_index = S == step_kind::gather;
    constexpr bool numeric = !std::is_same_v<T, bool>;
    constexpr bool is_place = S == step_kind::arg_max || S == step_kind::arg_min;
    if constexpr (S == step_kind::kernel || S == step_kind::control)
      return nullptr;
    else if constexpr (is_place)
      return other_step<S, T, A>();
    else if constexpr (!is_index && !numeric)
      return nullptr;
    else
      return other_step<S, signed_of<T>, A>();
  }
  template <int S, int... D>
  static constexpr void fill(table& t, std::integer_sequence<int, D...>) {
    ((t.of[S][D] = step_of<static_cast<step_kind>(S), ctype<static_cast<dtype>(D)>>()), ...);
  }
  template <int... S>
  static constexpr table filled(std::integer_sequence<int, S...>) {
    table t{};
    (fill<S>(t, std::make_integer_sequence<int, dtype_count>{}), ...);
    return t;
  }
  static constexpr table value = filled(std::make_integer_sequence<int, step_kind_count>{});
};

/// A plan with its interpreted kernels, and those of its bodies. It keeps its address.
template <class A>
class tile_program final : public interpreted_program {
 public:
  explicit tile_program(plan p, const program_note* note = nullptr,
                        const host_function* hosts = nullptr, const graph* source = nullptr)
      : plan_(std::move(p)) {
    for (const kernel& k : plan_.kernels) codes_.push_back(tile_coder<A>::code_of(k));
    for (const tile_code& c : codes_) {
      interpreted_.push_back(&c);
      functions_.push_back(&tile_interpreter<A>::run);
    }
    for (const plan& body : plan_.bodies) {
      bodies_.push_back(std::make_unique<tile_program>(body, note, hosts));
      body_codes_.push_back(&bodies_.back()->code());
    }
    code_.plan = view_of(plan_);
    code_.kernels = functions_.data();
    code_.others = all_other_steps<A>::value.of;
    code_.product_workspace = &product_bytes<A>;
    code_.note = note;
    code_.bodies = body_codes_.data();
    if (!plan_.controls.empty()) code_.controls = &control_steps<A>::functions;
    code_.hosts = hosts;
    code_.interpreted = interpreted_.data();
    code_.source = source;
  }

  const plan& planned() const override { return plan_; }
  const cpu_code& code() const override { return code_; }
  void run(const argument_value* arguments, void* const* outputs, const index_t* extents) override {
    execute<A>(code_, arguments, outputs, extents, arenas_);
  }

 private:
  plan plan_;
  std::vector<tile_code> codes_;
  std::vector<const void*> interpreted_;
  std::vector<kernel_function> functions_;
  std::vector<std::unique_ptr<tile_program>> bodies_;
  std::vector<const cpu_code*> body_codes_;
  cpu_code code_;
  arena_pool arenas_;
};

}  // namespace weft::detail
