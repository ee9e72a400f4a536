// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/jit.hpp>
#include <weft/compile/stance.hpp>

#include <cmath>
#include <ostream>
#include <span>

// Searches for where a function's result goes wrong: which pass, which op, or which kernel.
namespace weft {

/// What a search found. It prints as its text.
struct bisect_report {
  bool agrees = true;  ///< every stage is within the tolerance of the reference
  std::string stage;   ///< "pass contract", "op exp", "rounding", "kernel 3", "compiled kernel 3"
  std::string text;    ///< a sentence, with the user's line
};
inline std::ostream& operator<<(std::ostream& out, const bisect_report& r) {
  return out << r.text;
}

namespace detail {

/// Where and by how much two values differ, in units of the greatest element of the wanted one.
struct value_gap {
  double size = 0;
  index_t at = -1;
};
inline value_gap gap_between(const reference_value& found, const reference_value& wanted) {
  value_gap r;
  if (found.shape != wanted.shape) return {std::numeric_limits<double>::infinity(), -1};
  long double scale = 0;
  for (index_t i = 0; i < wanted.size(); ++i)
    if (std::isfinite(wanted[i])) scale = std::max(scale, std::abs(wanted[i]));
  if (scale == 0) scale = 1;
  for (index_t i = 0; i < wanted.size(); ++i) {
    const long double a = rounded(wanted.type, found[i]), b = rounded(wanted.type, wanted[i]);
    double gap = 0;
    if (std::isnan(a) != std::isnan(b) || (std::isinf(a) || std::isinf(b) ? a != b : false))
      gap = std::numeric_limits<double>::infinity();
    if (std::isnan(a) && std::isnan(b))
      gap = 0;
    else if (gap == 0 && a != b)
      gap = static_cast<double>(std::abs(a - b) / scale);
    if (gap > r.size) r = {gap, i};
  }
  return r;
}
inline std::string gap_text(const value_gap& g, const reference_value& found,
                            const reference_value& wanted) {
  if (g.at < 0) return "the shapes differ";
  char text[160];
  std::snprintf(text, sizeof text,
                "element %lld is %.9Lg, the reference has %.9Lg (%.2g of the "
                "greatest element apart)",
                static_cast<long long>(g.at), found[g.at], wanted[g.at], g.size);
  return text;
}

/// A function's graph for some arguments, searched stage by stage.
class bisection {
 public:
  using values = std::vector<reference_value>;

  bisection(graph captured, const argument_value* arguments, double tolerance)
      : g_(std::move(captured)), hosts_(g_.hosts), arguments_(arguments), tolerance_(tolerance) {
    if (!g_.error.empty()) throw error(std::string(g_.error.view()));
    given_ = reference_arguments(dense_arguments(g_, arguments));
    wanted_ = reference_evaluate(g_, given_);
  }

  bisect_report run(std::span<const pass> passes, const std::vector<dense_value>* compiled) {
    for (const pass& p : passes) {
      if (p.for_control && !has_control(g_)) continue;
      g_ = p.run(g_);
      const values now = reference_evaluate(g_, given_);
      if (auto r =
              differs("pass " + std::string(p.name), "after the pass " + std::string(p.name), now))
        return *r;
    }
    std::vector<index_t> extents(g_.extents.size() + 1);
    evaluate_extents<xsimd::default_arch>(g_.extents.data(), static_cast<int>(g_.extents.size()),
                                          arguments_, extents.data());
    if (runs_node_by_node(g_)) {
      if (auto r = search_nodes(extents)) return *r;
      const auto all = node_by_node(g_, extents).run(dense_arguments(g_, arguments_));
      if (auto r =
              differs("rounding", "no op alone is off, but run one by one their roundings add up",
                      outputs_of(all)))
        return *r;
    }
    const plan p = make_plan(g_);
    if (!p.error.empty()) throw error(std::string(p.error.view()));
    if (auto r = differs("kernel", "in fused kernels", run_plan(p), &p)) return *r;
    if (compiled) {
      values found;
      for (const dense_value& v : *compiled) found.push_back(to_reference(v));
      if (auto r = differs("compiled kernel", "in the code of the C++ compiler", found, &p))
        return *r;
    }
    bisect_report fine;
    char tolerance[40];
    std::snprintf(tolerance, sizeof tolerance, "%.2g", tolerance_);
    fine.text = "every stage agrees with the reference within " + std::string(tolerance) +
                " of the greatest element";
    return fine;
  }

 private:
  struct found_report {
    bool any = false;
    bisect_report r;
    explicit operator bool() const { return any; }
    const bisect_report& operator*() const { return r; }
  };

  found_report differs(const std::string& stage, const std::string& what, const values& found,
                       const plan* p = nullptr) const {
    for (std::size_t j = 0; j < wanted_.size(); ++j) {
      const value_gap gap = gap_between(found[j], wanted_[j]);
      if (!(gap.size > tolerance_)) continue;
      found_report f;
      f.any = true;
      f.r.agrees = false;
      f.r.stage = stage;
      std::string by;
      if (p) {
        const int t = p->first_write[j];
        const step& s = p->steps[static_cast<std::size_t>(t)];
        f.r.stage += " " + std::to_string(t);
        line_text name;
        if (s.kernel >= 0) add_kernel_name(name, p->kernels[static_cast<std::size_t>(s.kernel)]);
        by = ", which step " + std::to_string(t) + " (" +
             (s.kind == step_kind::kernel ? name.text : step_name(s.kind)) +
             place_table{}.text(s.where) + ") writes,";
      }
      f.r.text = "weft: " + what + " result " + std::to_string(j) + by +
                 " differs: " + gap_text(gap, found[j], wanted_[j]) +
                 place_of(g_, g_.outputs[j], nullptr);
      return f;
    }
    return {};
  }

  /// Every node on the reference's values of its operands.
  found_report search_nodes(const std::vector<index_t>& extents) const {
    const values trace = reference_trace(g_, given_);
    found_report f;
    node_by_node(g_, extents).run(dense_arguments(g_, arguments_), [&](int i, dense_value& v) {
      const reference_value& wanted = trace[static_cast<std::size_t>(i)];
      const reference_value found = to_reference(v);
      const value_gap gap = gap_between(found, wanted);
      if (gap.size > tolerance_) {
        f.any = true;
        f.r.agrees = false;
        f.r.stage = "op " + std::string(info(g_.nodes[static_cast<std::size_t>(i)].op).name);
        f.r.text = "weft: " + node_title(g_, i, v.shape) +
                   " differs: " + gap_text(gap, found, wanted) + place_of(g_, i, nullptr);
        return false;
      }
      write_reference(wanted, v.elements.get());
      return true;
    });
    return f;
  }

  values outputs_of(const std::vector<dense_value>& all) const {
    values r;
    for (int o : g_.outputs) r.push_back(to_reference(all[static_cast<std::size_t>(o)]));
    return r;
  }
  values run_plan(const plan& p) const {
    const auto code = interpreted(p, nullptr, hosts_.data());
    std::vector<index_t> extents(p.extents.size() + 1);
    evaluate_extents<xsimd::default_arch>(p.extents.data(), static_cast<int>(p.extents.size()),
                                          arguments_, extents.data());
    std::vector<dense_value> made;
    std::vector<void*> to;
    for (const reference_value& w : wanted_) {
      made.emplace_back(w.type, w.shape);
      to.push_back(made.back().elements.get());
    }
    code->run(arguments_, to.data(), extents.data());
    values r;
    for (const dense_value& v : made) r.push_back(to_reference(v));
    return r;
  }

  graph g_;
  sequence<host_function> hosts_;
  const argument_value* arguments_;
  double tolerance_;
  values given_, wanted_;
};

/// Functions by what they are called: compiled ones by the function that they were made of.
template <class F>
const F& searched(const F& f) {
  return f;
}
template <class F>
const F& searched(const jitted<F>& f) {
  return f.function;
}
template <class F>
F searched(const compiled<F>&) {
  return F{};
}

/// The results of the C++ compiler's program.
template <class F, class... X>
std::vector<dense_value> compiled_results(const F& f, const X&... x) {
  std::vector<dense_value> r;
  auto results = compile(f)(x...);
  each_result(results, [&](const auto& t) {
    using T = std::remove_const_t<typename std::remove_cvref_t<decltype(t)>::value_type>;
    const auto s = t.shape();
    dense_value v(dtype_of<T>, {s.begin(), s.end()});
    if (v.bytes() > 0) std::memcpy(v.elements.get(), t.data(), v.bytes());
    r.push_back(std::move(v));
  });
  return r;
}

template <class F, class... X>
bisect_report bisect_function(double tolerance, const F& f, const X&... x) {
  using source = jit_source<F, X...>;
  typename source::list arguments;
  (arguments.add(x), ...);
  if (!arguments.place.on_host())
    throw device_error("weft: bisect searches on the CPU: bring the arguments there with to(cpu)");
  bisection search(source::capture(f, arguments, false, false, x...), arguments.value.data(),
                   tolerance);
  const stance_scope as_always{stance::compiled};
  if constexpr (stateless<F>) {
    const std::vector<dense_value> compiled = compiled_results(f, x...);
    return search.run(pipeline, &compiled);
  } else {
    return search.run(pipeline, nullptr);
  }
}

}  // namespace detail

/// Finds the first stage at which a function's result differs from the reference by more than
/// `tolerance` of its greatest element: a pass, an op (each run on the reference's operands), the
/// kernels of the plan, or for a function without state the kernels that the C++ compiler made.
/// Takes functions as compile and jit do, or what these made of them. Evaluates everything several
/// times, so give it small arguments.
template <class F, class... X>
bisect_report bisect_within(double tolerance, const F& f, const X&... x) {
  return detail::bisect_function(tolerance, detail::searched(f), detail::as_argument(x)...);
}
template <class F, class... X>
bisect_report bisect(const F& f, const X&... x) {
  return bisect_within(1e-4, f, x...);
}

/// The first value with a NaN while a function is evaluated: a sentence with the op and the line,
/// empty if there is none.
template <class F, class... X>
std::string find_nan(const F& f, const X&... x) {
  return [](const auto& function, const auto&... t) -> std::string {
    using source = detail::jit_source<std::remove_cvref_t<decltype(function)>,
                                      std::remove_cvref_t<decltype(t)>...>;
    typename source::list arguments;
    (arguments.add(t), ...);
    const detail::graph g =
        detail::optimised(source::capture(function, arguments, false, false, t...));
    if (!g.error.empty()) throw error(std::string(g.error.view()));
    std::vector<index_t> extents(g.extents.size() + 1);
    detail::evaluate_extents<xsimd::default_arch>(g.extents.data(),
                                                  static_cast<int>(g.extents.size()),
                                                  arguments.value.data(), extents.data());
    try {
      detail::check_for_nan(g, nullptr, arguments.value.data(), extents);
    } catch (const value_error& e) {
      return e.what();
    }
    return {};
  }(detail::searched(f), detail::as_argument(x)...);
}

}  // namespace weft
