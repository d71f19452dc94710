#include "cli/remote.h"

#include <gmock/gmock.h>

#include "tests/fake/temporary_directory.h"
#include "tests/net/certificates.h"
#include "tests/net/fixture.h"

namespace huygens::cli {
namespace {

TEST(Remote, SendsTheTokenOfTheFileAndSaysWhereOneIsMissing) {
  net::testing::TestServer server({}, [](const net::Request& request, const net::Respond& respond) {
    respond({request.authorization.empty() ? 401 : 200, "text/plain", std::string(request.authorization)});
  });
  const fake::TemporaryDirectory folder;
  const std::string file = folder.Write("token", "abc\n");
  auto with = Remote::Open({.url = server.Url(), .flag = "--admin-url", .token_file = file});
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(*with->Get("/debug/nodes"), "Bearer abc");
  auto without = Remote::Open({.url = server.Url(), .flag = "--admin-url"});
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_THAT(std::string(Message(without->Get("/debug/nodes").status())), testing::HasSubstr("--token-file"));
}

}  // namespace
}  // namespace huygens::cli
