// A core/v1 Event about a pod or a node, as `kubectl describe` shows it. Safe on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace huygens::wire {

inline constexpr std::string_view kNamespaceOfNodes = "default";  // of Events about objects without a namespace

struct ObjectEvent {
  std::string_view name;  // of the Event itself, unique in the namespace
  std::string_view object_name;
  std::string_view object_namespace;  // of a Pod: the Event lives in it, too; empty: a Node, the Event is in "default"
  std::string_view object_uid;
  std::string_view reason;    // UpperCamelCase word: "BindFailed"
  std::string_view message;   // the API server takes at most 1024 bytes; cut here at a character border
  bool warning = true;        // type Warning, else Normal
  std::string_view reporter;  // who says so: "huygens"
  std::string_view instance;  // which instance of it
  Time at;
  int32_t count = 1;
};
void AppendObjectEvent(std::string& out, const ObjectEvent& event);

}  // namespace huygens::wire
