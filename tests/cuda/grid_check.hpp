// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/derived.hpp>

#include <doctest/doctest.h>

#include <functional>

#include "grid_execute.hpp"
#include "support/capture.hpp"

// Functions of tensors, run at run time through capture, passes, plan, emitter and grid, and
// compared with the reference evaluator.
namespace weft_test {

tolerance grid_tolerance(dtype t);

inline value_spec spec_of(const reference_value& v) {
  value_spec s;
  s.type = v.type;
  for (index_t e : v.shape) s.extent[s.rank++] = e;
  return s;
}
/// The graph of f for arguments like these; their extents are known.
template <std::size_t N, class F>
graph graph_of(const std::vector<reference_value>& x, F f) {
  value_spec specs[N];
  for (std::size_t i = 0; i < N; ++i) specs[i] = spec_of(x[i]);
  return capture(specs, f);
}

/// Runs a compiled graph and compares it with the reference evaluator.
void check_run(const std::string& name, grid_run& run);

/// Cases that share one compilation.
class grid_cases {
 public:
  template <class F>
  void add(const std::string& name, F f, const std::vector<reference_value>& x,
           const cuda::tuning& u = {}) {
    add_graph(name, any_graph(f, x), x, u);
  }
  void add_graph(const std::string& name, const graph& g, const std::vector<reference_value>& x,
                 const cuda::tuning& u = {});
  void run();

 private:
  template <class F>
  static graph any_graph(F f, const std::vector<reference_value>& x) {
    if constexpr (std::is_invocable_v<F, symbol>)
      return graph_of<1>(x, f);
    else if constexpr (std::is_invocable_v<F, symbol, symbol>)
      return graph_of<2>(x, f);
    else if constexpr (std::is_invocable_v<F, symbol, symbol, symbol>)
      return graph_of<3>(x, f);
    else if constexpr (std::is_invocable_v<F, symbol, symbol, symbol, symbol>)
      return graph_of<4>(x, f);
    else
      return graph_of<5>(x, f);
  }
  struct one {
    std::string name;
    std::unique_ptr<grid_run> run;
  };
  grid_batch batch_;
  std::vector<one> cases_;
};

}  // namespace weft_test
