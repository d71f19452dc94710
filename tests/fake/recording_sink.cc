#include "tests/fake/recording_sink.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"

namespace huygens::fake {
namespace {

struct Word {
  std::string operator()(const cluster::ListBegin&) const { return "list"; }
  std::string operator()(const cluster::ListEnd&) const { return "end"; }
  std::string operator()(const cluster::NodeSet& event) const { return "+" + event.node.name; }
  std::string operator()(const cluster::NodeGone& event) const { return "-" + event.name; }
  std::string operator()(const cluster::PodSet& event) const { return "+" + event.pod->name; }
  std::string operator()(const cluster::PodKept& event) const { return "=" + event.uid; }
  std::string operator()(const cluster::PodGone& event) const { return "-" + event.uid; }
  std::string operator()(const cluster::TopologySet& event) const { return "+" + event.topology.node_name; }
  std::string operator()(const cluster::TopologyGone& event) const { return "-" + event.node_name; }
  std::string operator()(const cluster::BizGroupQuotaSet& event) const { return "+" + event.group.name; }
  std::string operator()(const cluster::ResourceClaimSet& event) const { return "+" + event.claim->Key(); }
  std::string operator()(const cluster::ResourceClaimGone& event) const { return "-" + event.key; }
  std::string operator()(const cluster::DeviceClassSet& event) const { return "+" + event.device_class.name; }
  std::string operator()(const cluster::DeviceClassGone& event) const { return "-" + event.name; }
  std::string operator()(const cluster::WorkloadSet&) const { return "+workload"; }
  std::string operator()(const cluster::WorkloadKept& event) const { return Concat("=", event.uid); }
  std::string operator()(const cluster::WorkloadGone& event) const { return Concat("-", event.uid); }
  std::string operator()(const cluster::BizGroupQuotaGone& event) const { return "-" + event.name; }
};

}  // namespace

void RecordingSink::Deliver(kube::WatchEventBatch batch) {
  const std::lock_guard lock(mutex_);
  largest_batch = std::max(largest_batch, batch.events.size());
  for (const cluster::WatchEvent& event : batch.events) {
    words.push_back(std::visit(Word(), event));
    state.Apply(event);
  }
  if (batch.resource_version != 0) {
    words.push_back("@" + std::to_string(batch.resource_version));
    reached = batch.resource_version;
  }
  changed_.notify_all();
}

void RecordingSink::Report(kube::WatchReport report) {
  const std::lock_guard lock(mutex_);
  states.push_back(report.why.empty() ? std::string(Name(report.state)) : Concat(Name(report.state), ": ", report.why));
  changed_.notify_all();
}

void RecordingSink::ObjectFault(cluster::Kind, std::string_view object, const Status& fault, bool in_use) {
  const std::lock_guard lock(mutex_);
  if (fault.ok()) {
    mended.emplace_back(object);
  } else {
    faults.push_back(Concat(object, in_use ? " (in use): " : ": ", Message(fault)));
  }
  changed_.notify_all();
}

bool RecordingSink::Await(const std::function<bool()>& condition) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(30), condition);
}

bool RecordingSink::AwaitState(kube::WatchState wanted) {
  return Await([&] { return !states.empty() && states.back().starts_with(Name(wanted)); });
}

bool RecordingSink::AwaitWord(const std::string& word) {
  return Await([&] { return std::find(words.begin(), words.end(), word) != words.end(); });
}

std::vector<std::string> RecordingSink::Words() {
  const std::lock_guard lock(mutex_);
  return words;
}

std::vector<std::string> RecordingSink::States() {
  const std::lock_guard lock(mutex_);
  return states;
}

std::vector<std::string> RecordingSink::Faults() {
  const std::lock_guard lock(mutex_);
  return faults;
}

uint64_t RecordingSink::Reached() {
  const std::lock_guard lock(mutex_);
  return reached;
}

}  // namespace huygens::fake
