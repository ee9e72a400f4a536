// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/call_key.hpp>
#include <weft/cuda/emit_many.hpp>
#include <weft/cuda/gpu.hpp>
#include <weft/cuda/graph.hpp>
#include <weft/cuda/library_epilogue.hpp>
#include <weft/plan/arguments.hpp>

#include <atomic>
#include <new>
#include <optional>

// A program on one device for one set of extents: kernels loaded, products chosen, memory laid out.
namespace weft::detail::cuda {

class executable {
 public:
  /// `schedules`: a tuning for each step, or none for the emitter's choices. Products are measured
  /// on the arguments that they read.
  executable(gpu& on, const plan& p, executable_key key, memory_owner* owner,
             const argument_value* arguments, std::vector<tuning> schedules = {})
      : on_(on), plan_(p), key_(std::move(key)), owner_(owner), schedules_(std::move(schedules)) {
    measured_on_ = arguments;
    for (index_t s : plan_.slots) slots_.push_back(take_arena(static_cast<std::size_t>(value(s))));
    memory_of_.resize(p.steps.size());
    std::vector<kernel_request> requests;
    const neighbours beside(p, key_.extents.data());
    for (int t = 0; t < static_cast<int>(p.steps.size());) {
      const int n = key_.apart ? 1 : beside.from(t);
      if (n > 1)
        add_steps(t, n, requests);
      else
        add_step(t, requests);
      t += n;
    }
    const std::vector<loaded_kernel> loaded = on.modules.load(requests);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      launches_[i].how.function = loaded[i].function;
      reports_.push_back(loaded[i].report);
      sources_.push_back(std::move(requests[i].source));
    }
    make_kept();
    if (key_.graph) graph_.emplace(on.context);
  }
  executable(const executable&) = delete;
  ~executable() {
    if (kept_) on_.memory.free(kept_);
  }

  const executable_key& key() const { return key_; }
  const std::vector<kernel_report>& reports() const { return reports_; }
  const std::vector<std::string>& sources() const { return sources_; }
  std::size_t arena_bytes() const { return arena_; }
  std::size_t launch_count() const { return launches_.size() + products_.size(); }

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
    bound_.clear();
    for (const place& p : places_)
      bound_.push_back(address_of(p, arguments, number_bytes, results, base));
    if (graph_) {
      graph_->run(
          stream, [&](work_queue& q) { queue(q); }, "run a program as a graph");
    } else {
      work_queue q(on_.api(), stream);
      queue(q);
    }
  }

  /// The fastest schedule of each step, measured with these arguments into scratch memory
  /// (tune.hpp).
  inline std::vector<tuning> tuned(const argument_value* arguments, const int* number_bytes);

  /// The first fault that a kernel has left, once; waits for nothing.
  std::optional<std::string> take_fault() {
    if (!fault_ || fault_->state != fault_record::told) return {};
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::string text = fault_record{0, 0, fault_->index, fault_->axis, fault_->extent}.text();
    fault_->state = 0;
    return text;
  }

 private:
  enum class root : std::uint8_t { nothing, argument, result, arena, kept, fault };
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
    std::size_t first = 0;  // left, right, result, workspace, bias
    std::string task;
  };
  std::vector<int> order_;  // launches by their numbers, products by -1 minus theirs

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
        break;  // a literal of the kernel
    }
    return p;
  }
  bool odd(const place& p) const {
    const auto i = static_cast<std::size_t>(p.index);
    if (p.from == root::argument) return key_.odd_arguments[i];
    return p.from == root::result && key_.odd_results[i];
  }

  /// Pointwise steps next to each other as one launch.
  void add_steps(int first, int count, std::vector<kernel_request>& requests) {
    launch_item item;
    item.first = places_.size();
    std::vector<std::uint64_t> unaligned;
    for (int t = first; t < first + count; ++t) {
      const step& s = plan_.steps[static_cast<std::size_t>(t)];
      step_memory& memory = memory_of_[static_cast<std::size_t>(t)];
      unaligned.push_back(0);
      for (int a = 0; a < s.access_count; ++a) {
        const access& x = plan_.accesses[static_cast<std::size_t>(s.first_access + a)];
        const place q = place_of(x);
        if (odd(q)) unaligned.back() |= std::uint64_t{1} << a;
        if (x.buffer < 0) continue;
        places_.push_back(q);
        memory.pointers.push_back(q);
      }
      memory.facts.unaligned = unaligned.back();
      memory.facts.stops_at_fault = has_indices_;
    }
    places_.insert(places_.end(), {{}, {root::fault, 0, 0}});
    item.count = places_.size() - item.first;
    const emitted_step e =
        emit_many(plan_, first, count, key_.extents.data(), card_of(on_), unaligned, has_indices_);
    add_launch(e.kernels[0], std::move(item), requests);
  }
  void add_step(int t, std::vector<kernel_request>& requests) {
    const step& s = plan_.steps[static_cast<std::size_t>(t)];
    std::vector<place> at;
    for (int a = 0; a < s.access_count; ++a)
      at.push_back(place_of(plan_.accesses[static_cast<std::size_t>(s.first_access + a)]));
    std::size_t first = 0;
    if (s.kind == step_kind::product) {
      first = 3;
      const index_t count = elements_of_product(s, key_.extents.data());
      if (const auto e = library_epilogue_of(plan_, s, key_.extents.data()); e && count > 0)
        return add_product(s, at[0], at[1], at[static_cast<std::size_t>(e->result)], requests,
                           e->form, e->bias < 0 ? nullptr : &at[4]);
      place result = at[2];
      if (result.from == root::nothing)
        result = {root::arena, 0,
                  static_cast<std::int64_t>(
                      take_arena(static_cast<std::size_t>(count * size_of(s.type))))};
      if (count > 0) add_product(s, at[0], at[1], result, requests);
      if (s.kernel < 0) return;
      at[3] = result;
    }
    tuning u = schedules_.empty() ? tuning{} : schedules_[static_cast<std::size_t>(t)];
    for (std::size_t a = first; a < at.size(); ++a)
      if (odd(at[a])) u.unaligned |= std::uint64_t{1} << (a - first);
    u.stops_at_fault = has_indices_;
    step_memory& memory = memory_of_[static_cast<std::size_t>(t)];
    memory.facts = u;
    for (std::size_t a = first; a < at.size(); ++a) {
      const access& x = plan_.accesses[static_cast<std::size_t>(s.first_access) + a];
      if (x.buffer >= 0 || (first == 3 && a == 3)) memory.pointers.push_back(at[a]);
    }
    const emitted_step e = emit(plan_, t, key_.extents.data(), card_of(on_), u);
    if (s.kind == step_kind::gather || s.kind == step_kind::scatter_add) has_indices_ = true;
    place workspace;
    if (e.workspace) {
      if (e.counters) {
        workspace = {root::kept, 0, static_cast<std::int64_t>(kept_bytes_)};
        kept_bytes_ += rounded(e.workspace);
      } else {
        workspace = {root::arena, 0, static_cast<std::int64_t>(take_arena(e.workspace))};
      }
    }
    for (const emitted_kernel& k : e.kernels) {
      launch_item item;
      item.first = places_.size();
      places_.insert(places_.end(), memory.pointers.begin(), memory.pointers.end());
      places_.insert(places_.end(), {workspace, {root::fault, 0, 0}});
      item.count = places_.size() - item.first;
      add_launch(k, std::move(item), requests);
    }
  }
  void add_launch(const emitted_kernel& k, launch_item item,
                  std::vector<kernel_request>& requests) {
    item.how.grid = k.grid;
    item.how.block = k.block;
    item.how.shared_bytes = k.shared_bytes;
    item.task = "run the kernel " + k.name;
    order_.push_back(static_cast<int>(launches_.size()));
    launches_.push_back(std::move(item));
    requests.push_back({k.name, k.source, k.shared_bytes});
  }

  /// A product through cuBLASLt where it takes the operands as they lie, else as a kernel of ours.
  /// Batch loops that do not fold into one stride are queued one by one.
  void add_product(const step& s, place a, place b, place d, std::vector<kernel_request>& requests,
                   blas_epilogue epilogue = blas_epilogue::none, const place* bias = nullptr) {
    const strided_product p = product_of(plan_, s, key_.extents.data());
    std::optional<row_major_product> form = library_form(p, key_.tf32);
    if (!form) {
      const emitted_kernel k = plain_product(p);
      launch_item item;
      item.first = places_.size();
      places_.insert(places_.end(), {a, b, d});
      item.count = 3;
      return add_launch(k, std::move(item), requests);
    }
    form->epilogue = epilogue;
    form->bias = form->d;
    align(*form, p.type, {a, b, d});
    product_operands on;
    if (a.from == root::argument) on.a = address_of(a, measured_on_, nullptr, nullptr, 0);
    if (b.from == root::argument) on.b = address_of(b, measured_on_, nullptr, nullptr, 0);
    prepared_product& prepared =
        on_.products.prepare(*form, on, on_.stream.get(), product_choice::measured, "a product");
    const std::size_t workspace = take_arena(prepared.workspace());
    const index_t inner = p.batch.empty() ? 1 : p.batch.back(), outer = p.batches() / inner;
    const std::int64_t size = size_of(p.type);
    for (index_t o = 0; o < outer; ++o) {
      index_t rest = o;
      place left = a, right = b, result = d;
      for (std::size_t l = p.batch.size() - (p.batch.empty() ? 0 : 1); l-- > 0;) {
        left.at += rest % p.batch[l] * p.batch_a[l] * size;
        right.at += rest % p.batch[l] * p.batch_b[l] * size;
        rest /= p.batch[l];
      }
      result.at += o * inner * p.m * p.n * size;
      product_item item;
      item.product = &prepared;
      item.first = places_.size();
      const place scratch{root::arena, 0, static_cast<std::int64_t>(workspace)};
      places_.insert(places_.end(), {left, right, result, scratch, bias ? *bias : place{}});
      item.task = "multiply " + form->text();
      order_.push_back(-1 - static_cast<int>(products_.size()));
      products_.push_back(std::move(item));
    }
  }
  /// What all addresses of the operands are multiples of, in bytes.
  void align(row_major_product& f, dtype type, std::initializer_list<place> operands) const {
    const std::int64_t size = size_of(type), strides[3]{f.stride_a, f.stride_b, f.stride_d};
    f.alignment = 256;
    std::size_t k = 0;
    for (const place& q : operands) {
      const bool ours = q.from == root::arena || q.from == root::kept;
      const std::int64_t most = odd(q) ? size : ours ? 256 : 16;
      const std::int64_t all = q.at | strides[k++] * size | most;
      f.alignment = std::min<std::uint32_t>(f.alignment, static_cast<std::uint32_t>(all & -all));
    }
  }

  /// Memory that outlives a call: counters, of graphs also the arena, and the fault word.
  void make_kept() {
    numbers_at_ = take_arena(sizeof(std::uint64_t) * key_.odd_arguments.size());
    const stream_handle stream = on_.stream.get();
    on_.make_current();
    const std::size_t bytes = kept_bytes_ + (key_.graph ? arena_ : 0);
    if (bytes) {
      kept_ = on_.memory.allocate(bytes, stream, owner_, "memory of a program");
      kept_arena_ = kept_->address + kept_bytes_;
      if (kept_bytes_) fill_bytes(on_.api(), kept_->address, 0, kept_bytes_, stream);
    }
    if (has_indices_) fault_ = new (on_.pinned.allocate(sizeof(fault_record)).address) fault_record;
  }

  void send_numbers(const argument_value* arguments, const int* number_bytes, device_address base,
                    stream_handle stream) {
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
        return plus(kept_->address);
      case root::fault:
        return reinterpret_cast<std::uintptr_t>(fault_);
    }
    return 0;
  }

  void queue(work_queue& q) {
    for (int o : order_) {
      if (o >= 0) {
        const launch_item& l = launches_[static_cast<std::size_t>(o)];
        q.launch(l.how, {bound_.data() + l.first, l.count}, during(l.task));
      } else {
        const product_item& m = products_[static_cast<std::size_t>(-1 - o)];
        const device_address* at = bound_.data() + m.first;
        q.other({at, 5}, [&](stream_handle stream) {
          m.product->run({at[0], at[1], at[2], at[4], 0}, at[3], stream, during(m.task));
        });
      }
    }
  }

  gpu& on_;
  const plan& plan_;
  executable_key key_;
  memory_owner* owner_;
  std::mutex mutex_;
  const argument_value* measured_on_ = nullptr;  // while it is made
  std::vector<tuning> schedules_;                // by step
  std::vector<step_memory> memory_of_;           // by step
  std::vector<std::size_t> slots_;
  std::size_t arena_ = 0, kept_bytes_ = 0, numbers_at_ = 0;
  memory_block* kept_ = nullptr;
  device_address kept_arena_ = 0;
  bool has_indices_ = false;
  volatile fault_record* fault_ = nullptr;
  std::vector<place> places_;
  std::vector<device_address> bound_;
  std::vector<launch_item> launches_;
  std::vector<product_item> products_;
  std::vector<std::uint64_t> numbers_;
  std::vector<kernel_report> reports_;
  std::vector<std::string> sources_;
  std::optional<recorded_graph> graph_;
};

}  // namespace weft::detail::cuda
