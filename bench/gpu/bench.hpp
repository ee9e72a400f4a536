// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/weft.hpp>

#include "reference.hpp"

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

// What a file of this benchmark has: device tensors of random numbers, and `session::row`, which
// checks a program's results and then times it.
namespace bench {

namespace w = weft;
using bf16 = w::bfloat16;

/// A row of the table.
struct workload {
  std::string name;
  double goal = 0;       // us; 0: none
  double bytes = 0;      // each input once, each output once
  double flops = 0;      // of matrix products
  double tolerance = 0;  // of the check's relative error
};

/// What was measured. Times are of one call, in us.
struct measured {
  workload work;
  std::string failure;  // why there are no times
  double time = 0, fastest = 0, slowest = 0;
  double first = 0;  // of the first call, waited for
  double error = 0;
  int calls = 0, rounds = 0, sets = 0;
  bool on_host = false;  // the time is the host's for queueing a call
};

class session {
 public:
  w::device place = w::cuda(0);
  index_t divisor = 1;  // of rows: a self-test on the CPU takes few
  int rounds = 9;
  double round_seconds = 0.025;
  w::mode mode = w::mode::standard;
  /// Rows share functions, and each of them is measured with kernels for its own extents.
  w::dynamic_shapes dynamic = w::dynamic_shapes::off;
  std::vector<std::string> filters;  // parts of names
  std::vector<measured> results;

  index_t rows(index_t full) const { return full / divisor; }

  /// How many sets of inputs of this size it takes that the device's cache holds none of the next.
  int sets(double input_bytes) const;

  /// Calls once, checks, warms up, and times rounds of calls that go through the sets in turn. What
  /// goes wrong becomes the row's failure.
  void row(const workload& work, int sets, const std::function<void(int set)>& call,
           const std::function<double()>& check);
  /// The host's time for queueing a call.
  void host_row(const workload& work, const std::function<void()>& call,
                const std::function<double()>& check);

  /// A compiled function in the mode that this run measures.
  template <class F>
  F in_mode(F f) const {
    f.options.mode = mode;
    f.options.dynamic = dynamic;
    return f;
  }

  void fail(const workload& work, const std::string& why);
  bool wanted(const std::string& name) const;
  void print(const measured& m) const;

 private:
  bool prepare(measured& m, const std::function<void(int)>& call,
               const std::function<double()>& check) const;
};

/// Waits for the device. Defined beside the one include of weft/cuda.hpp.
void wait(w::device place);

template <class T>
operand operand_of(source from, index_t rows, index_t columns) {
  return {from, rows, columns, sizeof(T) == 2};
}

void fill(float* to, const operand& x);
void fill(bf16* to, const operand& x);

/// A tensor of a source's numbers on a device. T is float or bf16.
template <class T, index_t Columns = w::dyn>
w::tensor<T, w::dyn, Columns> matrix(w::device place, const operand& x) {
  auto host = w::tensor<T, w::dyn, Columns>::uninitialized({x.rows, x.columns});
  fill(host.data(), x);
  return host.to(place);
}
template <class T>
w::vector<T> vector(w::device place, const operand& x) {
  auto host = w::vector<T>::uninitialized({x.columns});
  fill(host.data(), x);
  return host.to(place);
}
/// Several matrices; set k's seed is the first's plus 100 k.
template <class T, index_t Columns = w::dyn>
std::vector<w::tensor<T, w::dyn, Columns>> matrices(w::device place, operand x, int sets) {
  std::vector<w::tensor<T, w::dyn, Columns>> all;
  for (int k = 0; k < sets; ++k, x.from.seed += 100) all.push_back(matrix<T, Columns>(place, x));
  return all;
}

/// Results to write to, full of NaN.
void fill_nan(float* to, index_t n);
void fill_nan(bf16* to, index_t n);
template <class T, index_t Columns = w::dyn>
w::tensor<T, w::dyn, Columns> unwritten(w::device place, index_t rows, index_t columns) {
  auto host = w::tensor<T, w::dyn, Columns>::uninitialized({rows, columns});
  fill_nan(host.data(), rows * columns);
  return host.to(place);
}
template <class T>
w::vector<T> unwritten(w::device place, index_t n) {
  auto host = w::vector<T>::uninitialized({n});
  fill_nan(host.data(), n);
  return host.to(place);
}

/// The check of a tensor on the device.
template <class T, index_t R, index_t C>
double rows_error(const w::tensor<T, R, C>& got, const row_formula& want) {
  const auto host = got.to(w::cpu);
  return error_of_rows(host.data(), got.extent(0), got.extent(1), want);
}
template <class T, index_t... E>
double elements_error(const w::tensor<T, E...>& got, index_t count, const element_formula& want) {
  const auto host = got.to(w::cpu);
  return error_of_elements(host.data(), got.size(), count, want);
}

constexpr double f32_error = 1e-5, bf16_error = 5e-3;

}  // namespace bench
