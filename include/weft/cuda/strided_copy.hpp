// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/call_key.hpp>
#include <weft/cuda/emit.hpp>
#include <weft/cuda/gpu.hpp>

// Row-major elements put into a view with gaps.
namespace weft::detail::cuda {

/// The copy as a kernel of one load and one store, all of whose numbers are parameters: views of
/// other extents and strides find it compiled.
inline emitted_step emit_strided_copy(dtype type, const index_t* shape, const index_t* strides,
                                      int rank, bool aligned, const card& c) {
  work w;
  kernel_node x;
  x.op = id_of<argument_>;
  x.type = type;
  x.load = 0;
  x.at = level::element;
  w.k.add(x);
  w.k.loads = 1;
  kernel_store y;
  y.type = type;
  y.node = 0;
  y.kind = store_kind::element;
  w.k.add(y);
  index_t step = 1;
  std::vector<index_t> dense(static_cast<std::size_t>(rank) + 1);
  for (int d = rank; d-- > 0; step *= shape[d]) dense[static_cast<std::size_t>(d)] = step;
  loop_set q;
  for (int d = 0; d < rank; ++d) q.add(shape[d], {dense[static_cast<std::size_t>(d)], strides[d]});
  q.normalise();
  for (int l = 0; l < q.size(); ++l) {
    const auto i = static_cast<std::size_t>(l);
    number& n = q.extent[i];
    if (n.value > 1) n = named(n.value, say("extent", l));
    for (int a = 0; a < 2; ++a) {
      number& s = q.stride[i][static_cast<std::size_t>(a)];
      if (s.value > 1) s = named(s.value, say(a ? "to" : "from", l));
    }
  }
  w.elements = q;
  for (int a = 0; a < 2; ++a) {
    operand o;
    o.type = type;
    o.aligned = a == 0 || aligned;
    w.operands.push_back(o);
  }
  return emit_work(w, c, {});
}

inline void copy_strided(gpu& on, device_address to, const index_t* strides, device_address from,
                         dtype type, const index_t* shape, int rank) {
  const emitted_step e = emit_strided_copy(type, shape, strides, rank, to % 16 == 0, card_of(on));
  for (const emitted_kernel& k : e.kernels) {
    const kernel_request request[]{{k.name, k.source, k.shared_bytes}};
    const loaded_kernel found = on.modules.load(request)[0];
    std::vector<device_address> values{from, to};
    for (const index_t n : k.numbers) values.push_back(static_cast<device_address>(n));
    values.insert(values.end(), {0, 0});
    launch(on.api(), {found.function, k.grid, k.block, k.shared_bytes}, values, on.stream.get(),
           "copy into a view");
  }
}

}  // namespace weft::detail::cuda
