// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// The headers of others that nearly every test reads; ours change too often to be among them.
#include <doctest/doctest.h>
#include <xsimd/xsimd.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
