#include "wire/usage_history.h"

#include <algorithm>
#include <map>

#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::wire {
namespace {

constexpr int kMinutesPerDay = 24 * 60;
constexpr std::string_view kDays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

Status ReadUse(JsonReader& in, Quantity& out) {
  HUYGENS_RETURN_IF_ERROR(ReadQuantity(in, out));
  return out.Sign() < 0 ? Invalid("must not be negative") : absl::OkStatus();
}

int DayOf(std::string_view name) {
  const auto* found = std::ranges::find(kDays, name);
  return found == std::end(kDays) ? -1 : static_cast<int>(found - kDays);
}

// "09:30", "Mon 09:30" or "Mon-Fri 09:30".
struct StepTime {
  int first_day = 0;
  int last_day = 6;
  int minute = 0;  // of the day
};
std::optional<StepTime> ParseStepTime(std::string_view text) {
  StepTime time;
  if (const size_t space = text.find(' '); space != text.npos) {
    const std::string_view days = text.substr(0, space);
    const size_t dash = std::min(days.find('-'), days.size());
    time.first_day = DayOf(days.substr(0, dash));
    time.last_day = dash == days.size() ? time.first_day : DayOf(days.substr(dash + 1));
    if (time.first_day < 0 || time.last_day < time.first_day) return std::nullopt;
    text.remove_prefix(space + 1);
  }
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const char digit : {text[0], text[1], text[3], text[4]}) {
    if (digit < '0' || digit > '9') return std::nullopt;
  }
  const int hour = (text[0] - '0') * 10 + (text[1] - '0');
  const int minute = (text[3] - '0') * 10 + (text[4] - '0');
  if (hour > 23 || minute > 59) return std::nullopt;
  time.minute = hour * 60 + minute;
  return time;
}

Status ReadWeekly(JsonReader& in, UsageSeries& out) {
  std::map<int, Quantity> steps;
  HUYGENS_RETURN_IF_ERROR(in.Elements([&](size_t) -> Status {
    std::string from;
    std::optional<Quantity> use;
    HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("from")) return in.Read(from);
      if (key.Is("use")) return ReadUse(in, use.emplace());
      return Invalid("no such field; a step has from and use");
    }));
    const auto time = ParseStepTime(from);
    if (!time) {
      return Invalid(
          Concat(R"(from must be a time in UTC like "09:00", "Mon 09:00" or "Mon-Fri 09:00", not ")", from, "\""));
    }
    if (!use) return Invalid("use is missing");
    for (int day = time->first_day; day <= time->last_day; ++day) steps[day * kMinutesPerDay + time->minute] = *use;
    return absl::OkStatus();
  }));
  out.weekly.assign(steps.begin(), steps.end());
  return absl::OkStatus();
}

// NAMESPACE/KIND/NAME
bool IsWorkload(std::string_view text) {
  const size_t kind = text.find('/') + 1, name = text.rfind('/') + 1;
  return kind > 1 && name > kind + 1 && name < text.size() && text.find('/', kind) + 1 == name;
}

Status ReadSeries(JsonReader& in, UsageSeries& out) {
  std::string start;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("workload")) return in.Read(out.workload);
    if (key.Is("node")) return in.Read(out.node);
    if (key.Is("resource")) return in.Read(out.resource);
    if (key.Is("weekly")) return ReadWeekly(in, out);
    if (key.Is("start")) return in.Read(start);
    if (key.Is("values")) {
      return ReadList(in, out.values, [&](std::optional<Quantity>& value) {
        return in.SkipNull() ? absl::OkStatus() : ReadUse(in, value.emplace());
      });
    }
    return Invalid("no such field; a series has workload or node, resource, and weekly or start and values");
  }));
  if (out.workload.empty() == out.node.empty()) return Invalid("must have one of workload and node");
  if (!out.workload.empty() && !IsWorkload(out.workload)) {
    return Invalid(Concat("workload must be NAMESPACE/KIND/NAME such as default/Deployment/web, not ", out.workload));
  }
  if (out.resource.empty()) return Invalid("resource is missing");
  if (out.weekly.empty() == out.values.empty()) return Invalid("must have one of weekly and values");
  if (out.values.empty() != start.empty()) return Invalid("start and values go together");
  if (start.empty()) return absl::OkStatus();
  auto time = ParseRfc3339(start);
  if (!time.ok()) return Annotate(time.status(), "start");
  if (*time < Time()) return Invalid("start is before 1970");
  out.start = *time;
  return absl::OkStatus();
}

}  // namespace

StatusOr<UsageHistory> DecodeUsageHistory(std::string_view json) {
  return DecodeObject<UsageHistory>(json, [](JsonReader& in, UsageHistory& out) {
    return in.Members([&](const JsonKey& part) {
      if (part.Is("metadata")) return in.Fields("name", out.name);
      if (!part.Is("spec")) return absl::OkStatus();
      return in.Members([&](const JsonKey& key) {
        if (!key.Is("series")) return Invalid("no such field; a spec has series");
        return ReadList(in, out.series, [&](UsageSeries& series) { return ReadSeries(in, series); });
      });
    });
  });
}

}  // namespace huygens::wire
