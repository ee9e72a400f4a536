// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/call.hpp>
#include <weft/compile/jit_value.hpp>
#include <weft/cpu/interpreted.hpp>
#include <weft/graph/cut.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

// Programs that are captured at run time, and the cache that keeps them.
namespace weft {

/// What a function's cache did so far.
struct jit_statistics {
  std::size_t captures = 0;   ///< programs made
  std::size_t hits = 0;       ///< calls that found theirs
  std::size_t evictions = 0;  ///< programs dropped for others
  std::size_t programs = 0;   ///< kept now
};

namespace detail {

/// Passes that stances leave out of programs captured at run time: a bit for each in the pipeline.
inline std::atomic<unsigned> left_out_passes{0};

inline graph optimised_without(graph g, unsigned left_out) {
  if (left_out == 0) return optimised(std::move(g));
  for (graph& body : g.bodies) body = optimised_without(std::move(body), left_out);
  unsigned bit = 1;
  for (const pass& p : pipeline) {
    if (!(left_out & bit) && (!p.for_control || has_control(g))) g = p.run(g);
    bit <<= 1;
  }
  return g;
}

/// A captured graph, optimised, planned and ready for the interpreter.
class jit_program {
 public:
  explicit jit_program(graph captured)
      : captured_nodes_(captured.size()),
        texts_(captured.texts),
        hosts_(captured.hosts),
        optimised_(optimised_or_thrown(std::move(captured))),
        words_(encoded_graph(optimised_)),
        note_{words_.data(), first_place(optimised_), false},
        code_(interpreted(planned(optimised_), &note_, hosts_.data(), &optimised_)) {
    on_device_.graph = words_.data();
    on_device_.hosts = hosts_.data();
    facts_.guards = optimised_.guards;
    facts_.arguments = optimised_.arguments;
    for (int o : optimised_.outputs)
      facts_.outputs.push_back(optimised_.nodes[static_cast<std::size_t>(o)]);
  }

  int captured_nodes() const { return captured_nodes_; }
  int outputs() const { return static_cast<int>(facts_.outputs.size()); }
  const node& output(int j) const { return facts_.outputs[static_cast<std::size_t>(j)]; }
  const call_facts& facts() const { return facts_; }
  const index_t* texts() const { return texts_.data(); }
  const graph& optimised_graph() const { return optimised_; }
  const plan& planned_program() const { return code_->planned(); }
  interpreted_program& code() { return *code_; }
  device_program& on_device() { return on_device_; }
  const program_note& note() const { return note_; }

 private:
  static graph optimised_or_thrown(graph captured) {
    if (!captured.error.empty()) throw error(std::string(captured.error.view()));
    if (has_data_extents(captured))
      throw error(
          "weft: jit: shapes that follow from data (nonzero, masked_select, unique, a slice to "
          "item) are not for programs that are captured at run time: compile the function");
    return optimised_without(std::move(captured), left_out_passes);
  }
  static plan planned(const graph& g) {
    plan p = make_plan(g);
    if (!p.error.empty()) throw error(std::string(p.error.view()));
    return p;
  }

  int captured_nodes_;
  static location first_place(const graph& g) {
    return g.outputs.empty() ? location{} : g.where[static_cast<std::size_t>(g.outputs[0])];
  }

  sequence<index_t> texts_;
  sequence<host_function> hosts_;
  graph optimised_;
  sequence<index_t> words_;
  call_facts facts_;
  program_note note_;
  std::unique_ptr<interpreted_program> code_;
  device_program on_device_;
};

/// One call of such a program: its guards checked, its extents known. As `call` is for programs of
/// the C++ compiler.
class jit_call {
 public:
  jit_call(jit_program& p, const argument_value* arguments) : p_(p), arguments_(arguments) {
    const auto& table = p.planned_program().extents;
    if (table.size() > few) {
      many_.resize(table.size());
      extents_ = many_.data();
    }
    evaluate_extents<xsimd::default_arch>(table.data(), static_cast<int>(table.size()), arguments,
                                          extents_);
  }
  jit_call(const jit_call&) = delete;
  jit_call& operator=(const jit_call&) = delete;

  /// Whether the plan, if it is the one for equal extents, fits. Throws shape_error.
  template <bool General>
  bool fits() const {
    return check_guards<General, xsimd::default_arch>(p_.facts(), p_.texts(), extents_, {}) ==
           guard_result::fast;
  }
  void shape(int j, index_t* out) const {
    const node& n = p_.output(j);
    for (int i = 0; i < n.shape.rank; ++i) {
      const index_t e = n.shape.d[i];
      out[i] = is_symbol(e) ? extents_[symbol_number(e)] : e;
    }
  }
  bool in_place(int j, int k) const { return p_.planned_program().in_place(j, k); }
  bool written_last(int j) const {
    const plan& p = p_.planned_program();
    return p.last_failure < 0 || p.first_write[static_cast<std::size_t>(j)] > p.last_failure;
  }
  const index_t* extents() const { return extents_; }
  void run(void* const* results) { p_.code().run(arguments_, results, extents_); }
  void run_on_device(device_call c, void* const* results) {
    c.program = &p_.on_device();
    c.arguments = arguments_;
    c.results = results;
    back_end_of(c.where).run(c);
  }

 private:
  static constexpr std::size_t few = 32;
  jit_program& p_;
  const argument_value* arguments_;
  index_t few_[few];
  std::vector<index_t> many_;
  index_t* extents_ = few_;
};

/// The programs of one function, by what they were captured for: types and shapes of arguments,
/// settings of models, and the bytes of what the function holds.
class jit_cache {
 public:
  using key = std::vector<index_t>;

  /// The program for a key; `capture` makes its graph where there is none. Of more than `limit`
  /// programs the one that was used longest ago is dropped.
  template <class Capture>
  std::shared_ptr<jit_program> find(const key& k, std::size_t limit, Capture&& capture) {
    const std::size_t h = hash(k);
    {
      const std::shared_lock lock(mutex_);
      if (const entry* e = known(h, k)) {
        hits_.fetch_add(1, std::memory_order_relaxed);
        return e->program;
      }
    }
    auto made = std::make_shared<jit_program>(capture());
    const std::unique_lock lock(mutex_);
    if (const entry* e = known(h, k)) return e->program;  // another thread was faster
    const std::size_t number = captures_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (logging::on(logging::topic::recompiles))
      logging::line(logging::topic::recompiles, "%s: captured, program %d of a function for jit",
                    program_name(&made->note()).text, static_cast<int>(number));
    while (!entries_.empty() && entries_.size() >= std::max<std::size_t>(limit, 1)) drop_oldest();
    entries_.push_back(std::make_unique<entry>(h, k, made));
    entries_.back()->used.store(++clock_, std::memory_order_relaxed);
    return made;
  }
  jit_statistics statistics() const {
    const std::shared_lock lock(mutex_);
    return {captures_.load(), hits_.load(), evictions_.load(), entries_.size()};
  }

 private:
  struct entry {
    std::size_t hash;
    key what;
    std::shared_ptr<jit_program> program;
    mutable std::atomic<std::uint64_t> used{0};
    entry(std::size_t h, key k, std::shared_ptr<jit_program> p)
        : hash(h), what(std::move(k)), program(std::move(p)) {}
  };

  static std::size_t hash(const key& k) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (index_t v : k) h = (h ^ static_cast<std::uint64_t>(v)) * 0x100000001b3u, h ^= h >> 29;
    return static_cast<std::size_t>(h);
  }
  const entry* known(std::size_t h, const key& k) const {
    for (const auto& e : entries_)
      if (e->hash == h && e->what == k) {
        e->used.store(clock_.fetch_add(1, std::memory_order_relaxed) + 1,
                      std::memory_order_relaxed);
        return e.get();
      }
    return nullptr;
  }
  void drop_oldest() {
    auto oldest = entries_.begin();
    for (auto e = entries_.begin(); e != entries_.end(); ++e)
      if ((*e)->used.load() < (*oldest)->used.load()) oldest = e;
    // What a device keeps for a program, it keeps for good: so does its graph.
    if ((*oldest)->program->on_device().state.load()) kept_.push_back((*oldest)->program);
    entries_.erase(oldest);
    evictions_.fetch_add(1, std::memory_order_relaxed);
  }

  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<entry>> entries_;
  std::vector<std::shared_ptr<jit_program>> kept_;
  mutable std::atomic<std::uint64_t> clock_{0};
  std::atomic<std::size_t> captures_{0}, hits_{0}, evictions_{0};
};

}  // namespace detail
}  // namespace weft
