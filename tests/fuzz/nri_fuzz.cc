// Any bytes as what a runtime sends to an NRI plugin, and any text as its description of a container: they are taken or refused, the same however they are
// cut, and what is answered can be read.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/container_info.h"
#include "runtime/nri_session.h"
#include "tests/fuzz/require.h"

namespace huygens::runtime {
namespace {

using fuzz::Require;

class Hooks final : public CreationHooks {
 public:
  std::string calls;

  void OnSynchronize(std::vector<Container> containers) override {
    calls += Concat("synchronize ", std::to_string(containers.size()), ";");
  }
  void OnPod(const Pod& pod) override { calls += Concat("pod ", pod.uid, ";"); }
  StatusOr<CreationAnswer> OnCreate(const Container& container) override {
    Require(container.pod != nullptr, "each container has a pod");
    calls += Concat("create ", container.id, ";");
    if (container.name == "refused") return Refused(container.pod->name);
    return CreationAnswer{.own = {.cpus = container.name}, .others = {{container.id, {.cpus = "1"}}}};
  }
  Cpuset OnUpdate(const Container& container, const Resources& asked) override {
    calls += Concat("update ", container.id, ";");
    return asked.cpuset;
  }
  std::vector<OtherUpdate> OnStop(const Container& container) override {
    calls += Concat("stop ", container.id, ";");
    return {{container.id, {.mems = "0"}}};
  }
  void OnConnection(bool connected, std::string_view what) override {
    Require(connected, "a session says no more than that it is there");
    calls += Concat(what, ";");
  }
};

struct Outcome {
  std::string sent, calls;
  Status status;
};

// `piece`: how many bytes come at once.
Outcome Talk(std::string_view bytes, size_t piece) {
  Outcome outcome;
  Hooks hooks;
  NriSession session(NriName(), hooks, [&](const std::string& sent) { outcome.sent += sent; });
  session.Begin();
  while (outcome.status.ok() && !bytes.empty()) {
    outcome.status = session.Receive(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  outcome.calls = std::move(hooks.calls);
  return outcome;
}

void CheckSession(std::string_view bytes) {
  const Outcome whole = Talk(bytes, bytes.size()), cut = Talk(bytes, bytes.size() / 5 + 1);
  // After a goodbye nothing more is read; in one piece what stands behind it is.
  if (!absl::IsUnavailable(cut.status)) {
    Require(whole.sent == cut.sent && whole.calls == cut.calls, "however it is cut");
    Require(whole.status == cut.status, "the same error");
  }
  Require(whole.status.ok() || !Message(whole.status).empty(), "an error has a message");
  NriReader reader([](NriConnection connection, const TtrpcMessage& message) {
    Require(message.type == (connection == NriConnection::kRuntime ? TtrpcMessage::kRequest : TtrpcMessage::kResponse),
            "answers are answers");
    return absl::OkStatus();
  });
  Require(reader.Feed(whole.sent).ok(), "what is sent can be read");
}

}  // namespace
}  // namespace huygens::runtime

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);  // it would tell of each text that is not UTF-8
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  huygens::runtime::CheckSession(text);
  (void)huygens::runtime::ParseContainerInfo(text);
  return 0;
}
