// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>
#include <weft/cuda/disk_cache.hpp>

namespace cuda = weft::detail::cuda;
namespace fs = std::filesystem;

namespace {

// A folder that is gone at the end of the test.
struct scratch_folder {
  fs::path path;
  scratch_folder() {
    std::string name = (fs::temp_directory_path() / "weft-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string text() const { return path.string(); }
};

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

std::size_t count_files(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& each : fs::recursive_directory_iterator(folder)) count += each.is_regular_file();
  return count;
}

// The exit status of `work` in a process of its own, which runs no exit handlers.
template <class Work>
int in_process(Work&& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

std::string value_of(int i) {
  return std::string(std::size_t(20'000 + 37 * i), char('a' + i % 26));
}

}  // namespace

TEST_CASE("disk cache: what was put is found, by another object too") {
  scratch_folder folder;
  cuda::disk_cache cache(folder.text());
  CHECK_FALSE(cache.get("kernels", "key"));
  CHECK(cache.put("kernels", "key", std::string("va\0lue", 6)));
  CHECK(cache.put("choices", "key", ""));
  cuda::disk_cache other(folder.text());
  CHECK(other.get("kernels", "key") == std::string("va\0lue", 6));
  CHECK(other.get("choices", "key") == "");
  CHECK_FALSE(other.get("kernels", "key2"));
  CHECK(cache.put("kernels", "key", "newer"));
  CHECK(other.get("kernels", "key") == "newer");
  const weft::cache::counts now = other.statistics();
  CHECK(now.hits == 3);
  CHECK(now.misses == 1);
  CHECK(now.entries == 2);
  CHECK(now.bytes > 0);
  other.clear();
  CHECK_FALSE(cache.get("kernels", "key"));
  CHECK(cache.statistics().entries == 0);
}

TEST_CASE("disk cache: clear removes nothing that is not its own") {
  scratch_folder folder;
  write_file(folder.text() + "/thesis.tex", "years of work");
  cuda::disk_cache cache(folder.text(), 100);
  cache.put("kernels", "a", "b");
  cache.put("kernels", "c", std::string(50, 'x'));
  cache.clear();
  CHECK(read_file(folder.text() + "/thesis.tex") == "years of work");
}

TEST_CASE("disk cache: two keys with one file name do not share a value") {
  scratch_folder folder;
  cuda::disk_cache cache(folder.text());
  cache.put("kernels", "sm_90, NVRTC 13.0", "code");
  const std::string other = cache.entry_path("kernels", "sm_80, NVRTC 13.0");
  fs::create_directories(fs::path(other).parent_path());
  fs::copy_file(cache.entry_path("kernels", "sm_90, NVRTC 13.0"), other);
  CHECK_FALSE(cache.get("kernels", "sm_80, NVRTC 13.0"));
  CHECK(cache.statistics().dropped == 0);
  CHECK(cache.get("kernels", "sm_90, NVRTC 13.0") == "code");
}

TEST_CASE("disk cache: a truncated entry is dropped, at every length") {
  scratch_folder folder;
  cuda::disk_cache cache(folder.text());
  const std::string path = cache.entry_path("kernels", "key");
  REQUIRE(cache.put("kernels", "key", "some value"));
  const std::string whole = read_file(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(path, whole.substr(0, length));
    CAPTURE(length);
    REQUIRE_FALSE(cache.get("kernels", "key"));
    REQUIRE_FALSE(fs::exists(path));
  }
  CHECK(cache.statistics().dropped == whole.size());
  write_file(path, whole + "x");
  CHECK_FALSE(cache.get("kernels", "key"));
  write_file(path, whole);
  CHECK(cache.get("kernels", "key") == "some value");
}

TEST_CASE("disk cache: an altered entry is dropped, whichever bit it is") {
  scratch_folder folder;
  cuda::disk_cache cache(folder.text());
  const std::string path = cache.entry_path("kernels", "a key of some length");
  REQUIRE(cache.put("kernels", "a key of some length", "and its value"));
  const std::string whole = read_file(path);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string altered = whole;
    altered[bit / 8] = char(altered[bit / 8] ^ (1 << bit % 8));
    write_file(path, altered);
    CAPTURE(bit);
    REQUIRE_FALSE(cache.get("kernels", "a key of some length"));
  }
  CHECK(cache.put("kernels", "a key of some length", "and its value"));
  CHECK(cache.get("kernels", "a key of some length") == "and its value");
}

TEST_CASE("disk cache: a writer that is killed in the middle leaves no half entry") {
  scratch_folder folder;
  const std::string large(8 << 20, 'q');
  int killed = 0;
  for (int round = 0; round < 12; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      cuda::disk_cache cache(folder.text());
      for (int i = 0;; ++i) cache.put("kernels", "key", large + std::to_string(i));
    }
    usleep(useconds_t(1000 + 1700 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    cuda::disk_cache cache(folder.text());
    const auto found = cache.get("kernels", "key");
    CHECK(cache.statistics().dropped == 0);
    if (found) {
      REQUIRE(found->size() > large.size());
      CHECK(found->compare(0, large.size(), large) == 0);
    }
  }
  CHECK(killed == 12);
  // What a killed writer left is counted, so it goes when room is needed.
  cuda::disk_cache small(folder.text(), 1 << 20);
  CHECK(small.put("kernels", "next", "value"));
  CHECK(small.get("kernels", "next") == "value");
  CHECK(small.statistics().bytes < 1 << 20);
}

TEST_CASE("disk cache: processes that write and read the same keys at once") {
  scratch_folder folder;
  const auto work = [&] {
    cuda::disk_cache cache(folder.text());
    for (int i = 0; i < 300; ++i) {
      const std::string key = "key " + std::to_string(i % 7);
      if (const auto found = cache.get("kernels", key); found && *found != value_of(i % 7)) {
        return false;
      }
      if (!cache.put("kernels", key, value_of(i % 7))) return false;
    }
    return cache.statistics().dropped == 0;
  };
  pid_t children[3] = {};
  for (pid_t& child : children) {
    child = fork();
    if (child == 0) _exit(work() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  cuda::disk_cache cache(folder.text());
  for (int i = 0; i < 7; ++i)
    CHECK(cache.get("kernels", "key " + std::to_string(i)) == value_of(i));
  CHECK(count_files(folder.path) == 7);
}

TEST_CASE("disk cache: threads of one process") {
  scratch_folder folder;
  cuda::disk_cache cache(folder.text(), 200'000);
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      const std::string key = "key " + std::to_string(i % 20);
      const auto found = cache.get("kernels", key);
      REQUIRE((!found || *found == value_of(i % 20)));
      cache.put("kernels", key, value_of(i % 20));
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  CHECK(cache.statistics().dropped == 0);
  CHECK(cache.statistics().bytes <= 200'000);
}

TEST_CASE("disk cache: what was used longest ago makes room") {
  scratch_folder folder;
  cuda::disk_cache cache(folder.text(), 10'000);
  const std::string value(2'500, 'v');
  for (const char* key : {"a", "b", "c"}) {
    REQUIRE(cache.put("kernels", key, value));
    usleep(20'000);
  }
  REQUIRE(cache.get("kernels", "a"));
  usleep(20'000);
  REQUIRE(cache.put("kernels", "d", value));
  CHECK(cache.get("kernels", "a"));
  CHECK_FALSE(cache.get("kernels", "b"));
  CHECK(cache.get("kernels", "d"));
  CHECK(cache.statistics().evicted == 1);
  CHECK_FALSE(cache.put("kernels", "too large", std::string(20'000, 'w')));
}

TEST_CASE("disk cache: a folder that cannot be written is no failure") {
  scratch_folder folder;
  write_file(folder.text() + "/file", "a file, not a folder");
  for (const std::string& place :
       {folder.text() + "/file/below", std::string("/proc/weft-cache"), std::string()}) {
    CAPTURE(place);
    cuda::disk_cache cache(place);
    CHECK_FALSE(cache.put("kernels", "key", "value"));
    CHECK_FALSE(cache.get("kernels", "key"));
    CHECK(cache.statistics().entries == 0);
    cache.clear();
    // A source that does not compile is then kept in the folder for temporary files.
    const std::string kept = cache.keep_text("kernel", "text of " + folder.text());
    CHECK(read_file(kept) == "text of " + folder.text());
    fs::remove(kept);
  }
}

TEST_CASE("disk cache: what exists is still read from a folder that is read-only") {
  scratch_folder folder;
  REQUIRE(cuda::disk_cache(folder.text()).put("kernels", "key", "value"));
  std::vector<fs::path> paths{folder.path};
  for (const auto& each : fs::recursive_directory_iterator(folder.path))
    paths.push_back(each.path());
  for (const fs::path& each : paths) {
    fs::permissions(each, fs::is_directory(each) ? fs::perms(0555) : fs::perms(0444));
  }
  const int status = in_process([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return false;  // root may write anywhere
    cuda::disk_cache cache(folder.text());
    return cache.get("kernels", "key") == "value" && !cache.put("kernels", "key", "other") &&
           !cache.put("kernels", "other", "value") && cache.statistics().not_written == 2;
  });
  CHECK(status == 0);
  for (const fs::path& each : paths) fs::permissions(each, fs::perms::owner_all);
}

TEST_CASE("disk cache: a full disk is no failure, and leaves nothing behind") {
  scratch_folder folder;
  const int status = in_process([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    cuda::disk_cache cache(folder.text());
    const bool small = cache.put("kernels", "small", "value");
    const bool large = cache.put("kernels", "large", std::string(100'000, 'x'));
    return small && !large && !cache.get("kernels", "large") &&
           cache.get("kernels", "small") == "value";
  });
  CHECK(status == 0);
  CHECK(count_files(folder.path) == 1);
}

TEST_CASE("disk cache: its folder and its size are told by the environment") {
  const int status = in_process([] {
    ::setenv("HOME", "/users/me", 1);
    ::unsetenv("WEFT_CACHE_DIR");
    ::unsetenv("XDG_CACHE_HOME");
    bool good = cuda::cache_folder() == "/users/me/.cache/weft";
    ::setenv("XDG_CACHE_HOME", "/var/cache/me", 1);
    good = good && cuda::cache_folder() == "/var/cache/me/weft";
    ::setenv("WEFT_CACHE_DIR", "/srv/kernels", 1);
    good = good && cuda::cache_folder() == "/srv/kernels";
    ::setenv("WEFT_CACHE_DIR", "", 1);
    good = good && cuda::cache_folder().empty();
    ::unsetenv("WEFT_CACHE_DIR");
    ::unsetenv("XDG_CACHE_HOME");
    ::unsetenv("HOME");
    return good && cuda::cache_folder().empty();
  });
  CHECK(status == 0);
  CHECK(cuda::parse_bytes("1G") == std::uint64_t(1) << 30);
  CHECK(cuda::parse_bytes("300m") == std::uint64_t(300) << 20);
  CHECK(cuda::parse_bytes("12345") == 12345);
  CHECK_FALSE(cuda::parse_bytes("much"));
  CHECK_FALSE(cuda::parse_bytes(""));
  CHECK_FALSE(cuda::parse_bytes("1GB"));
  CHECK_FALSE(cuda::parse_bytes("99999999999999999999"));
  CHECK_FALSE(cuda::parse_bytes("17179869184T"));
}

// Skipped but for the test below, which runs it in a process whose environment names a scratch
// folder.
TEST_CASE("disk cache: public functions, child" * doctest::skip()) {
  REQUIRE(std::getenv("WEFT_TEST_SCRATCH") != nullptr);
  CHECK(weft::cache::folder() == std::getenv("WEFT_TEST_SCRATCH"));
  CHECK(cuda::process_cache().most_bytes() == 2u << 20);
  CHECK(cuda::process_cache().put("kernels", "key", "value"));
  CHECK(weft::cache::statistics().entries == 1);
  weft::cache::clear();
  CHECK(weft::cache::statistics().entries == 0);
}

TEST_CASE("disk cache: the public functions") {
  scratch_folder folder;
  const pid_t child = fork();
  if (child == 0) {
    ::setenv("WEFT_CACHE_DIR", folder.text().c_str(), 1);
    ::setenv("WEFT_TEST_SCRATCH", folder.text().c_str(), 1);
    ::setenv("WEFT_CACHE_SIZE", "2M", 1);
    ::execl("/proc/self/exe", "weft_tests", "--no-skip", "--minimal",
            "--test-case=disk cache: public functions* child", nullptr);
    _exit(99);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  // The child has been there: clear leaves the empty folders.
  CHECK(fs::exists(folder.path / "records-1" / "kernels"));
}
