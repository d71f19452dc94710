#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/read_file.h"
#include "tests/fake/temporary_directory.h"

namespace huygens {
namespace {

unsigned ModeOf(const std::string& path) {
  struct stat found{};
  EXPECT_EQ(::stat(path.c_str(), &found), 0);
  return found.st_mode & 0777U;
}

TEST(AtomicFile, IsReplacedAndLeavesNothingBeside) {
  const fake::TemporaryDirectory folder;
  const std::string path = folder.File("state");
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  ASSERT_TRUE(WriteFileAtomically(path, "new", 0600).ok());
  EXPECT_EQ(*ReadFile(path, "state"), "new");
  EXPECT_EQ(ModeOf(path), 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFile, HasItsModeAlsoWhereACrashLeftADraftThatOthersMayRead) {
  const fake::TemporaryDirectory folder;
  folder.Write(".state.draft", "half");
  ASSERT_TRUE(WriteFileAtomically(folder.File("state"), "whole", 0600).ok());
  EXPECT_EQ(ModeOf(folder.File("state")), 0600U);
}

TEST(AtomicFile, StaysAsItWasWhereItCannotBeWritten) {
  const fake::TemporaryDirectory folder;
  const Status status = WriteFileAtomically(folder.File("absent/state"), "text");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(Message(status).find("absent"), std::string_view::npos);
}

}  // namespace
}  // namespace huygens
