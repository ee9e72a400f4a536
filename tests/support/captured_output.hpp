// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <iostream>
#include <sstream>
#include <string>

namespace test_support {

/// Keeps what is printed to std::cout until it is asked for the text, or ends.
class captured_output {
 public:
  captured_output() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~captured_output() { std::cout.rdbuf(before_); }
  captured_output(const captured_output&) = delete;
  captured_output& operator=(const captured_output&) = delete;
  std::string end() {
    std::cout.rdbuf(before_);
    return text_.str();
  }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

}  // namespace test_support
