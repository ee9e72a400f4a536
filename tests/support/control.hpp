// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/transforms.hpp>
#include <weft/graph/encode.hpp>
#include <weft/graph/verify.hpp>
#include <weft/pass/pipeline.hpp>

#include "gradients.hpp"

// Control flow against the same function unrolled by a C++ loop.
namespace weft_test {

/// Empty if a graph is well-formed, and stays so, with the same values, through every pass and
/// through its encoding.
inline std::string stays_well_formed(graph g, const std::vector<reference_value>& x) {
  using namespace weft::detail;
  if (!g.error.empty()) return std::string(g.error.view());
  const auto fault = [](const graph& of, std::string_view stage) {
    const auto m = verify(of);
    return m.empty() ? std::string() : std::string(stage) + ": " + std::string(m.view());
  };
  if (std::string s = fault(g, "captured"); !s.empty()) return s;
  const auto expected = reference_evaluate(g, x);
  std::string found;
  const auto check = [&](const graph& now, std::string_view stage) {
    if (!found.empty()) return;
    found = fault(now, stage);
    if (!found.empty()) return;
    const auto values = reference_evaluate(now, x);
    for (std::size_t k = 0; k < expected.size() && found.empty(); ++k)
      if (const auto d = difference(values[k], expected[k], {.relative = 1e-15, .absolute = 1e-15});
          !d.empty())
        found = std::string(stage) + ": " + d;
  };
  const auto inside = [&](auto self, graph& of) -> void {
    for (graph& body : of.bodies) self(self, body);
    for (const pass& p : pipeline)
      if (!p.for_control || has_control(of)) of = p.run(of);
  };
  for (const pass& p : pipeline) {
    g = p.run(g);
    check(g, p.name);
  }
  for (graph& body : g.bodies) inside(inside, body);
  check(g, "bodies");
  const auto words = encoded_graph(g);
  graph again = decoded_graph(words.data());
  again.hosts = g.hosts;
  check(again, "encoded");
  if (found.empty() && encoded_graph(again) != words) found = "encoded twice: other words";
  return found;
}

/// How a function with control flow differs from the same without it, in any of its derivatives;
/// empty if it does not. Both return a float64 of rank 0; the derivatives are by the first
/// argument.
template <class F, class U, class X, class... Y>
std::string flow_difference(F f, U unrolled, const X& x0, const Y&... y) {
  const reference_value x = as_value(x0);
  const std::vector<reference_value> arguments{x, as_value(y)...};
  value_spec specs[1 + sizeof...(Y)];
  for (std::size_t k = 0; k <= sizeof...(Y); ++k) {
    specs[k].type = arguments[k].type;
    for (index_t e : arguments[k].shape) specs[k].extent[specs[k].rank++] = e;
  }
  const auto direction = [](auto a) { return weft::cos(a) + 0.25; };
  // The value, the gradient, the tangent along a direction, and the Hessian times it, in two ways.
  const auto all = [direction](auto g) {
    return [g, direction](auto a, auto... rest) {
      const auto of = [g, rest...](auto b) { return g(b, rest...); };
      const auto v = direction(a);
      const auto [value, slope] = weft::value_and_grad(of)(a);
      const auto [again, tangent] = weft::jvp(of)(a, v);
      const auto hv = std::get<1>(weft::jvp(weft::grad(of))(a, v));
      const auto vh = weft::grad(
          [of, v](auto b) { return weft::sum(weft::grad(of)(b) * weft::stop_gradient(v)); })(a);
      return std::tuple{g(a, rest...), value, again, slope, tangent, hv, vh};
    };
  };
  const char* const names[]{"value",
                            "value beside the gradient",
                            "value beside the tangent",
                            "gradient",
                            "tangent",
                            "jvp of grad",
                            "grad of grad"};
  const graph flow = capture(specs, all(f));
  if (std::string s = stays_well_formed(flow, arguments); !s.empty()) return s;
  const graph plain = capture(specs, all(unrolled));
  const auto found = reference_evaluate(flow, arguments),
             expected = reference_evaluate(plain, arguments);
  for (std::size_t k = 0; k < found.size(); ++k)
    if (const auto d = difference(found[k], expected[k], {.relative = 1e-11, .absolute = 1e-11});
        !d.empty())
      return std::string(names[k]) + ": " + d;
  const reference_value by_differences = reference_gradient(capture(specs, f), arguments);
  if (const auto d = difference(found[3], by_differences, {.relative = 1e-6, .absolute = 1e-6});
      !d.empty())
    return "gradient by differences: " + d;
  // Extents that are known at the call.
  for (value_spec& s : specs) s = opened(s);
  for (const bool general : {false, true}) {
    const graph open = capture(specs, all(f), general);
    if (std::string s = stays_well_formed(open, arguments); !s.empty()) return "open: " + s;
    const auto values = reference_evaluate(open, arguments);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (const auto d = difference(values[k], expected[k], {.relative = 1e-11, .absolute = 1e-11});
          !d.empty())
        return (general ? "open, general, " : "open, ") + std::string(names[k]) + ": " + d;
  }
  return "";
}

}  // namespace weft_test
