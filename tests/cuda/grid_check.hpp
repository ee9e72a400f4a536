// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/derived.hpp>

#include <functional>

#include "grid_execute.hpp"
#include "support/capture.hpp"

// Functions of tensors, run at run time through capture, passes, plan, emitter and grid, and
// compared with the reference evaluator.
namespace weft_test {

inline tolerance grid_tolerance(dtype t) {
  if (t == dtype::float64) return {.relative = 1e-12, .absolute = 1e-12};
  if (t == dtype::float32) return {.relative = 2e-5, .absolute = 2e-5};
  return {.relative = 2e-2, .absolute = 1e-2};
}

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

/// Cases that share one compilation.
class grid_cases {
 public:
  template <class F>
  void add(const std::string& name, F f, const std::vector<reference_value>& x,
           const cuda::tuning& u = {}) {
    add_graph(name, any_graph(f, x), x, u);
  }
  void add_graph(const std::string& name, const graph& g, const std::vector<reference_value>& x,
                 const cuda::tuning& u = {}) {
    CAPTURE(name);
    cases_.push_back({name, std::make_unique<grid_run>(batch_, g, x, u)});
  }
  void run() {
    batch_.compile();
    for (auto& c : cases_) {
      CAPTURE(c.name);
      const auto found = c.run->outputs();
      const auto wanted = c.run->expected();
      REQUIRE(found.size() == wanted.size());
      for (std::size_t j = 0; j < found.size(); ++j) {
        CAPTURE(j);
        std::string kernels;
        for (const auto& s : c.run->steps())
          for (const auto& k : s.kernels) kernels += k.source;
        const std::string d = difference(found[j], wanted[j], grid_tolerance(found[j].type));
        CHECK_MESSAGE(d == "", c.name << ": " << d << "\n" << kernels.substr(0, 6000));
      }
    }
  }

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
