#include "base/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/temporary_directory.h"

namespace huygens {
namespace {

TEST(ReadFileTest, GivesEveryByteUpToTheLimit) {
  const fake::TemporaryDirectory folder;
  for (size_t size : {size_t{0}, size_t{1}, size_t{64} << 10, (size_t{64} << 10) + 1, size_t{1} << 20}) {
    std::string content(size, '\0');
    for (size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7);
    const auto read = ReadFile(folder.Write("file", content), "list");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == content) << size;
  }
}

TEST(ReadFileTest, RefusesWhatIsLonger) {
  const fake::TemporaryDirectory folder;
  const std::string path = folder.Write("file", std::string((size_t{1} << 20) + 1, 'a'));
  EXPECT_EQ(Message(ReadFile(path, "list").status()),
            Concat("list ", path, " is longer than 1 MiB; is it the right file?"));
  EXPECT_TRUE(ReadFile(path, "list", 2).ok());
}

TEST(ReadFileTest, SaysWhyItCannot) {
  const fake::TemporaryDirectory folder;
  const std::string none = folder.File("none");
  EXPECT_EQ(Message(ReadFile(none, "list").status()), Concat("cannot read list ", none, ": No such file or directory"));
  EXPECT_TRUE(absl::IsNotFound(ReadFile(none, "list").status()));
  EXPECT_THAT(std::string(Message(ReadFile(folder.path(), "list").status())), testing::HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace huygens
