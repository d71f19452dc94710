// A core/v1 Event about a pod, as `kubectl describe pod` shows it. Safe on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace huygens::wire {

struct PodEvent {
  std::string_view name;  // of the Event itself, unique in the namespace
  std::string_view pod_name;
  std::string_view pod_namespace;  // the Event lives in it, too
  std::string_view pod_uid;
  std::string_view reason;    // UpperCamelCase word: "BindFailed"
  std::string_view message;   // the API server takes at most 1024 bytes; cut here at a character border
  bool warning = true;        // type Warning, else Normal
  std::string_view reporter;  // who says so: "huygens"
  std::string_view instance;  // which instance of it
  Time at;
  int32_t count = 1;
};
void AppendPodEvent(std::string& out, const PodEvent& event);

}  // namespace huygens::wire
