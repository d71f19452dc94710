#include "kube/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/api_server.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::kube {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSecret = "s3cr3t";

class KubeconfigTest : public testing::Test {
 protected:
  // A kubeconfig with these fields of its one cluster and one user.
  std::string Write(std::string_view cluster, std::string_view user) {
    return directory_.Write(
        "config",
        Concat("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
               "contexts:\n- {name: c, context: {cluster: k, user: u}}\n- {name: d, context: {cluster: other}}\n"
               "clusters:\n- {name: k, cluster: {",
               cluster, "}}\n- {name: other, cluster: {server: 'https://other'}}\nusers:\n- {name: u, user: {", user,
               "}}\n"));
  }
  net::ClientOptions Load(std::string_view cluster, std::string_view user, std::string_view context = "") {
    auto options = LoadKubeconfig(Write(cluster, user), context);
    EXPECT_TRUE(options.ok()) << options.status();
    return options.ok() ? *options : net::ClientOptions{};
  }
  std::string Fault(std::string_view cluster, std::string_view user) {
    const auto options = LoadKubeconfig(Write(cluster, user));
    EXPECT_FALSE(options.ok());
    EXPECT_THAT(options.status().ToString(), Not(HasSubstr(std::string(kSecret))));
    return std::string(Message(options.status()));
  }

  fake::TemporaryDirectory directory_;
};

TEST_F(KubeconfigTest, TokenAndAuthorityOfTheCurrentContext) {
  const auto options =
      Load("server: 'https://10.0.0.1:6443', certificate-authority-data: Q0E=, tls-server-name: kube", "token: s3cr3t");
  EXPECT_EQ(options.base_url, "https://10.0.0.1:6443");
  EXPECT_EQ(options.ca_data, "CA");
  EXPECT_EQ(options.server_name, "kube");
  EXPECT_EQ(options.bearer_token, kSecret);
  EXPECT_FALSE(options.insecure_skip_tls_verify);
}

TEST_F(KubeconfigTest, AnotherContextMayBeAskedFor) {
  const auto options = Load("server: 'https://a'", "token: s3cr3t", "d");
  EXPECT_EQ(options.base_url, "https://other");
  EXPECT_EQ(options.bearer_token, "");
  EXPECT_THAT(std::string(Message(LoadKubeconfig(Write("server: 'https://a'", ""), "nope").status())),
              HasSubstr("no entry \"nope\""));
}

TEST_F(KubeconfigTest, FilesAreRelativeToTheKubeconfig) {
  directory_.Write("pki/ca.crt", "x");
  directory_.Write("pki/c.crt", "x");
  const std::string key = directory_.Write("c.key", "x");
  directory_.Write("token", "x");
  const auto options = Load("server: 'https://a', certificate-authority: pki/ca.crt",
                            Concat("client-certificate: pki/../pki/c.crt, client-key: ", key, ", tokenFile: ./token"));
  EXPECT_EQ(options.ca_file, directory_.path() + "/pki/ca.crt");
  EXPECT_EQ(options.cert_file, directory_.path() + "/pki/c.crt");
  EXPECT_EQ(options.key_file, key);
  EXPECT_EQ(options.bearer_token_file, directory_.path() + "/token");
}

TEST_F(KubeconfigTest, CertificateAndKeyAsData) {
  const auto options = Load("server: 'https://a', insecure-skip-tls-verify: true",
                            "client-certificate-data: Q0VSVA==, client-key-data: S0VZ");
  EXPECT_EQ(options.cert_data, "CERT");
  EXPECT_EQ(options.key_data, "KEY");
  EXPECT_TRUE(options.insecure_skip_tls_verify);
}

TEST_F(KubeconfigTest, WhatCannotBeServedIsRefusedWithAnAlternative) {
  const std::string server = "server: 'https://a'";
  for (const char* const user :
       {"exec: {command: aws, args: [s3cr3t]}", "auth-provider: {name: gcp, config: {x: s3cr3t}}",
        "username: admin, password: s3cr3t", "token: s3cr3t, as: system:admin"}) {
    EXPECT_THAT(Fault(server, user), AllOf(HasSubstr("user \"u\""), HasSubstr("use a token"))) << user;
  }
  EXPECT_THAT(Fault("server: 'https://a', proxy-url: 'http://u:s3cr3t@p'", ""), HasSubstr("proxy-url"));
}

TEST_F(KubeconfigTest, FaultsNameTheEntryAndNeverTheValue) {
  const std::string server = "server: 'https://a'";
  EXPECT_THAT(Fault("certificate-authority-data: Q0E=", ""), HasSubstr("has no server"));
  EXPECT_THAT(Fault("server: 'https://a', certificate-authority-data: '*s3cr3t*'", ""),
              HasSubstr("certificate-authority-data is not base64"));
  EXPECT_THAT(Fault(server, "client-key-data: S0VZ"), HasSubstr("without a client-certificate"));
  EXPECT_THAT(Fault(server, "client-certificate-data: S0VZ"), HasSubstr("without a client-key"));
  EXPECT_THAT(Fault(server, "tokenFile: nowhere"), HasSubstr("does not exist"));
  EXPECT_THAT(Fault(server, "token: [s3cr3t]"), HasSubstr("token must be text"));
  EXPECT_THAT(Fault("server: 'https://a', insecure-skip-tls-verify: yes", ""), HasSubstr("true or false"));
  EXPECT_THAT(Fault("server: 'https://a', insecure-skip-tls-verify: true, certificate-authority-data: Q0E=", ""),
              HasSubstr("contradict"));
}

TEST_F(KubeconfigTest, BrokenFilesAreFaultsNotCrashes) {
  for (const char* const text :
       {"token: 's3cr3t", "[1,2]", "", "a: b: c: s3cr3t", "current-context: c\ncontexts: 5", "current-context: [c]",
        "current-context: c\ncontexts:\n- {name: c, context: [s3cr3t]}", "- - -\n}{"}) {
    const auto options = LoadKubeconfig(directory_.Write("broken", text));
    EXPECT_FALSE(options.ok()) << text;
    EXPECT_THAT(options.status().ToString(), AllOf(HasSubstr("broken"), Not(HasSubstr(std::string(kSecret)))));
  }
}

TEST_F(KubeconfigTest, SaysWhyTheFileCannotBeRead) {
  const std::string file = directory_.Write("file", "");
  for (const auto& [path, why] :
       std::map<std::string, std::string>{{directory_.path() + "/none", "No such file or directory"},
                                          {directory_.path(), "Is a directory"},
                                          {file + "/below", "Not a directory"}}) {
    const Status status = LoadKubeconfig(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(Message(status), Concat("cannot read kubeconfig ", path, ": ", why));
  }
}

TEST_F(KubeconfigTest, TokenReachesTheApiServer) {
  fake::ApiServer server;
  auto client = *net::Client::Create(Load(Concat("server: '", server.Options().base_url, "'"), "token: s3cr3t"));
  ASSERT_TRUE(client->Call("GET", "/api/v1/nodes", "", {}, std::chrono::seconds(5)).ok());
  EXPECT_EQ(server.last_authorization(), "Bearer s3cr3t");
}

TEST(InCluster, ReadsTheServiceAccount) {
  fake::TemporaryDirectory directory;
  directory.Write("token", "t");
  directory.Write("ca.crt", "c");
  std::string host = "10.96.0.1";
  const Environment environment = [&](const char* name) {
    return std::string(name) == "KUBERNETES_SERVICE_HOST" ? host : "443";
  };
  auto options = InCluster(environment, directory.path());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->base_url, "https://10.96.0.1:443");
  EXPECT_EQ(options->ca_file, directory.path() + "/ca.crt");
  EXPECT_EQ(options->bearer_token_file, directory.path() + "/token");  // the file, so that a rotated token is used
  host = "fd00::1";
  EXPECT_EQ(InCluster(environment, directory.path())->base_url, "https://[fd00::1]:443");
}

TEST(InCluster, SaysWhatIsMissing) {
  fake::TemporaryDirectory directory;
  EXPECT_THAT(std::string(Message(InCluster([](const char*) { return ""; }, directory.path()).status())),
              HasSubstr("kubeconfig"));
  EXPECT_THAT(std::string(Message(InCluster([](const char*) { return "1"; }, directory.path()).status())),
              HasSubstr("ca.crt"));
}

}  // namespace
}  // namespace huygens::kube
