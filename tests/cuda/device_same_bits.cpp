// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/grad/transforms.hpp>

#include "grid_check.hpp"

// Two runs give the same bits: on a GPU twice, on the host grid once with all blocks and threads in
// the other order.

namespace w = weft;
using namespace weft_test;

namespace {

constexpr auto norm_loss = [](auto x, auto weight, auto bias, auto g) {
  return w::sum(w::layer_norm(x, weight, bias) * g);
};
constexpr auto take_loss = [](auto x, auto i) { return w::sum(w::square(w::take(x, i))); };
constexpr auto class_loss = [](auto x, auto labels) { return w::cross_entropy(x, labels); };

reference_value places(index_t count, index_t of) {
  reference_value r(dtype::int32, {count});
  for (index_t i = 0; i < count; ++i)
    r.bits[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(i * i % of);
  return r;
}
reference_value floats(std::vector<index_t> shape, std::uint64_t seed) {
  return filled(dtype::float32, std::move(shape), seed);
}

class twice {
 public:
  template <std::size_t N, class F>
  void add(const char* name, F f, const std::vector<reference_value>& x) {
    cases_.push_back({name, std::make_unique<grid_run>(batch_, graph_of<N>(x, f), x)});
  }
  void run() {
    batch_.compile();
    for (auto& c : cases_) {
      CAPTURE(c.name);
      const auto first = c.run->outputs();
      batch_.run_backwards(true);
      const auto second = c.run->outputs();
      batch_.run_backwards(false);
      REQUIRE(first.size() == second.size());
      for (std::size_t j = 0; j < first.size(); ++j) {
        CHECK(first[j].reals == second[j].reals);
        CHECK(first[j].bits == second[j].bits);
      }
    }
  }

 private:
  struct one {
    const char* name;
    std::unique_ptr<grid_run> run;
  };
  grid_batch batch_;
  std::vector<one> cases_;
};

}  // namespace

TEST_CASE("device: two runs give the same bits") {
  twice c;
  c.add<1>("sum of all", [](auto x) { return w::sum(x); }, {floats({200003}, 1)});
  c.add<1>("softmax of long rows", [](auto x) { return w::softmax(x); }, {floats({2, 40000}, 2)});
  c.add<1>("variance", [](auto x) { return w::var(x, w::axis<1>); }, {floats({300, 1000}, 3)});
  c.add<1>("sum of columns", [](auto x) { return w::sum(x, w::axis<0>); }, {floats({3000, 70}, 4)});
  c.add<4>("gradients of layer norm",
           [](auto x, auto a, auto b, auto g) { return w::grad<0, 1, 2>(norm_loss)(x, a, b, g); },
           {floats({700, 96}, 5), floats({96}, 6), floats({96}, 7), floats({700, 96}, 8)});
  c.add<2>("scatter in lists", [](auto x, auto i) { return w::grad(take_loss)(x, i); },
           {floats({1000, 64}, 9), places(1000, 300)});
  c.add<2>("cross entropy", [](auto x, auto i) { return w::value_and_grad(class_loss)(x, i); },
           {floats({300, 50}, 10), places(300, 50)});
  c.add<2>("dropout", [](auto x, auto key) { return w::dropout(x, key, 0.5) + x; },
           {floats({100, 333}, 11), filled(dtype::uint32, {2}, 5)});
  c.run();
}
