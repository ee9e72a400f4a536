// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <charconv>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <weft/array/device.hpp>

namespace examples {

/// What the command line asks for.
struct options {
  int seeds = 5;
  int epochs = 30;
  std::string out = "digits.svg";
  weft::device device = weft::cpu;
  bool help = false;

  static constexpr std::string_view usage =
      "usage: example_03_digits [--seeds N] [--epochs N] [--device D] [--out PATH]\n"
      "Trains a classifier of handwritten digits, once from each seed, and draws what it learnt.\n"
      "  --seeds N    how many trainings on each split of the data (5)\n"
      "  --epochs N   how often each sees its images (30)\n"
      "  --device D   where to train: cpu, cuda, or cuda:N for the GPU of number N (cpu)\n"
      "  --out PATH   where to write the report, an SVG (digits.svg)\n"
      "  --help       this text\n";

  /// Throws std::invalid_argument that names the argument at fault.
  static options parse(int count, char** words) {
    options o;
    for (int i = 1; i < count; ++i) {
      const std::string_view word = words[i];
      const auto value = [&] {
        if (i + 1 == count)
          throw std::invalid_argument(std::string(word) + " needs a value\n" + std::string(usage));
        return std::string_view(words[++i]);
      };
      if (word == "--seeds") {
        o.seeds = positive(word, value());
      } else if (word == "--epochs") {
        o.epochs = positive(word, value());
      } else if (word == "--device") {
        o.device = device_of(value());
      } else if (word == "--out") {
        o.out = value();
      } else if (word == "--help" || word == "-h") {
        o.help = true;
      } else {
        throw std::invalid_argument("'" + std::string(word) + "' is not an option\n" +
                                    std::string(usage));
      }
    }
    return o;
  }

 private:
  static weft::device device_of(std::string_view text) {
    if (text == "cpu") return weft::cpu;
    if (text == "cuda") return weft::cuda(0);
    int n = -1;
    if (text.starts_with("cuda:")) std::from_chars(text.data() + 5, text.data() + text.size(), n);
    if (n < 0 || to_string(n) != text)
      throw std::invalid_argument("--device takes cpu, cuda or cuda:N, found '" +
                                  std::string(text) + "'");
    return weft::cuda(n);
  }
  static std::string to_string(int gpu) { return "cuda:" + std::to_string(gpu); }
  static int positive(std::string_view word, std::string_view text) {
    int n = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (problem != std::errc{} || end != text.data() + text.size() || n < 1)
      throw std::invalid_argument(std::string(word) + " takes a whole number from 1, found '" +
                                  std::string(text) + "'");
    return n;
  }
};

}  // namespace examples
