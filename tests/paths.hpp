// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

namespace weft_test {

/// The root of the repository, for tests that read its files: source_dir() + std::string("/docs").
/// Defined beside main(), so that no other unit's compile command names a folder of one machine.
const char* source_dir();

}  // namespace weft_test
