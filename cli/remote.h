// A huygens server as the commands talk to it: one request, and either the body of a 200 or an error that says what
// failed, where, and what to do about it. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client.h"

namespace huygens::cli {

struct RemoteOptions {
  std::string url;   // with path prefix, if the server has one
  std::string flag;  // "--url", for the advice in messages
  std::string ca_file, cert_file, key_file;
  std::string token_file;  // with a bearer token; empty: none is sent
};

class Remote {
 public:
  static StatusOr<Remote> Open(const RemoteOptions& options);

  // Errors: NotFound where the server answered 404, InvalidArgument with its text alone where it answered 400,
  // Unavailable where it answered another code than 200, else those of net::Client.
  StatusOr<std::string> Get(std::string_view path_and_query) { return Call("GET", path_and_query, {}); }
  // Whatever the code of the answer is.
  StatusOr<net::HttpReply> Fetch(std::string_view path_and_query) { return Send("GET", path_and_query, {}); }
  StatusOr<std::string> PostJson(std::string_view path, std::string_view body) { return Call("POST", path, body); }

 private:
  Remote(std::unique_ptr<net::Client> client, const RemoteOptions& options)
      : client_(std::move(client)), url_(options.url), flag_(options.flag) {}
  StatusOr<net::HttpReply> Send(std::string_view method, std::string_view path, std::string_view body);
  StatusOr<std::string> Call(std::string_view method, std::string_view path, std::string_view body);

  std::unique_ptr<net::Client> client_;
  std::string url_;
  std::string flag_;
};

}  // namespace huygens::cli
