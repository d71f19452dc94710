#include "runtime/nri_plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace huygens::runtime {

namespace {

// A runtime that does not read is as good as one that is gone: it waits no longer for an answer either.
constexpr int kPatienceSeconds = 2;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::string ErrorText(int error) { return std::strerror(error); }  // NOLINT(concurrency-mt-unsafe): glibc's is safe

Status NoConnection(const std::string& socket, int error) {
  std::string_view advice = "";
  if (error == ENOENT) {
    advice =
        "; the runtime has no NRI, or it is switched off (containerd 1.7: disable = false in the section "
        "io.containerd.nri.v1.nri), or the folder of the socket is not mounted into the agent's pod";
  } else if (error == EACCES) {
    advice = "; the agent must run as uid 0";
  } else if (error == ECONNREFUSED) {
    advice = "; the runtime does not run";
  }
  return Unavailable(Concat("NRI: cannot connect to ", socket, ": ", ErrorText(error), advice));
}

bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

NriPlugin::NriPlugin(NriOptions options, CreationHooks& hooks, std::unique_ptr<Waiter> waiter, Random random)
    : options_(std::move(options)),
      hooks_(hooks),
      waiter_(std::move(waiter)),
      backoff_(options_.first_retry, options_.last_retry, std::move(random)) {
  // Without it the thread could not be ended while it waits: Run says so and waits for nothing.
  if (::pipe2(ending_, O_CLOEXEC) != 0) ending_[0] = ending_[1] = -1;
  thread_ = std::thread([this] { Run(); });
}

NriPlugin::~NriPlugin() {
  waiter_->Interrupt();
  if (ending_[1] >= 0) (void)!::write(ending_[1], "x", 1);
  thread_.join();
  for (const int end : ending_) {
    if (end >= 0) ::close(end);
  }
}

void NriPlugin::Run() {
  if (ending_[0] < 0) return hooks_.OnConnection(false, "NRI: no pipe can be made: too many open files?");
  std::string told;
  while (!waiter_->interrupted()) {
    const Status lost = Serve();
    if (waiter_->interrupted()) return;
    if (std::exchange(was_ready_, false) || told != Message(lost)) {
      told = Message(lost);
      hooks_.OnConnection(false, told);
    }
    waiter_->Wait(backoff_.Next());
  }
}

Status NriPlugin::Serve() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (options_.socket.size() >= sizeof address.sun_path) {
    return Invalid(Concat("NRI: the path ", options_.socket, " is longer than a socket's may be"));
  }
  options_.socket.copy(address.sun_path, options_.socket.size());
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.number() < 0 ||
      ::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return NoConnection(options_.socket, errno);
  }
  const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
  ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return Talk(socket.number());
}

Status NriPlugin::Talk(int socket) {
  bool sent = true;
  NriSession session(options_.name, hooks_, [&](const std::string& bytes) { sent = sent && SendAll(socket, bytes); });
  session.Begin();
  std::vector<char> buffer(size_t{16} << 10);
  while (sent) {
    pollfd ready[2] = {{.fd = socket, .events = POLLIN}, {.fd = ending_[0], .events = POLLIN}};
    if (::poll(ready, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return Internal(Concat("NRI: poll: ", ErrorText(errno)));
    }
    if (ready[1].revents != 0) return absl::OkStatus();
    const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const Status taken = session.Receive({buffer.data(), static_cast<size_t>(got)});
    was_ready_ = session.ready();
    if (was_ready_) backoff_.Reset();
    HUYGENS_RETURN_IF_ERROR(taken);
  }
  if (session.ready()) {
    return Unavailable(Concat("NRI: the runtime has closed the connection at ", options_.socket,
                              ": it restarts, or an answer took longer than it waits (2 s)"));
  }
  return Unavailable(Concat("NRI: the runtime has closed the connection at ", options_.socket,
                            " before it told its containers: see its log for the plugin ", options_.name.index, "-",
                            options_.name.name));
}

}  // namespace huygens::runtime
