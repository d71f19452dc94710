#include "wire/event_object.h"

#include "base/json_text.h"
#include "wire/text_cut.h"

namespace huygens::wire {
namespace {

constexpr size_t kMaxMessage = 1024;

void AppendField(std::string& out, std::string_view before, std::string_view value) {
  out += before;
  AppendJsonString(out, value);
}

}  // namespace

void AppendPodEvent(std::string& out, const PodEvent& event) {
  AppendField(out, R"({"apiVersion":"v1","kind":"Event","metadata":{"name":)", event.name);
  AppendField(out, R"(,"namespace":)", event.pod_namespace);
  AppendField(out, R"(},"involvedObject":{"apiVersion":"v1","kind":"Pod","name":)", event.pod_name);
  AppendField(out, R"(,"namespace":)", event.pod_namespace);
  AppendField(out, R"(,"uid":)", event.pod_uid);
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
