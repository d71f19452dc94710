// The runtime's end of an NRI connection, for tests: asks a plugin, and reads what it answers. The bytes go wherever the
// test wants them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/nri.pb.h"
#include "runtime/nri_wire.h"

namespace huygens::runtime {

namespace nri_api = ::nri::pkg::api::v1alpha1;

class NriRuntimeEnd {
 public:
  std::string registered_as;  // once the plugin has registered
  std::deque<nri_api::TtrpcResponse> answers;
  std::vector<std::string> faults;

  // The plugin's bytes; returns what the runtime says to them by itself.
  std::string Receive(std::string_view bytes);

  std::string Ask(std::string_view method, const google::protobuf::MessageLite& question);
  std::string AskBytes(std::string_view method, std::string payload);

  // The next answer, of its type; nullopt and a fault if there is none, or an error.
  template <typename Answer>
  std::optional<Answer> Next() {
    if (answers.empty()) {
      faults.emplace_back("no answer");
      return std::nullopt;
    }
    const nri_api::TtrpcResponse response = std::move(answers.front());
    answers.pop_front();
    Answer answer;
    if (response.status().code() != 0 || !answer.ParseFromString(response.payload())) {
      faults.push_back(response.status().message());
      return std::nullopt;
    }
    return answer;
  }

 private:
  Status Take(NriConnection connection, const TtrpcMessage& message, std::string& out);

  NriReader::Take taken_;
  NriReader reader_{
      [this](NriConnection connection, TtrpcMessage message) { return taken_(connection, std::move(message)); }};
  uint32_t stream_ = 0xffffffff;  // the first is 1
};

// A pod with its one container, named after it.
template <typename Question>
Question About(std::string_view name) {
  Question question;
  question.mutable_pod()->set_id(Concat("sandbox-", name));
  question.mutable_pod()->set_name(std::string(name));
  (*question.mutable_pod()->mutable_annotations())["result"] = "node0";
  question.mutable_container()->set_id(Concat("container-", name));
  question.mutable_container()->set_pod_sandbox_id(Concat("sandbox-", name));
  question.mutable_container()->set_name("main");
  question.mutable_container()->mutable_linux()->mutable_resources()->mutable_cpu()->set_cpus("0-7");
  return question;
}

}  // namespace huygens::runtime
