#include "wire/biz_group_schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <regex>

#include "base/text.h"
#include "base/time.h"
#include "json/reader.h"

namespace huygens::wire {
namespace {

constexpr size_t kMostKeys = 128;
constexpr size_t kKeyBytes = 320;
constexpr size_t kAmountBytes = 40;
constexpr size_t kNameBytes = 63;
constexpr size_t kQuotedBytes = 60;

bool Matches(std::string_view text, const std::regex& pattern) {
  return std::regex_match(text.begin(), text.end(), pattern);
}

bool IsKey(std::string_view key) {
  static const std::regex pattern{std::string(kBudgetKeyPattern)};
  return key.size() <= kKeyBytes && Matches(key, pattern);
}

// An integer of 64 bits from 0 on. 4.0 and 1e3 are integers, too: kubectl sends them as such. By hand, since std::regex
// recurses with each character.
bool IsWhole(std::string_view number) {
  if (number.size() > kAmountBytes) return false;
  const char* const begin = number.begin();
  const char* const end = number.end();
  int64_t integer = 0;
  if (auto [last, error] = std::from_chars(begin, end, integer); error == std::errc() && last == end)
    return integer >= 0;
  double value = 0;
  auto [last, error] = std::from_chars(begin, end, value);
  return error == std::errc() && last == end && value >= 0 && value < 0x1p63 && std::trunc(value) == value;
}

bool IsAmount(JsonReader& in) {
  static const std::regex pattern{std::string(kBudgetPattern)};
  if (in.Next() == JsonType::kNumber) return IsWhole(in.Skip());
  std::string text;
  return in.Next() == JsonType::kString && in.Read(text).ok() && text.size() <= kAmountBytes && Matches(text, pattern);
}

class Checker {
 public:
  std::vector<std::string> Check(std::string_view json) {
    auto in = JsonReader::Open(json);
    if (!in.ok()) return {std::string(Message(in.status()))};
    if (const Status type = Object(*in); !type.ok()) {  // what comes behind it is not looked at
      faults_.emplace_back(Message(WithPlace(type)));
    } else if (!spec_) {
      Fault("spec", "missing");
    }
    if (parent_.size() > kNameBytes) Fault("spec.parentBizGroup", "longer than 63 characters");
    if (!parent_.empty() && parent_ == name_) Fault("spec.parentBizGroup", "a group cannot be its own parent");
    return std::move(faults_);
  }

 private:
  void Fault(std::string_view field, std::string_view what) { faults_.push_back(Concat(field, ": ", what)); }

  // Calls `visit(key)` for each field, which must be one of `known`: upper and lower case differ, as in the API server.
  template <typename Visit>
  Status Fields(JsonReader& in, std::string_view path, std::initializer_list<std::string_view> known, Visit&& visit) {
    return in.Members([&](const JsonKey& key) {
      if (std::find(known.begin(), known.end(), key.text) != known.end()) return visit(key.text);
      std::string text = "no such field; there are ";
      for (const std::string_view each : known) text += Concat(each == *known.begin() ? "" : ", ", each);
      Fault(Concat(path, key.text), text);
      return absl::OkStatus();
    });
  }

  Status Object(JsonReader& in) {
    return Fields(in, "", {"apiVersion", "kind", "metadata", "spec", "status"}, [&](std::string_view key) {
      if (key == "metadata") return Metadata(in);
      if (key == "status") return StatusFields(in);
      if (key != "spec" || in.Next() == JsonType::kNull) return absl::OkStatus();
      spec_ = true;
      return Spec(in);
    });
  }

  Status Metadata(JsonReader& in) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.text != "name") return absl::OkStatus();
      HUYGENS_RETURN_IF_ERROR(in.Read(name_));
      static const std::regex pattern{std::string(kGroupNamePattern)};
      if (name_.size() > kNameBytes || !Matches(name_, pattern)) {
        Fault("metadata.name", "must be a DNS label of at most 63 characters, since a label of pods holds it");
      }
      return absl::OkStatus();
    });
  }

  Status Spec(JsonReader& in) {
    return Fields(in, "spec.", {"parentBizGroup", "hard", "cashPolicy"}, [&](std::string_view key) {
      if (key == "cashPolicy") return CashPolicy(in);
      return key == "hard" ? Amounts(in, "spec.hard") : in.Read(parent_);
    });
  }

  Status CashPolicy(JsonReader& in) {
    if (in.Next() == JsonType::kNull) return absl::OkStatus();
    bool has_period = false;
    HUYGENS_RETURN_IF_ERROR(Fields(
        in, "spec.cashPolicy.", {"period", "carryOver", "anchor", "timeZone"}, [&](std::string_view key) -> Status {
          if (key == "anchor") return TimeField(in, "spec.cashPolicy.anchor");
          if (key == "carryOver") return CarryOver(in);
          std::string text;
          HUYGENS_RETURN_IF_ERROR(in.Read(text));
          if (key == "timeZone") TimeZone(text);
          if (key != "period") return absl::OkStatus();
          has_period = true;
          if (!PeriodOf(text)) {
            Fault("spec.cashPolicy.period", Concat("expected Day, Week or Month; found ", CutText(text, kQuotedBytes)));
          }
          return absl::OkStatus();
        }));
    if (!has_period) Fault("spec.cashPolicy.period", "missing");
    return absl::OkStatus();
  }

  Status CarryOver(JsonReader& in) {
    int64_t periods = 0;
    HUYGENS_RETURN_IF_ERROR(in.Read(periods));
    if (periods < 0 || periods > kMostCarriedPeriods) Fault("spec.cashPolicy.carryOver", "expected 0 to 100");
    return absl::OkStatus();
  }

  void TimeZone(const std::string& name) {
    static const std::regex pattern{std::string(kTimeZonePattern)};
    if (name.size() > kNameBytes || !Matches(name, pattern)) {
      Fault("spec.cashPolicy.timeZone",
            Concat("expected the name of a time zone such as Europe/Berlin; found ", CutText(name, kQuotedBytes)));
    }
  }

  Status StatusFields(JsonReader& in) {
    return Fields(in, "status.",
                  {"hard", "used", "selfUsed", "lastReconcileTime", "reservations", "exactHours", "inherited",
                   "hoursSince", "carriedHours"},
                  [&](std::string_view key) {
                    if (key == "reservations" || key == "exactHours" || key == "inherited")
                      return absl::OkStatus();  // nobody writes them by hand
                    const std::string path = Concat("status.", key);
                    return key == "lastReconcileTime" || key == "hoursSince" ? TimeField(in, path) : Amounts(in, path);
                  });
  }

  Status TimeField(JsonReader& in, std::string_view path) {
    if (in.Next() == JsonType::kNull) return absl::OkStatus();
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    if (!ParseRfc3339(text).ok()) {
      Fault(path, Concat("expected a time such as 2006-01-02T15:04:05Z; found ", CutText(text, kQuotedBytes)));
    }
    return absl::OkStatus();
  }

  Status Amounts(JsonReader& in, const std::string& path) {
    const bool budget = path == "spec.hard";
    size_t count = 0;
    HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
      ++count;
      const std::string field = Concat(path, ".", CutText(key.text, kQuotedBytes));
      if (budget && !IsKey(key.text)) {
        Fault(field,
              "unknown key; known are cpu, memory and ephemeral-storage (with requests. or limits. before, .MODEL "
              "behind cpu and memory), hugepages-SIZE, DOMAIN/NAME of extended resources, "
              "CLASS.deviceclass.resource.k8s.io/devices, pods, count/pods, and each with cash/ before");
      }
      JsonReader ahead = in;
      const std::string_view found = in.Skip();
      if (!IsAmount(ahead)) {
        Fault(field, Concat("expected an amount from 0 on, such as 4, 500m, 64Gi or, in quotes, \"1.5\"; found ",
                            CutText(found, kQuotedBytes)));
      }
      return absl::OkStatus();
    }));
    if (budget && count > kMostKeys) Fault(path, Concat(std::to_string(count), " keys; at most 128"));
    return absl::OkStatus();
  }

  std::vector<std::string> faults_;
  std::string name_;
  std::string parent_;
  bool spec_ = false;
};

}  // namespace

std::optional<cluster::CashPolicy::Period> PeriodOf(std::string_view text) {
  using Period = cluster::CashPolicy::Period;
  if (text == "Day") return Period::kDay;
  if (text == "Week") return Period::kWeek;
  if (text == "Month") return Period::kMonth;
  return std::nullopt;
}

std::vector<std::string> BizGroupQuotaFaults(std::string_view json) { return Checker().Check(json); }

}  // namespace huygens::wire
