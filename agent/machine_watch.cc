#include "agent/machine_watch.h"

#include <utility>

#include "base/text.h"
#include "machine/system_files.h"

namespace huygens::agent {
namespace {

class MachineWatch final : public Part {
 public:
  explicit MachineWatch(const PartContext& context) : context_(context) {}

  Status Start() override {
    HUYGENS_RETURN_IF_ERROR(Read());
    Wait();
    return absl::OkStatus();
  }
  void Stop() override { timer_.Cancel(); }
  void Describe(observe::Readiness& readiness) const override {
    const bool ok = fault_.empty();
    readiness.items.push_back({.ok = ok, .warning = !ok, .name = "machine", .detail = ok ? "read" : fault_});
  }

 private:
  // Some ten small files a CPU, a few milliseconds on a large machine: no thread for that.
  Status Read() {
    const std::string& root = context_.configuration.root;
    HUYGENS_ASSIGN_OR_RETURN(machine::Machine machine, machine::ReadMachine(root));
    auto kubelet = kubelet_api::ReadKubeletMachine(machine::SystemFiles(root), kubelet_api::OwnKubeletBuild());
    if (!kubelet.ok() && context_.facts.kubelet_machine() == nullptr && kubelet_fault_ != Message(kubelet.status())) {
      kubelet_fault_ = Message(kubelet.status());
      context_.log.Warn("kubelet cannot read this machine", {{"why", kubelet_fault_}});
    }
    for (const std::string& notice : machine.notices) {
      if (context_.facts.machine() == nullptr) context_.log.Warn("machine", {{"notice", notice}});
    }
    context_.facts.Set(
        std::make_shared<const machine::Machine>(std::move(machine)),
        kubelet.ok() ? std::make_shared<const kubelet_api::KubeletMachine>(*std::move(kubelet)) : nullptr);
    return absl::OkStatus();
  }

  void Wait() {
    timer_ = context_.loop.After(context_.configuration.publish.machine_interval, [this] {
      const Status read = Read();
      if (!read.ok() && fault_ != Message(read))
        context_.log.Warn("the machine cannot be read; what was known stays", {{"why", Message(read)}});
      fault_ = Message(read);
      Wait();
    });
  }

  const PartContext context_;
  net::Timer timer_;
  std::string fault_, kubelet_fault_;
};

}  // namespace

std::unique_ptr<Part> MakeMachineWatch(const PartContext& context) { return std::make_unique<MachineWatch>(context); }

}  // namespace huygens::agent
