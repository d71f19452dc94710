#include "net/client.h"

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <climits>
#include <limits>

#include "base/percent_encoding.h"
#include "net/file_stamp.h"
#include "net/secret_file.h"
#include "net/transfer.h"

namespace huygens::net {
namespace {

using Steady = std::chrono::steady_clock;

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

long Milliseconds(Duration duration) {
  const int64_t count = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<long>(std::clamp<int64_t>(count, 1, INT_MAX));
}

bool HasLineBreak(std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; }

std::string_view WithoutQuery(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace

class Client::Impl {
 public:
  explicit Impl(ClientOptions options) : options_(std::move(options)) {}

  Status Open();
  // `observer` null: the body is collected in the reply.
  StatusOr<HttpReply> Call(std::string_view method, std::string_view target, std::string_view body,
                           const Headers& headers, Duration timeout, const StreamObserver* observer);
  Status Stream(std::string_view target, const Headers& headers, const StreamObserver& observer, Duration idle_timeout);
  void Cancel();

 private:
  Status Prepare(std::string_view method, std::string_view target, const Headers& headers, bool has_body);
  void PrepareTrust();
  void PreparePeer(std::string& host_header);
  Status PrepareCredentials(std::vector<std::string>& header_lines);
  // Runs the prepared transfer. `idle_timeout` zero: none.
  Status Run(Transfer& transfer, Duration idle_timeout);

  ClientOptions options_;
  std::string scheme_, host_, port_;  // of base_url; host without brackets
  std::unique_ptr<CURLM, FreeMulti> multi_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::unique_ptr<curl_slist, FreeList> headers_, connect_to_;
  std::string doing_;  // "GET https://host/path", for messages
  SecretFile token_{"token"}, password_{"password"};
  FileStamp identity_stamps_[3];
  bool identity_seen_ = false;
  std::atomic<bool> cancelled_ = false;
};

Status Client::Impl::Open() {
  // Thread-safe and counted in libcurl since 7.84; never undone, as other clients may be alive.
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return Internal("libcurl cannot be initialised");
  constexpr std::string_view kSchemes = "the server's URL must begin with https:// or http://";
  if (options_.base_url.find("://") == std::string::npos) return Invalid(kSchemes);
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  if (curl_url_set(url.get(), CURLUPART_URL, options_.base_url.c_str(), 0) != CURLUE_OK) {
    return Invalid("the server's URL cannot be read");  // not quoted: it may hold a password
  }
  const auto part = [&](CURLUPart which, unsigned flags) {
    char* text = nullptr;
    const CURLUcode code = curl_url_get(url.get(), which, &text, flags);
    const std::string value = code == CURLUE_OK ? text : "";
    curl_free(text);
    return value;
  };
  if (!part(CURLUPART_USER, 0).empty() || !part(CURLUPART_PASSWORD, 0).empty()) {
    return Invalid("the server's URL must not hold a user or password");
  }
  scheme_ = part(CURLUPART_SCHEME, 0);
  if (scheme_ != "https" && scheme_ != "http") return Invalid(kSchemes);
  if (!part(CURLUPART_QUERY, 0).empty()) return Invalid("the server's URL must not hold a query");
  host_ = part(CURLUPART_HOST, 0);
  port_ = part(CURLUPART_PORT, CURLU_DEFAULT_PORT);
  while (options_.base_url.ends_with('/')) options_.base_url.pop_back();
  if (options_.username.find(':') != std::string::npos || HasLineBreak(options_.username)) {
    return Invalid("the user's name holds a colon or a line break");
  }
  if (HasLineBreak(options_.bearer_token)) return Invalid("the bearer token holds a line break");
  const bool certificate = !options_.cert_file.empty() || !options_.cert_data.empty();
  const bool key = !options_.key_file.empty() || !options_.key_data.empty();
  if (certificate != key) return Invalid("a client certificate needs its key, and a key its certificate");

  multi_.reset(curl_multi_init());
  easy_.reset(curl_easy_init());
  if (multi_ == nullptr || easy_ == nullptr) return Internal("libcurl cannot make a handle");
  // When certificate files change, the next call opens a new connection; this makes it replace the old one.
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, 1L);
  return absl::OkStatus();
}

// Who we are: a user with a password, or a token.
Status Client::Impl::PrepareCredentials(std::vector<std::string>& header_lines) {
  if (!options_.username.empty()) {
    HUYGENS_ASSIGN_OR_RETURN(const std::string password, password_.Read(options_.password_file));
    curl_easy_setopt(easy_.get(), CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
    curl_easy_setopt(easy_.get(), CURLOPT_USERNAME, options_.username.c_str());
    curl_easy_setopt(easy_.get(), CURLOPT_PASSWORD, password.c_str());
    return absl::OkStatus();
  }
  std::string token = options_.bearer_token;
  if (!options_.bearer_token_file.empty()) {
    HUYGENS_ASSIGN_OR_RETURN(token, token_.Read(options_.bearer_token_file));
  }
  if (!token.empty()) header_lines.push_back(Concat("Authorization: Bearer ", token));
  return absl::OkStatus();
}

void Client::Impl::PrepareTrust() {
  CURL* const easy = easy_.get();
  const auto blob = [&](CURLoption option, const std::string& data) {
    curl_blob value{const_cast<char*>(data.data()), data.size(), CURL_BLOB_NOCOPY};
    curl_easy_setopt(easy, option, &value);
  };
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (options_.insecure_skip_tls_verify) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!options_.ca_data.empty() || !options_.ca_file.empty()) {
    // The system's folder would be trusted besides.
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    if (options_.ca_data.empty()) {
      curl_easy_setopt(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
    } else {
      curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr);
      blob(CURLOPT_CAINFO_BLOB, options_.ca_data);
    }
  }
  if (!options_.cert_data.empty()) {
    blob(CURLOPT_SSLCERT_BLOB, options_.cert_data);
  } else if (!options_.cert_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLCERT, options_.cert_file.c_str());
  }
  if (!options_.key_data.empty()) {
    blob(CURLOPT_SSLKEY_BLOB, options_.key_data);
  } else if (!options_.key_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLKEY, options_.key_file.c_str());
  }
  // An encrypted key is an error, not a question on the terminal.
  curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");

  const FileStamp stamps[3] = {StampOf(options_.ca_file), StampOf(options_.cert_file), StampOf(options_.key_file)};
  const bool changed = !std::equal(stamps, stamps + 3, identity_stamps_);
  std::copy(stamps, stamps + 3, identity_stamps_);
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, changed && identity_seen_ ? 1L : 0L);
  identity_seen_ = true;
}

// libcurl verifies the name it finds in the URL. Another name to verify goes there, and the connection to where the URL
// said.
void Client::Impl::PreparePeer(std::string& host_header) {
  if (options_.server_name.empty()) return;
  const bool v6 = host_.find(':') != std::string::npos && host_.front() != '[';
  const std::string host = v6 ? Concat("[", host_, "]") : host_;
  connect_to_.reset(
      curl_slist_append(nullptr, Concat(options_.server_name, ":", port_, ":", host, ":", port_).c_str()));
  curl_easy_setopt(easy_.get(), CURLOPT_CONNECT_TO, connect_to_.get());
  host_header = Concat("Host: ", host, ":", port_);
}

Status Client::Impl::Prepare(std::string_view method, std::string_view target, const Headers& headers, bool has_body) {
  if (!target.starts_with('/')) return Invalid("the path of a request must begin with /");
  if (target.find_first_of(" \r\n") != std::string_view::npos)
    return Invalid("the path of a request holds a space or line break");
  doing_ = Concat(method, " ", options_.base_url, WithoutQuery(target));
  CURL* const easy = easy_.get();
  curl_easy_reset(easy);  // keeps the connection

  std::string host_header;
  PrepareTrust();
  PreparePeer(host_header);
  std::string url = Concat(options_.base_url, target);
  if (!options_.server_name.empty()) {
    const std::string_view base = options_.base_url;
    const size_t prefix = base.find('/', base.find("://") + 3);
    url = Concat(scheme_, "://", options_.server_name, ":", port_,
                 prefix == std::string_view::npos ? std::string_view() : base.substr(prefix), target);
  }
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, Milliseconds(options_.connect_timeout));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // Cancel does not wait for a name server
  if (!options_.use_environment_proxy) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  if (options_.accept_gzip) curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");

  headers_.reset();
  const auto append = [&](const std::string& line) {
    headers_.reset(curl_slist_append(headers_.release(), line.c_str()));
  };
  for (const auto& [name, value] : headers) {
    if (HasLineBreak(name) || HasLineBreak(value))
      return Invalid(Concat("a header of ", doing_, " holds a line break"));
    append(Concat(name, ": ", value));
  }
  std::vector<std::string> credentials;
  HUYGENS_RETURN_IF_ERROR(PrepareCredentials(credentials));
  for (const std::string& line : credentials) append(line);
  if (!host_header.empty()) append(host_header);
  append("Expect:");  // no pause before a large body
  const bool typed = std::any_of(headers.begin(), headers.end(), [](const auto& header) {
    return curl_strequal(header.first.c_str(), "Content-Type") != 0;
  });
  if (!typed) append(has_body ? "Content-Type: application/json" : "Content-Type:");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());

  return absl::OkStatus();
}

Status Client::Impl::Run(Transfer& transfer, Duration idle_timeout) {
  CURLM* const multi = multi_.get();
  CURL* const easy = easy_.get();
  if (curl_multi_add_handle(multi, easy) != CURLM_OK) return Internal("libcurl refuses a transfer");
  const auto finish = [&](Status status) {
    curl_multi_remove_handle(multi, easy);
    return status;
  };
  transfer.last_byte = Steady::now();
  while (true) {
    if (cancelled_) return finish(absl::CancelledError(ToAbsl(Concat(doing_, ": cancelled"))));
    int running = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) return finish(Internal(Concat(doing_, ": libcurl failed")));
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
      if (message->msg == CURLMSG_DONE) {
        const CURLcode code = message->data.result;
        return finish(transfer.Explain(code, doing_));
      }
    }
    int wait = 60'000;
    if (idle_timeout > Duration::zero()) {
      const Duration silence_left = idle_timeout - (Steady::now() - transfer.last_byte);
      if (silence_left <= Duration::zero()) {
        const std::string text = Concat(doing_, ": nothing came for too long");
        return finish(transfer.AnythingSent() ? absl::DeadlineExceededError(ToAbsl(text)) : Unavailable(text));
      }
      wait = static_cast<int>(std::min(static_cast<long>(wait), Milliseconds(silence_left)));
    }
    curl_multi_poll(multi, nullptr, 0, wait, nullptr);
  }
}

StatusOr<HttpReply> Client::Impl::Call(std::string_view method, std::string_view target, std::string_view body,
                                       const Headers& headers, Duration timeout, const StreamObserver* observer) {
  HUYGENS_RETURN_IF_ERROR(Prepare(method, target, headers, !body.empty()));
  curl_easy_setopt(easy_.get(), CURLOPT_TIMEOUT_MS, Milliseconds(timeout));
  Transfer transfer(easy_.get(), options_, body, observer, options_.max_reply_bytes);
  transfer.Install(method);
  HUYGENS_RETURN_IF_ERROR(Run(transfer, Duration::zero()));
  transfer.ReadHead();
  return std::move(transfer.reply);
}

Status Client::Impl::Stream(std::string_view target, const Headers& headers, const StreamObserver& observer,
                            Duration idle_timeout) {
  HUYGENS_RETURN_IF_ERROR(Prepare("GET", target, headers, false));
  Transfer transfer(easy_.get(), options_, {}, &observer, std::numeric_limits<size_t>::max());
  transfer.Install("GET");
  return Run(transfer, idle_timeout);
}

void Client::Impl::Cancel() {
  cancelled_ = true;
  curl_multi_wakeup(multi_.get());
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

StatusOr<std::unique_ptr<Client>> Client::Create(ClientOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  HUYGENS_RETURN_IF_ERROR(impl->Open());
  return std::unique_ptr<Client>(new Client(std::move(impl)));
}

StatusOr<HttpReply> Client::Call(std::string_view method, std::string_view path_and_query, std::string_view body,
                                 const Headers& headers, Duration timeout) {
  return impl_->Call(method, path_and_query, body, headers, timeout, nullptr);
}

StatusOr<HttpReply> Client::Call(std::string_view method, std::string_view path_and_query, std::string_view body,
                                 const Headers& headers, Duration timeout, const StreamObserver& observer) {
  return impl_->Call(method, path_and_query, body, headers, timeout, &observer);
}

Status Client::Stream(std::string_view path_and_query, const Headers& headers, const StreamObserver& observer,
                      Duration idle_timeout) {
  return impl_->Stream(path_and_query, headers, observer, idle_timeout);
}

void Client::Cancel() { impl_->Cancel(); }

std::string PercentEncoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '~') {
      out += c;
    } else {
      AppendPercentEncoded(out, c);
    }
  }
  return out;
}

}  // namespace huygens::net
