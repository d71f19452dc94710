// Whether whoever presents a bearer token may GET a URL of ours: asks the API server, as the components of Kubernetes
// do (delegated authentication and authorization), on a thread of its own, and remembers the answer for some seconds.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/time.h"
#include "base/waiter.h"
#include "net/client.h"

namespace huygens::admin {

struct AccessVerdict {
  enum class What : uint8_t {
    kAllowed,
    kNobody,     // the token is nobody's, or not valid any more
    kForbidden,  // somebody's who may not
    kUnknown,    // the API server could not be asked; worth trying again
  };
  What what = What::kUnknown;
  std::string why;  // for whoever asked; empty when allowed. Holds no token.
};

class TokenAccess {
 public:
  // How long an answer holds: whoever loses a permission keeps it that long. That of kube-apiserver's own clients.
  static constexpr Duration kHolds = std::chrono::seconds(10);
  static constexpr size_t kMostRemembered = 256;
  static constexpr size_t kMostWaiting = 16;
  // Between two questions to the API server: made-up tokens must not become its load.
  static constexpr Duration kPause = std::chrono::milliseconds(50);

  using Done = std::function<void(AccessVerdict)>;

  // Errors: those of net::Client::Create.
  static StatusOr<std::unique_ptr<TokenAccess>> Start(net::ClientOptions api_server, std::unique_ptr<Waiter> waiter);
  ~TokenAccess();

  // Calls `done` once, on this object's thread, or at once if the answer is remembered or too many wait. Any thread.
  void Ask(std::string token, std::string path, Done done);
  // Ends what is under way; what still waits is answered with kUnknown, and so is what comes later. Any thread but its
  // own.
  void Stop();

 private:
  using Key = std::pair<std::string, std::string>;  // token, path
  struct Question {
    Key key;
    Done done;
  };
  struct Remembered {
    AccessVerdict verdict;
    Duration until{};
  };

  TokenAccess(std::unique_ptr<net::Client> client, std::unique_ptr<Waiter> waiter);
  void Work();
  AccessVerdict AskApiServer(const Key& key);
  // With the lock held.
  const AccessVerdict* Find(const Key& key) const;
  void Remember(const Key& key, const AccessVerdict& verdict);

  const std::unique_ptr<net::Client> client_;
  const std::unique_ptr<Waiter> waiter_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Question> questions_;
  std::map<Key, Remembered> remembered_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace huygens::admin
