#include "base/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace huygens {
namespace {

class ReadFileTest : public testing::Test {
 protected:
  ReadFileTest() { std::filesystem::create_directories(folder_); }
  ~ReadFileTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& content) {
    std::ofstream(folder_ / "file", std::ios::binary) << content;
    return folder_ / "file";
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "read_file_test";
};

TEST_F(ReadFileTest, GivesEveryByteUpToTheLimit) {
  for (size_t size : {size_t{0}, size_t{1}, size_t{64} << 10, (size_t{64} << 10) + 1, size_t{1} << 20}) {
    std::string content(size, '\0');
    for (size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7);
    const auto read = ReadFile(Write(content), "list");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == content) << size;
  }
}

TEST_F(ReadFileTest, RefusesWhatIsLonger) {
  const std::string path = Write(std::string((size_t{1} << 20) + 1, 'a'));
  EXPECT_EQ(Message(ReadFile(path, "list").status()),
            Concat("list ", path, " is longer than 1 MiB; is it the right file?"));
  EXPECT_TRUE(ReadFile(path, "list", 2).ok());
}

TEST_F(ReadFileTest, SaysWhyItCannot) {
  const std::string none = folder_ / "none";
  EXPECT_EQ(Message(ReadFile(none, "list").status()), Concat("cannot read list ", none, ": No such file or directory"));
  EXPECT_TRUE(absl::IsNotFound(ReadFile(none, "list").status()));
  EXPECT_THAT(std::string(Message(ReadFile(folder_, "list").status())), testing::HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace huygens
