// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/spec.hpp>
#include <weft/compile/device.hpp>
#include <weft/cpu/control.hpp>
#include <weft/cpu/other_steps.hpp>
#include <weft/graph/encode.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/encode.hpp>
#include <weft/plan/make_plan.hpp>

#include <bit>

namespace weft::detail {

/// An encoding in a capacity that may turn out too small.
template <int C>
struct word_store {
  index_t words[static_cast<std::size_t>(C + 2)]{};
  int size = 0;
  message error{};
  location where{};  ///< of a captured graph's first result
};
template <int C>
constexpr word_store<C> stored(const sequence<index_t>& words) {
  word_store<C> r;
  r.size = static_cast<int>(words.size());
  const index_t* from = words.data();
  const int size = r.size;
  if (size <= C)
    for (int i = 0; i < size; ++i) r.words[i] = from[i];
  return r;
}
/// `encode` writes them, to sequences or fixed_words.
template <int C, class Encode>
  requires std::is_invocable_v<Encode, fixed_words&>
constexpr word_store<C> stored(Encode encode) {
  word_store<C> r;
  fixed_words w(r.words, static_cast<std::size_t>(C));
  encode(w);
  r.size = static_cast<int>(w.size());
  return r;
}
template <int C>
constexpr word_store<C> failed_with(const message& m) {
  word_store<C> r;
  r.error = m;
  return r;
}

/// Words of just their size.
template <int N>
struct exact_words {
  index_t words[static_cast<std::size_t>(N + 1)]{};
};
/// The first N words of a store and a 0: cut off as a whole, since a loop would cost constant
/// evaluation some microseconds for each.
template <int N, int C>
constexpr exact_words<N> first_words(const word_store<C>& from) {
  struct parts {
    exact_words<N> first;
    index_t rest[static_cast<std::size_t>(C - N + 1)];
  };
  return std::bit_cast<parts>(from.words).first;
}

/// Evaluates a stage once, then copies its words to size. Where the capacity was too small, once
/// more in one that is known to fit.
template <class Stage, int C>
struct fitting {
  static_assert(C <= (1 << 24), "weft: the program is too large");
  static constexpr word_store<C> attempt = Stage::template run<C>();
  static constexpr bool fits = attempt.size <= C;
  using type = typename std::conditional_t<fits, std::type_identity<fitting>,
                                           fitting<Stage, fits ? C : attempt.size>>::type;
};
template <class Stage>
struct stage_result {
  using found = typename fitting<Stage, Stage::capacity>::type;
  static constexpr exact_words<found::attempt.size> value =
      first_words<found::attempt.size>(found::attempt);
};

/// A guess at the words of a captured graph.
template <class Source>
constexpr int expected_words() {
  if constexpr (requires { Source::expected_words; })
    return Source::expected_words;
  else
    return 4096;
}

template <class Source, bool General>
struct capture_stage {
  static constexpr int capacity = expected_words<Source>();
  template <int C>
  static constexpr word_store<C> run() {
    const graph g = Source::build(General);
    if (!g.error.empty()) return failed_with<C>(g.error);
    word_store<C> r = stored<C>([&](auto& w) { encode_capture(g, w); });
    if (!g.outputs.empty()) r.where = g.where[static_cast<std::size_t>(g.outputs[0])];
    return r;
  }
};
template <class Source, bool General>
struct pass_stage {
  using before = stage_result<capture_stage<Source, General>>;
  static constexpr int capacity = before::found::attempt.size + 1024;
  template <int C>
  static constexpr word_store<C> run() {
    const graph g =
        optimised(decoded_graph(capture_reader{before::found::attempt.words}.graph_words()));
    return stored<C>([&](auto& w) { encode_graph(g, w); });
  }
};
template <class Source, bool General>
struct plan_stage {
  using before = stage_result<pass_stage<Source, General>>;
  static constexpr int capacity = 4 * before::found::attempt.size + 1024;
  template <int C>
  static constexpr word_store<C> run() {
    const auto decoded = [] { return decoded_graph(before::found::attempt.words); };
    const planned r = planned_from(decoded, target::cpu);
    if (!r.p.error.empty()) return failed_with<C>(r.p.error);
    return stored<C>([&](auto& w) { word_writer(r.g, r.p, w); });
  }
};

/// What a source's capture says is wrong. Asserted at the doors where users come in, so that few
/// layers lie between the message and their line; the assertion in program is for those who forget.
template <class Source>
inline constexpr const message& capture_problem =
    stage_result<capture_stage<Source, false>>::found::attempt.error;

/// The host functions that a program calls: addresses, which words cannot hold.
template <class Source, bool General, int N>
struct host_table {
  struct list {
    host_function f[static_cast<std::size_t>(N + 1)]{};
  };
  static constexpr list value = [] {
    list r;
    if constexpr (N > 0) {
      const graph g = Source::build(General);
      for (int i = 0; i < N; ++i) r.f[i] = g.hosts[static_cast<std::size_t>(i)];
    }
    return r;
  }();
};

/// A program's compilation: captured, optimised and planned, each stage a constant of its own.
/// Source::build(general) captures the graph; it assumes that dynamic extents which meet are equal,
/// unless general.
template <class Source, bool General>
struct stages {
  static_assert(reported<stage_result<plan_stage<Source, General>>::found::attempt.error>::nothing);
  static constexpr const auto& code = stage_result<plan_stage<Source, General>>::value;
  static constexpr word_reader reader{code.words};

  /// What guards that fail say.
  static constexpr auto texts = [] {
    constexpr capture_reader captured{
        stage_result<capture_stage<Source, General>>::found::attempt.words};
    exact_words<captured.text_words()> r;
    for (int i = 0; i < captured.text_words(); ++i) r.words[i] = captured.texts()[i];
    return r;
  }();

  static constexpr const host_function* hosts =
      host_table<Source, General,
                 capture_reader{stage_result<capture_stage<Source, General>>::found::attempt.words}
                     .hosts()>::value.f;

  static constexpr program_note note{
      stage_result<pass_stage<Source, General>>::value.words,
      stage_result<capture_stage<Source, General>>::found::attempt.where, General};

  /// The program for back ends that plan it at run time.
  inline static device_program on_device{
      stage_result<pass_stage<Source, General>>::value.words, {}, &note, hosts};

  /// The decoded form, made at the first call.
  static const compiled_plan& compiled() {
    static const compiled_plan& c = reader.decoded();
    return c;
  }
  /// The graph, captured and optimised anew, for reports.
  static graph optimised_graph() { return optimised(Source::build(General)); }
};

/// A body of a program's plan.
template <class Stages, int I>
struct body_stages {
  static constexpr word_reader reader{Stages::reader.body(I)};
  static constexpr const program_note& note = Stages::note;
  static constexpr const host_function* hosts = Stages::hosts;
  static const compiled_plan& compiled() {
    static const compiled_plan& c = reader.decoded();
    return c;
  }
};

/// The code of a plan for one architecture: a function for each kernel that differs, and for other
/// steps that occur.
template <class Stages, class A>
struct cpu_table {
  template <int I, class Words>
  struct code_of;
  template <int I, int... W>
  struct code_of<I, std::integer_sequence<int, W...>> {
    using type = kernel_code<Stages::reader.kernel_words(I)[W]...>;
  };
  template <int I>
  using kernel_at =
      typename code_of<I,
                       std::make_integer_sequence<int, Stages::reader.kernel_word_count(I)>>::type;
  template <int... I>
  struct functions {
    static constexpr kernel_function value[sizeof...(I) + 1]{&nest<kernel_at<I>, A>::run...,
                                                             nullptr};
  };
  template <int... I>
  static constexpr const kernel_function* kernels(std::integer_sequence<int, I...>) {
    return functions<I...>::value;
  }

  struct other_table {
    step_function value[step_kind_count][dtype_count];
  };
  static constexpr auto used = Stages::reader.used();
  template <int... I>
  static constexpr other_table filled(std::integer_sequence<int, I...>) {
    other_table t{};
    ((t.value[used.of[I] / dtype_count][used.of[I] % dtype_count] =
          other_step<static_cast<step_kind>(used.of[I] / dtype_count),
                     ctype<static_cast<dtype>(used.of[I] % dtype_count)>, A>()),
     ...);
    return t;
  }
  static constexpr other_table others = filled(std::make_integer_sequence<int, used.count>{});

  /// The workspace of a product of a dtype that occurs.
  template <int I>
  static void put_workspace(dtype t, index_t m, index_t n, index_t k, std::size_t& bytes) {
    if constexpr (used.of[I] / dtype_count == static_cast<int>(step_kind::product)) {
      constexpr auto type = static_cast<dtype>(used.of[I] % dtype_count);
      if (t == type) bytes = product_workspace<computed_type<ctype<type>>, A>(m, n, k);
    }
  }
  template <int... I>
  static std::size_t workspace(dtype t, index_t m, index_t n, index_t k) {
    std::size_t bytes = 0;
    (put_workspace<I>(t, m, n, k, bytes), ...);
    return bytes;
  }
  template <int... I>
  static constexpr auto workspaces(std::integer_sequence<int, I...>) {
    return &workspace<I...>;
  }

  template <int... I>
  static const cpu_code* const* bodies(std::integer_sequence<int, I...>) {
    static const cpu_code* const list[]{&cpu_table<body_stages<Stages, I>, A>::code()...};
    return list;
  }
  static const cpu_code& code() {
    static const cpu_code c = made();
    return c;
  }

 private:
  [[gnu::cold, gnu::noinline]] static cpu_code made() {
    cpu_code c{
        view_of(Stages::compiled().p),
        kernels(std::make_integer_sequence<int, Stages::reader.count(words_header::kernels)>{}),
        others.value, workspaces(std::make_integer_sequence<int, used.count>{}), &Stages::note};
    if constexpr (Stages::reader.count(words_header::bodies) > 0)
      c.bodies =
          bodies(std::make_integer_sequence<int, Stages::reader.count(words_header::bodies)>{});
    if constexpr (Stages::reader.count(words_header::controls) > 0)
      c.controls = &control_steps<A>::functions;
    c.hosts = Stages::hosts;
    return c;
  }
};

/// A captured function or expression, ready to run. What types depend on follows from the capture
/// alone: g++ frees what a stage used when the function that first needed it is complete and no
/// other is under way. So a function that runs a program has a declared result type, needs
/// `optimised`, and leaves the plan to another function.
template <class Source>
struct program {
  using source = Source;
  using fast = stages<Source, false>;
  using general = stages<Source, true>;
  template <bool General>
  using captured = stage_result<capture_stage<Source, General>>;
  static_assert(reported<captured<false>::found::attempt.error>::nothing);
  static constexpr capture_reader reader{captured<false>::found::attempt.words};
  static constexpr bool broadcasts_at_call = reader.broadcasts();
  static constexpr bool in_parts = reader.in_parts();  ///< see compile/parts.hpp
  static constexpr int outputs = reader.outputs();
  inline static arena_pool arenas;

  /// Evaluates the passes.
  static constexpr bool optimised() {
    if constexpr (broadcasts_at_call) {
      static_assert(reported<captured<true>::found::attempt.error>::nothing);
      static_assert(stage_result<pass_stage<Source, true>>::found::attempt.size > 0);
    }
    return stage_result<pass_stage<Source, false>>::found::attempt.size > 0;
  }

  /// The dtype, rank and known extents of output j.
  static constexpr value_spec output_spec(int j) {
    const node n = reader.output(j);
    value_spec s;
    s.type = n.type;
    s.rank = n.shape.rank;
    for (int i = 0; i < s.rank; ++i) s.extent[i] = is_symbol(n.shape.d[i]) ? dyn : n.shape.d[i];
    return s;
  }
};

}  // namespace weft::detail
