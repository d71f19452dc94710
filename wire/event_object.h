// A core/v1 Event about an object, as `kubectl describe` shows it. Safe on any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace huygens::wire {

// What an Event is about. The Event lives in the object's namespace, or where it has none in "default", as the API server
// demands.
struct EventSubject {
  std::string_view api_version, kind;  // "v1", "Pod"
  std::string_view namespace_name, name, uid;

  std::string_view home() const { return namespace_name.empty() ? "default" : namespace_name; }
};

struct ObjectEvent {
  std::string_view name;  // of the Event itself, unique in the namespace
  EventSubject subject;
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
