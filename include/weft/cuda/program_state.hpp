// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/executable_control.hpp>
#include <weft/cuda/report.hpp>
#include <weft/cuda/shapes.hpp>
#include <weft/cuda/tune.hpp>
#include <weft/graph/encode.hpp>
#include <weft/plan/make_plan.hpp>

#include <algorithm>
#include <deque>
#include <memory>

// All that has been made for one program: executables by the extents of calls.
namespace weft::detail::cuda {

class program_state {
 public:
  static constexpr std::size_t most_executables = 64;  ///< the least recently used ones go first

  explicit program_state(const index_t* words, const program_note* note = nullptr)
      : note_(note), plan_(planned(words, note)), seen_(plan_) {
    require_cuda_forms(plan_);
    cost_.planning = since_.milliseconds();
    log_plan(plan_, words, note);
  }
  const first_call& cost() const { return cost_; }

  /// The executable for a call, made if it is new.
  std::shared_ptr<executable> find(gpu& on, const device_call& c) {
    const std::scoped_lock lock(mutex_);
    put_words(c);
    if (last_ < made_.size() && is_for(made_[last_], on)) return made_[last_].it;
    for (std::size_t i = 0; i < made_.size(); ++i)
      if (is_for(made_[i], on)) {
        made_[i].used = ++clock_;
        last_ = i;
        return made_[i].it;
      }
    return make(on, c);
  }

  /// How often kernels were made for a device after the first time.
  int recompiles(const gpu& on) const {
    const std::scoped_lock lock(mutex_);
    for (const device_part& d : devices_)
      if (&d.on == &on) return d.recompiles;
    return 0;
  }
  /// A line on which extents are parameters, and what was made again; empty where there is nothing
  /// to say.
  std::string shapes_text(const gpu& on, dynamic_shapes how) const {
    const int times = recompiles(on);
    const std::scoped_lock lock(mutex_);
    std::string s;
    if (how != dynamic_shapes::off && !seen_.parameters().empty())
      s = "parameters of its kernels: " + seen_.parameters() + "\n";
    if (times) s += "made again " + std::to_string(times) + (times > 1 ? " times\n" : " time\n");
    return s;
  }

  /// Throws index_error for a fault that a program of this device has met since the last time.
  void check_faults(const gpu& on) {
    const std::scoped_lock lock(mutex_);
    for (device_part& d : devices_)
      if (&d.on == &on)
        if (const auto text = d.fault.take()) throw index_error(*text);
  }

 private:
  static plan planned(const index_t* words, const program_note* note) {
    const traced span("first call", "plan %s", tracing_on() ? program_name(note).text : "");
    return make_plan(decoded_graph(words), target::gpu);
  }
  struct entry {
    gpu* on;
    std::vector<index_t> words;
    std::shared_ptr<executable> it;
    std::size_t used;
  };
  /// What is known of a device, whichever executables are still there.
  struct device_part {
    device_part(gpu& g, memory_owner* o) : on(g), owner(o), fault(g) {}
    gpu& on;
    memory_owner* owner;
    fault_word fault;
    int recompiles = 0;
    bool made = false;
  };

  /// What an executable is found by: extents, options, which addresses are no multiples of 16. No
  /// memory is allocated for it.
  void put_words(const device_call& c) {
    const std::size_t extents = plan_.extents.size(), arguments = plan_.last_read.size(),
                      results = plan_.first_write.size();
    words_.assign(extents + 1 + (arguments + results + 63) / 64, 0);
    evaluate_extents<program_state>(plan_.extents.data(), static_cast<int>(extents), c.arguments,
                                    words_.data());
    auto mark = [&](std::size_t bit) {
      index_t& w = words_[extents + 1 + bit / 64];
      w = static_cast<index_t>(static_cast<std::uint64_t>(w) | std::uint64_t{1} << bit % 64);
    };
    for (std::size_t i = 0; i < arguments; ++i)
      if (is_odd(c.arguments[i].data, c.number_bytes[i])) mark(i);
    for (std::size_t j = 0; j < results; ++j)
      if (is_odd(c.results[j])) mark(arguments + j);
    words_[extents] = static_cast<index_t>(c.options.mode) * 32 +
                      static_cast<index_t>(c.options.dynamic) * 8 + (has_numbers(c) ? 4 : 0) +
                      (c.options.tf32 ? 2 : 0) + (needs_steps_apart(plan_, c) ? 1 : 0);
  }
  bool has_numbers(const device_call& c) const {
    for (std::size_t i = 0; i < plan_.last_read.size(); ++i)
      if (c.number_bytes[i]) return true;
    return false;
  }
  static bool is_odd(const void* p, int number_bytes = 0) {
    return number_bytes || reinterpret_cast<std::uintptr_t>(p) % 16 != 0;
  }
  bool is_for(const entry& e, const gpu& on) const { return e.on == &on && e.words == words_; }

  executable_key key_of(const device_call& c) const {
    executable_key key;
    key.extents.assign(words_.begin(),
                       words_.begin() + static_cast<std::ptrdiff_t>(plan_.extents.size()));
    for (std::size_t i = 0; i < plan_.last_read.size(); ++i)
      key.odd_arguments.push_back(is_odd(c.arguments[i].data, c.number_bytes[i]));
    for (std::size_t j = 0; j < plan_.first_write.size(); ++j)
      key.odd_results.push_back(is_odd(c.results[j]));
    key.numbers = has_numbers(c);
    key.tf32 = c.options.tf32;
    key.graph = c.options.mode == mode::reduce_overhead;
    key.apart = needs_steps_apart(plan_, c);
    return key;
  }
  device_part& part_of(gpu& on) {
    for (device_part& d : devices_)
      if (&d.on == &on) return d;
    return devices_.emplace_back(
        on, on.memory.owner("a program of " + std::to_string(plan_.steps.size()) + " steps"));
  }

  std::shared_ptr<executable> make(gpu& on, const device_call& c) {
    const stopwatch making;
    const traced span("first call", "make %s", tracing_on() ? program_name(note_).text : "");
    const dynamic_shapes dynamic = c.options.dynamic;
    device_part& part = part_of(on);
    executable_key key = key_of(c);
    const std::string changes = part.made ? seen_.changes(key.extents.data()) : std::string();
    seen_.see(key.extents.data(), dynamic,
              dynamic == dynamic_shapes::automatic && part.recompiles >= c.options.recompile_limit);
    // Schedules are measured for extents that are known.
    key.tuned = c.options.mode == mode::max_autotune && !seen_.any(dynamic) && !on.only_emits;
    executable_making how{seen_.values(words_.data(), dynamic), part.owner, &part.fault,
                          c.prepare ? nullptr : c.arguments};
    how.call = c.arguments;
    how.seen = &seen_;
    how.dynamic = dynamic;
    how.hosts = c.program ? c.program->hosts : nullptr;
    int missing = 0;
    if (part.made)
      how.before_compiling = [&](std::size_t kernels) {
        missing += static_cast<int>(kernels);
        tell_recompile(c.options.on_recompile, changes, static_cast<int>(kernels));
      };
    auto made = std::make_shared<executable>(on, plan_, key, how);
    if (key.tuned) {
      std::string name = on.title() + '\n';
      for (const std::string& s : made->sources()) name += s;
      if (const auto known = process_cache().get("schedules", name))
        how.schedules = tunings_of(*known, plan_.steps.size());
      if (how.schedules.empty()) {
        how.schedules = made->tuned(c.arguments, c.number_bytes);
        process_cache().put("schedules", name, record_of(how.schedules));
      }
      how.before_compiling = {};
      made = std::make_shared<executable>(on, plan_, key, how);
    }
    part.made = true;
    part.recompiles += missing > 0;
    cost_.making = making.milliseconds();
    log_first_call(*made, on, cost_, note_);
    if (made_.size() >= most_executables)
      made_.erase(std::min_element(made_.begin(), made_.end(),
                                   [](const entry& a, const entry& b) { return a.used < b.used; }));
    last_ = made_.size();
    made_.push_back({&on, words_, std::move(made), ++clock_});
    return made_.back().it;
  }
  static void tell_recompile(on_recompile what, const std::string& changes, int kernels) {
    const std::string text = std::to_string(kernels) + (kernels > 1 ? " kernels" : " kernel") +
                             " of a program that has run before: " + changes;
    if (what == on_recompile::fail)
      throw shape_error("weft: recompile: a call needs " + text +
                        "; on_recompile is fail. With .dynamic = dynamic_shapes::on extents are "
                        "parameters of kernels from the first call on");
    if (logging::on(logging::topic::recompiles)) {
      logging::line(logging::topic::recompiles, "%s", text.c_str());
    } else if (what == on_recompile::warn) {
      line_text warning;
      warning.add("weft: recompiles: %s", text.c_str());
      write_log(warning);
    }
  }

  mutable std::mutex mutex_;
  stopwatch since_;  // before what it measures
  first_call cost_;
  const program_note* note_ = nullptr;
  plan plan_;
  seen_extents seen_;
  std::vector<index_t> words_;  // of the call
  std::vector<entry> made_;
  std::deque<device_part> devices_;
  std::size_t last_ = 0, clock_ = 0;
};

}  // namespace weft::detail::cuda
