#include "wire/biz_group_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/text.h"
#include "json/append.h"
#include "tests/json/mutation.h"
#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> FaultsOf(std::string_view name, std::string_view spec) {
  return BizGroupQuotaFaults(Concat(R"({"metadata":{"name":")", name, R"("},"spec":)", spec, "}"));
}
std::vector<std::string> OfKey(std::string_view key, std::string_view amount = "1") {
  std::string quoted;
  AppendJsonString(quoted, key);
  return FaultsOf("team", Concat(R"({"hard":{)", quoted, ":", amount, "}}"));
}

TEST(BizGroupSchema, HasThePatternsOfTheDefinition) {
  std::stringstream text;
  text << std::ifstream(HUYGENS_SOURCE_DIR "/config/crd/bizgroupresourcequotas.yaml").rdbuf();
  const std::string definition = text.str();
  EXPECT_THAT(definition, HasSubstr(Concat("self.metadata.name.matches('", kGroupNamePattern, "')")));
  EXPECT_THAT(definition, HasSubstr(Concat("key.matches('", kBudgetKeyPattern, "')")));
  EXPECT_THAT(definition, HasSubstr(Concat("pattern: ", kBudgetPattern, "\n")));
  EXPECT_THAT(definition, HasSubstr(Concat("pattern: ", kTimeZonePattern, "\n")));
  for (const char* limit : {"size(key) <= 320", "maxLength: 40", "maxLength: 63", "maxProperties: 128", "minimum: 0",
                            "enum: [Day, Week, Month]", "maximum: 100\n"})
    EXPECT_THAT(definition, HasSubstr(limit));
}

// The rows below are those that tests/e2e/manifests.py shows to a real API server.
TEST(BizGroupSchema, Names) {
  const std::string longest(63, 'a');
  EXPECT_THAT(BizGroupQuotaFaults(samples::kBizGroupQuota), IsEmpty());
  for (const std::string& name : {std::string("a"), std::string("9-b"), longest})
    EXPECT_THAT(FaultsOf(name, "{}"), IsEmpty()) << name;
  for (const std::string& name : {longest + "a", std::string("a.b"), std::string("A"), std::string("-a")})
    EXPECT_THAT(FaultsOf(name, "{}"), ElementsAre(StartsWith("metadata.name: must be a DNS label"))) << name;
  EXPECT_THAT(FaultsOf("org", R"({"parentBizGroup":"org"})"),
              ElementsAre("spec.parentBizGroup: a group cannot be its own parent"));
  EXPECT_THAT(BizGroupQuotaFaults(R"({"spec":{"parentBizGroup":"org"},"metadata":{"name":"org"}})"),
              ElementsAre(HasSubstr("its own parent")));
  EXPECT_THAT(FaultsOf("team", Concat(R"({"parentBizGroup":")", longest, R"(a"})")),
              ElementsAre("spec.parentBizGroup: longer than 63 characters"));
  EXPECT_THAT(FaultsOf("team", Concat(R"({"parentBizGroup":")", longest, R"("})")), IsEmpty());
  EXPECT_THAT(BizGroupQuotaFaults(R"({"metadata":{"name":"team"}})"), ElementsAre("spec: missing"));
  EXPECT_THAT(FaultsOf("team", "null"), ElementsAre("spec: missing"));
}

TEST(BizGroupSchema, Keys) {
  for (const char* key : {"cpu", "memory", "ephemeral-storage", "pods", "count/pods", "hugepages-2Mi", "nvidia.com/gpu",
                          "cash/limits.cpu", "cash/limits.cpu.A4", "cash/requests.nvidia.com/gpu.A100.80GB"})
    EXPECT_THAT(OfKey(key), IsEmpty()) << key;
  for (const char* side : {"requests", "limits"}) {
    for (const char* name : {"cpu", "cpu.A4", "cpu.A4.v2", "memory", "memory.DDR5", "ephemeral-storage",
                             "nvidia.com/gpu", "nvidia.com/gpu.A30"})
      EXPECT_THAT(OfKey(Concat(side, ".", name)), IsEmpty()) << name;
  }
  for (const char* key : {"gpu", "limits.gpu", "limits.cpuu", "limit.cpu", "Limits.cpu", "limits.cpu.",
                          "limits.cpu.-A4", "limits.cpu.A 4", "limits.pods", "count/services", "persistentvolumeclaims",
                          "cash/", "nvidia.com/", "/gpu", "cash/cash/cpu", ""})
    EXPECT_THAT(OfKey(key), ElementsAre(StartsWith(Concat("spec.hard.", key, ": unknown key; known are ")))) << key;
  const std::string device = Concat("nvidia.com/", std::string(309, 'g'));
  EXPECT_THAT(OfKey(device), IsEmpty());
  EXPECT_THAT(OfKey(device + "g"), ElementsAre(HasSubstr("unknown key")));
  std::string many;
  for (int i = 0; i < 128; ++i) many += Concat(i == 0 ? "" : ",", "\"cpu.M", std::to_string(i), "\":1");
  EXPECT_THAT(FaultsOf("team", Concat(R"({"hard":{)", many, "}}")), IsEmpty());
  EXPECT_THAT(FaultsOf("team", Concat(R"({"hard":{"cpu":1,)", many, "}}")),
              ElementsAre("spec.hard: 129 keys; at most 128"));
}

TEST(BizGroupSchema, Amounts) {
  for (const char* amount : {"0", "7", "4.0", "1e3", "9223372036854775807", R"("0")", R"("1.5")", R"("500m")",
                             R"("64Gi")", R"("1e3")", R"("100E")", R"("9223372036854775808")"})
    EXPECT_THAT(OfKey("cpu", amount), IsEmpty()) << amount;
  for (const std::string& amount :
       {std::string("-1"), std::string("1.5"), std::string("1e-1"), std::string("9223372036854775808"),
        std::string(R"("-1")"), std::string(R"("-0.5Gi")"), std::string(R"("")"), std::string(R"("much")"),
        std::string(R"("1 Gi")"), std::string(R"("1gi")"), std::string(R"("1e100")"), std::string(R"("0x10")"),
        Concat("\"", std::string(41, '9'), "\""), std::string("true"), std::string(R"(["1"])"), std::string("null")})
    EXPECT_THAT(
        OfKey("cpu", amount),
        ElementsAre(Concat(R"(spec.hard.cpu: expected an amount from 0 on, such as 4, 500m, 64Gi or, in quotes, )"
                           R"("1.5"; found )",
                           amount)));
  EXPECT_THAT(OfKey("cpu", std::string(200'000, '9')), ElementsAre(HasSubstr("expected an amount")));
}

TEST(BizGroupSchema, TheTimeOfTheStatus) {
  const auto faults = [](std::string_view time) {
    return BizGroupQuotaFaults(
        Concat(R"({"metadata":{"name":"a"},"spec":{},"status":{"lastReconcileTime":)", time, "}}"));
  };
  for (const char* time : {"null", R"("2026-11-21T12:00:00Z")"}) EXPECT_THAT(faults(time), IsEmpty()) << time;
  EXPECT_THAT(faults(R"("noon")"),
              ElementsAre("status.lastReconcileTime: expected a time such as 2006-01-02T15:04:05Z; found noon"));
  EXPECT_THAT(faults("7"), ElementsAre("status.lastReconcileTime: expected a string, found a number"));
}

TEST(BizGroupSchema, HowHoursComeAnew) {
  const auto faults = [](std::string_view policy) { return FaultsOf("a", Concat(R"({"cashPolicy":)", policy, "}")); };
  for (const char* policy :
       {"null", R"({"period":"Day"})", R"({"period":"Week","carryOver":100,"timeZone":"America/Argentina/Ushuaia"})",
        R"({"period":"Month","anchor":"2026-01-31T00:00:00+01:00","timeZone":"Etc/GMT+5"})"})
    EXPECT_THAT(faults(policy), IsEmpty()) << policy;
  EXPECT_THAT(faults("{}"), ElementsAre("spec.cashPolicy.period: missing"));
  EXPECT_THAT(faults(R"({"period":"week","carryOver":101,"anchor":"noon","timeZone":"/etc/passwd","mode":"x"})"),
              ElementsAre("spec.cashPolicy.period: expected Day, Week or Month; found week",
                          "spec.cashPolicy.carryOver: expected 0 to 100",
                          "spec.cashPolicy.anchor: expected a time such as 2006-01-02T15:04:05Z; found noon",
                          "spec.cashPolicy.timeZone: expected the name of a time zone such as Europe/Berlin; found "
                          "/etc/passwd",
                          "spec.cashPolicy.mode: no such field; there are period, carryOver, anchor, timeZone"));
  EXPECT_THAT(faults("7"), ElementsAre("spec.cashPolicy: expected an object, found a number"));
}

TEST(BizGroupSchema, FieldsThatTheDefinitionDoesNotHave) {
  EXPECT_THAT(
      BizGroupQuotaFaults(
          R"({"kind":"K","metadata":{"name":"a","labels":{"x":"y"}},"spec":{"hrad":{"cpu":1},"Hard":{}},)"
          R"("status":{"used":{"any":1,"cpu":"-1"},"lastReconcileTime":null,"phase":"x"},"data":{}})"),
      ElementsAre(
          "spec.hrad: no such field; there are parentBizGroup, hard, cashPolicy",
          "spec.Hard: no such field; there are parentBizGroup, hard, cashPolicy",
          testing::AllOf(StartsWith("status.used.cpu: expected an amount"), HasSubstr(R"("-1")")),
          "status.phase: no such field; there are hard, used, selfUsed, lastReconcileTime, reservations, exactHours, "
          "inherited, hoursSince, carriedHours",
          "data: no such field; there are apiVersion, kind, metadata, spec, status"));
}

TEST(BizGroupSchema, AValueOfAnotherTypeIsNamed) {
  EXPECT_THAT(FaultsOf("a", R"({"hard":[]})"), ElementsAre("spec.hard: expected an object, found an array"));
  EXPECT_THAT(FaultsOf("a", R"({"parentBizGroup":7})"),
              ElementsAre("spec.parentBizGroup: expected a string, found a number"));
  EXPECT_THAT(BizGroupQuotaFaults(R"({"metadata":{"name":7}})"),
              ElementsAre("metadata.name: expected a string, found a number"));
  Mutator(samples::kBizGroupQuota).ForEach([&](Mutation, const std::string& text) {
    for (const std::string& fault : BizGroupQuotaFaults(text)) EXPECT_FALSE(fault.empty()) << text;
  });
}

}  // namespace
}  // namespace huygens::wire
