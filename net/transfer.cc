#include "net/transfer.h"

#include <system_error>

#include "absl/strings/match.h"

namespace huygens::net {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Which setting to look at.
std::string_view TlsAdvice(std::string_view text, const ClientOptions& options) {
  if (Has(text, "alert")) {
    return "the server wants another client certificate: check certificate and key, and whom it allows";
  }
  if (Has(text, "subject name")) {
    return "the certificate is for another name: check the URL, or set the server name";
  }
  if (Has(text, "expired")) return "renew the server's certificate";
  if (options.ca_file.empty() && options.ca_data.empty()) {
    return "no CA is configured, and the system's do not know this server";
  }
  return "check that the configured CA is the one that signed the server's certificate";
}

// Whether the server's alert says that it does not want us. Under TLS 1.3 it arrives when the handshake is over for us
// and the request on its way; then the error is one of receiving.
bool SaysCertificateRefused(std::string_view text) {
  return Has(text, "SSL") && Has(text, "alert") &&
         (Has(text, "certificate") || Has(text, "unknown ca") || Has(text, "access denied") ||
          Has(text, "handshake failure"));
}

// The text of a header line `Warning: 299 - "text"` (RFC 9111, 5.5); empty: it is another header.
std::string WarningText(std::string_view line) {
  std::string text;
  if (!absl::StartsWithIgnoreCase(ToAbsl(line), "warning:")) return text;
  const size_t quote = line.find('"');
  if (quote == std::string_view::npos) return text;
  for (size_t at = quote + 1; at < line.size() && line[at] != '"' && line[at] != '\r'; ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) ++at;
    text += line[at];
  }
  return text;
}

}  // namespace

// Without the milliseconds and addresses of libcurl's own texts: the same fault reads the same each time.
std::string Transfer::Detail(CURLcode code) const {
  long error = 0;
  curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &error);
  if (code == CURLE_COULDNT_CONNECT && error != 0) return std::generic_category().message(static_cast<int>(error));
  if (code == CURLE_OPERATION_TIMEDOUT) return AnythingSent() ? "no answer in time" : "no connection in time";
  return error_[0] != '\0' ? error_ : curl_easy_strerror(code);
}

Transfer::Transfer(CURL* easy, const ClientOptions& options, std::string_view body,
                   const Client::StreamObserver* observer, size_t limit)
    : easy_(easy), options_(options), to_send_(body), observer_(observer), limit_(limit) {}

// The handle lives on and must not write into what is gone.
Transfer::~Transfer() { curl_easy_reset(easy_); }

void Transfer::Install(std::string_view method) {
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, OnHeader);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  const std::string name(method);
  if (method == "HEAD") {
    curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
  } else if (!to_send_.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    // A body from a callback that cannot rewind: libcurl repeats a request when a kept-alive connection breaks, and a
    // Binding must not be sent twice. With this it gives up with CURLE_SEND_FAIL_REWIND.
    curl_easy_setopt(easy_, CURLOPT_POST, 1L);
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(to_send_.size()));
    curl_easy_setopt(easy_, CURLOPT_READFUNCTION, OnSend);
    curl_easy_setopt(easy_, CURLOPT_READDATA, this);
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, name.c_str());
  } else if (method != "GET") {
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, name.c_str());
  }
}

size_t Transfer::OnSend(char* to, size_t size, size_t count, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  const size_t copied = self.to_send_.substr(self.sent_).copy(to, size * count);
  self.sent_ += copied;
  return copied;
}

void Transfer::ReadHead() {
  head_seen_ = true;
  long code = 0;
  curl_off_t retry_after = 0, transferred = 0;
  const char* content_type = nullptr;
  curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &code);
  curl_easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &retry_after);
  curl_easy_getinfo(easy_, CURLINFO_SIZE_DOWNLOAD_T, &transferred);
  curl_easy_getinfo(easy_, CURLINFO_CONTENT_TYPE, &content_type);
  reply.code = static_cast<int>(code);
  reply.transferred = transferred;
  if (content_type != nullptr) reply.content_type = content_type;
  if (retry_after > 0) reply.retry_after = std::chrono::seconds(retry_after);
}

// Shows the head to the observer, once; false when it wants no more.
bool Transfer::ShowHead() {
  if (head_seen_) return true;
  ReadHead();
  if (observer_ == nullptr || !observer_->on_status) return true;
  stopped_by_observer_ = !observer_->on_status(reply);
  return !stopped_by_observer_;
}

size_t Transfer::OnHeader(char* line, size_t size, size_t count, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  const std::string_view text(line, size * count);
  self.last_byte = std::chrono::steady_clock::now();
  if (text.starts_with("HTTP/")) self.reply.warnings.clear();  // of a head of 1xx
  if (std::string warning = WarningText(text); !warning.empty()) self.reply.warnings.push_back(std::move(warning));
  if (self.observer_ == nullptr || text.find_first_not_of("\r\n") != std::string_view::npos) return text.size();
  // The empty line: a watch may stay silent after it, and its observer wants to know that it stands. A head of 1xx is
  // not the answer yet.
  long code = 0;
  curl_easy_getinfo(self.easy_, CURLINFO_RESPONSE_CODE, &code);
  return code < 200 || self.ShowHead() ? text.size() : 0;
}

size_t Transfer::OnBody(char* data, size_t size, size_t count, void* transfer) {
  auto& self = *static_cast<Transfer*>(transfer);
  const std::string_view piece(data, size * count);
  self.last_byte = std::chrono::steady_clock::now();
  self.too_large_ = piece.size() > self.limit_ - self.received_;
  if (self.too_large_) return 0;
  self.received_ += piece.size();
  if (self.observer_ != nullptr) {
    self.stopped_by_observer_ = !self.ShowHead() || !self.observer_->on_bytes(piece);
    // While the observer took its time nobody listened: that is not the server's silence.
    self.last_byte = std::chrono::steady_clock::now();
    return self.stopped_by_observer_ ? 0 : piece.size();
  }
  self.reply.body.append(piece);
  return piece.size();
}

bool Transfer::AnythingSent() const {
  long bytes = 0;
  curl_easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &bytes);
  return bytes > 0;
}

Status Transfer::Explain(CURLcode code, std::string_view doing) const {
  if (code == CURLE_OK || stopped_by_observer_) return absl::OkStatus();
  if (too_large_) {
    const std::string limit = std::to_string(limit_);
    return absl::ResourceExhaustedError(ToAbsl(Concat(doing, ": the reply is larger than ", limit, " bytes")));
  }
  const std::string detail = Detail(code);
  const std::string text = Concat(doing, ": ", detail);
  const auto tls_fault = [&] {
    return absl::UnauthenticatedError(ToAbsl(Concat(text, " (", TlsAdvice(detail, options_), ")")));
  };
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_SSL_ISSUER_ERROR:
      return tls_fault();
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
      return Refused(text);
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return Invalid(text);
    case CURLE_OPERATION_TIMEDOUT:
      return AnythingSent() ? absl::DeadlineExceededError(ToAbsl(text)) : Unavailable(text);
    default:
      if (SaysCertificateRefused(detail)) return tls_fault();
      return AnythingSent() ? absl::UnknownError(ToAbsl(text)) : Unavailable(text);
  }
}

}  // namespace huygens::net
