// Objects on their way into a cluster, and what becomes of them by an implementation of RFC 6902 of its own.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rules/inject.h"

namespace huygens::rules {

inline constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"cart-0","namespace":"shop",
  "labels":{"app":"cart"}},"spec":{"schedulerName":"default-scheduler","containers":[{"name":"app","image":"i",
  "resources":{"requests":{"cpu":"2","memory":"1Gi"},"limits":{"cpu":"2","memory":"1Gi"}}}]}})";

inline std::string Unescaped(std::string part) {
  for (const auto& [escaped, plain] : {std::pair("~1", "/"), std::pair("~0", "~")}) {
    for (size_t at = 0; (at = part.find(escaped, at)) != std::string::npos; ++at) part.replace(at, 2, plain);
  }
  return part;
}

inline boost::json::value ParsedJson(std::string_view text) {
  return boost::json::parse(boost::json::string_view(text.data(), text.size()));
}

// Throws where an operation does not fit.
inline void ApplyOperation(boost::json::value& object, const boost::json::value& operation) {
  const std::string path(operation.at("path").as_string()), name(operation.at("op").as_string());
  const size_t slash = path.rfind('/');
  const std::string key = Unescaped(path.substr(slash + 1));
  boost::json::value& holder = slash == 0 ? object : object.at_pointer(path.substr(0, slash));
  if (holder.is_object()) {
    if (name == "add") {
      holder.as_object()[key] = operation.at("value");
      return;
    }
    holder.as_object().at(key);  // must be there
    if (name == "remove") {
      holder.as_object().erase(key);
    } else {
      holder.as_object()[key] = operation.at("value");
    }
    return;
  }
  boost::json::array& list = holder.as_array();
  if (name == "add" && key == "-") {
    list.push_back(operation.at("value"));
    return;
  }
  const size_t index = std::stoul(key);
  list.at(index);
  if (name == "remove") {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
  } else if (name == "replace") {
    list[index] = operation.at("value");
  } else {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(index), operation.at("value"));
  }
}

inline boost::json::value Patched(std::string_view object, std::string_view patch) {
  boost::json::value result = ParsedJson(object);
  if (patch.empty()) return result;
  const boost::json::value operations = ParsedJson(patch);
  for (const boost::json::value& operation : operations.as_array()) ApplyOperation(result, operation);
  return result;
}

// The text at a JSON pointer; "" where there is none.
inline std::string At(const boost::json::value& object, std::string_view pointer) {
  boost::system::error_code error;
  const boost::json::value* value =
      object.find_pointer(boost::json::string_view(pointer.data(), pointer.size()), error);
  if (value == nullptr) return "";
  return value->is_string() ? std::string(value->as_string()) : boost::json::serialize(*value);
}

inline RuleSet Rules(const std::vector<std::string>& texts) {
  std::vector<SchedulingRule> rules;
  for (const std::string& text : texts) {
    StatusOr<SchedulingRule> rule = DecodeRule(text);
    EXPECT_TRUE(rule.ok()) << rule.status();
    if (!rule.ok()) continue;
    EXPECT_EQ(rule->defect, "");
    rules.push_back(*std::move(rule));
  }
  return RuleSet(std::move(rules));
}

// A rule for pods of any label, in force: `inject` is JSON, `more` further fields of its spec with a comma before each.
inline std::string PodRule(std::string_view name, std::string_view inject, std::string_view more = "") {
  return Concat(R"({"metadata":{"name":")", name,
                R"(","generation":1},"spec":{"mode":"enforce","selector":{"kinds":["Pod"]})", more, R"(,"inject":)",
                inject, "}}");
}
inline std::string NodeRule(std::string_view name, std::string_view inject, std::string_view more = "") {
  return Concat(R"({"metadata":{"name":")", name,
                R"(","generation":1},"spec":{"mode":"enforce","selector":{"kinds":["Node"]})", more, R"(,"inject":)",
                inject, "}}");
}

struct Written {
  RuleSet rules;  // which the outcome points into
  Outcome outcome;
  boost::json::value object;  // as it is stored
  std::string text() const { return boost::json::serialize(object); }
};

inline Written WriteWith(const ObjectWrite& write, RuleSet rules, const Surroundings& surroundings = {}) {
  Written written{.rules = std::move(rules), .outcome = {}, .object = {}};
  StatusOr<Outcome> outcome = Inject(write, written.rules, surroundings);
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  if (!outcome.ok()) return written;
  written.object = Patched(write.object, outcome->patch);
  written.outcome = *std::move(outcome);
  return written;
}

inline ObjectWrite PodWrite(std::string_view object, Operation operation = Operation::kCreate) {
  return {.operation = operation,
          .group = "",
          .kind = "Pod",
          .subresource = "",
          .namespace_name = "shop",
          .object = object,
          .old_object = {}};
}

// The creation of a pod.
inline Written Write(std::string_view pod, const std::vector<std::string>& rules) {
  return WriteWith(PodWrite(pod), Rules(rules));
}

}  // namespace huygens::rules
