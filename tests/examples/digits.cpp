// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>

#include "../../examples/common/digits.hpp"
#include "../paths.hpp"

namespace {

/// A file that goes when the test ends.
struct temporary {
  std::string path = "weft_test_digits.csv";
  explicit temporary(std::string const& text) { std::ofstream(path) << text; }
  ~temporary() { std::remove(path.c_str()); }
};

/// A line of 64 equal pixels and a label.
std::string line(std::string const& pixel, std::string const& label) {
  std::string text;
  for (int i = 0; i < 64; ++i) text += pixel + ",";
  return text + label + "\n";
}

}  // namespace

TEST_CASE("digits: the committed file") {
  const std::string root = weft_test::source_dir();
  const auto d = examples::load_digits(root + "/examples/data/digits.csv");
  REQUIRE(d.size() == 1797);
  REQUIRE(d.images.size() == 1797u * 64);
  CHECK(std::count(d.labels.begin(), d.labels.end(), 3) == 183);
  CHECK(std::count(d.labels.begin(), d.labels.end(), 8) == 174);
  CHECK(d.labels.front() == 0);
  CHECK(d.labels.back() == 8);
  CHECK(d.images[2] == 5.0f / 16);  // the first line begins 0,0,5,13
  CHECK(d.images[3] == 13.0f / 16);
  CHECK(*std::min_element(d.images.begin(), d.images.end()) == 0.0f);
  CHECK(*std::max_element(d.images.begin(), d.images.end()) == 1.0f);
  CHECK(std::accumulate(d.images.begin(), d.images.end(), 0.0) * 16 == 561718.0);
}

TEST_CASE("digits: line ends and blank lines") {
  std::string text = line("16", "9") + "\n" + line("8", "0");
  text.insert(text.find('\n'), "\r");
  text.pop_back();  // no newline at the end
  const temporary file(text);
  const auto d = examples::load_digits(file.path);
  REQUIRE(d.size() == 2);
  CHECK(d.labels[0] == 9);
  CHECK(d.labels[1] == 0);
  CHECK(d.images[63] == 1.0f);
  CHECK(d.images[64] == 0.5f);
}

TEST_CASE("digits: errors name the path, the line and the value") {
  const auto error = [](std::string const& text) -> std::string {
    const temporary file(text);
    try {
      examples::load_digits(file.path);
    } catch (std::runtime_error const& e) {
      return e.what();
    }
    return "no error";
  };
  const std::string good = line("1", "1");
  const std::string where = "weft_test_digits.csv:2: ";
  CHECK(error(good) == "no error");
  CHECK(error(good + "1,2,3\n") == where + "expected 65 values (64 pixels and a label), found 3");
  CHECK(error(good + line("1", "1,1")) ==
        where + "expected 65 values (64 pixels and a label), found 66");
  CHECK(error(good + line("17", "1")) ==
        where + "a pixel must be an integer 0 to 16, found '17' in column 0");
  CHECK(error(good + line("1", "10")) ==
        where + "the label must be an integer 0 to 9, found '10' in column 64");
  CHECK(error(good + line("-1", "1")).find("found '-1'") != std::string::npos);
  CHECK(error(good + line("1.5", "1")).find("found '1.5'") != std::string::npos);
  CHECK(error(good + line("", "1")).find("found ''") != std::string::npos);
  CHECK(error(good + line("1", "99999999999")).find("found '99999999999'") != std::string::npos);
  CHECK(error("\n") == "'weft_test_digits.csv' holds no images");
  CHECK_THROWS_WITH_AS(examples::load_digits("no/such.csv"),
                       "cannot open 'no/such.csv': No such file or directory; the digits are "
                       "examples/data/digits.csv of the repository",
                       std::runtime_error);
}
