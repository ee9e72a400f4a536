// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
#include <weft/cuda/condition_setter.hpp>
#include <weft/cuda/driver.hpp>
#include <weft/cuda/stream.hpp>

// The part of a driver without a device that captures graphs and runs them: node by node,
// conditional nodes by their conditions.

namespace weft_tests {

namespace cuda = weft::detail::cuda;

class fake_graphs {
 public:
  struct launched {
    cuda::function_handle function;
    std::vector<cuda::device_address> pointers;
    cuda::stream_handle stream;
  };
  struct node {
    cuda::function_handle function = nullptr;
    std::vector<cuda::device_address> pointers = {};
    cuda::graph_node handle = nullptr;  // of the graph that was captured
    cuda::kernel_launch how = {};
    std::function<void()> other = {};  // a copy or a fill
    cuda::condition_handle condition = 0;
    cuda::condition_type type{};
    cuda::graph_handle body = nullptr;  // of a conditional node
  };
  using nodes = std::vector<node>;

  std::size_t pointers_of_kernels = 2;  // how many parameters every kernel has
  std::map<std::string, int> calls;
  std::vector<launched> launches;
  bool refuse_graph_update = false;
  bool refuse_inner_update = false;  // of kernels in conditional nodes
  /// How many parameters a kernel has, where they differ; and what running it does.
  std::function<std::size_t(cuda::function_handle)> parameters_of;
  std::function<bool(cuda::function_handle, const cuda::kernel_launch&,
                     const std::vector<cuda::device_address>&)>
      run_kernel;
  std::size_t most_turns = 10000;  // of a conditional node; more are a fault

  inline static fake_graphs* now = nullptr;
  inline static const cuda::function_handle setter =
      reinterpret_cast<cuda::function_handle>(std::uintptr_t{0x5e77e4});

  fake_graphs() { now = this; }
  ~fake_graphs() { now = nullptr; }
  fake_graphs(const fake_graphs&) = delete;

  /// The n-th call from now on of `name` answers `status`.
  void fail(const std::string& name, int nth, cuda::driver_status status) {
    failures_[name] = {calls[name] + nth, status};
  }

  /// What a stream in capture records for one call.
  void capture_kernel(cuda::function_handle function, std::vector<cuda::device_address> pointers) {
    graphs_[captures_.back().second].push_back(
        {function, std::move(pointers), next_handle<cuda::graph_node>()});
  }
  bool capturing() const { return !captures_.empty(); }
  std::size_t graphs() const { return graphs_.size() + executables_.size(); }

  using status = cuda::driver_status;

  status enter(const char* name) {
    const std::scoped_lock lock(mutex_);
    const int count = ++calls[name];
    const auto found = failures_.find(name);
    if (found != failures_.end() && found->second.first == count) return found->second.second;
    return status::success;
  }

  template <class Handle>
  Handle next_handle() {
    return reinterpret_cast<Handle>(handle_ += 16);
  }

  static std::vector<cuda::device_address> read_pointers(cuda::function_handle function,
                                                         void** arguments) {
    std::vector<cuda::device_address> result;
    const std::size_t count = function == setter   ? 5
                              : now->parameters_of ? now->parameters_of(function)
                                                   : now->pointers_of_kernels;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(*static_cast<cuda::device_address*>(arguments[i]));
    return result;
  }

  // The nodes that a stream captures into; null where it captures nothing.
  nodes* captured_by(cuda::stream_handle on) {
    for (const auto& [stream, graph] : captures_)
      if (stream == on) return &graphs_[graph];
    return nullptr;
  }
  cuda::graph_handle graph_of(cuda::stream_handle on) const {
    for (const auto& [stream, graph] : captures_)
      if (stream == on) return graph;
    return nullptr;
  }
  /// Does it now, or when the graph runs.
  status now_or_captured(cuda::stream_handle on, std::function<void()> what) {
    if (nodes* captured = captured_by(on)) {
      captured->push_back({.handle = next_handle<cuda::graph_node>(), .other = std::move(what)});
    } else {
      what();
    }
    return status::success;
  }
  status run(cuda::function_handle function, const cuda::kernel_launch& how,
             const std::vector<cuda::device_address>& pointers, cuda::stream_handle on) {
    if (function == setter) {
      set_conditions(pointers);
      return status::success;
    }
    launches.push_back({function, pointers, on});
    if (run_kernel && !run_kernel(function, how, pointers)) return status::illegal_address;
    return status::success;
  }
  // What the kernel of condition_setter.hpp does.
  void set_conditions(const std::vector<cuda::device_address>& p) {
    const bool met = p[1] && *reinterpret_cast<const int*>(p[1]) != 0;
    const bool flag = *reinterpret_cast<const unsigned char*>(p[0]) != 0;
    conditions_.at(p[2]) = flag && !met;
    if (p[4]) conditions_.at(p[3]) = !flag && !met;
  }
  struct executable {
    cuda::graph_handle root = nullptr;
    std::map<cuda::graph_handle, nodes> graphs;
  };
  void copy_graphs(cuda::graph_handle from, executable& to) {
    to.graphs[from] = graphs_[from];
    for (const node& each : graphs_[from])
      if (each.body) copy_graphs(each.body, to);
  }
  status run(const executable& all, cuda::graph_handle graph, cuda::stream_handle on) {
    for (const node& each : all.graphs.at(graph)) {
      status s = status::success;
      if (each.other) {
        each.other();
      } else if (!each.body) {
        s = run(each.function, each.how, each.pointers, on);
      } else {
        std::size_t turns = 0;
        while (s == status::success && conditions_.at(each.condition)) {
          s = ++turns > most_turns ? status::launch_timeout : run(all, each.body, on);
          if (each.type == cuda::condition_type::once) break;
        }
      }
      if (s != status::success) return s;
    }
    return status::success;
  }
  void destroy_graph(cuda::graph_handle graph) {
    const nodes gone = std::move(graphs_[graph]);
    graphs_.erase(graph);
    for (const node& each : gone)
      if (each.body) destroy_graph(each.body);
  }

#define WEFT_FAKE_ENTER(name) \
  if (const status s = now->enter(name); s != status::success) return s

  static void make_graphs(cuda::driver_api& api) {
    make_captures(api);
    api.graph_nodes = [](cuda::graph_handle graph, cuda::graph_node*, std::size_t* count) {
      return *count = now->graphs_[graph].size(), status::success;
    };
    api.graph_instantiate = [](cuda::graph_exec_handle* made, cuda::graph_handle graph,
                               unsigned long long) {
      WEFT_FAKE_ENTER("graph_instantiate");
      *made = now->next_handle<cuda::graph_exec_handle>();
      executable& it = now->executables_[*made];
      it.root = graph;
      now->copy_graphs(graph, it);
      return status::success;
    };
    api.graph_update = [](cuda::graph_exec_handle executable, cuda::graph_handle graph,
                          cuda::graph_update_result*) {
      WEFT_FAKE_ENTER("graph_update");
      auto& it = now->executables_[executable];
      nodes& known = it.graphs[it.root];
      const nodes& fresh = now->graphs_[graph];
      if (now->refuse_graph_update || known.size() != fresh.size() || it.graphs.size() > 1) {
        return status::graph_update_failure;
      }
      // Its nodes keep the names of the graph that it was made from.
      for (std::size_t i = 0; i < known.size(); ++i) {
        const cuda::graph_node name = known[i].handle;
        known[i] = fresh[i];
        known[i].handle = name;
      }
      return status::success;
    };
    api.graph_set_kernel = [](cuda::graph_exec_handle executable, cuda::graph_node which,
                              const cuda::kernel_node_parameters* parameters) {
      WEFT_FAKE_ENTER("graph_set_kernel");
      auto& it = now->executables_[executable];
      for (auto& [graph, all] : it.graphs)
        for (node& each : all) {
          // A driver refuses a node of another graph or another kernel.
          if (each.handle != which || each.function != parameters->function) continue;
          if (graph != it.root && now->refuse_inner_update) return status::invalid_value;
          each.pointers = read_pointers(each.function, parameters->arguments);
          return status::success;
        }
      return status::invalid_value;
    };
    api.graph_launch = [](cuda::graph_exec_handle executable, cuda::stream_handle on) {
      WEFT_FAKE_ENTER("graph_launch");
      const auto& it = now->executables_[executable];
      return now->run(it, it.root, on);
    };
    api.graph_destroy = [](cuda::graph_handle graph) {
      now->destroy_graph(graph);
      return now->enter("graph_destroy");
    };
    api.graph_exec_destroy = [](cuda::graph_exec_handle executable) {
      now->executables_.erase(executable);
      return now->enter("graph_exec_destroy");
    };
    make_conditions(api);
  }
  static void make_captures(cuda::driver_api& api) {
    api.capture_begin = [](cuda::stream_handle on, cuda::capture_mode) {
      WEFT_FAKE_ENTER("capture_begin");
      if (now->captured_by(on)) return status::invalid_value;
      now->captures_.emplace_back(on, now->next_handle<cuda::graph_handle>());
      now->graphs_[now->captures_.back().second].clear();
      return status::success;
    };
    api.capture_end = [](cuda::stream_handle on, cuda::graph_handle* graph) {
      // The capture ends in any case; a call that fails gives no graph.
      auto& all = now->captures_;
      if (all.empty() || all.back().first != on) return status::invalid_value;
      *graph = all.back().second;
      all.pop_back();
      const status s = now->enter("capture_end");
      if (s != status::success) now->destroy_graph(std::exchange(*graph, nullptr));
      return s;
    };
    api.capture_info = [](cuda::stream_handle on, cuda::capture_status* state, std::uint64_t*,
                          cuda::graph_handle* graph, const cuda::graph_node** before,
                          std::size_t* count) {
      WEFT_FAKE_ENTER("capture_info");
      const nodes* captured = now->captured_by(on);
      if (!captured) return status::invalid_value;
      *state = cuda::capture_status::active;
      *graph = now->graph_of(on);
      now->last_node_ = captured->empty() ? nullptr : captured->back().handle;
      *before = &now->last_node_;
      *count = captured->empty() ? 0 : 1;
      return status::success;
    };
  }
  static void make_conditions(cuda::driver_api& api) {
    api.condition_create = [](cuda::condition_handle* made, cuda::graph_handle graph,
                              cuda::context_handle, unsigned, unsigned) {
      WEFT_FAKE_ENTER("condition_create");
      if (!now->graphs_.contains(graph)) return status::invalid_value;
      *made = ++now->last_condition_;
      now->conditions_[*made] = true;  // nobody knows
      return status::success;
    };
    api.graph_add_node = [](cuda::graph_node* made, cuda::graph_handle graph,
                            const cuda::graph_node* before, std::size_t count,
                            cuda::conditional_node_parameters* p) {
      WEFT_FAKE_ENTER("graph_add_node");
      nodes& all = now->graphs_.at(graph);
      const bool is_chain = count == 1 && !all.empty() && before[0] == all.back().handle;
      if (!is_chain || p->type != cuda::conditional_node || p->count != 1 ||
          !now->conditions_.contains(p->handle))
        return status::invalid_value;
      now->new_body_ = now->next_handle<cuda::graph_handle>();
      *made = now->next_handle<cuda::graph_node>();
      all.push_back(
          {.handle = *made, .condition = p->handle, .type = p->condition, .body = now->new_body_});
      now->graphs_[now->new_body_].clear();
      p->bodies = &now->new_body_;
      return status::success;
    };
    api.capture_update = [](cuda::stream_handle on, cuda::graph_node* before, std::size_t count,
                            unsigned flags) {
      WEFT_FAKE_ENTER("capture_update");
      const nodes* captured = now->captured_by(on);
      const bool good = captured && count == 1 && flags == cuda::set_capture_dependencies &&
                        *before == captured->back().handle;
      return good ? status::success : status::invalid_value;
    };
    api.capture_begin_to_graph = [](cuda::stream_handle on, cuda::graph_handle graph,
                                    const cuda::graph_node*, const void*, std::size_t,
                                    cuda::capture_mode) {
      WEFT_FAKE_ENTER("capture_begin_to_graph");
      if (now->captured_by(on) || !now->graphs_.contains(graph)) return status::invalid_value;
      now->captures_.emplace_back(on, graph);
      return status::success;
    };
  }

  std::mutex mutex_;
  std::map<std::string, std::pair<int, status>> failures_;
  std::uintptr_t handle_ = 0x1000;

 private:
  // Streams in capture, a conditional node's after the one that it is in.
  std::vector<std::pair<cuda::stream_handle, cuda::graph_handle>> captures_;
  std::map<cuda::graph_handle, nodes> graphs_;
  std::map<cuda::graph_exec_handle, executable> executables_;
  std::map<cuda::condition_handle, bool> conditions_;
  cuda::condition_handle last_condition_ = 0;
  cuda::graph_node last_node_ = nullptr;
  cuda::graph_handle new_body_ = nullptr;
};

}  // namespace weft_tests
