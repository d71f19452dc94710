#include "cli/remote.h"

namespace huygens::cli {

namespace {
// kube-scheduler's own default for extenders is 5 s; a person may wait longer before hearing that it did not work.
constexpr Duration kTimeout = std::chrono::seconds(30);
}  // namespace

StatusOr<Remote> Remote::Open(const RemoteOptions& options) {
  net::ClientOptions client;
  client.base_url = options.url;
  while (client.base_url.ends_with('/')) client.base_url.pop_back();
  client.ca_file = options.ca_file;
  client.cert_file = options.cert_file;
  client.key_file = options.key_file;
  client.bearer_token_file = options.token_file;
  auto made = net::Client::Create(std::move(client));
  if (!made.ok()) return Annotate(made.status(), Concat(options.flag, " ", options.url));
  return Remote(*std::move(made), options);
}

StatusOr<net::HttpReply> Remote::Send(std::string_view method, std::string_view path, std::string_view body) {
  net::Headers headers;
  if (method == "POST") headers.emplace_back("Content-Type", "application/json");
  auto reply = client_->Call(method, path, body, headers, kTimeout);
  if (reply.ok() || !absl::IsUnavailable(reply.status())) return reply;
  return Unavailable(Concat(Message(reply.status()), "\nIs `huygens extender` running there? ", flag_,
                            " names its address; the log line `serving` shows it."));
}

StatusOr<std::string> Remote::Call(std::string_view method, std::string_view path, std::string_view body) {
  auto reply = Send(method, path, body);
  if (!reply.ok()) return reply.status();
  if (reply->code == 200) return std::move(reply->body);
  std::string_view said = reply->body;
  while (said.ends_with('\n')) said.remove_suffix(1);
  if (reply->code == 400) return Invalid(said);  // a value of ours: its owner says which flag that was
  std::string message =
      Concat(method, " ", url_, path.substr(0, path.find('?')), " answered ", std::to_string(reply->code), ": ", said);
  if (said.starts_with("no verb at ")) {
    message += Concat("\nThat is server.address, which serves the verbs; ", flag_, " wants server.adminAddress.");
  }
  if (reply->code == 401) message += "\n--token-file names a file with a bearer token.";
  return reply->code == 404 ? NotFound(message) : Unavailable(message);
}

}  // namespace huygens::cli
