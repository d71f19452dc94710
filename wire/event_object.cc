#include "wire/event_object.h"

#include "base/text.h"
#include "json/append.h"

namespace huygens::wire {
namespace {

constexpr size_t kMaxMessage = 1024;

}  // namespace

void AppendObjectEvent(std::string& out, const ObjectEvent& event) {
  out += R"({"apiVersion":"v1","kind":"Event","metadata":{)";
  AppendJsonField(out, "name", event.name);
  const EventSubject& subject = event.subject;
  AppendJsonField(out, "namespace", subject.home());
  out += R"(},"involvedObject":{)";
  AppendJsonField(out, "apiVersion", subject.api_version);
  AppendJsonField(out, "kind", subject.kind);
  AppendJsonField(out, "name", subject.name);
  if (!subject.namespace_name.empty()) AppendJsonField(out, "namespace", subject.namespace_name);
  AppendJsonField(out, "uid", subject.uid);
  out += '}';
  AppendJsonField(out, "reason", event.reason);
  AppendJsonField(out, "message", CutText(event.message, kMaxMessage));
  AppendJsonField(out, "type", event.warning ? "Warning" : "Normal");
  out += R"(,"source":{)";
  AppendJsonField(out, "component", event.reporter);
  out += '}';
  AppendJsonField(out, "reportingComponent", event.reporter);
  AppendJsonField(out, "reportingInstance", event.instance);
  const std::string at = FormatRfc3339(event.at);
  AppendJsonField(out, "firstTimestamp", at);
  AppendJsonField(out, "lastTimestamp", at);
  AppendJsonKey(out, "count");
  AppendJsonInt(out, event.count);
  out += '}';
}

}  // namespace huygens::wire
