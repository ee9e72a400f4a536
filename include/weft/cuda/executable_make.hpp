// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/executable.hpp>

// How an executable is made of a plan.
namespace weft::detail::cuda {

/// Whether a product's extents are not the same at every call.
inline bool is_dynamic_product(const step& s, const extent_values& extents) {
  for (int l = 0; l < s.rows + 3; ++l)
    if (extents.of(s.extent[l]).is_dynamic()) return true;
  return false;
}

inline executable::executable(gpu& on, const plan& p, executable_key key,
                              const executable_making& how)
    : on_(on),
      plan_(p),
      key_(std::move(key)),
      owner_(how.owner),
      has_indices_(how.after_indices),
      hosts_(how.hosts) {
  for (index_t s : plan_.slots) slots_.push_back(take_arena(static_cast<std::size_t>(value(s))));
  memory_of_.resize(p.steps.size());
  std::vector<kernel_request> requests;
  const neighbours beside(p, how.extents);
  for (int t = 0; t < static_cast<int>(p.steps.size());) {
    const int n = key_.apart ? 1 : beside.from(t);
    if (n > 1)
      add_steps(t, n, how, requests);
    else
      add_step(t, how, requests);
    groups_.push_back({order_.size(), t, n});
    t += n;
  }
  decide_graph();
  if (on.only_emits) {
    for (kernel_request& r : requests) {
      reports_.emplace_back().name = r.name;
      sources_.push_back(std::move(r.source));
    }
    take_reports();
    return;
  }
  if (how.before_compiling)
    if (const std::size_t missing = on.modules.missing(requests)) how.before_compiling(missing);
  const std::vector<loaded_kernel> loaded = on.modules.load(requests);
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    launches_[i].how.function = loaded[i].function;
    reports_.push_back(loaded[i].report);
    sources_.push_back(std::move(requests[i].source));
  }
  take_reports();
  make_kept(how);
  std::string why;
  if (key_.graph) graph_.emplace(on.context, conditions_ ? on.conditions.get(why) : nullptr);
}

/// Pointwise steps next to each other as one launch.
inline void executable::add_steps(int first, int count, const executable_making& how,
                                  std::vector<kernel_request>& requests) {
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
      emit_many(plan_, first, count, how.extents, card_of(on_), unaligned, has_indices_);
  add_launch(e.kernels[0], std::move(item), requests);
}
inline void executable::add_step(int t, const executable_making& how,
                                 std::vector<kernel_request>& requests) {
  const step& s = plan_.steps[static_cast<std::size_t>(t)];
  if (s.kind == step_kind::control) return add_control(t, how);
  std::vector<place> at;
  for (int a = 0; a < s.access_count; ++a)
    at.push_back(place_of(plan_.accesses[static_cast<std::size_t>(s.first_access + a)]));
  std::size_t first = 0;
  if (s.kind == step_kind::product) {
    first = 3;
    const index_t count = elements_of_product(s, key_.extents.data());
    const auto e = library_epilogue_of(plan_, s, key_.extents.data());
    const auto there = [&](int a) { return a < 0 ? place{} : at[static_cast<std::size_t>(a)]; };
    if (e && count > 0 && !odd(there(e->auxiliary)))
      return add_product(s, at[0], at[1], there(e->result), how, requests, e->form, there(e->bias),
                         there(e->auxiliary));
    place result = at[2];
    if (result.from == root::nothing)
      result = {
          root::arena, 0,
          static_cast<std::int64_t>(take_arena(static_cast<std::size_t>(count * size_of(s.type))))};
    if (count > 0) add_product(s, at[0], at[1], result, how, requests, blas_epilogue::none, {}, {});
    if (s.kernel < 0) return;
    at[3] = result;
  }
  tuning u = how.schedules.empty() ? tuning{} : how.schedules[static_cast<std::size_t>(t)];
  for (std::size_t a = first; a < at.size(); ++a)
    if (odd(at[a])) u.unaligned |= std::uint64_t{1} << (a - first);
  u.stops_at_fault = has_indices_;
  step_memory& memory = memory_of_[static_cast<std::size_t>(t)];
  memory.facts = u;
  for (std::size_t a = first; a < at.size(); ++a) {
    const access& x = plan_.accesses[static_cast<std::size_t>(s.first_access) + a];
    if (x.buffer >= 0 || (first == 3 && a == 3)) memory.pointers.push_back(at[a]);
  }
  const emitted_step e = emit(plan_, t, how.extents, card_of(on_), u);
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
    add_numbers(k);
    places_.insert(places_.end(), {workspace, {root::fault, 0, 0}});
    item.count = places_.size() - item.first;
    add_launch(k, std::move(item), requests);
  }
}
inline void executable::add_launch(const emitted_kernel& k, launch_item item,
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
inline void executable::add_product(const step& s, place a, place b, place d,
                                    const executable_making& how,
                                    std::vector<kernel_request>& requests, blas_epilogue epilogue,
                                    place bias, place auxiliary) {
  const strided_product p = product_of(plan_, s, key_.extents.data());
  // Of what is dynamic, the library's best guess is taken: to measure each size would cost more
  // than compiling.
  const bool is_dynamic = is_dynamic_product(s, how.extents);
  std::optional<row_major_product> form = library_form(p, key_.tf32);
  if (!form) {
    const emitted_kernel k = plain_product(p, is_dynamic);
    launch_item item;
    item.first = places_.size();
    places_.insert(places_.end(), {a, b, d});
    add_numbers(k);
    if (is_dynamic) places_.push_back({root::fault, 0, 0});
    item.count = places_.size() - item.first;
    return add_launch(k, std::move(item), requests);
  }
  if (on_.only_emits) return;
  form->epilogue = epilogue;
  form->bias = form->d;
  form->ld_auxiliary = form->ldd;
  align(*form, p.type, {a, b, d});
  product_operands on;
  if (how.arguments && a.from == root::argument)
    on.a = address_of(a, how.arguments, nullptr, nullptr, 0);
  if (how.arguments && b.from == root::argument)
    on.b = address_of(b, how.arguments, nullptr, nullptr, 0);
  prepared_product& prepared = on_.products.prepare(
      *form, on, on_.stream.get(), is_dynamic ? product_choice::recalled : product_choice::measured,
      "a product");
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
    places_.insert(places_.end(), {left, right, result, scratch, bias, auxiliary});
    item.task = "multiply " + form->text();
    order_.push_back(-1 - static_cast<int>(products_.size()));
    products_.push_back(std::move(item));
  }
}
/// What all addresses of the operands are multiples of, in bytes.
inline void executable::align(row_major_product& f, dtype type,
                              std::initializer_list<place> operands) const {
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

/// What some steps wrote, told to a stance. After a fault nothing is.
inline void executable::check_steps(const step_group& steps) {
  const auto check = check_of_device_steps.load(std::memory_order_acquire);
  on_.stream.synchronize("wait for a launch that is checked");
  if (!check || (fault_ && fault_->state != 0)) return;
  const auto read = [](const void* self, const access& a, std::int64_t from, std::size_t bytes,
                       void* to) {
    auto& e = *static_cast<executable*>(const_cast<void*>(self));
    const auto& with = e.bound_with_;
    const device_address address =
        e.address_of(e.place_of(a), with.arguments, with.number_bytes, with.results, with.base) +
        static_cast<device_address>(from);
    copy_to_host(e.on_.api(), to, address, bytes, e.on_.stream.get(), "copy what is checked");
    e.on_.stream.synchronize("wait for what is checked");
  };
  for (int t = steps.first; t < steps.first + steps.count; ++t)
    check({plan_, t, is_body_, key_.extents.data(), this, read});
}

/// Memory that outlives a call: counters, of graphs also the arena, and the fault word.
inline void executable::make_kept(const executable_making& how) {
  if (key_.numbers) numbers_at_ = take_arena(sizeof(std::uint64_t) * key_.odd_arguments.size());
  const stream_handle stream = on_.stream.get();
  on_.make_current();
  const std::size_t bytes = kept_bytes_ + (key_.graph ? arena_ : 0);
  if (bytes) {
    kept_ = on_.memory.allocate(bytes, stream, owner_, "memory of a program");
    kept_arena_ = kept_->address + kept_bytes_;
    if (kept_bytes_) fill_bytes(on_.api(), kept_->address, 0, kept_bytes_, stream);
    for (const numbers_of_steps& n : step_numbers_) {
      std::vector<index_t> numbers(n.count);
      for (std::size_t i = 0; i < n.count; ++i) numbers[i] = static_cast<index_t>(i);
      copy_to_device(on_.api(), kept_->address + n.at, numbers.data(), n.count * sizeof(index_t),
                     stream, "copy the numbers of a scan's steps");
      on_.stream.synchronize("copy the numbers of a scan's steps");
    }
  }
  if (has_indices_) fault_ = how.fault->get();
}

}  // namespace weft::detail::cuda
