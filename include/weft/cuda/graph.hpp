// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <weft/cuda/driver.hpp>
#include <weft/cuda/stream.hpp>

namespace weft::detail::cuda {

class recorded_graph;

/// Through this a program queues its work, whether it runs at once, is recorded, or is only
/// compared with what was recorded. A body that takes it is written once and serves all three.
class work_queue {
 public:
  /// A queue that runs everything at once.
  work_queue(const driver_api& api, stream_handle on) : api_(&api), stream_(on) {}

  /// Queues one of our kernels, whose parameters are the pointers.
  inline void launch(const kernel_launch& how, std::span<const device_address> pointers,
                     during task);

  /// Queues anything else: a product, a copy. `call(stream)` does it; `pointers` is all that it
  /// depends on and that may differ from one run to the next.
  template <class Call>
  void other(std::span<const device_address> pointers, Call&& call) {
    if (!graph_ || remember_other(pointers)) call(stream_);
  }

  /// Whether conditions are decided on the device: the work becomes a graph that may have
  /// conditional nodes.
  inline bool decides_on_device() const;
  /// Queues what `then()` and `otherwise()` queue here, to run the one where the byte at `flag` is
  /// not 0, the other where it is, none after a fault (an int at `fault`, if that is not 0).
  template <class Then, class Else>
  void choose(device_address flag, device_address fault, Then&& then, Else&& otherwise);
  /// Queues what `step()` queues here, to run again and again as long as the byte at `flag` is not
  /// 0, which the step writes, and there is no fault.
  template <class Step>
  void repeat(device_address flag, device_address fault, Step&& step);

 private:
  friend class recorded_graph;
  work_queue(const driver_api& api, stream_handle on, recorded_graph& graph, bool comparing)
      : api_(&api), stream_(on), graph_(&graph), comparing_(comparing) {}

  inline bool remember_other(std::span<const device_address> pointers);
  template <class Body>
  void conditional(condition_type type, condition_handle c, Body&& body);
  inline void set_conditions(device_address flag, device_address fault, condition_handle holds,
                             condition_handle fails, bool both);

  const driver_api* api_;
  stream_handle stream_;
  recorded_graph* graph_ = nullptr;
  bool comparing_ = false;
  std::size_t depth_ = 0;  // of conditional nodes that the work is in
};

/// A program as one CUDA graph. Replayed with other pointers, each of our kernels whose pointers
/// moved is updated in place: one driver call for each of these, about a microsecond, and nothing
/// for the rest. If a product's pointers moved, or the list of work is another one, the body is
/// captured again, which costs about what running it once costs on the host, and the executable
/// graph is updated, or made anew where the driver cannot update it. One thread at a time.
///
/// A graph with conditional nodes is made anew whenever it is captured again: its kernels hold the
/// handles of its conditions.
///
/// What the body uses has to live as long as the graph: workspaces, modules, and memory whose
/// address does not appear among the pointers.
class recorded_graph {
 public:
  /// `setter` sets conditions (conditional.hpp); without it conditions are the host's.
  explicit recorded_graph(const context& on, function_handle setter = nullptr)
      : context_(on), capture_stream_(on), setter_(setter) {}
  recorded_graph(const recorded_graph&) = delete;
  ~recorded_graph() {
    const driver_api& api = *context_.api;
    if (executable_) api.graph_exec_destroy(executable_);
    if (graph_) api.graph_destroy(graph_);
  }

  /// Launches the graph on `on`, recorded or updated as needed: `body(work_queue&)` tells the work.
  template <class Body>
  void run(stream_handle on, Body&& body, during task) {
    if (!executable_ || !matches(body)) capture(body, task);
    launch(on, task);
  }

  /// Launches the graph as it is. It has been run before.
  void launch(stream_handle on, during task) const {
    check(*context_.api, context_.api->graph_launch(executable_, on), task);
  }

  /// How often the work was captured, how many kernels were updated in place, and how often an
  /// executable graph was made.
  struct counts {
    std::size_t captures = 0, kernel_updates = 0, instantiations = 0;
  };
  counts statistics() const { return counts_; }

 private:
  friend class work_queue;

  // One item of the work, in order.
  struct item {
    graph_node node = nullptr;  // of the executable; null for anything but one of our kernels
    std::size_t place = 0;      // of the node in the graph, which is a chain
    kernel_launch how;
    std::size_t first = 0, count = 0;  // its pointers in pointers_
    bool inner = false;                // in a conditional node
  };

  // Compares the body's work with the recorded work and updates kernels whose pointers moved.
  template <class Body>
  bool matches(Body&& body) {
    position_ = next_condition_ = 0;
    same_ = true;
    work_queue queue(*context_.api, nullptr, *this, true);
    body(queue);
    return same_ && position_ == items_.size();
  }

  template <class Body>
  void capture(Body&& body, during task) {
    const driver_api& api = *context_.api;
    context_.make_current();
    items_.clear();
    pointers_.clear();
    conditions_.clear();
    graph_handle captured = nullptr;
    check(api, api.capture_begin(capture_stream_.get(), capture_mode::relaxed), task);
    try {
      work_queue queue(api, capture_stream_.get(), *this, false);
      body(queue);
    } catch (...) {
      // The stream must leave its capture, and what is recorded does not belong to the graph any
      // more.
      api.capture_end(capture_stream_.get(), &captured);
      if (captured) api.graph_destroy(captured);
      drop_executable();
      throw;
    }
    const driver_status ended = api.capture_end(capture_stream_.get(), &captured);
    if (ended != driver_status::success) {
      drop_executable();
      throw_status(api, ended, task);
    }
    ++counts_.captures;
    install(captured, task);
  }

  void install(graph_handle captured, during task) {
    const driver_api& api = *context_.api;
    if (!conditions_.empty()) drop_executable();
    if (executable_) {
      graph_update_result why;
      if (api.graph_update(executable_, captured, &why) != driver_status::success) {
        drop_executable();
      }
    }
    if (executable_) {
      adopt_nodes();
      api.graph_destroy(captured);
      return;
    }
    const driver_status status = api.graph_instantiate(&executable_, captured, 0);
    if (status != driver_status::success) {
      executable_ = nullptr;
      api.graph_destroy(captured);
      throw_status(api, status, task);
    }
    ++counts_.instantiations;
    graph_ = captured;
    nodes_.clear();
    for (const item& each : items_) {
      if (each.node) nodes_.emplace_back(each.place, each.node);
    }
  }

  // An updated executable calls its nodes by those of the graph it was made from. Two chains of one
  // length have their nodes at the same places; an item may have moved, where a product became more
  // kernels or fewer.
  void adopt_nodes() {
    for (item& each : items_) {
      const auto found = std::lower_bound(
          nodes_.begin(), nodes_.end(), each.place,
          [](const auto& known, std::size_t place) { return known.first < place; });
      const bool is_known = found != nodes_.end() && found->first == each.place;
      each.node = each.node && is_known ? found->second : nullptr;
    }
  }

  void drop_executable() {
    const driver_api& api = *context_.api;
    if (executable_) api.graph_exec_destroy(std::exchange(executable_, nullptr));
    if (graph_) api.graph_destroy(std::exchange(graph_, nullptr));
  }

  // Called after the work was captured.
  void remember(bool is_kernel, const kernel_launch& how, std::span<const device_address> pointers,
                stream_handle on, bool inner) {
    item made{nullptr, 0, how, pointers_.size(), pointers.size(), inner};
    if (is_kernel) find_last_node(made, on);
    items_.push_back(made);
    pointers_.insert(pointers_.end(), pointers.begin(), pointers.end());
  }

  // The recorded item that the body is at; null when the work differs.
  item* next_item(std::size_t pointers) {
    if (!same_ || position_ >= items_.size() || items_[position_].count != pointers) {
      same_ = false;
      return nullptr;
    }
    return &items_[position_++];
  }

  std::span<device_address> pointers_of(const item& each) {
    return std::span(pointers_).subspan(each.first, each.count);
  }

  // A graph in capture, and the nodes that the next one will wait for.
  struct captured_end {
    graph_handle graph = nullptr;
    const graph_node* nodes = nullptr;
    std::size_t count = 0;
  };
  captured_end end_of(stream_handle on, during task) const {
    captured_end end;
    capture_status status = capture_status::none;
    std::uint64_t id = 0;
    check(*context_.api,
          context_.api->capture_info(on, &status, &id, &end.graph, &end.nodes, &end.count), task);
    return end;
  }
  void find_last_node(item& made, stream_handle on) const {
    const during task = "find a captured kernel";
    const captured_end end = end_of(on, task);
    if (end.count != 1) return;  // not a chain: such a kernel is captured again when it changes
    made.node = end.nodes[0];
    check(*context_.api, context_.api->graph_nodes(end.graph, nullptr, &made.place), task);
  }

  // conditional.hpp
  inline condition_handle next_condition(const work_queue& q);
  inline stream_handle begin_conditional(const work_queue& q, condition_type type,
                                         condition_handle c);

  void compare_launch(const kernel_launch& how, std::span<const device_address> pointers,
                      during task) {
    item* found = next_item(pointers.size());
    if (!found) return;
    if (found->how.function != how.function || found->how.grid != how.grid ||
        found->how.block != how.block || found->how.shared_bytes != how.shared_bytes) {
      same_ = false;
      return;
    }
    const std::span<device_address> known = pointers_of(*found);
    if (std::equal(known.begin(), known.end(), pointers.begin())) return;
    if (!found->node) {
      same_ = false;
      return;
    }
    launching::argument_list arguments(pointers);
    kernel_node_parameters parameters;
    parameters.function = how.function;
    std::copy(how.grid.begin(), how.grid.end(), parameters.grid);
    std::copy(how.block.begin(), how.block.end(), parameters.block);
    parameters.shared_bytes = how.shared_bytes;
    parameters.arguments = arguments.slots;
    const driver_status status =
        context_.api->graph_set_kernel(executable_, found->node, &parameters);
    if (found->inner && status != driver_status::success) {
      same_ = false;
      return;
    }
    check(*context_.api, status, task);
    std::copy(pointers.begin(), pointers.end(), known.begin());
    ++counts_.kernel_updates;
  }

  context context_;
  cuda::stream capture_stream_;   // the caller's stream may go on meanwhile
  graph_handle graph_ = nullptr;  // what the executable was made from
  graph_exec_handle executable_ = nullptr;
  std::vector<item> items_;
  std::vector<device_address> pointers_;
  std::vector<std::pair<std::size_t, graph_node>> nodes_;  // of graph_, by place
  function_handle setter_ = nullptr;
  std::vector<condition_handle> conditions_;
  std::deque<cuda::stream> inner_streams_;  // in capture while another one is, by depth
  std::size_t position_ = 0, next_condition_ = 0;
  bool same_ = true;
  counts counts_;
};

inline void work_queue::launch(const kernel_launch& how, std::span<const device_address> pointers,
                               during task) {
  if (!graph_) {
    cuda::launch(*api_, how, pointers, stream_, task);
  } else if (comparing_) {
    graph_->compare_launch(how, pointers, task);
  } else {
    cuda::launch(*api_, how, pointers, stream_, task);
    graph_->remember(true, how, pointers, stream_, depth_ > 0);
  }
}

// True if the call has to be made now.
inline bool work_queue::remember_other(std::span<const device_address> pointers) {
  if (!comparing_) {
    graph_->remember(false, {}, pointers, stream_, depth_ > 0);
    return true;
  }
  if (const recorded_graph::item* found = graph_->next_item(pointers.size())) {
    const auto known = graph_->pointers_of(*found);
    if (!std::equal(known.begin(), known.end(), pointers.begin()) || found->how.function) {
      graph_->same_ = false;
    }
  }
  return false;
}

}  // namespace weft::detail::cuda
