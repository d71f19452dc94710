#include "net/session.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <exception>

#include "net/event_loop_impl.h"

namespace huygens::net {

namespace http = boost::beast::http;

namespace {

// Reads of 64 KiB: with Beast's default of 512 bytes a request of 135 KB costs eight times as much.
constexpr size_t kReadSize = 64 << 10;
// Small answers go out as one piece, so that TLS makes one record of them.
constexpr size_t kJoinedBody = 8 << 10;
// How long a refused peer may go on sending before the connection is cut; closing at once would destroy the answer on
// its way.
constexpr Duration kLinger = std::chrono::seconds(2);
constexpr Duration kCloseNotify = std::chrono::milliseconds(300);

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void Respond::operator()(Response response) const { exchange_->Deliver(std::move(response)); }

void Respond::Exchange::Deliver(Response response) {
  if (answered.exchange(true)) return;
  if (loop.InLoop()) {
    if (const auto alive = session.lock()) alive->Answer(request_number, std::move(response));
    return;
  }
  loop.Post([asking = session, number = request_number, response = std::move(response)]() mutable {
    if (const auto alive = asking.lock()) alive->Answer(number, std::move(response));
  });
}

Respond::Exchange::~Exchange() {
  if (!answered) Deliver({500, "text/plain", "the request was given up without an answer"});
}

Session::Session(std::shared_ptr<Server::Core> core, asio::ip::tcp::socket socket, Stream::TlsContext tls,
                 std::string peer)
    : core_(std::move(core)),
      stream_(std::move(socket), std::move(tls)),
      peer_(std::move(peer)),
      buffer_(kReadSize + core_->options.max_header_bytes),
      timer_(core_->loop.impl().context) {}

void Session::Start() { stream_.encrypted() ? Handshake() : WaitForRequest(); }

void Session::Handshake() {
  SetDeadline(core_->options.handshake_timeout);
  ErrorCode ignored;
  if (!core_->options.tls.client_ca_file.empty()) {
    // Held by the TLS engine inside this session: no ownership here, or it would never end.
    stream_.tls().set_verify_callback(
        [this](bool verified, asio::ssl::verify_context& chain) {
          CheckClient(verified, chain.native_handle());
          return refused_client_.empty();
        },
        ignored);
  }
  stream_.tls().async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](const ErrorCode& error) {
    if (self->state_ == State::kClosed) return;
    if (!error) return self->WaitForRequest();
    // A probe that only connects is no fault; who does not like us says so before closing.
    const bool silent = error == asio::error::eof || error == asio::error::connection_reset ||
                        error == asio::ssl::error::stream_truncated;
    if (silent) return self->Cut();
    const std::string reason = !self->refused_client_.empty() ? self->refused_client_ : error.message();
    self->ReportHandshake(Concat("TLS handshake refused: ", reason));
    self->Cut();
  });
}

void Session::CheckClient(bool verified, X509_STORE_CTX* chain) {
  if (!verified) {
    refused_client_ = Concat("client certificate: ", X509_verify_cert_error_string(X509_STORE_CTX_get_error(chain)));
    return;
  }
  if (X509_STORE_CTX_get_error_depth(chain) != 0) return;
  const std::vector<std::string> names = CertificateNames(X509_STORE_CTX_get_current_cert(chain));
  const std::vector<std::string>& allowed = core_->options.tls.allowed_clients;
  for (const std::string& name : names) {
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), name) == allowed.end()) continue;
    client_name_ = name;
    return;
  }
  if (allowed.empty()) return;
  std::string listed;
  for (const std::string& name : names) listed += Concat(listed.empty() ? "" : ", ", name);
  refused_client_ = Concat("client certificate with the names [", listed, "] is not among the allowed clients");
  X509_STORE_CTX_set_error(chain, X509_V_ERR_CERT_REJECTED);  // its alert says "bad certificate"
}

void Session::WaitForRequest() {
  if (core_->draining() && buffer_.size() == 0) return Close(false);
  state_ = State::kIdle;
  message_.reset();
  if (buffer_.size() > 0) {  // pipelined
    BeginRequest();
    return Parse();
  }
  SetDeadline(core_->options.idle_timeout);
  Read();
}

void Session::Read() {
  if (buffer_.size() >= kReadSize) return Refuse(400, "a chunk header or trailer is too long");
  // Never more than the capacity of the first time: bytes that wait here belong to an unfinished header or to the next
  // request.
  const auto space = buffer_.prepare(kReadSize - buffer_.size());
  stream_.ReadSome(space,
                   [self = shared_from_this()](const ErrorCode& error, size_t size) { self->OnRead(error, size); });
}

void Session::OnRead(const ErrorCode& error, size_t size) {
  if (state_ == State::kClosed || state_ == State::kClosing) return;
  buffer_.commit(size);
  if (timed_out_) return Refuse(408, "the request did not arrive in time");
  if (error) {
    if (state_ == State::kReading) Report("connection closed in the middle of a request");
    return Cut();
  }
  if (state_ == State::kIdle) BeginRequest();
  Parse();
}

void Session::BeginRequest() {
  state_ = State::kReading;
  started_ = std::chrono::steady_clock::now();
  SetDeadline(core_->options.read_timeout);
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(core_->options.max_header_bytes));
  parser_->body_limit(core_->options.max_body_bytes);
  parser_->eager(false);
  bytes_in_ = 0;
  refused_ = false;
}

void Session::Parse() {
  while (!parser_->is_done()) {
    const bool in_header = !parser_->is_header_done();
    if (!in_header && buffer_.size() == 0) return Read();
    ErrorCode error;
    const size_t used = parser_->put(buffer_.cdata(), error);
    buffer_.consume(used);
    bytes_in_ += used;
    if (error == http::error::need_more) return Read();
    if (error) return RefuseMalformed(error);
    if (in_header && !OnHeader()) return;
  }
  Dispatch();
}

// Returns false when the session waits for something else than the rest of the request.
bool Session::OnHeader() {
  parser_->eager(true);
  const auto& head = parser_->get();
  const auto expect = head.find(http::field::expect);
  if (expect == head.end() || head.version() < 11 || parser_->is_done()) return true;
  if (!boost::beast::iequals(expect->value(), "100-continue")) {
    Refuse(417, "this expectation cannot be met");
    return false;
  }
  if (buffer_.size() > 0) return true;  // the body is on its way already
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  stream_.Write(asio::const_buffer(kContinue.data(), kContinue.size()),
                [self = shared_from_this()](const ErrorCode& error, size_t) {
                  if (self->state_ != State::kReading) return;
                  if (self->timed_out_) return self->Refuse(408, "the request did not arrive in time");
                  error ? self->Cut() : self->Read();
                });
  return false;
}

void Session::Dispatch() {
  auto message = std::make_shared<ReceivedRequest>();
  keep_alive_ = parser_->get().keep_alive();
  message->http = parser_->release();
  parser_.reset();
  message->peer = peer_;
  message->client_name = client_name_;
  message->bytes_in = bytes_in_;
  const std::string_view target = View(message->http.target());
  const size_t mark = std::min(target.find('?'), target.size());
  Request& request = message->request;
  request.method = View(message->http.method_string());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  request.body = message->http.body();
  request.client_name = message->client_name;
  request.peer = message->peer;
  state_ = State::kHandling;
  SetDeadline(Duration::zero());
  message_ = message;
  Respond respond(std::make_shared<Respond::Exchange>(core_->loop, weak_from_this(), ++request_number_, message));
  const auto self = shared_from_this();
  try {
    core_->handler(request, std::move(respond));
  } catch (const std::exception& thrown) {
    // Its Respond died with it, or dies later, and answers 500.
    core_->Warn(Concat("handler of ", request.method, " ", request.path, " threw: ", thrown.what()));
  }
}

void Session::Answer(uint64_t request_number, Response response) {
  if (state_ != State::kHandling || request_number != request_number_) return;
  const bool head_only = message_->http.method() == http::verb::head;
  Write(std::move(response), !head_only);
}

void Session::Refuse(int status, std::string_view reason) {
  Report(reason);
  if (core_->options.events.on_refused) {
    const std::string_view target = View(parser_->get().target());
    core_->options.events.on_refused({target.substr(0, target.find('?')), status, peer_, reason,
                                      bytes_in_ + buffer_.size(), std::chrono::steady_clock::now() - started_});
  }
  keep_alive_ = false;
  refused_ = true;
  Write({status, "text/plain", Concat(reason, "\n")}, true);
}

void Session::RefuseMalformed(const ErrorCode& error) {
  if (error == http::error::body_limit) {
    return Refuse(413, Concat("the body is larger than ", std::to_string(core_->options.max_body_bytes), " bytes"));
  }
  if (error == http::error::header_limit) {
    return Refuse(431, Concat("the header is larger than ", std::to_string(core_->options.max_header_bytes), " bytes"));
  }
  Refuse(400, Concat("malformed HTTP: ", error.message()));
}

void Session::Write(Response response, bool with_body) {
  state_ = State::kWriting;
  SetDeadline(core_->options.write_timeout);
  status_ = response.status;
  body_ = std::move(response.body);
  if (core_->draining()) keep_alive_ = false;
  const std::string_view reason = View(http::obsolete_reason(static_cast<http::status>(status_)));
  head_ = Concat("HTTP/1.1 ", std::to_string(status_), " ", reason, "\r\nContent-Type: ", response.content_type,
                 "\r\nContent-Length: ", std::to_string(body_.size()),
                 keep_alive_ ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n");
  if (!with_body) body_.clear();
  if (stream_.encrypted() && body_.size() <= kJoinedBody) {
    head_ += body_;
    body_.clear();
  }
  const std::array<asio::const_buffer, 2> pieces = {asio::buffer(head_), asio::buffer(body_)};
  stream_.Write(pieces,
                [self = shared_from_this()](const ErrorCode& error, size_t size) { self->OnWritten(error, size); });
}

void Session::OnWritten(const ErrorCode& error, size_t size) {
  if (state_ != State::kWriting) return;
  if (error) {
    Report(Concat("connection closed before the answer was taken: ", error.message()));
    return Cut();
  }
  if (message_ != nullptr && core_->options.events.on_request) {
    const Request& request = message_->request;
    core_->options.events.on_request({request.method, request.path, request.client_name, status_, message_->bytes_in,
                                      size, std::chrono::steady_clock::now() - started_});
    if (state_ != State::kWriting) return;  // the observer ended the server
  }
  body_ = std::string();
  keep_alive_ ? WaitForRequest() : Close(refused_);
}

void Session::Drain() {
  if (state_ == State::kHandshake) return Cut();
  // A request that has reached this machine is still answered: it waits in the kernel, or its read has ended and stands
  // before this task in the loop's queue.
  core_->loop.Post([self = shared_from_this()] {
    ErrorCode ignored;
    if (self->state_ == State::kIdle && self->stream_.socket().available(ignored) == 0) self->Close(false);
  });
}

void Session::Close(bool unread_input) {
  state_ = State::kClosing;
  const auto after = [self = shared_from_this(), unread_input] {
    if (self->state_ == State::kClosed) return;
    if (!unread_input) return self->Cut();
    ErrorCode ignored;
    self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    self->DiscardInput();
  };
  SetDeadline(unread_input ? kLinger : kCloseNotify);
  if (!stream_.encrypted()) return after();
  stream_.tls().async_shutdown([after](const ErrorCode&) { after(); });
}

void Session::DiscardInput() {
  buffer_.consume(buffer_.size());
  stream_.socket().async_read_some(buffer_.prepare(kReadSize),
                                   [self = shared_from_this()](const ErrorCode& error, size_t) {
                                     if (self->state_ == State::kClosed) return;
                                     error ? self->Cut() : self->DiscardInput();
                                   });
}

void Session::Cut() {
  if (state_ == State::kClosed) return;
  const auto self = shared_from_this();
  state_ = State::kClosed;
  timer_.cancel();
  ErrorCode ignored;
  stream_.socket().close(ignored);
  core_->Leave(self);
}

void Session::Report(std::string_view reason) const { core_->ReportConnectionError(peer_, reason); }

void Session::ReportHandshake(std::string_view reason) const {
  Report(reason);
  const auto& on_failed = core_->options.events.on_handshake_failed;
  if (on_failed) on_failed(Concat(peer_, ": ", reason));
}

// Busy connections move their deadline several times per request; the timer is touched only when it would fire too
// late.
void Session::SetDeadline(Duration from_now) {
  deadline_ = from_now == Duration::zero() ? SteadyTime::max() : std::chrono::steady_clock::now() + from_now;
  if (deadline_ < armed_) ArmTimer();
}

void Session::ArmTimer() {
  armed_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this(), armed = armed_](const ErrorCode& error) {
    if (error || self->state_ == State::kClosed || armed != self->armed_) return;
    self->armed_ = SteadyTime::max();
    if (std::chrono::steady_clock::now() >= self->deadline_) return self->OnDeadline();
    if (self->deadline_ != SteadyTime::max()) self->ArmTimer();
  });
}

void Session::OnDeadline() {
  switch (state_) {
    case State::kHandshake:
      ReportHandshake("TLS handshake took too long");
      return Cut();
    case State::kIdle:
      return Close(false);
    case State::kReading: {
      // The read under way ends with an error, and OnRead answers.
      timed_out_ = true;
      ErrorCode ignored;
      stream_.socket().cancel(ignored);
      return;
    }
    case State::kWriting:
      Report("the answer was not taken in time");
      return Cut();
    case State::kClosing:
      return Cut();
    case State::kHandling:
    case State::kClosed:
      return;
  }
}

}  // namespace huygens::net
