// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <cstdio>
#include <cstring>

#include "cuda/fake_driver.hpp"
#include "programs.hpp"

// Kernels that nvcc compiled are found in this binary, by a driver that only counts; NVRTC is not
// opened.
int main() {
  namespace cuda = weft::detail::cuda;
  weft_tests::fake_driver fake;
  cuda::driver_override() = &fake.api();
  int wrong = 0;
  auto check = [&](bool right, const char* what) {
    std::printf("%s: %s\n", right ? "right" : "WRONG", what);
    wrong += !right;
  };
  const auto first = built::softmax.prepare(weft::example<built::matrix>(128, 64));
  check(first.report.find("from the binary") != std::string::npos, "literal extents");
  check(first.report.find("compiled in") == std::string::npos, "nothing is compiled");
  const auto general = built::softmax.prepare(weft::example<built::matrix>(1001, 64));
  check(general.report.find("from the binary") != std::string::npos, "extents that are parameters");
  check(fake.loaded_images.size() == 2, "both are loaded");
  // A fatbin begins with this number.
  const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};
  for (const std::string& image : fake.loaded_images)
    check(image.size() >= 4 && std::memcmp(image.data(), magic, 4) == 0, "a fatbin");
  cuda::driver_override() = nullptr;
  return wrong;
}
