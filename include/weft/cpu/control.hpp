// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/execute.hpp>
#include <weft/graph/host_function.hpp>

#include <memory>

// Control steps: bodies are plans like any other, run in the scratch of the step that they belong
// to.
namespace weft::detail {

/// A body bound to the extents of a call.
template <class A>
struct bound_body final : body_attachment {
  const cpu_code* code = nullptr;
  plan_binding<A> plan;
  std::vector<argument_value> arguments;
  std::vector<void*> outputs;

  void run(std::byte* memory) {
    run_steps(*code, plan, arguments.data(), outputs.data(), nullptr, memory,
              check_of_steps.load(std::memory_order_relaxed) != nullptr);
  }
};
/// What a control step needs at every run: its bodies, and bytes of its accesses.
template <class A>
struct bound_control final : body_attachment {
  const control* c = nullptr;
  bound_body<A> body[2];
  std::vector<std::size_t> bytes;  ///< by access
  std::vector<std::size_t> spare;  ///< by carry: where in scratch its second place is
  std::vector<std::byte*> now;     ///< by carry
  std::vector<host_value> values;  ///< of a host call
  std::vector<index_t> shapes;
  index_t steps = 0;
  std::size_t numbers = 0;  ///< where in scratch the step's number and the condition are
};

template <class A>
class control_steps {
 public:
  static std::size_t bind(void* binding, const cpu_code& code, int t,
                          const argument_value* arguments) {
    plan_binding<A>& plan = *static_cast<plan_binding<A>*>(binding);
    const step& s = code.plan.steps[t];
    const control& c = code.plan.controls[s.axis];
    if (plan.bodies.size() <= static_cast<std::size_t>(s.axis))
      plan.bodies.resize(static_cast<std::size_t>(s.axis) + 1);
    auto made = std::make_unique<bound_control<A>>();
    bound_control<A>& b = *made;
    b.c = &c;
    b.steps = plan.number(c.steps);
    std::size_t memory = 0;
    for (int k = 0; k < 2; ++k) {
      if (c.body[k] < 0) continue;
      bound_body<A>& body = b.body[k];
      body.code = code.bodies[c.body[k]];
      std::vector<index_t> extents(static_cast<std::size_t>(body.code->plan.extent_count) + 1);
      evaluate_extents<A>(body.code->plan.extents, body.code->plan.extent_count, arguments,
                          extents.data());
      body.plan.bind(*body.code, extents.data(), arguments);
      plan.shares_with(body.plan.shares());
      memory = std::max(memory, body.plan.arena + body.plan.scratch);
      body.arguments.resize(static_cast<std::size_t>(c.operands) + 1);
      body.outputs.resize(static_cast<std::size_t>(c.results) + 1);
    }
    for (int a = 0; a < s.access_count; ++a) {
      const access& x = code.plan.accesses[s.first_access + a];
      const dtype type = code.plan.buffers[x.buffer].type;
      b.bytes.push_back(static_cast<std::size_t>(plan.number(x.stride[0])) *
                        static_cast<std::size_t>(size_of(type)));
      if (c.host < 0) continue;
      const int rank = static_cast<int>(c.ranks >> 4 * a & 15);
      for (int d = 0; d < max_rank; ++d)
        b.shapes.push_back(d < rank ? plan.number(x.stride[d]) : 0);
      b.values.push_back({type, rank, nullptr, nullptr});
    }
    memory = rounded_up(memory);
    for (int k = 0; k < c.carries; ++k) {
      b.spare.push_back(memory);
      memory += rounded_up(b.bytes[static_cast<std::size_t>(k)]);
    }
    b.now.resize(static_cast<std::size_t>(c.carries));
    b.numbers = memory;
    plan.bodies[static_cast<std::size_t>(s.axis)] = std::move(made);
    return memory + 2 * rounded_up(1);
  }

  static void run(void* binding, const cpu_code& code, int t, std::byte* const* base,
                  std::byte* scratch) {
    plan_binding<A>& plan = *static_cast<plan_binding<A>*>(binding);
    bound_control<A>& b = static_cast<bound_control<A>&>(
        *plan.bodies[static_cast<std::size_t>(code.plan.steps[t].axis)]);
    if (b.c->op == id_of<cond_>)
      choose(b, base, scratch);
    else if (b.c->op == id_of<scan_>)
      scan(b, base, scratch);
    else if (b.c->op == id_of<while_>)
      repeat(b, base, scratch);
    else
      call_host(code.hosts[b.c->host], b, base);
  }

  static constexpr control_runner functions{&bind, &run};

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  static void choose(bound_control<A>& b, std::byte* const* base, std::byte* scratch) {
    const control& c = *b.c;
    bound_body<A>& body = b.body[*reinterpret_cast<const bool*>(base[0]) ? 0 : 1];
    for (int k = 1; k < c.operands; ++k) body.arguments[at(k - 1)].data = base[k];
    for (int k = 0; k < c.results; ++k) body.outputs[at(k)] = base[c.operands + k];
    body.run(scratch);
  }

  /// Carries move between two places: the one of the result, and a spare one in scratch.
  static void begin(bound_control<A>& b, std::byte* const* base) {
    for (int k = 0; k < b.c->carries; ++k) b.now[at(k)] = base[k];
  }
  static std::byte* place(const bound_control<A>& b, std::byte* const* base, std::byte* scratch,
                          int k, bool final) {
    return final ? base[b.c->operands + k] : scratch + b.spare[at(k)];
  }
  static void finish(const bound_control<A>& b, std::byte* const* base) {
    for (int k = 0; k < b.c->carries; ++k)
      if (std::byte* const to = base[b.c->operands + k]; b.now[at(k)] != to && b.bytes[at(k)] > 0)
        std::memcpy(to, b.now[at(k)], b.bytes[at(k)]);
  }

  static void scan(bound_control<A>& b, std::byte* const* base, std::byte* scratch) {
    const control& c = *b.c;
    bound_body<A>& body = b.body[0];
    auto* const number = reinterpret_cast<std::int64_t*>(scratch + b.numbers);
    body.arguments[0].data = number;
    for (int k = c.carries + c.slices; k < c.operands; ++k)
      body.arguments[at(k + 1)].data = base[k];
    begin(b, base);
    for (index_t t = 0; t < b.steps; ++t) {
      const index_t i = c.reverse ? b.steps - 1 - t : t;
      const bool last_place = (b.steps - 1 - t) % 2 == 0;  // the last step writes the results
      *number = i;
      for (int k = 0; k < c.carries; ++k) {
        body.arguments[at(k + 1)].data = b.now[at(k)];
        body.outputs[at(k)] = b.now[at(k)] = place(b, base, scratch, k, last_place);
      }
      for (int k = c.carries; k < c.carries + c.slices; ++k)
        body.arguments[at(k + 1)].data = base[k] + static_cast<std::size_t>(i) * b.bytes[at(k)];
      for (int k = c.carries; k < c.results; ++k)
        body.outputs[at(k)] =
            base[c.operands + k] + static_cast<std::size_t>(i) * b.bytes[at(c.operands + k)];
      body.run(scratch);
    }
    finish(b, base);
  }

  static void repeat(bound_control<A>& b, std::byte* const* base, std::byte* scratch) {
    const control& c = *b.c;
    bound_body<A>&test = b.body[0], &body = b.body[1];
    auto* const go = reinterpret_cast<bool*>(scratch + b.numbers + rounded_up(1));
    test.outputs[0] = go;
    for (int k = c.carries; k < c.operands; ++k)
      test.arguments[at(k)].data = body.arguments[at(k)].data = base[k];
    begin(b, base);
    for (bool final = true;; final = !final) {
      for (int k = 0; k < c.carries; ++k)
        test.arguments[at(k)].data = body.arguments[at(k)].data = b.now[at(k)];
      test.run(scratch);
      if (!*go) break;
      for (int k = 0; k < c.carries; ++k)
        body.outputs[at(k)] = b.now[at(k)] = place(b, base, scratch, k, final);
      body.run(scratch);
    }
    finish(b, base);
  }

  static void call_host(const host_function& f, bound_control<A>& b, std::byte* const* base) {
    for (std::size_t k = 0; k < b.values.size(); ++k) {
      b.values[k].shape = b.shapes.data() + k * max_rank;
      b.values[k].data = base[k];
    }
    f.run(b.values.data(), b.values.data() + b.c->operands);
  }
};

}  // namespace weft::detail
