// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "paths.hpp"

namespace {

// Counts what ran: a filter that matches nothing is a mistake, not a success.
unsigned cases_run = 0;

struct case_counter final : doctest::IReporter {
  explicit case_counter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    cases_run = stats.numTestCasesPassingFilters;
  }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

REGISTER_LISTENER("case_counter", 1, case_counter);

}  // namespace

// A binary that was carried to another machine is run in the root of a copy.
const char* weft_test::source_dir() {
  return access(WEFT_SOURCE_DIR, R_OK) == 0 ? WEFT_SOURCE_DIR : ".";
}

int main(int argc, char** argv) {
  setenv("WEFT_CACHE_DIR", "kernel_cache", 0);  // beside the tests, not the user's
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit()) return result;
  if (cases_run == 0) {
    std::fputs("no test case ran: the filters matched none\n", stderr);
    return 1;
  }
  return result;
}
