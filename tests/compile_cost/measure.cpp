// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// usage: measure NAME SECONDS MIB COMMAND [ARGUMENT...]
// Runs a command, prints its processor time and the peak memory of its largest process, and fails
// where either is over its limit.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: measure NAME SECONDS MIB COMMAND [ARGUMENT...]\n", stderr);
    return 2;
  }
  const double seconds_limit = std::atof(argv[2]), mib_limit = std::atof(argv[3]);
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[4], argv + 4);
    std::perror(argv[4]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    std::perror("measure");
    return 2;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::printf("%s: the command failed\n", argv[1]);
    return 1;
  }
  const auto as_seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  const double seconds = as_seconds(usage.ru_utime) + as_seconds(usage.ru_stime);
  const double mib = static_cast<double>(usage.ru_maxrss) / 1024;
  const bool over = seconds > seconds_limit || mib > mib_limit;
  std::printf("%s: %.1f s of %g s, %.0f MiB of %g MiB%s\n", argv[1], seconds, seconds_limit, mib,
              mib_limit, over ? ": over the limit" : "");
  return over ? 1 : 0;
}
