// One connection: handshake, then request after request, one at a time, each answered before the next is looked at. For
// net/ only.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "net/server.h"
#include "net/server_core.h"
#include "net/stream.h"

namespace huygens::net {

// Boost has a string_view of its own, too.
inline std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

// A complete request; held by its Respond and by the session until the answer is written.
struct ReceivedRequest {
  boost::beast::http::request<boost::beast::http::string_body> http;
  std::string peer;
  std::string client_name;
  Request request;  // views of the above
  size_t bytes_in = 0;
  Charge charge;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  // Who gives way to a new connection: the smallest.
  struct Standing {
    int rank = 0;
    SteadyTime since;
    auto operator<=>(const Standing&) const = default;
  };

  Session(std::shared_ptr<Server::Core> core, boost::asio::ip::tcp::socket socket, Stream::TlsContext tls,
          const boost::asio::ip::tcp::endpoint& peer);

  void Start();
  // Answers the request of that number, if it is still the one under way.
  void Answer(uint64_t request_number, Response response);
  // The next piece of that request's answer; empty: it is complete.
  void Continue(uint64_t request_number, std::string piece);
  // There is no next piece, and the answer is not complete.
  void GiveUp(uint64_t request_number);
  // Nothing while the connection cannot give way.
  std::optional<Standing> standing() const;
  // Ends it, soon if not now, unless a request has arrived that nobody has looked at: then Core::MakeRoom is called
  // again.
  void GiveWay();
  // Closes now if nothing is under way, else after the answer.
  void Drain();
  // Closes without a word.
  void Cut();

 private:
  using ErrorCode = boost::system::error_code;
  enum class State { kHandshake, kIdle, kReading, kHandling, kWriting, kClosing, kClosed };

  void Handshake();
  void CheckClient(bool verified, X509_STORE_CTX* chain);
  void WaitForRequest();
  void Read();
  void OnRead(const ErrorCode& error, size_t size);
  void BeginRequest();
  void Parse();
  bool OnHeader();
  // Takes the body's part of the bytes in flight; false after the request was refused for want of them.
  bool ChargeBody(size_t bytes);
  void Dispatch();
  // Answers a request that never reached the handler, and closes.
  void Refuse(int status, std::string_view reason, std::string header_lines = "");
  void RefuseMalformed(const ErrorCode& error);
  void Write(Response response, bool with_body);
  void Send();
  void OnWritten(const ErrorCode& error, size_t size);
  void AskForMore();
  void Finish();
  void Close(bool unread_input);
  void DiscardInput();
  void Report(std::string_view reason) const;
  void ReportHandshake(std::string_view reason) const;

  void SetDeadline(Duration from_now);  // zero: none
  void ArmTimer();
  void OnDeadline();

  const std::shared_ptr<Server::Core> core_;
  Stream stream_;
  const std::string peer_;
  const bool from_loopback_;
  std::string client_name_;
  std::string refused_client_;
  State state_ = State::kHandshake;

  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  SteadyTime started_{};
  size_t bytes_in_ = 0;
  Charge body_charge_;
  uint64_t request_number_ = 0;
  std::shared_ptr<const ReceivedRequest> message_;  // while it is handled and answered
  bool keep_alive_ = true;
  bool refused_ = false;  // answered without having read the request to its end
  bool timed_out_ = false;
  bool giving_way_ = false;
  bool served_ = false;  // a request was answered here

  std::string head_;
  std::string body_;
  Charge answer_charge_;
  int status_ = 0;
  size_t bytes_out_ = 0;
  std::function<void(NextPiece)> more_;  // while the answer goes on
  bool chunked_ = false;

  boost::asio::steady_timer timer_;
  SteadyTime deadline_ = SteadyTime::max();
  SteadyTime armed_ = SteadyTime::max();
  SteadyTime since_{};  // when the deadline was set
};

// The right to answer one request. Answers 500 when nobody used it.
struct Respond::Exchange {
  Exchange(EventLoop& event_loop, std::weak_ptr<Session> asking, uint64_t number,
           std::shared_ptr<const ReceivedRequest> held)
      : loop(event_loop), session(std::move(asking)), request_number(number), message(std::move(held)) {}
  ~Exchange();
  void Deliver(Response response);

  EventLoop& loop;
  const std::weak_ptr<Session> session;
  const uint64_t request_number;
  const std::shared_ptr<const ReceivedRequest> message;
  std::atomic<bool> answered = false;
};

// The right to go on with one answer. Gives it up when nobody used it.
struct NextPiece::Exchange {
  Exchange(EventLoop& event_loop, std::weak_ptr<Session> asking, uint64_t number)
      : loop(event_loop), session(std::move(asking)), request_number(number) {}
  ~Exchange();
  // Calls `then` on the loop with the session, if it is still there.
  void Tell(absl::AnyInvocable<void(Session&)> then);

  EventLoop& loop;
  const std::weak_ptr<Session> session;
  const uint64_t request_number;
  std::atomic<bool> used = false;
};

}  // namespace huygens::net
