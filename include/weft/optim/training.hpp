// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/compile.hpp>
#include <weft/op/minimum.hpp>
#include <weft/op/sqrt.hpp>
#include <weft/op/square.hpp>
#include <weft/op/sum.hpp>
#include <weft/optim/optimizer.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

// A whole training step as one program: forward, backward and update.
namespace weft {

namespace detail {

template <class O>
struct over_symbols;
template <template <class> class O, class T>
struct over_symbols<O<T>> {
  using type = O<symbol>;
};

/// Whether a step limits the norm of its gradients is part of its program; the limit is a number.
enum class clipping : std::uint8_t { none, global_norm };

/// Arguments: parameters, then the slots of each optimizer state, the optimizer's numbers, the
/// clipping norm, the step, then x. Results: the loss, new parameters, new state.
template <const auto& Shape, class F, class O, clipping Clip, class... X>
struct step_source {
  static constexpr std::size_t slots = O::slots;
  static constexpr std::size_t numbers = field_count<O>();
  /// Where the program's encoding begins to be tried: most steps fit at once.
  static constexpr int expected_words = 4096 + 256 * leaf_count(Shape);

  static constexpr graph build(capture_mode mode) {
    builder b(mode);
    int k = 0;
    rebind_t<std::remove_cvref_t<decltype(Shape)>, symbols> model{};
    std::vector<symbol> p;
    walk<true>(Shape, model, [&]<class S>(const S& s, symbol& to) {
      value_spec v{S::type, S::rank, {}, false};
      for (int i = 0; i < S::rank; ++i) v.extent[i] = s.extent[i];
      to = make_argument(b, v, k++);
      p.push_back(to);
    });
    std::vector<symbol> state;  // slot by slot
    for (std::size_t s = 0; s < slots; ++s)
      for (std::size_t i = 0; i < p.size(); ++i)
        state.push_back(make_argument(b, spec_of(b, p[i]), k++));
    std::array<symbol, numbers> settings;
    const dtype setting = dtype_of<typename O::value_type>;
    for (symbol& s : settings) s = make_argument(b, {setting, 0, {}, false}, k++);
    const value_spec number{dtype::float32, 0, {}, false};
    const symbol limit = make_argument(b, number, k++), step = make_argument(b, number, k++);
    const std::tuple<typename argument<X>::symbolic...> x{argument<X>::make(b, k)...};
    const symbol loss = std::apply([&](const auto&... a) { return F{}(model, a...); }, x);
    if (b.failed() || !check_loss(loss, "training")) return b.finished();
    std::vector<int> wrt;
    for (const symbol& s : p) wrt.push_back(s.id());
    std::vector<symbol> g = reverse(loss, loss.number(1), wrt);
    if constexpr (Clip == clipping::global_norm) clip(g, limit);
    b.g.outputs.push_back(loss.as(computed_in(loss.type())).id());
    std::vector<optim::updated<slots>> made;
    for (std::size_t i = 0; i < p.size(); ++i) {
      // 16-bit parameters and their state are updated in float, and rounded where they are kept.
      const dtype type = p[i].type(), wide = computed_in(type);
      const auto optimizer = optimizer_for(wide, settings);
      std::array<symbol, slots> own{};
      for (std::size_t s = 0; s < slots; ++s) own[s] = state[s * p.size() + i].as(wide);
      made.push_back(optimizer.update(p[i].as(wide), g[i].as(wide), own, step.as(wide)));
      b.g.outputs.push_back(made.back().parameter.as(type).id());
    }
    for (std::size_t s = 0; s < slots; ++s)
      for (std::size_t i = 0; i < p.size(); ++i)
        b.g.outputs.push_back(made[i].state[s].as(p[i].type()).id());
    return b.finished();
  }

 private:
  /// The optimizer over symbols, its numbers in the dtype of a parameter.
  static constexpr auto optimizer_for(dtype type, const std::array<symbol, numbers>& settings) {
    typename over_symbols<O>::type r{};
    std::size_t i = 0;
    std::apply([&](auto&... f) { ((f = settings[i++].as(type)), ...); }, fields(r));
    return r;
  }
  /// Gradients scaled by min(1, limit / norm), the norm taken over all of them (Pascanu, Mikolov
  /// and Bengio 2013, Algorithm 1).
  static constexpr void clip(std::vector<symbol>& g, symbol limit) {
    symbol total{};
    for (const symbol& s : g) {
      const symbol one = sum(square(s)).as(limit.type());
      total = total.id() < 0 ? one : total + one;
    }
    const symbol scale = minimum(limit / sqrt(total), limit.number(1));
    for (symbol& s : g) s = s * scale.as(s.type());
  }
};

/// Throws where parameter i has another shape than in the model's spec.
template <class S, class P>
[[gnu::noinline]] void check_parameter(int i, const S& s, const P& p) {
  shape_t<S::rank> want{};
  std::copy_n(s.extent, S::rank, want.begin());
  if (p.shape() != want)
    throw_error<shape_error>(
        "weft: training: parameter %d of the model has shape %s, but its shape in training<shape> "
        "is %s",
        i, shape_text(p.shape()).text, shape_text(want).text);
}

}  // namespace detail

/// A model's training: its optimizer, whose settings may change between steps, and the optimizer's
/// state. A copy goes on by itself.
template <const auto& Shape, class F, class O, detail::clipping Clip = detail::clipping::none>
class trainer {
  static_assert(detail::stateless<F>,
                "weft: the objective of a training holds no state: pass what the lambda captures "
                "as an argument of step, or make it static constexpr (a function)");

 public:
  using model_type = detail::rebind_t<std::remove_cvref_t<decltype(Shape)>, parameters>;
  O optimizer;
  float max_norm = 1;  ///< the limit of clip_by_global_norm
  /// Where and how steps run; by default where the model is. On a GPU
  /// `train.options.mode = mode::reduce_overhead` replays each step as one graph.
  compile_options options{};

  explicit trainer(O o) : optimizer(o) {}

  /// The program of a step on inputs of these types.
  template <class... X>
  using program =
      detail::program<detail::step_source<Shape, F, O, Clip, detail::argument_type<X>...>>;

  /// One step: computes the loss and its gradients and updates model and optimizer state in place.
  /// Returns the loss before the update, of rank 0, valid until the next step. Allocates nothing
  /// after the first call with inputs of a shape. Throws shape_error and index_error, and then
  /// model and state are as they were.
  template <class... X>
  auto step(model_type& model, const X&... x) {
    using source = detail::step_source<Shape, F, O, Clip, detail::argument_type<X>...>;
    static_assert(detail::reported<detail::capture_problem<source>>::nothing);
    return run(model, detail::as_argument(x)...);
  }

  /// Steps taken so far.
  [[nodiscard]] index_t steps() const { return steps_; }

  /// Compiles the step for arguments like these and runs nothing: see compiled::prepare.
  template <class... X>
    requires(sizeof...(X) > 0)
  preparation prepare(const model_type& model, const X&... x)
  const {
    using P = program<typename detail::prepared_argument<X>::type...>;
    static_assert(P::optimised());
    check(model);
    list_of<X...> list(*this, model, x...);
    return detail::timed_preparation([&] { return detail::prepare_planned<P>(list, options); });
  }

  /// The arguments of a step as a program takes them, for `explain` and `source`.
  template <class... X>
  [[nodiscard]] auto arguments(const model_type& model, const X&... x) const {
    return list_of<X...>(*this, model, x...);
  }

 private:
  static constexpr std::size_t slots = O::slots;
  static constexpr std::size_t leaves = static_cast<std::size_t>(detail::leaf_count(Shape));
  template <class... X>
  static constexpr std::size_t argument_count =
      leaves*(1 + slots) + detail::field_count<O>() + 2 +
      static_cast<std::size_t>((detail::count_of<X>::value + ... + 0));

  /// The list points into itself, so it is built where it stays.
  template <class... X>
  struct list_of : detail::argument_list<argument_count<X...>> {
    list_of(const trainer& t, const model_type& model, const X&... x) {
      this->add(model);
      // State has the model's shape; before the first step there is none yet.
      for (const auto& s : t.state_) this->add(t.prepared_ ? s : model);
      std::apply([&](const auto&... number) { (this->add(number), ...); },
                 detail::fields(t.optimizer));
      this->add(t.max_norm);
      this->add(t.step_number_);
      (this->add(x), ...);
    }
    list_of(const list_of&) = delete;
    list_of& operator=(const list_of&) = delete;
  };

  template <class... X>
  auto run(model_type& model, const X&... x) {
    using P = program<X...>;
    using L = ctype<P::output_spec(0).type>;
    check(model);
    prepare(model);
    step_number_ = static_cast<float>(steps_ + 1);
    const list_of<X...> list(*this, model, x...);
    auto& loss = std::get<tensor<L>>(loss_);
    detail::result_list<static_cast<std::size_t>(P::outputs)> results;
    results.add(loss);
    results.add(model);
    results.add(state_);
    detail::run_into<P>(results, list, {}, options);
    ++steps_;
    return view<const L, 0>(loss);
  }

  /// A step reads and writes parameters by the extents in Shape.
  static void check(const model_type& model) {
    int i = 0;
    detail::walk<false>(Shape, model, [&](const auto& s, const auto& p) {
      detail::check_parameter(i, s, p);
      ++i;
    });
  }

  /// State of the model's shape, zeros at first.
  [[gnu::cold, gnu::noinline]] void prepare(const model_type& model) {
    if (prepared_) return;
    for (auto& s : state_)
      detail::walk<true>(model, s, []<class P>(const P& p, P& to) {
        to = P::uninitialized(p.shape());
        std::fill_n(to.data(), to.size(), typename P::value_type{});
        if (!(p.device() == cpu)) to = to.to(p.device());
      });
    prepared_ = true;
  }

  std::tuple<tensor<float>, tensor<double>> loss_;
  std::array<model_type, slots> state_{};
  float step_number_ = 1;
  index_t steps_ = 0;
  bool prepared_ = false;
};

/// Trains models of a shape: objective(model, x...) is a stateless function that returns one
/// number. `auto train = training<shape>(objective, optim::adamw{.learning_rate = 1e-3f});`
template <const auto& Shape, class F, class O>
auto training(F, O optimizer) {
  return trainer<Shape, F, O>(optimizer);
}

/// The same, with gradients scaled down where their global norm exceeds a limit.
struct clip_by_global_norm {
  float max_norm = 1;
};
template <const auto& Shape, class F, class O>
auto training(F, O optimizer, clip_by_global_norm clip) {
  trainer<Shape, F, O, detail::clipping::global_norm> t(optimizer);
  t.max_norm = clip.max_norm;
  return t;
}

}  // namespace weft
