// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "grid_check.hpp"
#include "support/random_graph.hpp"

// Every pointwise primitive for every dtype, over the values where conventions are easily missed.
// The host's functions stand for the device's here: what is tested is the emitter and the prelude.

namespace w = weft;
using namespace weft_test;

namespace {

using namespace weft::detail;

reference_value special(dtype t, std::vector<index_t> shape) {
  std::vector<long double> v;
  if (is_floating(t)) {
    const bool wide = t == dtype::float64;
    v = {0.0L, -0.0L, 1,   -1,   inf,  -inf, qnan,  0.5,  -0.5, 1.5, 2.5,
         -2.5, 1e-7L, 3.7, -6.3, 88.8, -103, 255.5, -1e5, 1e10, 0.1, 7};
    v.push_back(wide ? 0x1p-1074L : t == dtype::float32 ? 0x1p-149L : 0x1p-24L);
    v.push_back(wide ? 1.7e308L : t == dtype::float16 ? 65504 : 3e38L);
    v.push_back(2147483648.0L);
    v.push_back(-2147483904.0L);
  } else if (t == dtype::boolean) {
    v = {0, 1};
  } else {
    v = {0, 1, 2, 3, 7, 8, 31, 32, 33, 64, 100, 255};
    if (is_signed(t)) {
      for (long double x : {-1, -2, -7, -32, -100}) v.push_back(x);
      v.push_back(t == dtype::int32 ? -0x1p31L : -0x1p63L);
    }
    if (t != dtype::uint8) {
      v.push_back(t == dtype::int32 ? 0x1p31L - 1 : 0x1p32L - 1);
      v.push_back(1e9);
    }
  }
  const auto n = static_cast<index_t>(v.size());
  for (index_t& e : shape)
    if (e < 0) e = n;
  return values(t, shape, v);
}

/// One graph with every op that takes the dtype; names of its outputs.
graph all_ops(dtype t, index_t n, std::vector<std::string>& names) {
  builder b;
  const symbol x = make_argument(b, spec(t, {n, 1}), 0), y = make_argument(b, spec(t, {1, n}), 1);
  auto keep = [&](const std::string& name, symbol s) {
    names.push_back(name);
    b.g.outputs.push_back(s.id());
  };
  for (int i = 0; i < primitives::size; ++i) {
    const auto op = static_cast<op_id>(i);
    const op_info& f = info(op);
    if (f.kind != op_kind::pointwise || !takes(f, t) || f.types == typing::special) continue;
    symbol in[3]{x, y, x};
    if (f.types == typing::select) {
      symbol unequal[2]{x, y};
      in[0] = pointwise(b, id_of<w::not_equal_>, unequal, 2);
      in[1] = x;
      in[2] = y;
    }
    keep(std::string(f.name), pointwise(b, op, in, f.arity));
  }
  for (int to = 0; to < dtype_count; ++to)
    keep("cast to " + std::string(name(static_cast<dtype>(to))), x.as(static_cast<dtype>(to)));
  return b.finished();
}

struct table {
  dtype type;
  std::vector<std::string> names;
  std::unique_ptr<grid_run> run;
};

}  // namespace

TEST_CASE("every pointwise primitive, every dtype, special values") {
  grid_batch batch;
  std::vector<table> tables;
  for (int d = 0; d < dtype_count; ++d) {
    const auto t = static_cast<dtype>(d);
    const reference_value x = special(t, {-1, 1}), y = special(t, {1, -1});
    table q{t, {}, nullptr};
    const graph g = all_ops(t, x.size(), q.names);
    q.run = std::make_unique<grid_run>(batch, g, std::vector<reference_value>{x, y});
    tables.push_back(std::move(q));
  }
  batch.compile();
  for (table& q : tables) {
    CAPTURE(std::string(name(q.type)));
    const auto found = q.run->outputs();
    const auto wanted = q.run->expected(reference_arithmetic::own);
    REQUIRE(found.size() == q.names.size());
    for (std::size_t j = 0; j < found.size(); ++j) {
      CAPTURE(q.names[j]);
      const bool exact = !is_floating(found[j].type);
      CHECK(difference(found[j], wanted[j], exact ? tolerance{} : tolerance{.ulp = 4}) == "");
    }
  }
}

TEST_CASE("a constant of every dtype, its least and greatest number") {
  grid_cases c;
  for (int d = 0; d < dtype_count; ++d) {
    const auto t = static_cast<dtype>(d);
    builder b;
    const symbol x = make_argument(b, spec(t, {5}), 0);
    for (double v : {0.0, 1.0, 3.0, 0.1, -0.0, -1.5, -1e30, 1e30, HUGE_VAL})
      b.g.outputs.push_back(x.as(dtype::float64).number(v).as(t).broadcast_to(x).id());
    c.add_graph(std::string(name(t)), b.finished(), {filled(t, {5}, 1, 0, 4)});
  }
  c.run();
}
