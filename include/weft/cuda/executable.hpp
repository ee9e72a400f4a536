// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/call_key.hpp>
#include <weft/cuda/conditional.hpp>
#include <weft/cuda/device_trace.hpp>
#include <weft/cuda/emit_many.hpp>
#include <weft/cuda/gpu.hpp>
#include <weft/cuda/library_epilogue.hpp>
#include <weft/cuda/shapes.hpp>
#include <weft/graph/host_function.hpp>
#include <weft/plan/arguments.hpp>
#include <weft/plan/device_check.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>

// A program on one device for one set of extents: kernels loaded, products chosen, memory laid out.
namespace weft::detail::cuda {

/// The word in pinned memory where the kernels of a program leave the first fault; made when one of
/// them wants it.
class fault_word {
 public:
  explicit fault_word(gpu& on) : on_(on) {}
  volatile fault_record* get() {
    const std::scoped_lock lock(mutex_);
    if (!record_) record_ = new (on_.pinned.allocate(sizeof(fault_record)).address) fault_record;
    return record_;
  }
  /// The fault, once; waits for nothing.
  std::optional<std::string> take() {
    const std::scoped_lock lock(mutex_);
    if (!record_ || record_->state != fault_record::told) return {};
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::string text =
        fault_record{0, 0, record_->index, record_->axis, record_->extent}.text();
    record_->state = 0;
    return text;
  }

 private:
  gpu& on_;
  std::mutex mutex_;
  volatile fault_record* record_ = nullptr;
};

/// What an executable is made with.
struct executable_making {
  extent_values extents;  ///< those of its key; some may be parameters
  memory_owner* owner = nullptr;
  fault_word* fault = nullptr;
  /// Products are measured on what they read of these; on scratch memory where they are null.
  const argument_value* arguments = nullptr;
  std::vector<tuning> schedules = {};  ///< for each step, or none for the emitter's choices
  /// Told how many kernels are not in memory before they are looked for elsewhere; may throw.
  std::function<void(std::size_t)> before_compiling = {};
  // For bodies of control steps, whose extents follow from the program's arguments.
  const argument_value* call = nullptr;  ///< shapes; memory is not read
  const seen_extents* seen = nullptr;
  dynamic_shapes dynamic{};
  const host_function* hosts = nullptr;
  bool after_indices = false;  ///< kernels before it may leave faults
};

class executable {
 public:
  executable(gpu& on, const plan& p, executable_key key, const executable_making& how);
  executable(const executable&) = delete;
  ~executable();

  const executable_key& key() const { return key_; }
  const std::vector<kernel_report>& reports() const { return reports_; }
  const std::vector<std::string>& sources() const { return sources_; }
  std::size_t arena_bytes() const { return arena_; }
  /// Of its own and of its bodies, once each.
  std::size_t launch_count() const;
  std::string graph_text() const;
  recorded_graph::counts graph_statistics() const {
    const std::scoped_lock lock(mutex_);
    return graph_ ? graph_->statistics() : recorded_graph::counts{};
  }
  /// A graph with more conditional nodes than these would take long to make.
  static constexpr std::size_t most_conditions = 4096;

  /// Queues the program. `number_bytes` tells which arguments are numbers of the host.
  void run(const argument_value* arguments, const int* number_bytes, void* const* results) {
    const std::scoped_lock lock(mutex_);
    on_.make_current();
    const stream_handle stream = on_.stream.get();
    memory_block* block = nullptr;
    device_address base = graph_ ? kept_arena_ : 0;
    if (!graph_ && arena_) {
      block = on_.memory.allocate(arena_, stream, owner_, "memory of a program");
      base = block->address;
    }
    struct returned {
      gpu& on;
      memory_block* block;
      ~returned() {
        if (block) on.memory.free(block);
      }
    } const lease{on_, block};
    send_numbers(arguments, number_bytes, base, stream);
    bind(arguments, number_bytes, results, base);
    checking_ = check_of_device_steps.load(std::memory_order_relaxed) != nullptr;
    if (graph_ && !checking_) try {
        return graph_->run(
            stream, [&](work_queue& q) { queue(q); }, "run a program as a graph");
      } catch (const device_error& e) {
        if (!runs_without_graph(e)) throw;
      }
    work_queue q(on_.api(), stream);
    queue(q);
  }

  /// The fastest schedule of each step, measured with these arguments into scratch memory
  /// (tune.hpp).
  inline std::vector<tuning> tuned(const argument_value* arguments, const int* number_bytes);

 private:
  enum class root : std::uint8_t { nothing, argument, result, arena, kept, fault, number };
  struct place {
    root from{};
    int index = 0;
    std::int64_t at = 0;
  };
  struct launch_item {
    kernel_launch how;
    std::size_t first = 0, count = 0;  // of places
    std::string task;
  };
  /// What the kernels of a step point to, workspace and fault word apart, and what is known of it.
  struct step_memory {
    std::vector<place> pointers;
    tuning facts;
  };
  struct product_item {
    prepared_product* product = nullptr;
    std::size_t first = 0;  // left, right, result, workspace, bias, auxiliary
    std::string task;
  };
  /// One control step. Its places: operands, results, a second place for each carry, the
  /// condition's flag, the numbers of a scan's steps, the bodies' memory, the fault word.
  struct control_item {
    const control* c = nullptr;
    std::unique_ptr<executable> body[2];
    std::size_t first = 0;
    std::vector<std::size_t> bytes;  ///< by access
    std::vector<host_value> values;  ///< of C++ code
    std::vector<index_t> shapes;
    index_t steps = 0;
    std::vector<argument_value> arguments;  ///< of a body, in the making
    std::vector<void*> results;

    std::size_t spare() const { return at(c->operands + c->results); }
    std::size_t flag() const { return spare() + at(c->carries); }
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  };
  static constexpr int first_control = -1 - (1 << 24);
  std::vector<int> order_;  // launches by their numbers, products by -1 minus theirs; control steps

  index_t value(index_t e) const { return value_of(e, key_.extents.data()); }
  static std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  std::size_t take_arena(std::size_t bytes) {
    const std::size_t at = arena_;
    arena_ += rounded(bytes);
    return at;
  }

  place place_of(const access& x) {
    if (x.buffer < 0) return {};
    const buffer& f = plan_.buffers[static_cast<std::size_t>(x.buffer)];
    place p{root::nothing, f.index, value(x.offset) * size_of(f.type)};
    switch (f.kind) {
      case buffer_kind::argument:
        p.from = root::argument;
        break;
      case buffer_kind::output:
        p.from = root::result;
        break;
      case buffer_kind::arena:
        p.from = root::arena;
        p.at += static_cast<std::int64_t>(slots_[static_cast<std::size_t>(f.slot)]);
        break;
      case buffer_kind::extent:
        break;  // a literal of the kernel, or a number among its parameters
    }
    return p;
  }
  bool odd(const place& p) const {
    const auto i = static_cast<std::size_t>(p.index);
    if (p.from == root::argument) return key_.odd_arguments[i];
    return p.from == root::result && key_.odd_results[i];
  }

  void add_steps(int first, int count, const executable_making& how,
                 std::vector<kernel_request>& requests);
  void add_step(int t, const executable_making& how, std::vector<kernel_request>& requests);
  void add_launch(const emitted_kernel& k, launch_item item, std::vector<kernel_request>& requests);
  /// The parameters of a kernel behind its pointers.
  void add_numbers(const emitted_kernel& k) {
    for (const index_t n : k.numbers) places_.push_back({root::number, 0, n});
  }
  void add_product(const step& s, place a, place b, place d, const executable_making& how,
                   std::vector<kernel_request>& requests, blas_epilogue epilogue, place bias,
                   place auxiliary);
  void align(row_major_product& f, dtype type, std::initializer_list<place> operands) const;
  void make_kept(const executable_making& how);
  void take_reports();
  void add_control(int t, const executable_making& how);
  std::unique_ptr<executable> made_body(const control& c, int which, const control_item& item,
                                        const std::vector<place>& at, const executable_making& how);
  void queue_control(work_queue& q, control_item& item);
  void queue_body(work_queue& q, control_item& item, int which);
  bool read_flag(device_address from);
  std::size_t condition_count() const;
  void decide_graph();
  bool runs_without_graph(const device_error& e);
  void call_host(control_item& item);
  struct step_group {
    std::size_t launches_end;  // in order_
    int first, count;          // steps
  };
  void check_steps(const step_group& steps);

  void bind(const argument_value* arguments, const int* number_bytes, void* const* results,
            device_address base) {
    bound_with_ = {arguments, number_bytes, results, base};
    bound_.clear();
    for (const place& p : places_)
      bound_.push_back(address_of(p, arguments, number_bytes, results, base));
  }

  void send_numbers(const argument_value* arguments, const int* number_bytes, device_address base,
                    stream_handle stream) {
    if (!key_.numbers) return;
    const std::size_t count = key_.odd_arguments.size();
    std::size_t first = count, last = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (number_bytes[i]) first = std::min(first, i), last = i + 1;
    if (first == count) return;
    numbers_.assign(last - first, 0);
    for (std::size_t i = first; i < last; ++i)
      if (number_bytes[i])
        std::memcpy(&numbers_[i - first], arguments[i].data,
                    static_cast<std::size_t>(number_bytes[i]));
    copy_to_device(on_.api(), base + numbers_at_ + first * 8, numbers_.data(), numbers_.size() * 8,
                   stream, "copy the numbers of a call");
  }

  /// `number_bytes` may be null where no argument is a number.
  device_address address_of(const place& p, const argument_value* arguments,
                            const int* number_bytes, void* const* results,
                            device_address base) const {
    auto plus = [&](device_address from) { return from + static_cast<device_address>(p.at); };
    switch (p.from) {
      case root::nothing:
        return 0;
      case root::argument: {
        const auto i = static_cast<std::size_t>(p.index);
        if (number_bytes && number_bytes[i]) return plus(base + numbers_at_ + i * 8);
        return plus(reinterpret_cast<std::uintptr_t>(arguments[i].data));
      }
      case root::result:
        return plus(reinterpret_cast<std::uintptr_t>(results[p.index]));
      case root::arena:
        return plus(base);
      case root::kept:
        return kept_ ? plus(kept_->address) : 0;
      case root::fault:
        return reinterpret_cast<std::uintptr_t>(fault_);
      case root::number:
        return static_cast<device_address>(p.at);
    }
    return 0;
  }

  void queue(work_queue& q) {
    std::optional<device_trace::call> trace;
    if (tracing_on() && !graph_ && !is_body_)
      trace = device_trace::all().begin(on_.context, on_.stream, on_.facts.ordinal);
    std::size_t group = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      // What ran before is checked once all of its launches are queued.
      for (; checking_ && group < groups_.size() && groups_[group].launches_end <= i; ++group)
        check_steps(groups_[group]);
      const int o = order_[i];
      if (o <= first_control) {
        queue_control(q, controls_[static_cast<std::size_t>(first_control - o)]);
        continue;
      }
      if (o >= 0) {
        const launch_item& l = launches_[static_cast<std::size_t>(o)];
        q.launch(l.how, {bound_.data() + l.first, l.count}, during(l.task));
      } else {
        const product_item& m = products_[static_cast<std::size_t>(-1 - o)];
        const device_address* at = bound_.data() + m.first;
        q.other({at, 6}, [&](stream_handle stream) {
          m.product->run({at[0], at[1], at[2], at[4], at[5]}, at[3], stream, during(m.task));
        });
      }
      if (trace)
        device_trace::launched(on_.context, *trace,
                               o >= 0 ? launches_[static_cast<std::size_t>(o)].task
                                      : products_[static_cast<std::size_t>(-1 - o)].task);
    }
    if (trace) device_trace::all().end(std::move(*trace));
    for (; checking_ && group < groups_.size(); ++group) check_steps(groups_[group]);
  }

  gpu& on_;
  const plan& plan_;
  executable_key key_;
  memory_owner* owner_;
  mutable std::mutex mutex_;
  std::vector<step_memory> memory_of_;  // by step
  std::vector<std::size_t> slots_;
  std::size_t arena_ = 0, kept_bytes_ = 0, numbers_at_ = 0;
  memory_block* kept_ = nullptr;
  device_address kept_arena_ = 0;
  bool has_indices_ = false;
  volatile fault_record* fault_ = nullptr;
  std::vector<place> places_;
  std::vector<device_address> bound_;
  struct {
    const argument_value* arguments;
    const int* number_bytes;
    void* const* results;
    device_address base;
  } bound_with_{};
  std::vector<step_group> groups_;
  bool checking_ = false;
  std::vector<launch_item> launches_;
  std::vector<product_item> products_;
  std::vector<control_item> controls_;
  struct numbers_of_steps {
    std::size_t at, count;  // in kept memory
  };
  std::vector<numbers_of_steps> step_numbers_;
  pinned_memory::piece flag_memory_;  // a byte
  const host_function* hosts_ = nullptr;
  bool is_body_ = false;
  std::vector<std::uint64_t> numbers_;
  std::vector<kernel_report> reports_;
  std::vector<std::string> sources_;
  std::optional<recorded_graph> graph_;
  std::size_t conditions_ = 0;
  std::string no_graph_;  // why not, where one was asked for
};

}  // namespace weft::detail::cuda
