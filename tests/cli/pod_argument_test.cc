#include "cli/pod_argument.h"

#include <gtest/gtest.h>

#include "absl/flags/reflection.h"
#include "cli/command.h"
#include "program/command_line.h"

namespace huygens::cli {
namespace {

StatusOr<PodArgument> TryRead(std::vector<std::string> arguments) {
  const absl::FlagSaver saved;
  std::vector<char*> pointers{const_cast<char*>("explain")};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  const auto rest = program::ParseFlags(pointers, kExplainCommand.flags);
  EXPECT_TRUE(rest.ok() && rest->size() == 1) << rest.status();
  if (!rest.ok()) return rest.status();
  return ReadPodArgument(rest->front());
}

PodArgument Read(std::vector<std::string> arguments) {
  const auto pod = TryRead(std::move(arguments));
  EXPECT_TRUE(pod.ok()) << pod.status();
  return pod.value_or(PodArgument());
}

TEST(PodArgument, TakesTheNamespaceAsKubectlDoes) {
  EXPECT_EQ(Read({"web", "-n", "shop"}).Key(), "shop/web");
  EXPECT_EQ(Read({"--namespace=shop", "web"}).Key(), "shop/web");
  EXPECT_EQ(Read({"web"}).Key(), "default/web");
  EXPECT_FALSE(Read({"web"}).space_given);
  EXPECT_TRUE(Read({"web", "-n", "default"}).space_given);
}

TEST(PodArgument, ANamespaceBeforeTheNameWins) {
  EXPECT_EQ(Read({"shop/web", "-n", "other"}).Key(), "shop/web");
  EXPECT_TRUE(Read({"shop/web"}).space_given);
  for (const char* nameless : {"", "shop/", "pod/"}) EXPECT_FALSE(TryRead({nameless}).ok()) << nameless;
  EXPECT_EQ(Read({"pod/web", "-n", "shop"}).Key(), "shop/web") << "as kubectl prints it";
}

TEST(PodArgument, TwoNamespacesAreWrongUsage) {
  EXPECT_EQ(Message(TryRead({"web", "-n", "a", "--namespace", "b"}).status()),
            "-n a and --namespace b are two namespaces; give one");
  EXPECT_EQ(Read({"web", "-n", "a", "--namespace", "a"}).Key(), "a/web");
}

}  // namespace
}  // namespace huygens::cli
