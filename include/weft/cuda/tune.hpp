// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/disk_cache.hpp>
#include <weft/cuda/executable_make.hpp>
#include <weft/cuda/report.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>

// Schedules by measurement, and their record on disk.
namespace weft::detail::cuda {

/// Device memory for the time of a measurement.
class scratch_memory {
 public:
  scratch_memory(gpu& on, memory_owner* owner) : on_(on), owner_(owner) {}
  scratch_memory(const scratch_memory&) = delete;
  ~scratch_memory() {
    for (memory_block* b : blocks_) on_.memory.free(b);
  }
  device_address take(std::size_t bytes, bool zero = false) {
    if (bytes == 0) return 0;
    memory_block* b = on_.memory.allocate(bytes, on_.stream.get(), owner_, "measure schedules");
    blocks_.push_back(b);
    if (zero) fill_bytes(on_.api(), b->address, 0, bytes, on_.stream.get());
    return b->address;
  }

 private:
  gpu& on_;
  memory_owner* owner_;
  std::vector<memory_block*> blocks_;
};

/// Microseconds of a few launches: the median of some rounds, each of at least a tenth of a
/// millisecond.
template <class Launch>
double time_launches(gpu& on, Launch&& launch) {
  const stream_handle stream = on.stream.get();
  const event start(on.context, event::use::timing), stop(on.context, event::use::timing);
  auto round = [&](int times) {
    start.record(stream);
    for (int i = 0; i < times; ++i) launch();
    stop.record(stream);
    stop.synchronize("measure a schedule");
    return 1e3 * static_cast<double>(stop.milliseconds_since(start)) / times;
  };
  round(1);
  const int times = static_cast<int>(std::clamp(100 / std::max(round(2), 0.1), 2.0, 100.0));
  std::vector<double> rounds;
  for (int i = 0; i < 5; ++i) rounds.push_back(round(times));
  std::nth_element(rounds.begin(), rounds.begin() + 2, rounds.end());
  return rounds[2];
}

/// One line a schedule.
inline void log_schedule(const std::string& kernel, const tuning& u, double microseconds) {
  std::string s = kernel + ":";
  auto say = [&](const char* name, int value) {
    if (value) s += " " + std::to_string(value) + " " + name;
  };
  say("threads", u.threads), say("items", u.items), say("elements a vector", u.vector);
  say("rows", u.rows), say("splits", u.splits);
  if (u.streams != tuning{}.streams) say("streams", u.streams);
  if (s.back() == ':') s += " the emitter's choice";
  char time[32];
  std::snprintf(time, sizeof time, ", %.2f us", microseconds);
  s += time;
  logging::line(logging::topic::tuning, "%s", s.c_str());
}

inline std::vector<tuning> executable::tuned(const argument_value* arguments,
                                             const int* number_bytes) {
  const std::scoped_lock lock(mutex_);
  on_.make_current();
  const stream_handle stream = on_.stream.get();
  scratch_memory scratch(on_, owner_);
  std::vector<argument_value> given(arguments, arguments + key_.odd_arguments.size());
  for (const buffer& f : plan_.buffers) {  // zeros where there is only a shape
    if (f.kind != buffer_kind::argument) continue;
    const void*& data = given[static_cast<std::size_t>(f.index)].data;
    if (!data)
      data = reinterpret_cast<void*>(
          scratch.take(static_cast<std::size_t>(value(f.count) * size_of(f.type)) + 16, true));
  }
  arguments = given.data();
  std::vector<void*> results(key_.odd_results.size());
  for (const buffer& f : plan_.buffers)
    if (f.kind == buffer_kind::output)
      results[static_cast<std::size_t>(f.index)] = reinterpret_cast<void*>(
          scratch.take(static_cast<std::size_t>(value(f.count) * size_of(f.type)) + 16));
  const device_address base = scratch.take(arena_);
  send_numbers(arguments, number_bytes, base, stream);
  std::vector<tuning> best(plan_.steps.size());
  const bool logging = logging::on(logging::topic::tuning);
  for (int t = 0; t < static_cast<int>(plan_.steps.size()); ++t) {
    const step_memory& memory = memory_of_[static_cast<std::size_t>(t)];
    if (memory.pointers.empty()) continue;  // all of it is the library's
    const std::vector<tuning> all = candidates(plan_, t, key_.extents.data(), card_of(on_));
    if (all.size() < 2) continue;
    std::vector<emitted_step> steps;
    std::vector<kernel_request> requests;
    std::size_t workspace = 0;
    for (tuning u : all) {
      u.unaligned = memory.facts.unaligned;
      u.stops_at_fault = memory.facts.stops_at_fault;
      steps.push_back(emit(plan_, t, key_.extents.data(), card_of(on_), u));
      workspace = std::max(workspace, steps.back().workspace);
      for (const emitted_kernel& k : steps.back().kernels)
        requests.push_back({k.name, k.source, k.shared_bytes});
    }
    const std::vector<loaded_kernel> loaded = on_.modules.load(requests);
    std::vector<device_address> pointers;
    for (const place& p : memory.pointers)
      pointers.push_back(address_of(p, arguments, number_bytes, results.data(), base));
    pointers.push_back(scratch.take(workspace, true));
    pointers.push_back(reinterpret_cast<std::uintptr_t>(fault_));
    std::size_t next = 0;
    double fastest = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const emitted_step& e = steps[i];
      const loaded_kernel* kernels = loaded.data() + next;
      next += e.kernels.size();
      if (e.kernels.empty()) continue;
      if (e.counters) fill_bytes(on_.api(), pointers[pointers.size() - 2], 0, workspace, stream);
      const double time = time_launches(on_, [&] {
        for (std::size_t k = 0; k < e.kernels.size(); ++k)
          launch(on_.api(),
                 {kernels[k].function, e.kernels[k].grid, e.kernels[k].block,
                  e.kernels[k].shared_bytes},
                 pointers, stream, "measure a schedule");
      });
      if (logging) log_schedule(e.kernels[0].name, all[i], time);
      // Another schedule has to be clearly faster, so that noise does not choose.
      if (i == 0 || time < 0.99 * fastest) {
        fastest = time;
        best[static_cast<std::size_t>(t)] = all[i];
      }
    }
  }
  return best;
}

/// Tunings as a record, and back; empty where it is not one for so many steps.
inline std::string record_of(const std::vector<tuning>& all) {
  std::ostringstream out;
  for (const tuning& u : all)
    out << u.threads << ' ' << u.items << ' ' << u.vector << ' ' << u.rows << ' ' << u.splits << ' '
        << u.streams << ' ';
  return out.str();
}
inline std::vector<tuning> tunings_of(const std::string& record, std::size_t steps) {
  std::istringstream in(record);
  std::vector<tuning> all(steps);
  for (tuning& u : all)
    if (!(in >> u.threads >> u.items >> u.vector >> u.rows >> u.splits >> u.streams)) return {};
  return all;
}

}  // namespace weft::detail::cuda
