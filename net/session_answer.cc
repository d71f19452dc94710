// How a connection answers: whole, in pieces, or with a refusal.
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <charconv>

#include "net/event_loop_impl.h"
#include "net/session.h"

namespace huygens::net {

namespace http = boost::beast::http;

namespace {

// Small answers go out as one piece, so that TLS makes one record of them.
constexpr size_t kJoinedBody = 8 << 10;

std::string ChunkHead(size_t size) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, size, 16).ptr;
  return Concat(std::string_view(digits, static_cast<size_t>(end - digits)), "\r\n");
}

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

void NextPiece::operator()(std::string piece) const {
  exchange_->Tell([number = exchange_->request_number, piece = std::move(piece)](Session& session) mutable {
    session.Continue(number, std::move(piece));
  });
}

void NextPiece::Exchange::Tell(absl::AnyInvocable<void(Session&)> then) {
  if (used.exchange(true)) return;
  // Never at once, so that many small pieces that are ready do not nest.
  loop.Post([asking = session, then = std::move(then)]() mutable {
    if (const auto alive = asking.lock()) then(*alive);
  });
}

NextPiece::Exchange::~Exchange() {
  Tell([number = request_number](Session& asking) { asking.GiveUp(number); });
}

void Session::Answer(uint64_t request_number, Response response) {
  if (state_ != State::kHandling || request_number != request_number_) return;
  const bool head_only = message_->http.method() == http::verb::head;
  Write(std::move(response), !head_only);
}

void Session::Refuse(int status, std::string_view reason, std::string header_lines) {
  Report(reason);
  if (core_->options.observers.on_refused) {
    const std::string_view target = View(parser_->get().target());
    core_->options.observers.on_refused({target.substr(0, target.find('?')), status, peer_, reason,
                                         bytes_in_ + buffer_.size(), std::chrono::steady_clock::now() - started_});
  }
  keep_alive_ = false;
  refused_ = true;
  Write({status, "text/plain", Concat(reason, "\n"), std::move(header_lines)}, true);
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
  bytes_out_ = 0;
  const bool whole = response.more == nullptr;  // and so of a known length
  more_ = with_body ? std::move(response.more) : nullptr;
  // HTTP/1.0 knows no pieces: the end of the connection is the end of the answer.
  chunked_ = more_ != nullptr && message_ != nullptr && message_->http.version() >= 11;
  if (core_->ending() || (more_ != nullptr && !chunked_)) keep_alive_ = false;
  const std::string_view reason = View(http::obsolete_reason(static_cast<http::status>(status_)));
  head_ = Concat("HTTP/1.1 ", std::to_string(status_), " ", reason, "\r\nContent-Type: ", response.content_type, "\r\n",
                 response.header_lines);
  if (chunked_) {
    head_ += "Transfer-Encoding: chunked\r\n";
  } else if (whole) {
    head_ += Concat("Content-Length: ", std::to_string(body_.size()), "\r\n");
  }
  head_ += keep_alive_ ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (!with_body) body_.clear();
  if (chunked_ && !body_.empty()) {
    head_ += ChunkHead(body_.size());
    body_ += "\r\n";
  }
  Send();
}

void Session::Send() {
  answer_charge_ = Charge(core_->bytes_in_flight, body_.size());
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
  bytes_out_ += size;
  body_ = std::string();
  answer_charge_ = Charge();
  more_ != nullptr ? AskForMore() : Finish();
}

void Session::AskForMore() {
  more_(NextPiece(std::make_shared<NextPiece::Exchange>(core_->loop, weak_from_this(), request_number_)));
}

void Session::Continue(uint64_t request_number, std::string piece) {
  if (state_ != State::kWriting || more_ == nullptr || request_number != request_number_) return;
  head_.clear();
  if (piece.empty()) {
    more_ = nullptr;
    if (!chunked_) return Finish();
    head_ = "0\r\n\r\n";
  } else if (chunked_) {
    head_ = ChunkHead(piece.size());
    piece += "\r\n";
  }
  body_ = std::move(piece);
  Send();
}

void Session::GiveUp(uint64_t request_number) {
  if (state_ != State::kWriting || more_ == nullptr || request_number != request_number_) return;
  Report("the answer could not be finished");
  Cut();
}

void Session::Finish() {
  if (message_ != nullptr && core_->options.observers.on_request) {
    const Request& request = message_->request;
    core_->options.observers.on_request({request.method, request.path, request.client_name, status_, message_->bytes_in,
                                         bytes_out_, std::chrono::steady_clock::now() - started_});
    if (state_ != State::kWriting) return;  // the observer ended the server
  }
  served_ = true;
  keep_alive_ ? WaitForRequest() : Close(refused_);
}

}  // namespace huygens::net
