// A Log whose lines a test can read.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/time.h"
#include "observe/log.h"
#include "tests/base/clock.h"

namespace huygens::observe {

class CapturedLog {
 public:
  explicit CapturedLog(LogFormat format = LogFormat::kText, LogLevel level = LogLevel::kInfo)
      : log(clock, level, format, file_) {}
  ~CapturedLog() { close(file_); }

  std::vector<std::string> Lines() const {
    std::string text(static_cast<size_t>(lseek(file_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(file_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  test::ManualClock clock{*ParseRfc3339("2026-11-21T11:36:17.25Z")};

 private:
  int file_ = memfd_create("log", 0);

 public:
  Log log;
};

}  // namespace huygens::observe
