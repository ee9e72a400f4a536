// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// The textbook examples of graph breaks: what breaks a graph, what does not, and what it becomes.
// Each prints its value and gradient, whether the reference evaluator agrees, and what explain
// finds.
#include <weft/stance.hpp>
#include <weft/weft.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>

namespace w = weft;

namespace {

double difference(const w::vector<double>& a, const w::vector<double>& b) {
  return w::item(w::max(w::abs(a - b)));
}

/// Runs f and its gradient, compiled and by the reference evaluator.
template <class F, class... X>
void show(const char* name, F f, const w::vector<double>& x, const X&... more) {
  const auto step = w::value_and_grad(f);
  std::cout << name << "\n";
  const auto [value, gradient] = step(x, more...);
  std::cout << "  value " << value << ", gradient " << gradient << "\n";
  w::vector<double> expected;
  {
    const w::stance_scope by_reference(w::stance::reference);
    expected = std::get<1>(step(x, more...));
  }
  std::cout << "  the reference "
            << (difference(gradient, expected) < 1e-12 ? "agrees" : "DISAGREES") << "\n";
  const w::report r = w::explain(w::compile(f), x, more...);
  std::cout << "  " << r.regions() << (r.regions() == 1 ? " region, " : " regions, ")
            << r.launches() << (r.launches() == 1 ? " launch" : " launches")
            << "; with its gradient " << w::explain(step, x, more...).launches() << "\n";
  for (const auto& b : r.breaks) std::cout << "  broken by " << b.kind << ", \"" << b.why << "\"\n";
  std::cout << "\n";
}

}  // namespace

int main() {
  std::cout << std::setprecision(4);
  const w::vector<double> x{0.5, 0.25, -0.125};

  // A C++ loop over what is known at capture is unrolled: its body's ops are the graph.
  show(
      "an accumulation loop",
      [](auto x) {
        auto total = w::sum(x);
        for (int k = 1; k < 4; ++k) total += w::sum(w::sin(x * k));
        return total;
      },
      x);

  // The same as one body that runs three times, for counts that are large or known at the call.
  show(
      "the same with fori",
      [](auto x) {
        return w::fori(
            3,
            [x](auto k, auto total) { return total + w::sum(w::sin(x * w::cast<double>(k + 1))); },
            w::sum(x));
      },
      x);

  // `if x.sum() > 0`: both sides are compiled, one runs, and the graph stays whole.
  auto grow = [](auto x) { return w::sum(w::exp(x)); };
  auto shrink = [](auto x) { return w::sum(x * 0.5); };
  show(
      "an if as cond",
      [](auto x) { return w::cond(w::sum(x) > 0, decltype(grow){}, decltype(shrink){}, x); }, x);
  // The host decides.
  show(
      "an if as branch",
      [](auto x) { return w::branch(w::sum(x) > 0, decltype(grow){}, decltype(shrink){}, x); }, x);

  // Printing needs the numbers: the graph breaks, and the gradient passes through.
  show(
      "a print in the middle",
      [](auto x) {
        auto y = w::graph_break(w::tanh(x), "print", [](w::view<const double, 1> v) {
          std::cout << "  [now y is " << v << "]\n";
        });
        return w::sum(y * y);
      },
      x);

  // Symbols are values: += makes a new one.
  show(
      "an in-place add",
      [](auto x) {
        auto y = x * 2.0;
        y += w::sin(x);
        return w::sum(y);
      },
      x);

  // An index known only at run time: take gathers on the device.
  const w::tensor<std::int64_t> index(1);
  show(
      "an index, by take", [](auto x, auto i) { return w::square(w::take(x, i)) + w::sum(x); }, x,
      index);
  // item reads it on the host, where it can also be the bound of a slice.
  show(
      "an index, by item",
      [](auto x, auto i) {
        auto k = w::item(i);
        return w::square(w::take(x, k)) + w::sum(x);
      },
      x, index);
}
