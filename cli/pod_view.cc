#include "cli/pod_view.h"

#include "wire/json_reader.h"

namespace huygens::cli {

namespace {

using wire::JsonKey;
using wire::JsonReader;

Status ReadNode(JsonReader& in, PodView& pod) {
  std::string name;
  PodView::Refusal refusal;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
    if (key.text == "name") return in.Read(name);
    if (key.text == "reason") return in.Read(refusal.reason);
    return key.text == "why" ? in.Read(refusal.why) : absl::OkStatus();
  }));
  pod.refusals[std::move(name)] = std::move(refusal);
  return absl::OkStatus();
}

}  // namespace

StatusOr<PodView> DecodePodView(std::string_view json) {
  return wire::DecodeObject<PodView>(json, [](JsonReader& in, PodView& pod) {
    return in.Members([&](const JsonKey& key) {
      if (key.text == "pod") return in.Read(pod.pod);
      if (key.text == "uid") return in.Read(pod.uid);
      if (key.text == "node") return in.Read(pod.node);
      if (key.text == "reservation") return in.Read(pod.reservation);
      if (key.text == "since") return in.Read(pod.since);
      if (key.text == "noZones") return in.Read(pod.no_zones);
      if (key.text == "gang") return in.Read(pod.gang);
      if (key.text == "gangHolds") return in.Read(pod.gang_holds);
      if (key.text == "notUnderstood") {
        return wire::ReadList(in, pod.not_understood, [&](std::string& text) { return in.Read(text); });
      }
      return key.text == "nodes" ? in.Elements([&](size_t) { return ReadNode(in, pod); }) : absl::OkStatus();
    });
  });
}

}  // namespace huygens::cli
