// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cuda/back_end.hpp>

#include <doctest/doctest.h>

#include "grid_execute.hpp"
#include "on_gpu.hpp"

// Graphs on a GPU, for the tests of emitted kernels: every case of theirs runs there where it can.
namespace weft_test {

bool has_gpu() {
  static const bool found = cuda::device_count() > 0;
  return found;
}

std::vector<reference_value> gpu_outputs(const graph& g,
                                         const std::vector<reference_value>& arguments,
                                         const std::vector<reference_value>& shapes, bool& fault) {
  const weft::device gpu = weft::cuda(0);
  auto bytes_of = [](const reference_value& v) {
    return static_cast<std::size_t>(v.size() * size_of(v.type));
  };
  auto there = [&](const reference_value& v) {
    return weft::detail::allocate_elements(gpu, v.type, v.shape.data(),
                                           static_cast<int>(v.shape.size()));
  };
  std::vector<weft::detail::storage_ptr> in, out;
  std::vector<std::vector<index_t>> strides;
  std::vector<weft::detail::argument_value> values;
  for (const reference_value& v : arguments) {
    std::vector<std::byte> host(bytes_of(v));
    write_elements(v, host.data());
    in.push_back(there(v));
    if (!host.empty()) cuda::to_device(0, in.back().data(), host.data(), host.size());
    strides.emplace_back(v.shape.size(), 1);
    for (std::size_t d = v.shape.size(); d-- > 1;)
      strides.back()[d - 1] = strides.back()[d] * v.shape[d];
  }
  for (std::size_t i = 0; i < arguments.size(); ++i)
    values.push_back({in[i].data(), arguments[i].shape.data(), strides[i].data()});
  std::vector<void*> results;
  for (const reference_value& v : shapes) {
    out.push_back(there(v));
    results.push_back(out.back().data());
  }
  const auto words = weft::detail::encoded_graph(g);
  weft::detail::device_program program{words.data(), {}, nullptr, g.hosts.data()};
  const std::vector<int> numbers(arguments.size() + 1, 0);
  weft::detail::device_call call;
  call.where = gpu;
  call.program = &program;
  call.arguments = values.data();
  call.number_bytes = numbers.data();
  call.results = results.data();
  std::vector<reference_value> r;
  fault = false;
  for (int run = 0; run < 2; ++run) {  // the second one with memory as the first one left it
    cuda::run(call);
    r.clear();
    try {
      for (std::size_t j = 0; j < shapes.size(); ++j) {
        std::vector<std::byte> host(bytes_of(shapes[j]));
        if (!host.empty()) cuda::to_host(0, host.data(), out[j].data(), host.size());
        r.push_back(read_elements(shapes[j].type, shapes[j].shape, host.data()));
      }
      weft::synchronize(gpu);
    } catch (const weft::index_error&) {
      fault = true;
    }
  }
  return r;
}

}  // namespace weft_test

TEST_CASE("device: the tests of emitted kernels say where they ran") {
  if (weft_test::has_gpu())
    MESSAGE("emitted kernels run on " << weft_test::cuda::device_of(0).title());
  else
    MESSAGE("no GPU here: emitted kernels run on the host grid");
  CHECK(weft_test::has_gpu() == (weft_test::cuda::device_count() > 0));
}
