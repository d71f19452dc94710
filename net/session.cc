#include "net/session.h"

#include <algorithm>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <exception>
#include <utility>

#include "net/address.h"
#include "net/event_loop_impl.h"

namespace huygens::net {

namespace http = boost::beast::http;

namespace {

// Reads of 64 KiB: with Beast's default of 512 bytes a request of 135 KB costs eight times as much.
constexpr size_t kReadSize = 64 << 10;
// How long a refused peer may go on sending before the connection is cut; closing at once would destroy the answer on
// its way.
constexpr Duration kLinger = std::chrono::seconds(2);
constexpr Duration kCloseNotify = std::chrono::milliseconds(300);

}  // namespace

Session::Session(std::shared_ptr<Server::Core> core, asio::ip::tcp::socket socket, Stream::TlsContext tls,
                 const asio::ip::tcp::endpoint& peer)
    : core_(std::move(core)),
      stream_(std::move(socket), std::move(tls)),
      peer_(ToText(peer)),
      from_loopback_(IsLoopback(peer.address())),
      buffer_(kReadSize + core_->options.max_header_bytes),
      timer_(core_->loop.impl().context) {}

void Session::Start() { stream_.encrypted() ? Handshake() : WaitForRequest(); }

void Session::WaitForRequest() {
  if (core_->draining() && buffer_.size() == 0) return Close(false);
  state_ = State::kIdle;
  message_.reset();
  if (buffer_.size() > 0) {  // pipelined
    BeginRequest();
    return Parse();
  }
  const ServerOptions& options = core_->options;
  SetDeadline(served_ ? options.idle_timeout : options.first_request_timeout.value_or(options.idle_timeout));
  Read();
  // Its answer was on the way when the new connection came.
  if (core_->crowded()) core_->loop.Post([core = core_] { core->MakeRoom(); });
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
  if (std::exchange(giving_way_, false)) {
    ErrorCode ignored;
    if (error && stream_.socket().available(ignored) == 0) return Cut();
    core_->loop.Post([core = core_] { core->MakeRoom(); });  // by another one
    if (error == asio::error::operation_aborted) return Read();
  }
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
  body_charge_ = Charge();
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
    if (error && error != http::error::need_more) return RefuseMalformed(error);
    if (!in_header && parser_->chunked() && !ChargeBody(parser_->get().body().size())) return;
    if (error) return Read();
    if (in_header && !OnHeader()) return;
  }
  Dispatch();
}

// Returns false when the session waits for something else than the rest of the request.
bool Session::OnHeader() {
  parser_->eager(true);
  const auto& head = parser_->get();
  // A length is believed before the body comes: room for all of it is made at once.
  if (!parser_->is_done() && !ChargeBody(parser_->content_length().value_or(0))) return false;
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

bool Session::ChargeBody(size_t bytes) {
  if (bytes <= kReadSize || bytes <= body_charge_.bytes()) return true;
  const auto& total = core_->bytes_in_flight;
  const size_t others = *total - body_charge_.bytes();
  if (others + bytes > core_->options.max_bytes_in_flight && bytes <= core_->options.max_body_bytes) {
    Refuse(503,
           Concat("requests and answers of ", std::to_string(others), " bytes are in flight, and with these ",
                  std::to_string(bytes), " they would be more than ",
                  std::to_string(core_->options.max_bytes_in_flight), "; try again"),
           "Retry-After: 1\r\n");
    return false;
  }
  body_charge_ = Charge(total, bytes);
  return true;
}

void Session::Dispatch() {
  auto message = std::make_shared<ReceivedRequest>();
  keep_alive_ = parser_->get().keep_alive();
  message->http = parser_->release();
  parser_.reset();
  message->peer = peer_;
  message->client_name = client_name_;
  message->bytes_in = bytes_in_;
  message->charge = std::move(body_charge_);
  const std::string_view target = View(message->http.target());
  const size_t mark = std::min(target.find('?'), target.size());
  Request& request = message->request;
  request.method = View(message->http.method_string());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  request.body = message->http.body();
  request.client_name = message->client_name;
  request.peer = message->peer;
  request.authorization = View(message->http[http::field::authorization]);
  request.accept = View(message->http[http::field::accept]);
  request.remote_user = View(message->http["X-Remote-User"]);
  request.from_loopback = from_loopback_;
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

std::optional<Session::Standing> Session::standing() const {
  switch (state_) {
    case State::kHandshake:
    case State::kClosing:
      return Standing{0, since_};
    case State::kIdle:
      if (giving_way_) return std::nullopt;
      return Standing{served_ ? 2 : 0, since_};
    case State::kReading:
    case State::kWriting:
      // Who is slow gives way before a client that asked and was answered.
      if (std::chrono::steady_clock::now() - since_ >= core_->options.slow_after) return Standing{1, since_};
      if (!core_->options.unfinished_give_way) return std::nullopt;
      return Standing{state_ == State::kReading ? 3 : 4, since_};
    case State::kHandling:
    case State::kClosed:
      return std::nullopt;
  }
  return std::nullopt;
}

// A read may have ended although its handler has not run: then a request is under way, and cutting would lose it. So
// the read is asked to end, and says by its handler whether it brought anything.
void Session::GiveWay() {
  if (state_ != State::kIdle) return Cut();
  giving_way_ = true;
  ErrorCode ignored;
  stream_.socket().cancel(ignored);
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
  more_ = nullptr;
  timer_.cancel();
  ErrorCode ignored;
  stream_.socket().close(ignored);
  core_->Leave(self);
}

void Session::Report(std::string_view reason) const { core_->ReportConnectionError(peer_, reason); }

// Busy connections move their deadline several times per request; the timer is touched only when it would fire too
// late.
void Session::SetDeadline(Duration from_now) {
  since_ = std::chrono::steady_clock::now();
  deadline_ = from_now == Duration::zero() ? SteadyTime::max() : since_ + from_now;
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
