// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/bodies.hpp>
#include <weft/grad/reverse.hpp>

// Reverse mode through control flow. A body's derivative is a body: reverse mode differentiates the
// nodes of the forward body in place, then cuts the values that the backward one reads out of it;
// they become results of the forward control node (of a scan: stacked) and operands of the backward
// one.
namespace weft::detail {

constexpr bool contains(const sequence<int>& list, int x) {
  bool r = false;
  for (int i : list) r = r || i == x;
  return r;
}

/// What a backward body reads of its forward one.
class residuals {
 public:
  sequence<int> kept;    ///< values that the forward body returns in addition
  sequence<int> inputs;  ///< parameters of the forward body that are read as they are

  /// `own` are the forward body's parameters without what it closes over; of them those in
  /// `available` need not be kept. `cotangents` are the backward body's own parameters.
  constexpr residuals(builder& b, const sequence<int>& own, const sequence<int>& available,
                      const sequence<int>& cotangents, int since, const sequence<int>& results,
                      const sequence<char>& own_nodes = {})
      : state_(b.g.nodes.size(), unknown) {
    sequence<int> seeds = cotangents;
    for (int i = since; i < b.g.size(); ++i)  // what is computed again belongs to the backward body
      if (b.at(i).op == id_of<barrier_>) seeds.push_back(i);
    const dependence on_cotangents(b, seeds), on_forward(b, own);
    for (int p : available) state_.first[p] = input;
    for (int p : cotangents) state_.first[p] = backward;
    sequence<int> work, wanted;
    for (std::size_t k = results.size(); k-- > 0;) work.push_back(results[k]);
    sequence<char> seen(b.g.nodes.size(), 0);
    while (!work.empty()) {
      const int i = work.back();
      work.pop_back();
      if (seen.first[i]) continue;
      seen.first[i] = 1;
      const node& n = b.at(i);
      const bool of_forward =
          on_forward.on.first[i] || (static_cast<std::size_t>(i) < own_nodes.size() &&
                                     own_nodes.first[i] && !on_forward.portable.first[i]);
      if (on_cotangents.on.first[i] || n.op == id_of<link_>) {
        state_.first[i] = backward;
      } else if (!of_forward || state_.first[i] == input) {
        if (state_.first[i] == input) inputs.push_back(i);
        continue;
      } else if (info(n.op).kind == op_kind::view) {
        state_.first[i] = again;  // of its operand
      } else {
        wanted.push_back(i);
        continue;
      }
      for (int x : current(b, b.successor, i).in)
        if (x >= 0) work.push_back(x);
    }
    // In order of their numbers: a cheap op of values that are there is computed again.
    for (std::size_t k = 1; k < wanted.size(); ++k)
      for (std::size_t j = k; j > 0 && wanted[j] < wanted[j - 1]; --j)
        std::swap(wanted[j], wanted[j - 1]);
    for (int i : wanted) {
      const node& n = b.at(i);
      bool cheap = info(n.op).kind == op_kind::pointwise && !is_expensive(n.op);
      for (int x : n.in)
        cheap = cheap && (x < 0 || state_.first[x] != unknown || !on_forward.on.first[x]);
      state_.first[i] = cheap ? again : saved;
      if (!cheap) kept.push_back(i);
      for (int x : n.in)
        if (cheap && x >= 0 && state_.first[x] == input) inputs.push_back(x);
    }
  }

 private:
  enum state : char { unknown, input, backward, again, saved };
  sequence<char> state_;
};

/// A body that returns more values.
constexpr int extended_body(builder& b, const body_record& from, std::size_t own,
                            const sequence<int>& more) {
  body_record r;
  r.made = from.made;
  r.effect = from.effect;
  r.successor = b.successor;
  for (std::size_t k = 0; k < own; ++k) r.parameters.push_back(from.parameters[k]);
  r.results = from.results;
  r.results.insert(r.results.end(), more.begin(), more.end());
  b.records.push_back(r);
  return static_cast<int>(b.records.size()) - 1;
}

constexpr sequence<symbol> pull_back_scan(builder& b, int i, const sequence<symbol>& g,
                                          const sequence<char>& active) {
  const node n = b.at(i);
  const body_record f = b.records[static_cast<std::size_t>(n.at.v[0])];
  const sequence<int> operands = operands_of(b.g.nodes.data(), n);
  const auto carries = static_cast<std::size_t>(n.at.v[2]),
             slices = static_cast<std::size_t>(n.at.v[3]), own = 1 + carries + slices;
  auto differentiable_type = [&](int x) { return is_floating(b.at(x).type); };
  auto given = [&](std::size_t k) { return k < g.size() && g[k].id() >= 0; };

  // The backward body: cotangents of carries and of what is stacked, sums for what is closed over.
  body_capture body(b, f);
  const int since = b.g.size();
  sequence<int> cotangents, stacked_cotangents, sums, wrt, wrt_operand;
  sequence<symbol> seeds(f.results.size(), symbol{}), initial, stacks;
  for (std::size_t k = 0; k < carries; ++k) {
    const symbol c{&b, f.parameters[1 + k]};
    if (!differentiable_type(c.id())) continue;
    const int p = make_parameter(b, c.type(), c.shape());
    seeds[k] = {&b, p};
    cotangents.push_back(p);
    wrt.push_back(c.id());
    wrt_operand.push_back(static_cast<int>(k));
    initial.push_back(given(k) ? g[k] : zeros_like({&b, operands[k]}));
  }
  for (std::size_t k = carries; k < f.results.size(); ++k) {
    const symbol y{&b, f.results[k]};
    if (!given(k)) continue;
    const int p = make_parameter(b, y.type(), y.shape());
    seeds[k] = {&b, p};
    stacked_cotangents.push_back(p);
    stacks.push_back(g[k]);
  }
  const std::size_t carried = wrt.size();
  for (std::size_t k = carries; k < operands.size(); ++k) {
    if (!active[k] || !differentiable_type(operands[k])) continue;
    wrt.push_back(f.parameters[1 + k]);
    wrt_operand.push_back(static_cast<int>(k));
  }
  const sequence<symbol> made = reverse_pass(b, f.results, wrt).run(f.results, seeds, wrt);
  sequence<int> results, stacked_results;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const auto operand = static_cast<std::size_t>(wrt_operand[k]);
    if (k < carried) {
      results.push_back(made[k].id());
    } else if (operand < carries + slices) {
      stacked_results.push_back(made[k].id());
    } else {
      const symbol sum{&b, make_parameter(b, made[k].type(), made[k].shape())};
      sums.push_back(sum.id());
      initial.push_back(zeros_like({&b, operands[operand]}));
      results.push_back((sum + made[k]).id());
    }
  }
  const std::size_t backward_carries = results.size();
  for (int s : stacked_results) results.push_back(s);

  sequence<int> forward_own, available{f.parameters[0]}, backward_own = cotangents;
  for (std::size_t k = 0; k < own; ++k) forward_own.push_back(f.parameters[k]);
  for (std::size_t k = 1 + carries; k < own; ++k) available.push_back(f.parameters[k]);
  for (int p : sums) backward_own.push_back(p);
  for (int p : stacked_cotangents) backward_own.push_back(p);
  const residuals r(b, forward_own, available, backward_own, since, results);

  // The forward scan stacks what the backward one reads.
  auto stack_of = [&](int control, std::size_t k, int like) {
    const symbol y{&b, like};
    shape_of s = y.shape();
    if (s.rank == max_rank)
      b.fail(
          message{}.put("weft: grad of scan: a value of 6 axes in its body cannot be stacked: "
                        "put checkpoint around the body"));
    else
      for (int d = s.rank++; d > 0; --d) s.d[d] = s.d[d - 1];
    s.d[0] = n.at.v[1];
    return make_result(b, control, static_cast<int>(k), y.type(), s);
  };
  sequence<int> slice_parameters = r.kept, slice_operands;
  succession extended_by{};
  if (!r.kept.empty()) {
    const int extended = extended_body(b, f, own, r.kept);
    sequence<int> x;
    for (std::size_t k = 0; k < carries + slices; ++k) x.push_back(operands[k]);
    close_bodies(b, {extended}, x);
    attributes at = n.at;
    at.v[0] = extended;
    const int forward = make_control(b, id_of<scan_>, at, x, n.in[1]);
    extended_by.by = forward;
    for (std::size_t k = 0; k < r.kept.size(); ++k)
      slice_operands.push_back(stack_of(forward, f.results.size() + k, r.kept[k]));
  }
  for (std::size_t k = 0; k < stacks.size(); ++k) {
    slice_parameters.push_back(stacked_cotangents[k]);
    slice_operands.push_back(stacks[k].id());
  }
  for (int p : r.inputs)
    for (std::size_t k = 1 + carries; k < own; ++k)
      if (f.parameters[k] == p && !contains(slice_parameters, p)) {
        slice_parameters.push_back(p);
        slice_operands.push_back(operands[k - 1]);
      }
  body.record.parameters = {f.parameters[0]};
  for (const sequence<int>* part : {&cotangents, &sums, &slice_parameters})
    for (int p : *part) body.record.parameters.push_back(p);
  body.record.results = results;
  const int number = body.finish();
  if (extended_by.by >= 0) succeed(b.successor, i, extended_by);
  sequence<int> x;
  for (const symbol& s : initial) x.push_back(s.id());
  for (int s : slice_operands) x.push_back(s);
  close_bodies(b, {number}, x);
  const int control =
      next_control(b, id_of<scan_>,
                   {{number, n.at.v[1], static_cast<index_t>(backward_carries),
                     static_cast<index_t>(slice_operands.size()), n.at.v[4] ? 0 : 1}},
                   x, {number});
  sequence<symbol> out(operands.size(), symbol{});
  std::size_t at_sum = carried, at_stack = backward_carries;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const auto operand = static_cast<std::size_t>(wrt_operand[k]);
    if (k < carried)
      out[operand] = {
          &b, make_result(b, control, static_cast<int>(k), made[k].type(), made[k].shape())};
    else if (operand < carries + slices)
      out[operand] = {&b, stack_of(control, at_stack++, made[k].id())};
    else
      out[operand] = {
          &b, make_result(b, control, static_cast<int>(at_sum++), made[k].type(), made[k].shape())};
  }
  return out;
}

constexpr sequence<symbol> pull_back_cond(builder& b, int i, const sequence<symbol>& g,
                                          const sequence<char>& active) {
  const node n = b.at(i);
  const sequence<int> operands = operands_of(b.g.nodes.data(), n);
  sequence<int> wanted;  // operands that get a cotangent
  for (std::size_t k = 1; k < operands.size(); ++k)
    if (active[k] && is_floating(b.at(operands[k]).type)) wanted.push_back(static_cast<int>(k));
  struct side {
    body_record f;
    sequence<int> seeds, own, results, kept;
    int effect = -1;
    sequence<int> made;
    sequence<succession> successor;
  };
  side sides[2];
  const sequence<char> own_nodes =
      made_for(b, {static_cast<int>(n.at.v[0]), static_cast<int>(n.at.v[1])});
  for (int s = 0; s < 2; ++s) {
    side& q = sides[s];
    q.f = b.records[static_cast<std::size_t>(n.at.v[s])];
    body_capture body(b, q.f);
    const int since = b.g.size();
    sequence<symbol> seeds(q.f.results.size(), symbol{});
    for (std::size_t k = 0; k < g.size(); ++k) {
      if (g[k].id() < 0) continue;
      const symbol y{&b, q.f.results[k]};
      seeds[k] = {&b, make_parameter(b, y.type(), y.shape())};
      q.seeds.push_back(seeds[k].id());
    }
    sequence<int> wrt;
    for (int k : wanted) wrt.push_back(q.f.parameters[static_cast<std::size_t>(k - 1)]);
    for (const symbol& d : reverse_pass(b, q.f.results, wrt).run(q.f.results, seeds, wrt))
      q.results.push_back(d.id());
    // Parameters of its own come first; what is closed over is the operand itself.
    for (std::size_t k = 0; k + 1 < operands.size(); ++k)
      if (q.f.parameters[k] != operands[k + 1]) q.own.push_back(q.f.parameters[k]);
    q.kept = residuals(b, q.own, q.own, q.seeds, since, q.results, own_nodes).kept;
    body.abandon();
    q.effect = body.record.effect;
    q.successor = body.record.successor;
    q.made = body.record.made;
  }
  auto undefined_like = [&](int x) {
    // Only the side that was taken is read, but a kernel may load it before it knows: a bool that
    // nothing has written is no value at all.
    if (b.at(x).type == dtype::boolean) return zeros_like({&b, x}).id();
    node u;
    u.op = id_of<undefined_>;
    u.type = b.at(x).type;
    u.shape = b.at(x).shape;
    return b.add(u);
  };
  // Forward: each side returns its residuals, and nothing for the other's.
  const std::size_t results = sides[0].f.results.size();
  sequence<int> residual_values;
  if (!sides[0].kept.empty() || !sides[1].kept.empty()) {
    sequence<int> numbers;
    for (int s = 0; s < 2; ++s) {
      sequence<int> more;
      for (int t = 0; t < 2; ++t)
        for (int x : sides[t].kept) more.push_back(s == t ? x : undefined_like(x));
      numbers.push_back(extended_body(b, sides[s].f, sides[s].own.size(), more));
      b.records.back().successor = sides[s].successor;
      b.records.back().made = sides[s].made;
    }
    sequence<int> x;
    for (std::size_t k = 0; k <= sides[0].own.size(); ++k) x.push_back(operands[k]);
    close_bodies(b, numbers, x, true);
    const int control =
        make_control(b, id_of<cond_>, {{numbers[0], numbers[1], n.at.v[2]}}, x, n.in[1]);
    succeed(b.successor, i, {control, 0, 0});
    int k = static_cast<int>(results);
    for (const side& q : sides)
      for (int v : q.kept) {
        const symbol y{&b, v};
        residual_values.push_back(make_result(b, control, k++, y.type(), y.shape()));
      }
  }
  // Backward: condition, cotangents, residuals of both, the arguments.
  sequence<int> numbers;
  for (int s = 0; s < 2; ++s) {
    side& q = sides[s];
    body_record r;
    r.made = q.made;
    r.effect = q.effect;
    r.successor = q.successor;
    r.parameters = q.seeds;
    for (int t = 0; t < 2; ++t)
      for (int x : sides[t].kept)
        r.parameters.push_back(s == t ? x : make_parameter(b, b.at(x).type, b.at(x).shape));
    for (int p : q.own) r.parameters.push_back(p);
    r.results = q.results;
    b.records.push_back(r);
    numbers.push_back(static_cast<int>(b.records.size()) - 1);
  }
  sequence<int> x{operands[0]};
  for (const symbol& s : g)
    if (s.id() >= 0) x.push_back(s.id());
  for (int v : residual_values) x.push_back(v);
  for (std::size_t k = 0; k < sides[0].own.size(); ++k) x.push_back(operands[k + 1]);
  close_bodies(b, numbers, x, true);
  const int backward =
      next_control(b, id_of<cond_>, {{numbers[0], numbers[1], n.at.v[2]}}, x, numbers);
  sequence<symbol> out(operands.size(), symbol{});
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const symbol y{&b, sides[0].results[k]};
    out[static_cast<std::size_t>(wanted[k])] = {
        &b, make_result(b, backward, static_cast<int>(k), y.type(), y.shape())};
  }
  return out;
}

/// A call of the host has the gradient that its backward function computes.
constexpr sequence<symbol> pull_back_host(builder& b, int control, symbol g) {
  const node n = b.at(control);
  const host_function f = b.g.hosts[static_cast<std::size_t>(n.at.v[0])];
  const sequence<int> operands = operands_of(b.g.nodes.data(), n);
  if (f.identity) return {g};
  if (f.backward < 0 || (operands.size() != 1 && !f.several)) {
    b.here({f.file, f.line, 0});
    message m;
    m.put("weft: grad: the graph break \"").put(f.why).put("\" returns a tensor and ");
    m.put(operands.size() == 1
              ? "has no backward function: give graph_break(x, why, f, backward) one"
              : "takes several values: put custom_vjp around it");
    b.fail(m);
    return {};
  }
  sequence<int> x{g.id()};
  x.append(operands.begin(), operands.end());
  const node like = b.at(operands[0]);
  const int call = make_control(b, id_of<host_>, {{f.backward, b.next_unique(), 1}}, x, -1, like);
  return {{&b, make_result(b, call, 0, like.type, like.shape)}};
}

constexpr sequence<symbol> pull_back_control(builder& b, int control,
                                             const sequence<symbol>& cotangents,
                                             const sequence<char>& active) {
  const op_id op = b.at(control).op;
  if (op == id_of<scan_>) return pull_back_scan(b, control, cotangents, active);
  if (op == id_of<cond_>) return pull_back_cond(b, control, cotangents, active);
  if (op == id_of<host_>) return pull_back_host(b, control, cotangents[0]);
  b.fail(message{}.put(
      "weft: grad: while_loop has no reverse-mode gradient, since the number of its steps is not "
      "known: give a bound, while_loop(condition, body, state, max_steps<N>), or use fori or "
      "scan"));
  return {};
}

}  // namespace weft::detail
