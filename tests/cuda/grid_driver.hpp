// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/program_state.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <vector>

#include "fake_driver.hpp"
#include "grid_execute.hpp"

// A driver whose memory is the host's and whose launches run on the host grid: the executor itself,
// whole programs, without a GPU.
namespace weft_test {

/// A call of a graph's program on cuda(0), with what it points to but the values' memory.
class graph_call {
 public:
  graph_call(const graph& g, std::vector<weft::detail::argument_value> values,
             std::vector<void*> results, weft::compile_options options)
      : values_(std::move(values)), results_(std::move(results)), numbers_(values_.size() + 1, 0) {
    program_.hosts = g.hosts.data();
    call.where = weft::cuda(0);
    call.program = &program_;
    call.options = options;
    call.arguments = values_.data();
    call.number_bytes = numbers_.data();
    call.results = results_.data();
  }
  graph_call(const graph_call&) = delete;
  void run(cuda::executable& e) const { e.run(call.arguments, call.number_bytes, call.results); }

  weft::detail::device_call call;

 private:
  weft::detail::device_program program_;
  std::vector<weft::detail::argument_value> values_;
  std::vector<void*> results_;
  std::vector<int> numbers_;
};

class grid_driver {
 public:
  explicit grid_driver(int version = 13000) : api_(fake_.api()) {
    fake_.version = version;
    using weft_tests::fake_driver;
    using status = cuda::driver_status;
    // An image is a kernel's number; so are the module and the function, plus one.
    api_.module_load = [](cuda::module_handle* module, const void* image) {
      const auto* const text = static_cast<const char*>(image);
      if (std::strcmp(text, cuda::condition_setter_text) == 0)
        return fake_driver::api().module_load(module, image);
      *module =
          reinterpret_cast<cuda::module_handle>(static_cast<std::uintptr_t>(std::atoi(text) + 1));
      return status::success;
    };
    api_.module_function = [](cuda::function_handle* f, cuda::module_handle m, const char* name) {
      if (std::strcmp(name, "weft_set_conditions") == 0)
        return fake_driver::api().module_function(f, m, name);
      return *f = reinterpret_cast<cuda::function_handle>(m), status::success;
    };
    fake_.parameters_of = [this](cuda::function_handle f) { return kernels_[at(f)].parameters; };
    fake_.run_kernel = [this](cuda::function_handle f, const cuda::kernel_launch& how,
                              const std::vector<cuda::device_address>& pointers) {
      return launch(at(f), how.grid.data(), how.block[0], pointers);
    };
    gpu_ = std::make_unique<cuda::gpu>(api_, 0, std::vector<cuda::source_include>{}, off_);
    gpu_->modules.compile_with([this](const cuda::kernel_source& k) { return compile(k); });
  }
  grid_driver(const grid_driver&) = delete;

  cuda::gpu& gpu() { return *gpu_; }
  weft_tests::fake_driver& fake() { return fake_; }
  int launches = 0;

  /// The results of an optimised graph, of shapes and dtypes as in `like`.
  std::vector<reference_value> outputs(const graph& g,
                                       const std::vector<reference_value>& arguments,
                                       const std::vector<reference_value>& like,
                                       weft::compile_options options = {}) {
    const auto words = weft::detail::encoded_graph(g);
    auto& state = states_.emplace_back(std::make_unique<cuda::program_state>(words.data()));
    return outputs(*state, g, arguments, like, options);
  }
  std::vector<reference_value> outputs(cuda::program_state& state, const graph& g,
                                       const std::vector<reference_value>& arguments,
                                       const std::vector<reference_value>& like,
                                       weft::compile_options options = {}) {
    std::deque<guarded_memory> in, out;
    std::vector<weft::detail::argument_value> values;
    for (const reference_value& v : arguments) {
      in.emplace_back(static_cast<std::size_t>(v.size() * size_of(v.type)));
      write_elements(v, in.back().data());
      values.push_back({in.back().data(), v.shape.data(), nullptr});
    }
    std::vector<void*> results;
    for (const reference_value& v : like) {
      out.emplace_back(static_cast<std::size_t>(v.size() * size_of(v.type)));
      results.push_back(out.back().data());
    }
    const graph_call made(g, std::move(values), std::move(results), options);
    made.run(*state.find(*gpu_, made.call));
    state.check_faults(*gpu_);
    std::vector<reference_value> r;
    for (std::size_t j = 0; j < like.size(); ++j) {
      CHECK(out[j].intact());
      r.push_back(read_elements(like[j].type, like[j].shape, out[j].data()));
    }
    for (const guarded_memory& m : in) CHECK(m.intact());
    return r;
  }

 private:
  struct kernel {
    cuda::emitted_kernel it;
    std::size_t parameters = 0;
    grid_batch* batch = nullptr;  // once it is compiled
    int number = 0;
  };

  // Kernels are compiled together, at the first launch after they were asked for.
  cuda::compiled_kernel compile(const cuda::kernel_source& k) {
    const std::scoped_lock lock(mutex_);
    kernel made;
    made.it.name = k.name;
    made.it.source = k.text;
    const std::size_t at = k.text.find(" " + k.name + "(");
    const std::string list = k.text.substr(at, k.text.find(')', at) - at);
    made.parameters = static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')) + 1;
    kernels_.push_back(std::move(made));
    return {std::to_string(kernels_.size() - 1), 0, ""};
  }
  static std::size_t at(cuda::function_handle f) { return reinterpret_cast<std::uintptr_t>(f) - 1; }
  bool launch(std::size_t index, const unsigned* grid, unsigned threads,
              const std::vector<cuda::device_address>& arguments) {
    ++launches;
    if (!kernels_[index].batch) {
      grid_batch& batch = *batches_.emplace_back(std::make_unique<grid_batch>());
      for (kernel& k : kernels_)
        if (!k.batch) k.number = batch.add(k.it), k.batch = &batch;
      batch.compile();
    }
    const kernel& k = kernels_[index];
    std::vector<void*> values;
    for (const cuda::device_address a : arguments) values.push_back(reinterpret_cast<void*>(a));
    return k.batch->run_values(k.number, values.data(), grid, threads);
  }

  weft_tests::fake_driver fake_;
  cuda::driver_api api_;
  cuda::disk_cache off_{""};
  std::mutex mutex_;
  std::vector<kernel> kernels_;
  std::vector<std::unique_ptr<grid_batch>> batches_;
  std::unique_ptr<cuda::gpu> gpu_;
  std::vector<std::unique_ptr<cuda::program_state>> states_;
};

}  // namespace weft_test
