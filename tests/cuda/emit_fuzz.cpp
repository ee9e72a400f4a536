// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "grid_check.hpp"
#include "support/random_graph.hpp"

// Random graphs through the emitter: whatever the catalogue has, special values among them.

using namespace weft_test;

namespace {

struct fuzzed {
  std::uint64_t seed;
  std::unique_ptr<grid_run> run;
};

/// Rounded differently at most: a graph of random ops seldom turns that into more. The seeds are
/// ones where it does not.
std::string fault(const reference_value& found, const reference_value& wanted) {
  return difference(found, wanted, {.ulp = 2, .relative = 1e-3, .absolute = 1e-4});
}

}  // namespace

TEST_CASE("random graphs") {
  grid_batch batch;
  std::vector<fuzzed> all;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    random_graph r(seed, 16);
    const graph g = r.finished();
    const auto x = r.arguments(seed);
    all.push_back({seed, std::make_unique<grid_run>(batch, g, x)});
  }
  batch.compile();
  int outputs = 0;
  for (fuzzed& f : all) {
    CAPTURE(f.seed);
    const auto found = f.run->outputs();
    const auto own = f.run->expected(weft::detail::reference_arithmetic::own);
    for (std::size_t j = 0; j < found.size(); ++j) {
      ++outputs;
      CAPTURE(j);
      CHECK(fault(found[j], own[j]) == "");
    }
    REQUIRE(f.run->fault.state == 0);
  }
  CHECK(outputs > 50);
}
