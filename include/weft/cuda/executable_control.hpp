// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/executable_make.hpp>

#include <algorithm>
#include <vector>

// Control steps on a device: bodies are executables like any other, queued with other addresses at
// every turn. A scan needs nothing of the host. A while_loop's condition and a cond's predicate
// decide a conditional node where the program is a CUDA graph; else the host waits for them, as it
// does for the operands of C++ code.
namespace weft::detail::cuda {

/// Whether C++ code runs in the middle of a program.
inline bool calls_host(const plan& p) {
  return std::any_of(p.controls.begin(), p.controls.end(),
                     [](const control& c) { return c.host >= 0; }) ||
         std::any_of(p.bodies.begin(), p.bodies.end(),
                     [](const plan& body) { return calls_host(body); });
}

inline executable::~executable() {
  if (kept_) on_.memory.free(kept_);
  if (!flag_memory_.address) return;
  try {
    on_.pinned.free(flag_memory_, on_.stream.get());
  } catch (const error&) {  // after a fault of the device: the page stays pinned
  }
}
inline std::size_t executable::launch_count() const {
  std::size_t n = launches_.size() + products_.size();
  for (const control_item& c : controls_)
    for (const auto& body : c.body)
      if (body) n += body->launch_count();
  return n;
}
/// How many conditional nodes it has as a graph.
inline std::size_t executable::condition_count() const {
  std::size_t n = 0;
  for (const control_item& c : controls_) {
    std::size_t of_one = 0;
    for (const auto& body : c.body)
      if (body) of_one += body->condition_count();
    if (c.c->op == id_of<scan_>)
      n += static_cast<std::size_t>(c.steps) * of_one;
    else if (c.c->op == id_of<while_>)  // the condition is asked before and in the loop
      n += 1 + of_one + (c.body[0] ? c.body[0]->condition_count() : 0);
    else
      n += 2 + of_one;
  }
  return n;
}
/// Whether the program becomes a graph, as its key asks; if not, why.
inline void executable::decide_graph() {
  if (!key_.graph) return;
  conditions_ = condition_count();
  std::string why;
  if (calls_host(plan_))
    why = "C++ code runs in the middle of it";
  else if (conditions_ > most_conditions)
    why = "it would have " + std::to_string(conditions_) + " conditional nodes";
  else if (conditions_ > 0 && !on_.only_emits)
    on_.conditions.get(why);
  no_graph_ = std::move(why);
  key_.graph = no_graph_.empty();
}
/// How the program runs where a graph was asked for; a line, or nothing.
inline std::string executable::graph_text() const {
  const std::scoped_lock lock(mutex_);
  if (!no_graph_.empty()) return "no CUDA graph, since " + no_graph_ + "\n";
  if (!key_.graph) return {};
  if (!conditions_) return "one CUDA graph\n";
  return "one CUDA graph with " + std::to_string(conditions_) +
         (conditions_ > 1 ? " conditional nodes\n" : " conditional node\n");
}
/// A graph with conditional nodes that the driver did not take is given up.
inline bool executable::runs_without_graph(const device_error& e) {
  if (!conditions_ || graph_->statistics().instantiations) return false;
  no_graph_ = std::string("the driver did not take it: ") + e.what();
  graph_.reset();
  logging::line(logging::topic::kernels, "no CUDA graph, since %s", no_graph_.c_str());
  return true;
}

/// What is told of bodies is told of the whole program.
inline void executable::take_reports() {
  for (const control_item& c : controls_)
    for (const auto& body : c.body)
      if (body) {
        reports_.insert(reports_.end(), body->reports_.begin(), body->reports_.end());
        sources_.insert(sources_.end(), body->sources_.begin(), body->sources_.end());
      }
}

inline void executable::add_control(int t, const executable_making& how) {
  const step& s = plan_.steps[static_cast<std::size_t>(t)];
  const control& c = plan_.controls[static_cast<std::size_t>(s.axis)];
  control_item item;
  item.c = &c;
  item.first = places_.size();
  item.steps = c.op == id_of<scan_> ? value(c.steps) : 0;
  std::vector<place> at;
  for (int a = 0; a < s.access_count; ++a) {
    const access& x = plan_.accesses[static_cast<std::size_t>(s.first_access + a)];
    const dtype type = plan_.buffers[static_cast<std::size_t>(x.buffer)].type;
    at.push_back(place_of(x));
    item.bytes.push_back(static_cast<std::size_t>(value(x.stride[0]) * size_of(type)));
    if (c.host < 0) continue;
    const int rank = static_cast<int>(c.ranks >> 4 * a & 15);
    item.bytes.back() = static_cast<std::size_t>(size_of(type));
    for (int d = 0; d < max_rank; ++d) {
      item.shapes.push_back(d < rank ? value(x.stride[d]) : 0);
      if (d < rank) item.bytes.back() *= static_cast<std::size_t>(item.shapes.back());
    }
    item.values.push_back({type, rank, nullptr, nullptr});
  }
  places_.insert(places_.end(), at.begin(), at.end());
  for (int k = 0; k < c.carries; ++k)
    places_.push_back(
        {root::arena, 0, static_cast<std::int64_t>(take_arena(item.bytes[item.at(k)]))});
  places_.push_back({root::arena, 0, static_cast<std::int64_t>(take_arena(1))});
  places_.push_back({root::kept, 0, static_cast<std::int64_t>(kept_bytes_)});
  if (item.steps > 0) {
    const auto count = static_cast<std::size_t>(item.steps);
    step_numbers_.push_back({kept_bytes_, count});
    kept_bytes_ += rounded(count * sizeof(index_t));
  }
  std::size_t memory = 0;
  for (int k = 0; k < 2; ++k) {
    if (c.body[k] < 0) continue;
    item.body[k] = made_body(c, k, item, at, how);
    memory = std::max(memory, item.body[k]->arena_);
    has_indices_ = has_indices_ || item.body[k]->has_indices_;
  }
  places_.push_back({root::arena, 0, static_cast<std::int64_t>(take_arena(memory))});
  places_.push_back({root::fault, 0, 0});
  if (c.op != id_of<scan_> && !on_.only_emits && !flag_memory_.address)
    flag_memory_ = on_.pinned.allocate(1);
  order_.push_back(first_control - static_cast<int>(controls_.size()));
  controls_.push_back(std::move(item));
}

/// A body for the extents of the call. Its addresses are multiples of 16 where those of operands,
/// results and all their slices are.
inline std::unique_ptr<executable> executable::made_body(const control& c, int which,
                                                         const control_item& item,
                                                         const std::vector<place>& at,
                                                         const executable_making& how) {
  const plan& p = plan_.bodies[static_cast<std::size_t>(c.body[which])];
  const bool is_scan = c.op == id_of<scan_>, is_test = c.op == id_of<while_> && which == 0;
  auto is_odd = [&](int access) {
    const place& q = at[item.at(access)];
    return odd(q) || q.at % 16 != 0;
  };
  auto is_slice_odd = [&](int access) {
    return is_odd(access) || item.bytes[item.at(access)] % 16 != 0;
  };
  auto is_carry_odd = [&](int k) { return is_odd(k) || is_odd(c.operands + k); };
  executable_key key;
  if (is_scan) key.odd_arguments.push_back(true);  // the step's number
  for (int k = c.op == id_of<cond_> ? 1 : 0; k < c.operands; ++k)
    key.odd_arguments.push_back(k < c.carries                         ? is_carry_odd(k)
                                : is_scan && k < c.carries + c.slices ? is_slice_odd(k)
                                                                      : is_odd(k));
  key.odd_arguments.resize(p.last_read.size(), true);
  for (int k = 0; k < static_cast<int>(p.first_write.size()); ++k)
    key.odd_results.push_back(is_test         ? false
                              : k < c.carries ? is_carry_odd(k)
                              : is_scan       ? is_slice_odd(c.operands + k)
                                              : is_odd(c.operands + k));
  key.tf32 = key_.tf32;
  const body_extents extents = body_extents_of(p, how.call, how.seen, how.dynamic);
  key.extents = extents.values;
  executable_making inner{extents.get(), how.owner, how.fault, nullptr};
  inner.call = how.call;
  inner.seen = how.seen;
  inner.dynamic = how.dynamic;
  inner.hosts = how.hosts;
  inner.after_indices = has_indices_;
  inner.before_compiling = how.before_compiling;
  auto made = std::make_unique<executable>(on_, p, std::move(key), inner);
  made->is_body_ = true;
  return made;
}

/// Queues a body whose arguments and results are in the item.
inline void executable::queue_body(work_queue& q, control_item& item, int which) {
  executable& body = *item.body[which];
  const device_address memory = bound_[item.first + item.flag() + 2];
  body.bind(item.arguments.data(), nullptr, item.results.data(), memory);
  body.checking_ = checking_;
  body.queue(q);
}

/// A byte of the device, which the host waits for; false where a kernel has met a fault.
inline bool executable::read_flag(device_address from) {
  const stream_handle stream = on_.stream.get();
  auto* const flag = static_cast<volatile unsigned char*>(flag_memory_.address);
  *flag = 0;
  copy_to_host(on_.api(), flag_memory_.address, from, 1, stream, "read a condition");
  on_.stream.synchronize("wait for a condition");
  return *flag && !(fault_ && fault_->state != 0);
}

inline void executable::queue_control(work_queue& q, control_item& item) {
  const control& c = *item.c;
  auto at = [&](std::size_t k) { return bound_[item.first + k]; };
  auto pointer = [](device_address a) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(a));
  };
  auto of = [](int k) { return control_item::at(k); };
  auto argument = [&](int k, device_address from) { item.arguments[of(k)].data = pointer(from); };
  if (c.host >= 0) return call_host(item);
  item.arguments.assign(of(c.operands) + 1, {});
  item.results.assign(of(c.results) + 1, nullptr);
  const device_address flag = at(item.flag()), fault = at(item.flag() + 3);
  if (c.op == id_of<cond_>) {
    for (int k = 1; k < c.operands; ++k) argument(k - 1, at(of(k)));
    for (int k = 0; k < c.results; ++k) item.results[of(k)] = pointer(at(of(c.operands + k)));
    if (!q.decides_on_device()) return queue_body(q, item, read_flag(at(0)) ? 0 : 1);
    return q.choose(
        at(0), fault, [&] { queue_body(q, item, 0); }, [&] { queue_body(q, item, 1); });
  }
  auto move = [&](device_address to, device_address from, int k) {
    const device_address both[]{to, from};
    const std::size_t bytes = item.bytes[of(k)];
    if (to == from || bytes == 0) return;
    q.other(both, [&](stream_handle stream) {
      copy_on_device(on_.api(), to, from, bytes, stream, "copy the state of a loop");
    });
  };
  // Carries move between two places: the one of the result, and a spare one.
  std::vector<device_address> now;
  for (int k = 0; k < c.carries; ++k) now.push_back(at(of(k)));
  auto place = [&](int k, bool final) {
    return final ? at(of(c.operands + k)) : at(item.spare() + of(k));
  };
  if (c.op == id_of<scan_>) {
    for (int k = c.carries + c.slices; k < c.operands; ++k) argument(k + 1, at(of(k)));
    for (index_t t = 0; t < item.steps; ++t) {
      const auto i = static_cast<std::size_t>(c.reverse ? item.steps - 1 - t : t);
      argument(0, at(item.flag() + 1) + i * sizeof(index_t));
      for (int k = 0; k < c.carries; ++k) {
        argument(k + 1, now[of(k)]);
        now[of(k)] = place(k, (item.steps - 1 - t) % 2 == 0);
        item.results[of(k)] = pointer(now[of(k)]);
      }
      for (int k = c.carries; k < c.carries + c.slices; ++k)
        argument(k + 1, at(of(k)) + i * item.bytes[of(k)]);
      for (int k = c.carries; k < c.results; ++k)
        item.results[of(k)] = pointer(at(of(c.operands + k)) + i * item.bytes[of(c.operands + k)]);
      queue_body(q, item, 0);
    }
  } else {
    for (int k = c.carries; k < c.operands; ++k) argument(k, at(of(k)));
    auto test = [&] {
      for (int k = 0; k < c.carries; ++k) argument(k, now[of(k)]);
      const std::vector<void*> results = item.results;
      item.results[0] = pointer(flag);
      queue_body(q, item, 0);
      item.results = results;
    };
    auto step = [&](bool final) {
      for (int k = 0; k < c.carries; ++k) item.results[of(k)] = pointer(place(k, final));
      queue_body(q, item, 1);
    };
    if (q.decides_on_device()) {
      // Every turn has the same addresses: states live where the results do.
      for (int k = 0; k < c.carries; ++k) {
        move(place(k, true), now[of(k)], k);
        now[of(k)] = place(k, true);
      }
      test();
      return q.repeat(flag, fault, [&] {
        step(false);
        for (int k = 0; k < c.carries; ++k) move(place(k, true), place(k, false), k);
        test();
      });
    }
    for (bool final = true;; final = !final) {
      test();
      if (!read_flag(flag)) break;
      step(final);
      for (int k = 0; k < c.carries; ++k) now[of(k)] = place(k, final);
    }
  }
  for (int k = 0; k < c.carries; ++k) move(place(k, true), now[of(k)], k);
}

/// C++ code on copies of its operands.
inline void executable::call_host(control_item& item) {
  const control& c = *item.c;
  const stream_handle stream = on_.stream.get();
  std::vector<std::vector<std::byte>> memory(item.values.size());
  for (std::size_t k = 0; k < item.values.size(); ++k) {
    memory[k].resize(item.bytes[k] + 1);
    item.values[k].shape = item.shapes.data() + k * max_rank;
    item.values[k].data = memory[k].data();
    if (k < item.at(c.operands))
      copy_to_host(on_.api(), memory[k].data(), bound_[item.first + k], item.bytes[k], stream,
                   "copy an operand of C++ code");
  }
  on_.stream.synchronize("wait for the operands of C++ code");
  if (fault_ && fault_->state != 0) return;
  if (!hosts_) throw device_error("weft: internal: a program's C++ functions are not there");
  hosts_[c.host].run(item.values.data(), item.values.data() + c.operands);
  for (std::size_t k = item.at(c.operands); k < item.values.size(); ++k)
    copy_to_device(on_.api(), bound_[item.first + k], memory[k].data(), item.bytes[k], stream,
                   "copy a result of C++ code");
}

}  // namespace weft::detail::cuda
