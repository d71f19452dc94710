// Real machines, recorded, with what independent readers made of them: the kernel's files by their rules, and the
// cAdvisor of kubelet 1.36. A folder of vectors holds them; SKIPPED where it is absent.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/machine_document.h"
#include "agent/show_command.h"
#include "base/text.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::agent {
namespace {

const std::filesystem::path kRecorded = std::filesystem::path(HUYGENS_SHARED_DATA) / "sysfs";
constexpr std::string_view kArchive = ".tar.xz";

std::vector<std::string> Machines() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& each : std::filesystem::directory_iterator(kRecorded, none)) {
    const std::string name = each.path().filename().string();
    if (name.ends_with(kArchive)) names.push_back(name.substr(0, name.size() - kArchive.size()));
  }
  if (names.empty()) names.emplace_back("none");
  std::ranges::sort(names);
  return names;
}

class RecordedMachine : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::filesystem::path archive = kRecorded / Concat(GetParam(), kArchive);
    if (!std::filesystem::exists(archive)) GTEST_SKIP() << "no recorded machines at " << kRecorded;
    const std::string command = Concat("tar -xJf ", archive.string(), " -C ", folder_.path());
    ASSERT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT: a shell
    std::ostringstream text;
    text << std::ifstream(kRecorded / Concat(GetParam(), ".expected.json")).rdbuf();
    expected_ = boost::json::parse(text.str());
  }
  const fake::TemporaryDirectory folder_;
  boost::json::value expected_;
};

TEST_P(RecordedMachine, IsReadAsItsFilesSayAndAsKubeletReadsIt) {
  const StatusOr<std::string> text = Show(folder_.path(), "json");
  ASSERT_TRUE(text.ok()) << text.status();
  const boost::json::value shown = boost::json::parse(*text);
  for (const auto& [field, value] : expected_.at("files").as_object()) EXPECT_EQ(shown.at(field), value) << field;
  EXPECT_EQ(shown.at("kubelet"), expected_.at("kubelet"));
}

TEST_P(RecordedMachine, IsDrawnWithEveryCpuOnceAndWithWhatKubeletGetsWrong) {
  const StatusOr<std::string> text = Show(folder_.path(), "table");
  ASSERT_TRUE(text.ok()) << text.status();
  std::istringstream lines(*text);
  std::vector<int64_t> drawn;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    [")) continue;
    EXPECT_LE(line.size(), 100U) << line;
    std::ranges::replace_if(line, [](char c) { return c < '0' || c > '9'; }, ' ');
    std::istringstream numbers(line);
    for (int64_t cpu = 0; numbers >> cpu;) drawn.push_back(cpu);
  }
  std::ranges::sort(drawn);
  machine::Ids online = *machine::ParseIdList(std::string(expected_.at("files").at("online").as_string()));
  EXPECT_EQ(drawn, std::vector<int64_t>(online.begin(), online.end()));
  if (text->find("\nwithout zone\n") != std::string::npos) return;  // cores that kubelet lacks are in no zone of ours
  bool differs = false;
  for (const auto& each : expected_.at("differ").as_array()) differs |= each.as_string().starts_with("kubelet");
  EXPECT_EQ(text->find("kubelet sees the same zones and cores") == std::string::npos, differs) << *text;
}

INSTANTIATE_TEST_SUITE_P(All, RecordedMachine, testing::ValuesIn(Machines()), [](const auto& machine) {
  std::string name = machine.param;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace huygens::agent
