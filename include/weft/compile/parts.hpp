// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/arguments.hpp>
#include <weft/compile/results.hpp>
#include <weft/graph/cut.hpp>

#include <vector>

// Programs with shapes that follow from data: each part is a program of its own; between two parts
// the host makes what the next one's shapes follow from.
namespace weft::detail {

/// Part P of a program.
template <class Source, int P>
struct part_source {
  static constexpr int expected_words = weft::detail::expected_words<Source>();
  static constexpr graph build(capture_mode mode) {
    graph g = Source::build(mode);
    if (!g.error.empty()) return g;
    const cut_program c = cut(g);
    return c.parts[static_cast<std::size_t>(P)];
  }
};

/// What a call needs to know of a program in parts, in words.
template <class Source>
struct cut_stage {
  static constexpr int capacity = 256;
  template <int C>
  static constexpr word_store<C> run() {
    const graph g = Source::build(false);
    const cut_program c = cut(g);
    sequence<index_t> w{static_cast<index_t>(c.parts.size()), static_cast<index_t>(c.values.size()),
                        static_cast<index_t>(c.calls.size())};
    for (const node& n : c.values)
      w.push_back(static_cast<index_t>(n.type) | static_cast<index_t>(n.shape.rank) << 8);
    for (const sequence<int>& made : c.made) {
      w.push_back(static_cast<index_t>(made.size()));
      for (int v : made) w.push_back(v);
    }
    for (const cut_call& k : c.calls) {
      w.push_back(k.host);
      w.push_back(k.after);
      w.push_back(k.result);
      w.push_back(static_cast<index_t>(k.operands.size()));
      for (int v : k.operands) w.push_back(v);
    }
    return stored<C>(w);
  }
};
template <class Source>
struct part_table {
  static constexpr const index_t* words = stage_result<cut_stage<Source>>::value.words;
  static constexpr int parts = static_cast<int>(words[0]);
  static constexpr const host_function* hosts =
      host_table<
          Source, false,
          capture_reader{stage_result<capture_stage<Source, false>>::value.words}.hosts()>::value.f;
};

/// Values that cross from part to part; of N arguments of the program.
template <std::size_t N>
class part_values {
 public:
  std::vector<argument_value> arguments;  ///< the program's, then these values

  part_values(const index_t* words, const argument_value* given)
      : arguments(given, given + N), words_(words) {
    const auto n = static_cast<std::size_t>(words[1]);
    shapes_.resize(n);
    memory_.resize(n);
    arguments.resize(N + n + 1);
    for (std::size_t v = 0; v < n; ++v) arguments[N + v].shape = shapes_[v].data();
    const index_t* w = words + 3 + n;
    for (index_t p = 0; p < words[0]; ++p) {
      made_.push_back(w);
      w += 1 + w[0];
    }
    calls_ = w;
  }
  int made(int part) const { return static_cast<int>(made_[static_cast<std::size_t>(part)][0]); }

  /// How many calls of the host come after a part.
  int calls_after(int part) const {
    int n = 0;
    const index_t* w = calls_;
    for (index_t k = 0; k < words_[2]; ++k, w += 4 + w[3]) n += w[1] == part;
    return n;
  }

  /// Memory for output j of a part, a value of this shape.
  void* place(int part, int j, const index_t* shape) {
    return place(made_[static_cast<std::size_t>(part)][1 + j], shape);
  }
  /// The calls of the host after a part.
  void call_hosts(int part, const host_function* hosts) {
    const index_t* w = calls_;
    for (index_t k = 0; k < words_[2]; ++k) {
      const index_t operands = w[3];
      if (w[1] == part) {
        std::vector<host_value> in;
        for (index_t i = 0; i < operands; ++i) in.push_back(value(w[4 + i]));
        const host_function& f = hosts[w[0]];
        shape_t<max_rank> shape{};
        if (f.shape) f.shape(in.data(), shape.data());
        place(w[2], shape.data());
        const host_value out = value(w[2]);
        f.run(in.data(), &out);
      }
      w += 4 + operands;
    }
  }

 private:
  dtype type(index_t v) const { return static_cast<dtype>(words_[3 + v] & 255); }
  int rank(index_t v) const { return static_cast<int>(words_[3 + v] >> 8); }
  host_value value(index_t v) const {
    const argument_value& a = arguments[N + static_cast<std::size_t>(v)];
    return {type(v), rank(v), a.shape, const_cast<void*>(a.data)};
  }
  void* place(index_t v, const index_t* shape) {
    const auto i = static_cast<std::size_t>(v);
    std::copy_n(shape, rank(v), shapes_[i].begin());
    memory_[i] = allocate_elements(cpu, type(v), shape, rank(v));
    arguments[N + i].data = memory_[i].data();
    return memory_[i].data();
  }

  const index_t* words_;
  std::vector<shape_t<max_rank>> shapes_;
  std::vector<storage_ptr> memory_;
  std::vector<const index_t*> made_;
  const index_t* calls_ = nullptr;
};

/// Runs part P; its own results go to `results`, which only the last part has.
template <class Source, int P, std::size_t R, std::size_t N>
void run_part(part_values<N>& values, result_list<R>& results, const place_table& places) {
  using part = program<part_source<Source, P>>;
  static_assert(part::optimised());
  constexpr bool last = P == part_table<Source>::parts - 1;
  call<part> run(values.arguments.data(), places);
  const int made = values.made(P);
  std::array<void*, static_cast<std::size_t>(part::outputs) + 1> address{};
  std::array<storage_ptr, R + 1> fresh;
  shape_t<max_rank> shape[R + 1];
  for (int j = 0; j < made; ++j) {
    shape_t<max_rank> s{};
    run.shape(j, s.data());
    address[static_cast<std::size_t>(j)] = values.place(P, j, s.data());
  }
  if constexpr (last)
    for (std::size_t j = 0; j < R; ++j) {
      const result_slot& s = results.slots[j];
      run.shape(made + static_cast<int>(j), shape[j].data());
      check_result_shape(static_cast<int>(j), s, shape[j].data());
      fresh[j] = allocate_elements(cpu, s.operations->type, shape[j].data(), s.operations->rank);
      address[static_cast<std::size_t>(made) + j] = fresh[j].data();
    }
  run.run(address.data());
  values.call_hosts(P, part_table<Source>::hosts);
  if constexpr (last)
    for (std::size_t j = 0; j < R; ++j)
      results.slots[j].operations->adopt(results.slots[j].tensor, shape[j].data(),
                                         std::move(fresh[j]));
}

/// Runs a program in parts. Each result is written when all of it has been computed.
template <class Source, std::size_t R, std::size_t N>
void run_in_parts(result_list<R>& results, const argument_list<N>& arguments,
                  const place_table& places) {
  if (!arguments.place.on_host())
    throw device_error(
        "weft: a program with shapes that follow from data (nonzero, masked_select, unique, a "
        "slice to item) runs on the CPU: bring its arguments with to(cpu)");
  part_values<N> values(part_table<Source>::words, arguments.value.data());
  [&]<int... P>(std::integer_sequence<int, P...>) {
    (run_part<Source, P>(values, results, places), ...);
  }
  (std::make_integer_sequence<int, part_table<Source>::parts>{});
}

}  // namespace weft::detail
