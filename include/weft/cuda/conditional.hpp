// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/graph.hpp>

#include <vector>

// Conditional nodes of recorded graphs: a kernel sets conditions, nodes behind it read them. A
// node's work is captured from a stream of its own into the node's graph.
namespace weft::detail::cuda {

inline bool work_queue::decides_on_device() const {
  return graph_ && graph_->setter_;
}

inline condition_handle recorded_graph::next_condition(const work_queue& q) {
  if (q.comparing_) {
    if (next_condition_ < conditions_.size()) return conditions_[next_condition_++];
    same_ = false;
    return 0;
  }
  const during task = "make a condition";
  condition_handle made = 0;
  check(*context_.api,
        context_.api->condition_create(&made, end_of(q.stream_, task).graph, context_.handle, 0, 0),
        task);
  conditions_.push_back(made);
  return made;
}

inline stream_handle recorded_graph::begin_conditional(const work_queue& q, condition_type type,
                                                       condition_handle c) {
  const driver_api& api = *context_.api;
  const during task = "make a conditional node";
  const captured_end end = end_of(q.stream_, task);
  const std::vector<graph_node> before(end.nodes, end.nodes + end.count);
  conditional_node_parameters parameters;
  parameters.handle = c;
  parameters.condition = type;
  parameters.context = context_.handle;
  graph_node made = nullptr;
  check(api, api.graph_add_node(&made, end.graph, before.data(), before.size(), &parameters), task);
  check(api, api.capture_update(q.stream_, &made, 1, set_capture_dependencies), task);
  while (inner_streams_.size() <= q.depth_) inner_streams_.emplace_back(context_);
  const stream_handle inner = inner_streams_[q.depth_].get();
  check(api,
        api.capture_begin_to_graph(inner, parameters.bodies[0], nullptr, nullptr, 0,
                                   capture_mode::relaxed),
        task);
  return inner;
}

template <class Body>
void work_queue::conditional(condition_type type, condition_handle c, Body&& body) {
  if (comparing_) return body();
  const stream_handle inner = graph_->begin_conditional(*this, type, c);
  struct inside {
    work_queue& q;
    stream_handle outer, inner;
    graph_handle ended = nullptr;  // the node's graph, which is the node's
    inside(work_queue& queue, stream_handle now)
        : q(queue), outer(std::exchange(queue.stream_, now)), inner(now) {
      ++q.depth_;
    }
    ~inside() {
      q.stream_ = outer;
      --q.depth_;
      if (!ended) q.api_->capture_end(inner, &ended);
    }
  } in(*this, inner);
  body();
  check(*api_, api_->capture_end(inner, &in.ended), "end a conditional node");
}

inline void work_queue::set_conditions(device_address flag, device_address fault,
                                       condition_handle holds, condition_handle fails, bool both) {
  const device_address parameters[]{flag, fault, holds, fails, both};
  launch({graph_->setter_}, parameters, "set conditions");
}

template <class Then, class Else>
void work_queue::choose(device_address flag, device_address fault, Then&& then, Else&& otherwise) {
  const condition_handle holds = graph_->next_condition(*this);
  const condition_handle fails = graph_->next_condition(*this);
  set_conditions(flag, fault, holds, fails, true);
  conditional(condition_type::once, holds, then);
  conditional(condition_type::once, fails, otherwise);
}

template <class Step>
void work_queue::repeat(device_address flag, device_address fault, Step&& step) {
  const condition_handle holds = graph_->next_condition(*this);
  set_conditions(flag, fault, holds, 0, false);
  conditional(condition_type::repeated, holds, [&] {
    step();
    set_conditions(flag, fault, holds, 0, false);
  });
}

}  // namespace weft::detail::cuda
