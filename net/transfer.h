// One request and its reply on a libcurl handle: what the callbacks collect, and what an error of it means. For net/
// only.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/status.h"
#include "net/client.h"

namespace huygens::net {

class Transfer {
 public:
  // `observer` null: the body is collected in the reply. `limit`: the most bytes of the reply's body. Everything
  // outlives the transfer.
  Transfer(CURL* easy, const ClientOptions& options, std::string_view body, const Client::StreamObserver* observer,
           size_t limit);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Sets the callbacks, the error text and, where there is a body or the method wants one, the sending.
  void Install(std::string_view method);
  // What `code` means to the caller (net/client.h). `doing` names method and URL.
  Status Explain(CURLcode code, std::string_view doing) const;
  // Whether a byte of the request may have left this machine.
  bool AnythingSent() const;
  void ReadHead();

  HttpReply reply;
  std::chrono::steady_clock::time_point last_byte = std::chrono::steady_clock::now();

 private:
  static size_t OnSend(char* to, size_t size, size_t count, void* transfer);
  static size_t OnHeader(char* line, size_t size, size_t count, void* transfer);
  static size_t OnBody(char* data, size_t size, size_t count, void* transfer);
  bool ShowHead();
  std::string Detail(CURLcode code) const;

  CURL* const easy_;
  const ClientOptions& options_;
  const std::string_view to_send_;
  const Client::StreamObserver* const observer_;
  const size_t limit_;
  size_t sent_ = 0, received_ = 0;
  bool head_seen_ = false;
  bool stopped_by_observer_ = false;
  bool too_large_ = false;
  char error_[CURL_ERROR_SIZE] = {};
};

}  // namespace huygens::net
