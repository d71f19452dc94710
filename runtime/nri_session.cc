#include "runtime/nri_session.h"

#include <map>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "runtime/nri_values.h"

namespace huygens::runtime {

namespace nri = ::nri::pkg::api::v1alpha1;

namespace {

constexpr uint32_t kRegistration = 1;  // the stream of our only request
constexpr int kUnknown = 2, kInvalidArgument = 3, kUnimplemented = 12;

constexpr int32_t Bit(nri::Event event) { return int32_t{1} << (event - 1); }
constexpr int32_t kEvents =
    Bit(nri::RUN_POD_SANDBOX) | Bit(nri::CREATE_CONTAINER) | Bit(nri::UPDATE_CONTAINER) | Bit(nri::STOP_CONTAINER);

void Add(const std::vector<OtherUpdate>& updates, google::protobuf::RepeatedPtrField<nri::ContainerUpdate>& out) {
  for (const OtherUpdate& update : updates) {
    if (update.id.empty() || update.to == Cpuset{}) continue;
    nri::ContainerUpdate& added = *out.Add();
    added.set_container_id(update.id);
    SetCpuset(update.to, *added.mutable_linux()->mutable_resources());
    // One that has just ended must not make the creation of another fail.
    added.set_ignore_failure(true);
  }
}

template <typename Request>
Container ContainerIn(const Request& request) {
  return ContainerOf(request.container(), std::make_shared<const Pod>(PodOf(request.pod())));
}

}  // namespace

NriSession::NriSession(NriName name, CreationHooks& hooks, std::function<void(std::string)> send)
    : name_(std::move(name)),
      hooks_(hooks),
      send_(std::move(send)),
      reader_([this](NriConnection connection, const TtrpcMessage& message) { return Take(connection, message); }) {}

void NriSession::Begin() {
  nri::RegisterPluginRequest registration;
  registration.set_plugin_name(name_.name);
  registration.set_plugin_idx(name_.index);
  nri::TtrpcRequest request;
  request.set_service("nri.pkg.api.v1alpha1.Runtime");
  request.set_method("RegisterPlugin");
  request.set_payload(registration.SerializeAsString());
  send_(NriFrames(NriConnection::kRuntime,
                  {.stream = kRegistration, .type = TtrpcMessage::kRequest, .content = request.SerializeAsString()}));
}

Status NriSession::Receive(std::string_view bytes) {
  HUYGENS_RETURN_IF_ERROR(reader_.Feed(bytes));
  return ended_;
}

Status NriSession::Take(NriConnection connection, const TtrpcMessage& message) {
  if (connection == NriConnection::kRuntime) return TakeAnswer(message);
  if (message.type == TtrpcMessage::kRequest)
    TakeQuestion(message);  // other types are of streams, which NRI has none of
  return absl::OkStatus();
}

Status NriSession::TakeAnswer(const TtrpcMessage& message) {
  if (message.type != TtrpcMessage::kResponse || message.stream != kRegistration) return absl::OkStatus();
  nri::TtrpcResponse response;
  if (!response.ParseFromString(message.content)) return Invalid("NRI: the answer to our registration cannot be read");
  if (response.status().code() == 0) return absl::OkStatus();
  return Refused(Concat("NRI: the runtime does not take us as plugin ", name_.index, "-", name_.name, ": ",
                        CutText(response.status().message(), 500)));
}

void NriSession::TakeQuestion(const TtrpcMessage& message) {
  nri::TtrpcRequest request;
  if (!request.ParseFromString(message.content))
    return Refuse(message.stream, kInvalidArgument, "the request cannot be read");
  // Reads what is asked and passes it to the method for it.
  const auto ask = [&]<typename Question>(void (NriSession::*answer)(uint32_t, const Question&)) {
    Question question;
    if (!question.ParseFromString(request.payload())) {
      return Refuse(message.stream, kInvalidArgument, Concat(request.method(), ": the request cannot be read"));
    }
    (this->*answer)(message.stream, question);
  };
  const std::string& method = request.method();
  if (request.service() != "nri.pkg.api.v1alpha1.Plugin") {
    Refuse(message.stream, kUnimplemented, Concat("no service ", CutText(request.service(), 100)));
  } else if (method == "CreateContainer") {
    ask(&NriSession::Create);
  } else if (method == "UpdateContainer") {
    ask(&NriSession::Update);
  } else if (method == "StopContainer") {
    ask(&NriSession::Stop);
  } else if (method == "StateChange") {
    ask(&NriSession::Change);
  } else if (method == "Configure") {
    ask(&NriSession::Configure);
  } else if (method == "Synchronize") {
    ask(&NriSession::Synchronize);
  } else if (method == "RunPodSandbox") {
    nri::RunPodSandboxRequest question;
    Answer(message.stream, nri::Empty());
    if (question.ParseFromString(request.payload())) hooks_.OnPod(PodOf(question.pod()));
  } else if (method == "Shutdown") {
    Answer(message.stream, nri::Empty());
    ended_ = Unavailable("NRI: the runtime is shutting down");
  } else {
    Refuse(message.stream, kUnimplemented, Concat("no method ", CutText(method, 100)));
  }
}

void NriSession::Answer(uint32_t stream, const google::protobuf::MessageLite& payload) {
  nri::TtrpcResponse response;
  response.set_payload(payload.SerializeAsString());
  send_(NriFrames(NriConnection::kPlugin,
                  {.stream = stream, .type = TtrpcMessage::kResponse, .content = response.SerializeAsString()}));
}

void NriSession::Refuse(uint32_t stream, int code, std::string_view text) {
  nri::TtrpcResponse response;
  response.mutable_status()->set_code(code);
  response.mutable_status()->set_message(std::string(text));
  send_(NriFrames(NriConnection::kPlugin,
                  {.stream = stream, .type = TtrpcMessage::kResponse, .content = response.SerializeAsString()}));
}

void NriSession::Configure(uint32_t stream, const nri::ConfigureRequest& request) {
  runtime_ = Concat(CutText(request.runtime_name(), 100), " ", CutText(request.runtime_version(), 100));
  nri::ConfigureResponse answer;
  answer.set_events(kEvents);
  Answer(stream, answer);
}

void NriSession::Synchronize(uint32_t stream, const nri::SynchronizeRequest& request) {
  told_.MergeFrom(request);
  nri::SynchronizeResponse answer;
  answer.set_more(request.more());
  Answer(stream, answer);  // first: a large node has little time for it
  if (request.more()) return;

  absl::flat_hash_map<std::string, std::shared_ptr<const Pod>> pods;
  for (const nri::PodSandbox& pod : told_.pods()) pods[pod.id()] = std::make_shared<const Pod>(PodOf(pod));
  std::vector<Container> containers;
  for (const nri::Container& container : told_.containers()) {
    std::shared_ptr<const Pod>& pod = pods[container.pod_sandbox_id()];
    if (pod == nullptr)
      pod = std::make_shared<const Pod>(Pod{.sandbox_id = container.pod_sandbox_id(), .ready = false});
    containers.push_back(ContainerOf(container, pod));
  }
  told_ = {};
  ready_ = true;
  hooks_.OnConnection(true, Concat("NRI of ", runtime_));
  hooks_.OnSynchronize(std::move(containers));
}

void NriSession::Create(uint32_t stream, const nri::CreateContainerRequest& request) {
  const StatusOr<CreationAnswer> decided = hooks_.OnCreate(ContainerIn(request));
  if (!decided.ok()) return Refuse(stream, kUnknown, Message(decided.status()));
  nri::CreateContainerResponse answer;
  if (decided->own != Cpuset{}) SetCpuset(decided->own, *answer.mutable_adjust()->mutable_linux()->mutable_resources());
  Add(decided->others, *answer.mutable_update());
  Answer(stream, answer);
}

void NriSession::Update(uint32_t stream, const nri::UpdateContainerRequest& request) {
  const Cpuset instead = hooks_.OnUpdate(ContainerIn(request), ResourcesOf(request.linux_resources()));
  nri::UpdateContainerResponse answer;
  if (instead != Cpuset{}) {
    nri::ContainerUpdate& update = *answer.add_update();
    update.set_container_id(request.container().id());
    SetCpuset(instead, *update.mutable_linux()->mutable_resources());
  }
  Answer(stream, answer);
}

void NriSession::Stop(uint32_t stream, const nri::StopContainerRequest& request) {
  nri::StopContainerResponse answer;
  Add(hooks_.OnStop(ContainerIn(request)), *answer.mutable_update());
  Answer(stream, answer);
}

void NriSession::Change(uint32_t stream, const nri::StateChangeEvent& event) {
  Answer(stream, nri::Empty());
  if (event.event() == nri::RUN_POD_SANDBOX) hooks_.OnPod(PodOf(event.pod()));
}

}  // namespace huygens::runtime
