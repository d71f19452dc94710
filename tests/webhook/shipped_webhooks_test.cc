// config/webhook asks about, and the account may read, every kind that is charged as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/read_file.h"
#include "base/text.h"
#include "quota/workload_kinds.h"

namespace huygens::webhook {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> Lines(const std::string& file) {
  const auto text = ReadFile(Concat(HUYGENS_SOURCE_DIR "/config/webhook/", file), "manifest");
  EXPECT_TRUE(text.ok()) << text.status();
  return absl::StrSplit(text.value_or(""), '\n');
}

struct Served {
  std::string group, version, resource;
};

// "/apis/apps/v1/deployments", "/api/v1/replicationcontrollers".
Served ServedAt(std::string_view path) {
  const std::vector<std::string> parts = absl::StrSplit(ToAbsl(path), '/');
  return parts[1] == "api" ? Served{"\"\"", parts[2], parts[3]} : Served{parts[2], parts[3], parts[4]};
}

// A rule for this resource in a line of its own.
testing::Matcher<std::string> RuleOf(const Served& served, const std::string& operations, const std::string& suffix) {
  const auto listed = [](const std::string& name) {
    return testing::ContainsRegex(Concat("resources: \\[(.*[ ,])?", name, "[],]"));
  };
  return AllOf(HasSubstr(Concat("apiGroups: [", served.group, "]")),
               HasSubstr(Concat("apiVersions: [", served.version, "]")),
               HasSubstr(Concat("operations: [", operations, "]")), listed(Concat(served.resource, suffix)));
}

TEST(ShippedWebhooks, AskAboutEveryKindThatIsCharged) {
  const std::vector<std::string> lines = Lines("webhooks.yaml");
  for (const quota::ChargedKind& kind : quota::ChargedKinds()) {
    const Served served = ServedAt(kind.path);
    EXPECT_THAT(lines, Contains(RuleOf(served, "CREATE, UPDATE", ""))) << kind.kind;
    if (kind.kind == "Job") continue;  // has no subresource `scale`
    EXPECT_THAT(lines, Contains(RuleOf(served, "UPDATE", "/scale"))) << kind.kind;
  }
  EXPECT_THAT(lines, Contains(RuleOf({"\"\"", "v1", "pods"}, "CREATE, UPDATE", "")));
}

TEST(ShippedWebhooks, TheAccountMayReadEveryKindThatIsCharged) {
  const std::vector<std::string> lines = Lines("rbac.yaml");
  for (const quota::ChargedKind& kind : quota::ChargedKinds()) {
    const Served served = ServedAt(kind.path);
    bool may = false;
    for (size_t i = 0; i + 2 < lines.size(); ++i) {
      may = may || (lines[i] == Concat("- apiGroups: [", served.group, "]") &&
                    testing::Value(lines[i + 1], testing::ContainsRegex(Concat("[[ ]", served.resource, "[],]"))) &&
                    lines[i + 2] == "  verbs: [list, watch]");
    }
    EXPECT_TRUE(may) << kind.kind;
  }
}

}  // namespace
}  // namespace huygens::webhook
