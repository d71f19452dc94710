#include "wire/event_object.h"

#include "base/text.h"
#include "json/append.h"

namespace huygens::wire {
namespace {

constexpr size_t kMaxMessage = 1024;

void AppendField(std::string& out, std::string_view before, std::string_view value) {
  out += before;
  AppendJsonString(out, value);
}

}  // namespace

void AppendObjectEvent(std::string& out, const ObjectEvent& event) {
  AppendField(out, R"({"apiVersion":"v1","kind":"Event","metadata":{"name":)", event.name);
  const bool node = event.object_namespace.empty();
  AppendField(out, R"(,"namespace":)", node ? kNamespaceOfNodes : event.object_namespace);
  AppendField(out, R"(},"involvedObject":{"apiVersion":"v1","kind":)", node ? "Node" : "Pod");
  AppendField(out, R"(,"name":)", event.object_name);
  if (!node) AppendField(out, R"(,"namespace":)", event.object_namespace);
  AppendField(out, R"(,"uid":)", event.object_uid);
  AppendField(out, R"(},"reason":)", event.reason);
  AppendField(out, R"(,"message":)", CutText(event.message, kMaxMessage));
  AppendField(out, R"(,"type":)", event.warning ? "Warning" : "Normal");
  AppendField(out, R"(,"source":{"component":)", event.reporter);
  AppendField(out, R"(},"reportingComponent":)", event.reporter);
  AppendField(out, R"(,"reportingInstance":)", event.instance);
  std::string at = FormatRfc3339(event.at);
  AppendField(out, R"(,"firstTimestamp":)", at);
  AppendField(out, R"(,"lastTimestamp":)", at);
  out += R"(,"count":)";
  AppendJsonInt(out, event.count);
  out += '}';
}

}  // namespace huygens::wire
