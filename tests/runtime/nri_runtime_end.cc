#include "tests/runtime/nri_runtime_end.h"

namespace huygens::runtime {

std::string NriRuntimeEnd::Receive(std::string_view bytes) {
  std::string out;
  taken_ = [&out, this](NriConnection connection, const TtrpcMessage& message) {
    return Take(connection, message, out);
  };
  if (Status status = reader_.Feed(bytes); !status.ok()) faults.emplace_back(Message(status));
  return out;
}

std::string NriRuntimeEnd::Ask(std::string_view method, const google::protobuf::MessageLite& question) {
  return AskBytes(method, question.SerializeAsString());
}

std::string NriRuntimeEnd::AskBytes(std::string_view method, std::string payload) {
  nri_api::TtrpcRequest request;
  request.set_service("nri.pkg.api.v1alpha1.Plugin");
  request.set_method(std::string(method));
  request.set_payload(std::move(payload));
  stream_ += 2;
  return NriFrames(NriConnection::kPlugin,
                   {.stream = stream_, .type = TtrpcMessage::kRequest, .content = request.SerializeAsString()});
}

Status NriRuntimeEnd::Take(NriConnection connection, const TtrpcMessage& message, std::string& out) {
  if (connection == NriConnection::kPlugin) {
    nri_api::TtrpcResponse response;
    if (message.type != TtrpcMessage::kResponse || !response.ParseFromString(message.content))
      faults.emplace_back("no response");
    if (message.stream % 2 != 1 || message.stream > stream_) faults.emplace_back("an answer to what was not asked");
    answers.push_back(std::move(response));
    return absl::OkStatus();
  }
  nri_api::TtrpcRequest request;
  nri_api::RegisterPluginRequest registration;
  if (!request.ParseFromString(message.content) || !registration.ParseFromString(request.payload()) ||
      request.service() != "nri.pkg.api.v1alpha1.Runtime" || request.method() != "RegisterPlugin") {
    faults.emplace_back("no registration");
  }
  registered_as = registration.plugin_idx() + "-" + registration.plugin_name();
  out += NriFrames(NriConnection::kRuntime, {.stream = message.stream,
                                             .type = TtrpcMessage::kResponse,
                                             .content = nri_api::TtrpcResponse().SerializeAsString()});
  nri_api::ConfigureRequest configuration;
  configuration.set_runtime_name("made-up");
  configuration.set_runtime_version("v9");
  out += Ask("Configure", configuration);
  return absl::OkStatus();
}

}  // namespace huygens::runtime
