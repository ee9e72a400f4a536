// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>
#include <weft/cuda/hash.hpp>

namespace weft::cache {

/// What the disk cache did in this process, and what it holds.
struct counts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t written = 0;
  std::uint64_t not_written = 0;  // the folder is read-only, or the disk is full
  std::uint64_t dropped = 0;      // entries that were damaged
  std::uint64_t evicted = 0;      // entries that made room
  std::uint64_t entries = 0;      // files on disk now, of every process
  std::uint64_t bytes = 0;        // and their size
};

}  // namespace weft::cache

namespace weft::detail::cuda {

// A file that one process has open: closed at the end of its scope.
class file_descriptor {
 public:
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// False if the system reports an error of an earlier write only now.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// Records on disk, each found by a kind and a whole key. The hash of the key only names the file;
/// the file holds the key, which is compared, so two keys with one hash never share a value. An
/// entry is written to a file of its own and renamed, so a reader sees all of it or nothing,
/// whatever happens to the writer, and processes need no lock. Whatever goes wrong with the disk is
/// a miss.
class disk_cache {
 public:
  /// An empty folder switches the cache off.
  explicit disk_cache(std::string folder,
                      std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max())
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}
  disk_cache(const disk_cache&) = delete;

  const std::string& folder() const { return folder_; }
  std::uint64_t most_bytes() const { return most_bytes_; }

  std::optional<std::string> get(std::string_view kind, std::string_view key) {
    if (folder_.empty()) return std::nullopt;
    const std::string path = entry_path(kind, key);
    const std::optional<std::string> content = read_file(path);
    if (!content) return miss();
    if (!is_sound(*content)) {
      ::unlink(path.c_str());
      ++dropped_;
      return miss();
    }
    const header head = header_of(*content);
    if (head.key_bytes != key.size() ||
        std::string_view(*content).substr(sizeof(header), key.size()) != key) {
      return miss();
    }
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now; eviction takes the oldest use
    ++hits_;
    return content->substr(sizeof(header) + key.size());
  }

  /// False if nothing was kept.
  bool put(std::string_view kind, std::string_view key, std::string_view value) {
    if (folder_.empty()) return false;
    header head;
    head.key_bytes = key.size();
    head.value_bytes = value.size();
    head.checksum = checksum(key, value);
    std::string content(reinterpret_cast<const char*>(&head), sizeof(head));
    content.append(key).append(value);
    if (content.size() > most_bytes_ || !publish(entry_path(kind, key), content)) {
      ++not_written_;
      return false;
    }
    ++written_;
    make_room(content.size());
    return true;
  }

  /// Keeps a text, for a person to read, and returns its path, empty if it could not be written.
  std::string keep_text(std::string_view name, std::string_view text) {
    const std::string file = std::string(name) + "-" + hash_name(text).substr(0, 12) + ".cu";
    if (!folder_.empty() && publish(records() + "/failed/" + file, text)) {
      return records() + "/failed/" + file;
    }
    std::error_code error;
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
    if (error) return {};
    const std::string path = (temporary / ("weft-" + file)).string();
    return publish(path, text) ? path : std::string();
  }

  /// Removes every entry.
  void clear() {
    if (folder_.empty()) return;
    for (const stored& each : scan()) ::unlink(each.path.c_str());
    const std::scoped_lock lock(mutex_);
    known_bytes_ = 0;
  }

  weft::cache::counts statistics() const {
    weft::cache::counts result{hits_, misses_, written_, not_written_, dropped_, evicted_, 0, 0};
    for (const stored& each : scan()) {
      ++result.entries;
      result.bytes += each.bytes;
    }
    return result;
  }

  /// The file of a key, for tests.
  std::string entry_path(std::string_view kind, std::string_view key) const {
    const std::string name = hash_name(key);
    return records() + "/" + std::string(kind) + "/" + name.substr(0, 2) + "/" + name.substr(2);
  }

 private:
  struct header {
    std::array<char, 8> magic{'w', 'e', 'f', 't', '-', 'c', '0', '1'};
    std::uint64_t key_bytes = 0;
    std::uint64_t value_bytes = 0;
    std::uint64_t checksum = 0;
  };
  struct stored {
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t used_at = 0;  // nanoseconds
  };

  // Nothing outside of this folder is ever removed, whatever $WEFT_CACHE_DIR names.
  std::string records() const { return folder_ + "/records-1"; }

  std::nullopt_t miss() {
    ++misses_;
    return std::nullopt;
  }

  static std::uint64_t checksum(std::string_view key, std::string_view value) {
    return hash_text(value, hash_text(key));
  }

  static header header_of(const std::string& content) {
    header head;
    std::memcpy(&head, content.data(), sizeof(head));
    return head;
  }

  static bool is_sound(const std::string& content) {
    if (content.size() < sizeof(header)) return false;
    const header head = header_of(content);
    const std::uint64_t body = content.size() - sizeof(header);
    if (head.magic != header{}.magic || head.key_bytes > body ||
        head.value_bytes != body - head.key_bytes) {
      return false;
    }
    const std::string_view rest = std::string_view(content).substr(sizeof(header));
    return checksum(rest.substr(0, head.key_bytes), rest.substr(head.key_bytes)) == head.checksum;
  }

  static std::optional<std::string> read_file(const std::string& path) {
    const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat facts {};
    if (!file.is_open() || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
      return std::nullopt;
    }
    std::string content(std::size_t(facts.st_size), '\0');
    std::size_t done = 0;
    while (done < content.size()) {
      const ssize_t count = ::read(file.get(), content.data() + done, content.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      done += std::size_t(count);
    }
    content.resize(done);
    return content;
  }

  // Under a name of its own, then under its real name in one step.
  static bool publish(const std::string& path, std::string_view content) {
    const std::size_t slash = path.rfind('/');
    std::error_code error;
    std::filesystem::create_directories(path.substr(0, slash), error);
    if (error) return false;
    const std::string temporary = path.substr(0, slash) + "/.new-" + unique_name();
    file_descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file.is_open()) return false;
    const bool complete = write_all(file.get(), content);
    if (file.close() && complete && ::rename(temporary.c_str(), path.c_str()) == 0) return true;
    ::unlink(temporary.c_str());
    return false;
  }

  static bool write_all(int file, std::string_view content) {
    while (!content.empty()) {
      const ssize_t count = ::write(file, content.data(), content.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      content.remove_prefix(std::size_t(count));
    }
    return true;
  }

  static std::string unique_name() {
    static std::atomic<unsigned> counter{0};
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return std::to_string(::getpid()) + "-" + std::to_string(now) + "-" +
           std::to_string(counter.fetch_add(1));
  }

  // Every file of the cache. What cannot be read is left out.
  std::vector<stored> scan() const {
    std::vector<stored> result;
    if (folder_.empty()) return result;
    std::error_code error;
    std::filesystem::recursive_directory_iterator at(records(), error);
    for (; !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
      struct stat facts {};
      const std::string path = at->path().string();
      if (::lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
      result.push_back({path, std::uint64_t(facts.st_size),
                        facts.st_mtim.tv_sec * 1'000'000'000LL + facts.st_mtim.tv_nsec});
    }
    return result;
  }

  // Looks at the folder once, then counts what this process adds, and looks again when that is too
  // much.
  void make_room(std::uint64_t added) {
    const std::scoped_lock lock(mutex_);
    if (known_bytes_) {
      *known_bytes_ += added;
      if (*known_bytes_ <= most_bytes_) return;
    }
    std::vector<stored> files = scan();
    std::uint64_t total = 0;
    for (const stored& each : files) total += each.bytes;
    if (total > most_bytes_) {
      std::sort(files.begin(), files.end(),
                [](const stored& a, const stored& b) { return a.used_at < b.used_at; });
      // Some room more, so that the next entry does not look again.
      const std::uint64_t goal = most_bytes_ - most_bytes_ / 10;
      for (std::size_t i = 0; i + 1 < files.size() && total > goal; ++i) {
        if (::unlink(files[i].path.c_str()) == 0) ++evicted_;
        total -= files[i].bytes;
      }
    }
    known_bytes_ = total;
  }

  std::string folder_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;
  std::optional<std::uint64_t> known_bytes_;
  std::atomic<std::uint64_t> hits_{0}, misses_{0}, written_{0}, not_written_{0}, dropped_{0},
      evicted_{0};
};

/// $WEFT_CACHE_DIR, else weft under $XDG_CACHE_HOME or ~/.cache; empty if there is no home.
inline std::string cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const char* folder = std::getenv("WEFT_CACHE_DIR")) return folder;
  // The XDG specification has relative paths ignored.
  if (const std::string base = variable("XDG_CACHE_HOME"); base.starts_with('/')) {
    return base + "/weft";
  }
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : home + "/.cache/weft";
}

/// Bytes from a text like "512M" or "2G"; nothing if it is not one.
inline std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t value = 0;
  std::size_t at = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    if (value > std::numeric_limits<std::uint64_t>::max() / 100) return std::nullopt;
    value = value * 10 + std::uint64_t(text[at++] - '0');
  }
  if (at == 0) return std::nullopt;
  int shift = 0;
  if (at < text.size()) {
    constexpr std::string_view units = "kKmMgGtT";
    const std::size_t unit = units.find(text[at]);
    if (unit == std::string_view::npos || at + 1 != text.size()) return std::nullopt;
    shift = 10 * (int(unit) / 2 + 1);
  }
  if (value > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
  return value << shift;
}

/// The cache of this process. It outlives everything on purpose.
inline disk_cache& process_cache() {
  static disk_cache* cache = [] {
    const char* size = std::getenv("WEFT_CACHE_SIZE");
    const std::optional<std::uint64_t> bytes = parse_bytes(size ? size : "1G");
    return new disk_cache(cache_folder(), bytes.value_or(std::uint64_t(1) << 30));
  }();
  return *cache;
}

}  // namespace weft::detail::cuda

namespace weft::cache {

/// The folder of compiled kernels: $WEFT_CACHE_DIR, by default weft under $XDG_CACHE_HOME or
/// ~/.cache. Empty if there is none; $WEFT_CACHE_DIR set to nothing switches the cache off.
inline const std::string& folder() {
  return detail::cuda::process_cache().folder();
}

/// Removes every compiled kernel and every remembered choice from the disk. Programs that are
/// loaded stay loaded.
inline void clear() {
  detail::cuda::process_cache().clear();
}

/// What the disk cache did in this process, and what it holds now. Its size is capped at
/// $WEFT_CACHE_SIZE, 1G by default; what was used longest ago goes first.
inline counts statistics() {
  return detail::cuda::process_cache().statistics();
}

}  // namespace weft::cache
