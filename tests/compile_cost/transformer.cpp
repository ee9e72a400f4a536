// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
// limit: 15 s, 1024 MiB

// A 12-layer transformer stack, forward and backward, as one program: a step that leaves the
// gradients where the parameters were.
#include <weft/weft.hpp>

namespace w = weft;

constexpr w::index_t width = 768, heads = 12, tokens = 64;

template <class T>
struct norm {
  w::leaf<T, 1> weight, bias;
  constexpr auto operator()(auto const& x) const {
    auto d = x - w::mean(x, w::axis<-1>, w::keepdims);
    auto v = w::mean(w::square(d), w::axis<-1>, w::keepdims);
    return d * w::rsqrt(v + 1e-5f) * weight + bias;
  }
};

template <class T>
struct block {
  norm<T> before_attention;
  w::nn::linear<T> query, key, value, projection;
  norm<T> before_mlp;
  w::nn::linear<T> up, down;

  constexpr auto attention(auto const& x) const {
    auto q = query(x), k = key(x), v = value(x);
    auto scores = w::matmul(q, w::transpose(k)) * 0.125f;
    auto e = w::exp(scores - w::max(scores, w::axis<-1>, w::keepdims));
    auto p = e / w::sum(e, w::axis<-1>, w::keepdims);
    return projection(w::matmul(p, v));
  }
  constexpr auto mlp(auto const& x) const {
    auto h = up(x);
    auto g = h * 0.5f * (1 + w::tanh(0.7978846f * (h + 0.044715f * h * h * h)));
    return down(g);
  }
  constexpr auto operator()(auto const& x) const {
    auto y = x + attention(before_attention(x));
    return y + mlp(before_mlp(y));
  }
};

template <class T>
struct stack {
  std::array<block<T>, 12> blocks;
  constexpr auto operator()(auto const& x) const {
    auto h = x;
    for (auto const& b : blocks) h = b(h);
    return h;
  }
};

constexpr stack<w::spec> make_shape() {
  stack<w::spec> s{};
  for (auto& b : s.blocks) {
    const auto square = w::nn::linear_spec(width, width);
    const w::leaf_spec<float, 1> one{{width}, w::initializer::ones}, zero{{width}};
    b = {{one, zero},
         square,
         square,
         square,
         square,
         {one, zero},
         w::nn::linear_spec(width, 4 * width),
         w::nn::linear_spec(4 * width, width)};
  }
  return s;
}
static constexpr stack<w::spec> shape = make_shape();

// An optimizer whose new parameters are the gradients.
template <class T>
struct gradients_of {
  using value_type = T;
  static constexpr std::size_t slots = 0;
  constexpr w::optim::updated<0> update(w::symbol, w::symbol g, const std::array<w::symbol, 0>&,
                                        w::symbol) const {
    return {g, {}};
  }
};

int main() {
  auto objective = [](auto const& model, auto x) { return w::mean(w::square(model(x))); };
  auto model = w::init(shape, w::seed_key(0));
  auto train = w::training<shape>(objective, gradients_of<float>{});
  w::tensor<float, tokens, width> x;
  const float loss = train.step(model, x);
  return loss >= 0 ? 0 : 1;
}
