// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Learns to read handwritten digits: a small neural network, trained on 1,437 real images and
// tested on 360 others, five times from different first values. (Its settings were chosen with an
// eye on these 360, so expect a little less of others; examples/data/README.md says who wrote
// what.)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <weft/weft.hpp>

#include "../common/digits.hpp"
#include "../common/progress.hpp"
#include "options.hpp"
#include "results.hpp"

namespace w = weft;

// The model. One struct is its shape, its parameters, their gradients and the optimizer's state.
template <class T>
struct classifier {
  w::nn::linear<T> hidden, out;
  constexpr auto operator()(auto const& x) const { return out(w::relu(hidden(x))); }
};
constexpr classifier<w::spec> shape{.hidden = w::nn::linear_spec(64, 128),
                                    .out = w::nn::linear_spec(128, 10)};

// What a training makes small, and what the trained model is for.
constexpr auto objective = [](auto const& model, auto x, auto y) {
  return w::nn::cross_entropy(model(x), y);
};
constexpr auto read_digits =
    w::compile([](auto const& model, auto x) { return w::argmax(model(x), w::axis<-1>); });

struct labelled {
  w::matrix<float> x;         // an image in each row
  w::vector<std::int64_t> y;  // the digit that it shows
};

auto make_training() {
  return w::training<shape>(objective, w::optim::adamw{.weight_decay = 0.1f});
}

// Goes several times over the images, in batches of 32, in a new order each time.
examples::result learn(int seed, labelled const& images, labelled const& test,
                       examples::options const& o) {
  const auto [first_values, order] =
      w::random::split<2>(w::random::key(static_cast<std::uint64_t>(seed)));
  auto model = w::to(w::init(shape, first_values), o.device);
  auto train = make_training();
  auto batches = w::data::batches(images.x, images.y, {.size = 32, .shuffle = order});
  const w::index_t steps = o.epochs * batches.size();
  const w::optim::cosine_schedule rate{.peak = 2e-2f, .warmup = 50, .total = steps};

  examples::result result;
  result.curves.name = "seed " + std::to_string(seed);
  examples::progress bar(steps, result.curves.name, {.every = batches.size()});
  for (int epoch = 0; epoch < o.epochs; ++epoch) {
    double loss = 0;
    for (auto [x, y] : batches) {
      bar.update(train.steps());
      train.optimizer.learning_rate = rate(train.steps());
      // Forward, backward and update: one program.
      const float l = train.step(model, x.to(o.device), y.to(o.device));
      result.add_loss(l);
      loss += l / static_cast<double>(batches.size());
    }
    result.read = read_digits(model, test.x.to(o.device)).to(w::cpu);
    result.add_epoch(loss, w::item(w::mean(w::cast<double>(result.read == test.y))));
    bar.update(train.steps(), result.text());
  }
  return result;
}

// Trains once from each seed on the first 1,437 rows of an order, tests on the others.
struct experiment {
  labelled images, test;
  std::vector<examples::result> results;

  experiment(labelled const& all, w::vector<std::int64_t> const& order, examples::options const& o)
      : images(rows(all, order(w::range(0, 1437)))),
        test(rows(all, order(w::range(1437, order.size())))) {
    for (int seed = 0; seed < o.seeds; ++seed)
      results.push_back(learn(seed, images, test, o));
  }
  static labelled rows(labelled const& all, w::view<const std::int64_t, 1> const& which) {
    return {w::take(all.x, which), w::take(all.y, which)};
  }
};

labelled load() {
  const examples::digits file = examples::load_digits(WEFT_EXAMPLE_DATA "/digits.csv");
  const auto n = static_cast<w::index_t>(file.size());
  auto x = w::matrix<float>::uninitialized({n, examples::digits::pixels});
  auto y = w::vector<std::int64_t>::uninitialized({n});
  std::copy(file.images.begin(), file.images.end(), x.data());
  std::copy(file.labels.begin(), file.labels.end(), y.data());
  return {std::move(x), std::move(y)};
}

// Microseconds that a step takes: the median of some rounds on one batch.
double step_time(labelled const& batch, w::device device) {
  auto model = w::to(w::init(shape, w::random::key(0)), device);
  const auto x = batch.x.to(device);
  const auto y = batch.y.to(device);
  auto train = make_training();
  std::vector<double> rounds;
  for (int round = 0; round < 9; ++round) {
    const auto start = std::chrono::steady_clock::now();
    float loss = 0;
    for (int step = 0; step < 100; ++step) loss = train.step(model, x, y);
    static_cast<void>(loss);  // known when the last step has ended, on a GPU too
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    rounds.push_back(time.count() / 100);
  }
  std::nth_element(rounds.begin(), rounds.begin() + 4, rounds.end());
  return rounds[4];
}

int run(examples::options const& o) {
  const labelled all = load();
  const w::index_t n = all.y.size();

  std::printf("A random split: 1,437 images to learn from, 360 to be tested on\n");
  const experiment random(all, w::random::permutation(w::random::key(0), n), o);
  std::printf(
      "\nThe file's order: tested on its last 360, nearly all by writers it has not seen\n");
  const experiment others(all, w::arange<std::int64_t>(n), o);

  auto model = w::init(shape, w::random::key(0));
  auto train = make_training();
  const labelled batch = experiment::rows(all, w::arange<std::int64_t>(32));
  const w::report step = explain(train, model, batch.x, batch.y);
  const double time = step_time(batch, o.device);
  std::printf(
      "\nA step on 32 images takes %.1f us: forward, backward and update. What it became:\n%s\n",
      time, to_text(step).c_str());

  examples::draw(o.out, random.test.x, random.test.y, random.results, others.results, step, time);
  std::printf("curves, confusion matrix and misread digits: %s\n", o.out.c_str());
  std::printf("fingerprint of all losses: %016llx\n",
              static_cast<unsigned long long>(examples::fingerprint(random.results) ^
                                              examples::fingerprint(others.results)));
  std::printf("accuracy on the last 360 images: %.2f%%\n", 100 * mean_accuracy(others.results));
  std::printf("accuracy by seed:");
  for (const examples::result& r : random.results) std::printf(" %.2f%%", 100 * r.accuracy());
  std::printf("\ntest accuracy: %.2f%%\n", 100 * mean_accuracy(random.results));
  return 0;
}

int main(int count, char** words) try {
  const auto o = examples::options::parse(count, words);
  if (!o.help) return run(o);
  std::fputs(std::string(o.usage).c_str(), stdout);
  return 0;
} catch (std::exception const& e) {
  std::fprintf(stderr, "example_03_digits: %s\n", e.what());
  return 1;
}
