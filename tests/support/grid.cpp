// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cuda/emit.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/make_plan.hpp>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cuda/grid_check.hpp"
#include "cuda/grid_nvrtc.hpp"
#include "paths.hpp"

// The host grid, compiled once for all tests that run kernels on it.
namespace weft_test {
namespace {

template <class F>
void with_type(dtype t, F&& f) {
  switch (t) {
    case dtype::boolean:
      return f(bool{});
    case dtype::uint8:
      return f(std::uint8_t{});
    case dtype::int32:
      return f(std::int32_t{});
    case dtype::uint32:
      return f(std::uint32_t{});
    case dtype::int64:
      return f(std::int64_t{});
    case dtype::uint64:
      return f(std::uint64_t{});
    case dtype::float32:
      return f(float{});
    case dtype::float64:
      return f(double{});
    case dtype::float16:
      return f(weft::half{});
    case dtype::bfloat16:
      return f(weft::bfloat16{});
  }
}
template <class T>
constexpr bool is_real = std::is_floating_point_v<T> || sizeof(T) == 2;  // no integer has 2 bytes

}  // namespace

void write_elements(const reference_value& x, std::byte* to) {
  with_type(x.type, [&]<class T>(T) {
    for (index_t i = 0; i < x.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      T v;
      if constexpr (is_real<T>)
        v = static_cast<T>(x.reals[k]);
      else
        v = static_cast<T>(x.bits[k]);
      std::memcpy(to + k * sizeof(T), &v, sizeof v);
    }
  });
}
reference_value read_elements(dtype t, std::vector<index_t> shape, const std::byte* from) {
  reference_value r(t, std::move(shape));
  with_type(t, [&]<class T>(T) {
    for (index_t i = 0; i < r.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      T v;
      std::memcpy(&v, from + k * sizeof(T), sizeof v);
      if constexpr (is_real<T>)
        r.reals[k] = static_cast<long double>(static_cast<double>(v));
      else
        r.bits[k] = weft::detail::wrapped(t, static_cast<std::uint64_t>(v));
    }
  });
  return r;
}

grid_batch::~grid_batch() {
  if (library_) dlclose(library_);
}

int grid_batch::add(const weft::detail::cuda::emitted_kernel& k) {
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i] == k.source) return static_cast<int>(i);
  sources_.push_back(k.source);
  names_.push_back(k.name);
  return static_cast<int>(sources_.size()) - 1;
}

void grid_batch::compile() {
  if (sources_.empty() || has_gpu()) return;
  // A name of its own: a library that the loader keeps would be found again by its name.
  static std::atomic<int> batches = 0;
  const auto folder =
      std::filesystem::temp_directory_path() /
      ("weft_grid_" + std::to_string(getpid()) + "_" + std::to_string(batches.fetch_add(1)));
  std::filesystem::create_directories(folder);
  std::string kernels, callers;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    // Names are unique within a unit only here, where many share one.
    std::string s = sources_[i];
    const std::string own = names_[i] + "_" + std::to_string(i);
    const std::size_t at = s.find(" " + names_[i] + "(");
    REQUIRE(at != std::string::npos);
    s.replace(at + 1, names_[i].size(), own);
    kernels += s;
    callers += "extern \"C\" bool run_" + std::to_string(i) +
               "(void** a, const unsigned* grid, unsigned threads) {\n"
               "  return weft_grid::launch(&weft_grid::caller<&weft::device::" +
               own + ">::run, a, grid, threads);\n}\n";
  }
  std::ofstream(folder / "kernels.cpp")
      << "#include \"" << source_dir() << "/tests/cuda/grid_device.hpp\"\n"
      << kernels << callers;
  const std::string library = (folder / "kernels.so").string();
  const std::string log = (folder / "log").string();
  const char* compiler = std::getenv("CXX");
  const std::string command =
      std::string(compiler ? compiler : "c++") +
      " -std=c++17 -O1 -w -fwrapv -ffp-contract=off -fno-strict-aliasing -shared -fPIC -I" +
      source_dir() + "/include " + (folder / "kernels.cpp").string() + " -o " + library + " >" +
      log + " 2>&1";
  // Both compilers at once.
  FILE* host = popen(command.c_str(), "r");
  const bool started = host != nullptr;
  REQUIRE(started);
  compile_for_devices(kernels);
  const int rc = pclose(host);
  if (rc != 0) {
    std::ifstream f(log);
    std::stringstream s;
    s << f.rdbuf();
    REQUIRE_MESSAGE(rc == 0, s.str().substr(0, 3000));
  }
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library_ != nullptr, dlerror());
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

void grid_batch::run_backwards(bool on) {
  if (has_gpu() || !library_) return;
  reinterpret_cast<void (*)(bool)>(dlsym(library_, "run_backwards"))(on);
}

bool grid_batch::run_values(int number, void** values, const unsigned* grid,
                            unsigned threads) const {
  using function = bool (*)(void**, const unsigned*, unsigned);
  const auto f =
      reinterpret_cast<function>(dlsym(library_, ("run_" + std::to_string(number)).c_str()));
  return f && f(values, grid, threads);
}

void grid_batch::run(int number, const weft::detail::cuda::emitted_kernel& k,
                     std::vector<void*> arguments) {
  using function = bool (*)(void**, const unsigned*, unsigned);
  const auto f =
      reinterpret_cast<function>(dlsym(library_, ("run_" + std::to_string(number)).c_str()));
  const bool found = f != nullptr;
  REQUIRE(found);
  const std::string head = k.source.substr(k.source.find("__global__"));
  const std::string list = head.substr(0, head.find("fault)"));
  REQUIRE(static_cast<std::size_t>(std::count(list.begin(), list.end(), '*')) + k.numbers.size() ==
          arguments.size());
  const bool ended = f(arguments.data(), k.grid.data(), k.block[0]);
  REQUIRE_MESSAGE(ended, "threads wait for each other for ever: ", k.source);
}

grid_run::grid_run(grid_batch& batch, const graph& g, std::vector<reference_value> arguments,
                   const cuda::tuning& u, const cuda::card& card,
                   const std::vector<reference_value>& like)
    : batch_(batch), captured_(g), arguments_(std::move(arguments)) {
  REQUIRE(std::string(g.error.view()) == "");
  graph_ = weft::detail::optimised(g);
  plan_ = weft::detail::make_plan(graph_, weft::detail::target::gpu);
  REQUIRE(std::string(plan_.error.view()) == "");
  graph with = graph_;
  with.extents = plan_.extents;
  extents_ = weft::detail::reference_extents(with, arguments_);
  cuda::extent_values values(extents_.data());
  std::vector<index_t> hints;
  const std::vector<char> all(extents_.size() + 1, 1);
  if (!like.empty()) {
    hints = weft::detail::reference_extents(with, like);
    values = {extents_.data(), hints.data(), all.data()};
  }
  for (int t = 0; t < static_cast<int>(plan_.steps.size()); ++t) {
    steps_.push_back(cuda::emit(plan_, t, values, card, u));
    numbers_.emplace_back();
    for (const cuda::emitted_kernel& k : steps_.back().kernels)
      numbers_.back().push_back(batch.add(k));
  }
}

std::vector<reference_value> grid_run::outputs() {
  if (has_gpu()) return outputs_of_gpu();
  std::vector<guarded_memory> in, out, slots;
  for (const reference_value& a : arguments_) {
    in.emplace_back(static_cast<std::size_t>(a.size() * size_of(a.type)));
    write_elements(a, in.back().data());
  }
  std::vector<std::vector<index_t>> shapes;
  std::vector<dtype> types;
  for (int o : graph_.outputs) {
    const auto& n = graph_.nodes[static_cast<std::size_t>(o)];
    shapes.emplace_back();
    index_t count = 1;
    for (int d = 0; d < n.shape.rank; ++d) {
      shapes.back().push_back(value(n.shape.d[d]));
      count *= shapes.back().back();
    }
    types.push_back(n.type);
    out.emplace_back(static_cast<std::size_t>(count * size_of(n.type)));
  }
  for (index_t s : plan_.slots) slots.emplace_back(static_cast<std::size_t>(value(s)));
  for (std::size_t t = 0; t < plan_.steps.size(); ++t) {
    const auto& s = plan_.steps[t];
    std::vector<std::byte*> base;
    std::deque<guarded_memory> own;
    for (int a = 0; a < s.access_count; ++a) {
      const auto& x = plan_.accesses[static_cast<std::size_t>(s.first_access + a)];
      if (x.buffer < 0) {
        base.push_back(nullptr);
        continue;
      }
      const auto& f = plan_.buffers[static_cast<std::size_t>(x.buffer)];
      std::byte* p = nullptr;
      const auto number = static_cast<std::size_t>(f.index);
      if (f.kind == weft::detail::buffer_kind::argument) p = in[number].data();
      if (f.kind == weft::detail::buffer_kind::output) p = out[number].data();
      if (f.kind == weft::detail::buffer_kind::arena)
        p = slots[static_cast<std::size_t>(f.slot)].data();
      if (p) p += value(x.offset) * size_of(f.type);
      base.push_back(p);
    }
    std::size_t first = 0;
    if (s.kind == weft::detail::step_kind::product) {
      index_t count = value(s.extent[s.rows]) * value(s.extent[s.rows + 1]);
      for (int d = 0; d < s.rows; ++d) count *= value(s.extent[d]);
      own.emplace_back(static_cast<std::size_t>(count * size_of(s.type)));
      multiply(s, base, own.back().data());
      if (base[2]) std::memcpy(base[2], own.back().data(), own.back().size());
      first = 3;
      if (s.kernel >= 0) base[3] = own.back().data();
    }
    const cuda::emitted_step& e = steps_[t];
    guarded_memory workspace(e.workspace);
    std::memset(workspace.data(), 0, e.counters);
    if (e.workspace > e.counters)
      std::memset(workspace.data() + e.counters, 0xFF, e.workspace - e.counters);
    for (int again = 0; again < 2; ++again)  // counters are left at zero
      for (std::size_t k = 0; k < e.kernels.size(); ++k) {
        std::vector<void*> a;
        for (std::size_t i = first; i < base.size(); ++i) {
          const auto& x = plan_.accesses[static_cast<std::size_t>(s.first_access) + i];
          if (x.buffer >= 0 || (first == 3 && i == 3)) a.push_back(base[i]);
        }
        for (const index_t n : e.kernels[k].numbers) a.push_back(reinterpret_cast<void*>(n));
        a.push_back(workspace.data());
        a.push_back(&fault);
        batch_.run(numbers_[t][k], e.kernels[k], a);
      }
    CHECK(workspace.intact());
    for (std::size_t i = 0; i < e.counters; ++i)
      if (workspace.data()[i] != std::byte{0}) {
        FAIL_CHECK("a counter is not left at zero");
        break;
      }
  }
  for (const auto* set : {&in, &out, &slots})
    for (const guarded_memory& m : *set) CHECK(m.intact());
  std::vector<reference_value> r;
  for (std::size_t j = 0; j < out.size(); ++j)
    r.push_back(read_elements(types[j], shapes[j], out[j].data()));
  return r;
}

std::vector<reference_value> grid_run::expected(weft::detail::reference_arithmetic how) const {
  return weft::detail::reference_evaluate(captured_, arguments_, how);
}

std::vector<reference_value> grid_run::outputs_of_gpu() {
  std::vector<reference_value> shapes;
  for (int o : graph_.outputs) {
    const auto& n = graph_.nodes[static_cast<std::size_t>(o)];
    std::vector<index_t> shape;
    for (int d = 0; d < n.shape.rank; ++d) shape.push_back(value(n.shape.d[d]));
    shapes.emplace_back(n.type, std::move(shape));
  }
  bool met = false;
  auto r = gpu_outputs(graph_, arguments_, shapes, met);
  if (met) fault.state = cuda::fault_record::told;
  return r;
}

template <class T>
void multiply_as(const T* a, const T* b, T* c, index_t m, index_t n, index_t k, const index_t* sa,
                 const index_t* sb) {
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      using sum_t = std::conditional_t<is_real<T>, double, T>;
      sum_t sum = 0;
      for (index_t l = 0; l < k; ++l)
        sum += static_cast<sum_t>(a[i * sa[0] + l * sa[1]]) *
               static_cast<sum_t>(b[l * sb[0] + j * sb[1]]);
      c[i * n + j] = static_cast<T>(sum);
    }
}

void grid_run::multiply(const weft::detail::step& s, const std::vector<std::byte*>& base,
                        std::byte* to) {
  const int r = s.rows;
  const index_t m = value(s.extent[r]), n = value(s.extent[r + 1]), k = value(s.extent[r + 2]);
  index_t batch = 1;
  for (int d = 0; d < r; ++d) batch *= value(s.extent[d]);
  for (index_t i = 0; i < batch; ++i) {
    index_t at[2]{}, rest = i;
    for (int d = r; d-- > 0; rest /= value(s.extent[d]))
      for (int x = 0; x < 2; ++x) at[x] += rest % value(s.extent[d]) * stride(s, x, d);
    const index_t sa[2]{stride(s, 0, r), stride(s, 0, r + 2)};
    const index_t sb[2]{stride(s, 1, r + 2), stride(s, 1, r + 1)};
    with_type(s.type, [&]<class T>(T) {
      if constexpr (!std::is_same_v<T, bool>)
        multiply_as(reinterpret_cast<const T*>(base[0]) + at[0],
                    reinterpret_cast<const T*>(base[1]) + at[1],
                    reinterpret_cast<T*>(to) + i * m * n, m, n, k, sa, sb);
    });
  }
}

index_t grid_run::value(index_t e) const {
  return cuda::value_of(e, extents_.data());
}

index_t grid_run::stride(const weft::detail::step& s, int a, int d) const {
  return value(plan_.accesses[static_cast<std::size_t>(s.first_access + a)].stride[d]);
}

std::string grid_run::source() const {
  std::string s;
  for (const cuda::emitted_step& e : steps_)
    for (const cuda::emitted_kernel& k : e.kernels) s += k.source;
  return s;
}

void check_run(const std::string& name, grid_run& run) {
  CAPTURE(name);
  const auto found = run.outputs(), wanted = run.expected();
  REQUIRE(found.size() == wanted.size());
  for (std::size_t j = 0; j < found.size(); ++j) {
    CAPTURE(j);
    const std::string d = difference(found[j], wanted[j], grid_tolerance(found[j].type));
    CHECK_MESSAGE(d == "", name << ": " << d << "\n" << run.source().substr(0, 6000));
  }
}

void grid_cases::run() {
  batch_.compile();
  for (auto& c : cases_) check_run(c.name, *c.run);
}

void grid_cases::add_graph(const std::string& name, const graph& g,
                           const std::vector<reference_value>& x, const cuda::tuning& u) {
  CAPTURE(name);
  cases_.push_back({name, std::make_unique<grid_run>(batch_, g, x, u)});
}

tolerance grid_tolerance(dtype t) {
  if (t == dtype::float64) return {.relative = 1e-12, .absolute = 1e-12};
  if (t == dtype::float32) return {.relative = 2e-5, .absolute = 2e-5};
  return {.relative = 2e-2, .absolute = 1e-2};
}

}  // namespace weft_test
