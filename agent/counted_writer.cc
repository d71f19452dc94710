#include "agent/counted_writer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/backoff.h"
#include "base/read_file.h"
#include "base/text.h"
#include "kube/object_call.h"

namespace huygens::agent {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kNodeTimeout = seconds(10);
constexpr Duration kAtRest = minutes(5);
// After kubelet has come it writes its own view of the node, now or some seconds later.
constexpr Duration kAfterKubelet[] = {seconds(1), seconds(2), seconds(7), seconds(20), seconds(30)};

// Names that plug-ins have registered. Without the file there are none; one that cannot be read is kubelet's, and is
// read again with the next look.
std::set<std::string> Served(const std::string& checkpoint) {
  const StatusOr<std::string> text = ReadFile(checkpoint, "checkpoint", 16);
  if (!text.ok()) return {};
  auto names = device_plugins::ServedByPlugins(*text);
  return names.ok() ? *std::move(names) : std::set<std::string>();
}

std::string Joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += Concat(text.empty() ? "" : ", ", name);
  return text;
}

}  // namespace

StatusOr<std::unique_ptr<CountedWriter>> CountedWriter::Start(Options options, observe::Log& log) {
  HUYGENS_ASSIGN_OR_RETURN(auto client, net::Client::Create(options.api_server));
  return std::unique_ptr<CountedWriter>(new CountedWriter(std::move(options), std::move(client), log));
}

CountedWriter::CountedWriter(Options options, std::unique_ptr<net::Client> client, observe::Log& log)
    : options_(std::move(options)), client_(std::move(client)), log_(log) {
  thread_ = std::thread([this] { Run(); });
}

CountedWriter::~CountedWriter() {
  waiter_.Interrupt();
  client_->Cancel();
  thread_.join();
}

void CountedWriter::KubeletCame() {
  kubelet_came_ = true;
  waiter_.Wake();
}

CountedWriter::State CountedWriter::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void CountedWriter::Run() {
  pthread_setname_np(pthread_self(), "counted");
  Backoff backoff(seconds(1), minutes(1), SystemRandom());
  size_t looks = 0;  // since kubelet came
  while (!waiter_.interrupted()) {
    if (kubelet_came_.exchange(false)) looks = 0;
    const Status status = Look();
    if (waiter_.interrupted()) return;
    const std::string fault(Message(status));
    {
      const std::lock_guard lock(mutex_);
      if (!status.ok()) ++state_.failed;
      if (!status.ok() && fault != state_.fault) log_.Warn("counted resources not written", {{"why", fault}});
      state_.fault = fault;
    }
    if (!status.ok()) {
      // Who has nothing to write needs no right to do it.
      if (options_.wanted.empty() && absl::IsPermissionDenied(status)) return;
      waiter_.Wait(backoff.Next());
      continue;
    }
    if (options_.wanted.empty()) return;
    backoff.Reset();
    waiter_.Wait(looks < std::size(kAfterKubelet) ? kAfterKubelet[looks] : kAtRest);
    ++looks;
  }
}

Status CountedWriter::Look() {
  const std::string path = Concat("/api/v1/nodes/", options_.node_name);
  HUYGENS_ASSIGN_OR_RETURN(
      const device_plugins::NodeCapacity node,
      kube::CallForObject(device_plugins::DecodeNodeCapacity, *client_, "GET", path, "", kNodeTimeout));
  std::set<std::string> served = Served(options_.checkpoint);
  std::erase_if(served, [this](const std::string& name) {
    return std::ranges::find(options_.wanted, name, &device_plugins::CountedResource::name) == options_.wanted.end();
  });
  const std::string patch = device_plugins::CountedPatch(node, options_.wanted, served);
  {
    const std::lock_guard lock(mutex_);
    if (served != state_.served && !served.empty()) {
      log_.Warn("counted resources that a device plug-in serves are left alone", {{"resources", Joined(served)}});
    }
    state_.served = std::move(served);
  }
  if (patch.empty()) return absl::OkStatus();
  HUYGENS_RETURN_IF_ERROR(
      kube::CallForObject(*client_, "PATCH", Concat(path, "/status"), patch, kNodeTimeout, kube::PatchHeaders("json"))
          .status());
  log_.Info("counted resources written", {{"patch", patch}});
  const std::lock_guard lock(mutex_);
  ++state_.written;
  return absl::OkStatus();
}

}  // namespace huygens::agent
