#include "tests/fake/api_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <list>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "tests/fake/store.h"

namespace huygens::fake {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);

std::string TargetText(const HttpRequest& request) {
  return request.query.empty() ? request.path : Concat(request.path, "?", request.query);
}

}  // namespace

void Gate::Open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

bool Gate::AwaitArrival() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [this] { return arrived_; });
}

bool Gate::Pass(const std::function<bool()>& stopped) {
  std::unique_lock lock(mutex_);
  arrived_ = true;
  changed_.notify_all();
  // The server has no way to wake every gate: look now and then.
  while (!open_ && !stopped()) changed_.wait_for(lock, std::chrono::milliseconds(20));
  return open_;
}

class ApiServer::Impl {
 public:
  Impl() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, plain, size) != 0 || ::listen(listener_, 128) != 0 ||
        ::getsockname(listener_, plain, &size) != 0) {
      throw std::runtime_error("the fake API server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (Serving& each : servings_) each.connection.Cut();
      changed_.notify_all();
    }
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (Serving& each : servings_) each.thread.join();
    ::close(listener_);
  }

  struct Watch {
    std::string collection;
    uint64_t version = 0;  // sent up to here
    std::string raw;       // to be sent as it is
    bool end = false;
    Connection* connection = nullptr;
  };

  // Calls `change` with the lock held and tells everyone.
  template <typename Change>
  auto Locked(Change&& change) {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
    return change();
  }

  template <typename Condition>
  bool Await(Condition&& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, condition);
  }

  template <typename Act>
  void EachWatch(const std::string& collection, Act&& act) {
    Locked([&] {
      for (Watch& watch : watches_) {
        if (watch.collection == collection) act(watch);
      }
    });
  }

  int CountSeen(std::string_view method, std::string_view part) const {
    int count = 0;
    for (const std::string& request : requests_) {
      const std::string_view text = request;
      if ((method.empty() || text.starts_with(Concat(method, " "))) && text.find(part) != std::string_view::npos)
        ++count;
    }
    return count;
  }

  std::mutex mutex_;  // guards all below but the listener
  std::condition_variable changed_;
  Store store_;
  std::list<Fault> faults_;
  std::vector<std::string> requests_;
  std::string last_body_, last_authorization_;
  std::list<Watch> watches_;
  std::map<std::string, int> opened_;
  std::set<std::string> silent_;
  uint16_t port_ = 0;

 private:
  struct Serving {
    explicit Serving(int socket) : connection(socket) {}
    Connection connection;
    std::thread thread;
  };

  void Accept() {
    while (true) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      const std::lock_guard lock(mutex_);
      Serving& serving = servings_.emplace_back(socket);
      if (stopping_) serving.connection.Cut();
      serving.thread = std::thread([this, &serving] {
        Serve(serving.connection);
        serving.connection.Cut();
      });
    }
  }

  Fault TakeFault(const HttpRequest& request, bool& found) {
    const std::string target = TargetText(request);
    for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
      if (!fault->method.empty() && fault->method != request.method) continue;
      const bool at_end = fault->path.ends_with('$');
      if (at_end && !target.ends_with(fault->path.substr(0, fault->path.size() - 1))) continue;
      if (!at_end && target.find(fault->path) == std::string::npos) continue;
      found = true;
      Fault result = *fault;
      if (fault->times > 0 && --fault->times == 0) faults_.erase(fault);
      return result;
    }
    return {};
  }

  void Serve(Connection& connection) {
    while (const auto request = connection.Read()) {
      bool faulty = false;
      const Fault fault = Locked([&] {
        requests_.push_back(Concat(request->method, " ", TargetText(*request)));
        last_body_ = request->body;
        last_authorization_ = request->authorization;
        return TakeFault(*request, faulty);
      });
      if (!(faulty ? ServeFaulty(connection, *request, fault) : ServeSoundly(connection, *request))) return;
    }
  }

  bool ServeSoundly(Connection& connection, const HttpRequest& request) {
    const Target target = ParseTarget(request.path);
    if (!request.Query("watch").empty()) return ServeWatch(connection, request, target);
    return connection.Write(Bytes(Effect(request, target)));
  }

  Reply Effect(const HttpRequest& request, const Target& target) {
    return Locked([&] {
      try {
        return store_.Handle(request, target);
      } catch (const std::exception& fault) {
        return StatusReply(400, "BadRequest", fault.what());
      }
    });
  }

  static std::string Bytes(const Reply& reply) {
    return ReplyBytes(reply.code, reply.body.starts_with('{') ? "application/json" : "text/plain", reply.body);
  }

  // False if the connection is done with.
  bool ServeFaulty(Connection& connection, const HttpRequest& request, const Fault& fault) {
    using What = Fault::What;
    const auto stopped = [this] { return Locked([this] { return stopping_; }); };
    switch (fault.what) {
      case What::kReply: {
        const std::string body =
            fault.body.empty() ? StatusReply(fault.code, "Injected", "injected fault").body : fault.body;
        return connection.Write(ReplyBytes(fault.code, fault.content_type, body, fault.headers));
      }
      case What::kHold:
        return fault.gate->Pass(stopped) && ServeSoundly(connection, request);
      case What::kHang:
        while (connection.Read()) {
        }
        return false;
      case What::kCutBefore:
        return false;
      case What::kCutAfter:
        Effect(request, ParseTarget(request.path));
        return false;
      case What::kCutInBody: {
        const std::string bytes = Bytes(Effect(request, ParseTarget(request.path)));
        connection.Write(std::string_view(bytes).substr(0, bytes.size() - bytes.size() / 4));
        return false;
      }
      case What::kHoldAnswer: {
        const std::string bytes = Bytes(Effect(request, ParseTarget(request.path)));
        return fault.gate->Pass(stopped) && connection.Write(bytes);
      }
    }
    return false;
  }

  bool ServeWatch(Connection& connection, const HttpRequest& request, const Target& target) {
    std::unique_lock lock(mutex_);
    const Collection* const collection = store_.Find(target.collection);
    if (collection == nullptr) {
      lock.unlock();
      return connection.Write(ReplyBytes(404, "text/plain", "404 page not found\n"));
    }
    const uint64_t from = std::stoull("0" + request.Query("resourceVersion"));
    if (from < store_.compacted()) {
      lock.unlock();
      const std::string error =
          Concat(R"({"type":"ERROR","object":)", StatusReply(410, "Expired", "too old resource version").body, "}\n");
      return connection.Write(Concat(ChunkedHead("application/json"), Chunk(error), "0\r\n\r\n"));
    }
    const auto watch = watches_.insert(watches_.end(), {target.collection, from, "", false, &connection});
    ++opened_[target.collection];
    changed_.notify_all();
    lock.unlock();
    bool alive = connection.Write(ChunkedHead("application/json"));
    lock.lock();
    while (alive && !stopping_) {
      std::string bytes = std::exchange(watch->raw, "");
      if (!silent_.contains(watch->collection)) bytes = Concat(News(*watch), bytes);
      if (!bytes.empty()) {
        lock.unlock();
        alive = connection.Write(Chunk(bytes));
        lock.lock();
        continue;
      }
      if (watch->end || store_.Find(watch->collection) == nullptr) {
        lock.unlock();
        alive = connection.Write("0\r\n\r\n");
        lock.lock();
        break;
      }
      changed_.wait(lock);
    }
    watches_.erase(watch);
    return alive && !stopping_;
  }

  // What happened since this watch was told last.
  std::string News(Watch& watch) {
    std::string bytes;
    const Collection* const collection = store_.Find(watch.collection);
    if (collection == nullptr) return bytes;
    const auto& history = collection->history;
    auto next = std::upper_bound(history.begin(), history.end(), watch.version,
                                 [](uint64_t version, const HistoryEntry& entry) { return version < entry.version; });
    for (; next != history.end(); ++next) {
      bytes += next->line;
      watch.version = next->version;
    }
    return bytes;
  }

  int listener_ = -1;
  std::thread acceptor_;
  std::list<Serving> servings_;
  bool stopping_ = false;
};

ApiServer::ApiServer() : impl_(std::make_unique<Impl>()) {}
ApiServer::~ApiServer() = default;

uint16_t ApiServer::port() const { return impl_->port_; }

net::ClientOptions ApiServer::Options() const {
  net::ClientOptions options;
  options.base_url = Concat("http://127.0.0.1:", std::to_string(port()));
  return options;
}

std::string ApiServer::Put(const std::string& json) {
  return impl_->Locked([&] { return impl_->store_.Put(json); });
}

void ApiServer::Delete(const std::string& collection, const std::string& namespace_name, const std::string& name) {
  impl_->Locked([&] { impl_->store_.Delete(collection, Concat(namespace_name, "/", name)); });
}

std::string ApiServer::Get(const std::string& collection, const std::string& namespace_name,
                           const std::string& name) const {
  return impl_->Locked([&]() -> std::string {
    const Collection* const found = impl_->store_.Find(collection);
    if (found == nullptr) return "";
    const auto object = found->objects.find(Concat(namespace_name, "/", name));
    return object == found->objects.end() ? "" : boost::json::serialize(object->second);
  });
}

size_t ApiServer::Count(const std::string& collection) const {
  return impl_->Locked([&] {
    const Collection* const found = impl_->store_.Find(collection);
    return found == nullptr ? size_t{0} : found->objects.size();
  });
}

std::string ApiServer::NodeOf(const std::string& namespace_name, const std::string& pod) const {
  const std::string json = Get(kPods, namespace_name, pod);
  if (json.empty()) return "";
  const boost::json::value parsed = boost::json::parse(json);
  const boost::json::value* const node = parsed.at("spec").as_object().if_contains("nodeName");
  return node == nullptr ? "" : std::string(node->as_string());
}

uint64_t ApiServer::version() const {
  return impl_->Locked([&] { return impl_->store_.version(); });
}

void ApiServer::DropFromStatus(const std::string& collection, const std::string& field) {
  impl_->Locked([&] { impl_->store_.Find(collection)->unknown_in_status.push_back(field); });
}

void ApiServer::Install(const std::string& collection, bool installed) {
  impl_->Locked([&] { impl_->store_.Install(collection, installed); });
}

void ApiServer::Inject(Fault fault) {
  impl_->Locked([&] { impl_->faults_.push_back(std::move(fault)); });
}

void ApiServer::ClearFaults() {
  impl_->Locked([&] { impl_->faults_.clear(); });
}

std::vector<std::string> ApiServer::Requests() const {
  return impl_->Locked([&] { return impl_->requests_; });
}

int ApiServer::Seen(std::string_view method, std::string_view part) const {
  return impl_->Locked([&] { return impl_->CountSeen(method, part); });
}

bool ApiServer::AwaitSeen(std::string_view method, std::string_view part, int count) const {
  return impl_->Await([&] { return impl_->CountSeen(method, part) >= count; });
}

std::string ApiServer::last_body() const {
  return impl_->Locked([&] { return impl_->last_body_; });
}

std::string ApiServer::last_authorization() const {
  return impl_->Locked([&] { return impl_->last_authorization_; });
}

void ApiServer::Compact() {
  impl_->Locked([&] { impl_->store_.Compact(); });
}

bool ApiServer::AwaitWatch(const std::string& collection, int opened) const {
  return impl_->Await([&] { return impl_->opened_[collection] >= opened; });
}

void ApiServer::EndWatches(const std::string& collection) {
  impl_->EachWatch(collection, [](Impl::Watch& watch) { watch.end = true; });
}

void ApiServer::CutWatches(const std::string& collection) {
  impl_->EachWatch(collection, [](Impl::Watch& watch) {
    watch.connection->Cut();
    watch.end = true;
  });
}

void ApiServer::Silence(const std::string& collection, bool silent) {
  impl_->Locked([&] {
    if (silent) {
      impl_->silent_.insert(collection);
    } else {
      impl_->silent_.erase(collection);
    }
  });
}

void ApiServer::Bookmark(const std::string& collection) {
  const std::string line = impl_->Locked([&] { return impl_->store_.BookmarkLine(); });
  SendToWatches(collection, line);
}

void ApiServer::SendToWatches(const std::string& collection, std::string bytes) {
  impl_->EachWatch(collection, [&](Impl::Watch& watch) { watch.raw += bytes; });
}

}  // namespace huygens::fake
