// Random pods and rules over few names, so that they meet each other often.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace huygens::rules {

class RandomRules {
 public:
  explicit RandomRules(uint64_t seed) : random_(seed) {}

  bool Chance(int percent) { return Below(100) < percent; }
  int Below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  std::string Pick(std::initializer_list<std::string_view> texts) {
    return std::string(texts.begin()[static_cast<size_t>(Below(static_cast<int>(texts.size())))]);
  }
  std::mt19937_64& engine() { return random_; }

  std::string Labels() {
    std::string out = "{";
    for (const std::string_view key : {"app", "tier", "example.com/pool"}) {
      if (Chance(50)) Append(out, Concat("\"", key, "\":\"", Pick({"a", "b", "c"}), "\""));
    }
    return out + "}";
  }

  std::string Pod() {
    std::string metadata = R"("namespace":"shop","generateName":"cart-")";
    if (Chance(30)) metadata += Concat(R"(,"name":"cart-)", std::to_string(Below(9)), "\"");
    if (Chance(80)) metadata += Concat(R"(,"labels":)", Labels());
    if (Chance(40)) metadata += Concat(R"(,"annotations":)", Labels());
    if (Chance(50)) {
      metadata += R"(,"ownerReferences":[{"kind":"StatefulSet","name":"cart","uid":"u","controller":true}])";
    }
    std::string spec = Concat(R"("containers":[)", Container("app"), Chance(40) ? "," + Container("side") : "", "]");
    if (Chance(60)) spec += R"(,"schedulerName":"default-scheduler")";
    if (Chance(20)) spec += R"(,"priorityClassName":"low","priority":7,"preemptionPolicy":"Never")";
    if (Chance(50)) spec += Concat(R"(,"tolerations":)", List([&] { return Toleration(); }));
    if (Chance(40)) spec += Concat(R"(,"topologySpreadConstraints":[)", Spread("zone"), "]");
    if (Chance(50)) spec += Concat(R"(,"affinity":)", Affinity());
    if (Chance(10)) spec += R"(,"nodeName":"n1")";
    return Concat(R"({"apiVersion":"v1","kind":"Pod","metadata":{)", metadata, R"(},"spec":{)", spec, "}}");
  }

  std::string Rule(int number) {
    std::string spec = Concat(R"("mode":")", Chance(85) ? "enforce" : "report", R"(","priority":)",
                              std::to_string(Below(3)), R"(,"selector":{"kinds":["Pod"])");
    if (Chance(40)) spec += Concat(R"(,"matchLabels":)", Labels());
    if (Chance(20)) {
      spec += Concat(R"(,"matchExpressions":[{"key":")", Pick({"app", "tier"}), R"(","operator":")",
                     Pick({"In", "NotIn"}), R"(","values":[")", Pick({"a", "b"}), R"(","c"]}])");
    }
    if (Chance(30)) spec += Concat(R"(,"namespaces":[")", Pick({"shop", "bank"}), R"("])");
    spec += "}";
    if (Chance(30)) spec += Concat(R"(,"rollout":{"percent":)", std::to_string(Below(101)), "}");
    if (Chance(40)) spec += R"(,"onConflict":"override")";
    return Concat(R"({"metadata":{"name":"rule-)", std::to_string(number), R"(","generation":)",
                  std::to_string(1 + Below(3)), R"(},"spec":{)", spec, R"(,"inject":)", Injection(), "}}");
  }

 private:
  static void Append(std::string& out, const std::string& part) {
    if (out.back() != '{' && out.back() != '[') out += ',';
    out += part;
  }
  template <typename One>
  std::string List(One&& one) {
    std::string out = "[";
    for (int i = Below(3); i >= 0; --i) Append(out, one());
    return out + "]";
  }
  std::string Container(std::string_view name) {
    const int limit = 1 + Below(4);
    std::string resources;
    if (Chance(70)) resources += Concat(R"("limits":{"cpu":")", std::to_string(limit), R"(","memory":"2Gi"})");
    if (Chance(70)) {
      resources += Concat(resources.empty() ? "" : ",", R"("requests":{"cpu":")", std::to_string(1 + Below(limit)),
                          R"(","memory":"1Gi"})");
    }
    return Concat(R"({"name":")", name, R"(","resources":{)", resources, "}}");
  }
  std::string Toleration() {
    std::string out = Concat(R"({"key":")", Pick({"pool", "gpu"}), "\"");
    if (Chance(50)) {
      out += Concat(R"(,"value":")", Pick({"a", "b"}), "\"");
      if (Chance(50)) out += R"(,"operator":"Equal")";
    } else {
      out += R"(,"operator":"Exists")";
    }
    out += Chance(50) ? Concat(R"(,"effect":"NoExecute","tolerationSeconds":)", std::to_string(Below(3)))
                      : std::string(R"(,"effect":"NoSchedule")");
    return out + "}";
  }
  std::string Spread(std::string_view key) {
    return Concat(R"({"topologyKey":")", key, R"(","maxSkew":)", std::to_string(1 + Below(2)),
                  R"(,"whenUnsatisfiable":")", Pick({"DoNotSchedule", "ScheduleAnyway"}),
                  R"(","labelSelector":{"matchLabels":{"app":")", Pick({"a", "b"}), R"("}}})");
  }
  std::string Requirement() {
    return Concat(R"({"key":")", Pick({"pool", "zone"}), R"(","operator":"In","values":[)",
                  Pick({R"("a")", R"("a","b")", R"("b","a")"}), "]}");
  }
  std::string PodTerm() {
    return Concat(R"({"topologyKey":"zone","labelSelector":{"matchLabels":{"app":")", Pick({"a", "b"}), R"("}}})");
  }
  std::string Affinity() {
    std::string out = "{";
    if (Chance(60)) {
      const std::string terms = List([&] {
        return Chance(20) ? std::string("{}")
                          : Concat(R"({"matchExpressions":)", List([&] { return Requirement(); }), "}");
      });
      Append(out, Concat(R"("nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)",
                         terms, "}}"));
    }
    if (Chance(40)) {
      Append(out, Concat(R"("podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)",
                         List([&] { return PodTerm(); }), "}"));
    }
    return out + "}";
  }
  std::string Amount() {
    return Pick({R"({"cpu":{"factor":0.4}})", R"({"cpu":{"factor":1.5,"max":"3"}})", R"({"cpu":{"set":"500m"}})",
                 R"({"cpu":{"min":"2"},"memory":{"factor":0.333333}})", R"({"memory":{"set":"1024Mi"}})"});
  }
  std::string Injection() {
    std::string out = "{";
    std::string labels = Labels();
    labels.pop_back();
    Append(labels, R"("seen":"yes")");
    Append(out, Concat(R"("labels":)", labels, "}"));
    if (Chance(40)) Append(out, Concat(R"("annotations":)", Labels()));
    if (Chance(40)) {
      Append(out, Concat(R"("resources":{"requests":)", Amount(), Chance(40) ? R"(,"limits":)" + Amount() : "", "}"));
    }
    if (Chance(50)) Append(out, Concat(R"("tolerations":)", List([&] { return Toleration(); })));
    if (Chance(50)) {
      Append(out, Concat(R"("nodeAffinity":{"required":)", List([&] { return Requirement(); }),
                         R"(,"preferred":[{"weight":)", std::to_string(1 + Below(2)),
                         R"(,"preference":{"matchExpressions":)", List([&] { return Requirement(); }), "}}]}"));
    }
    if (Chance(30)) Append(out, Concat(R"("podAntiAffinity":{"required":)", List([&] { return PodTerm(); }), "}"));
    if (Chance(30)) Append(out, Concat(R"("topologySpreadConstraints":[)", Spread(Pick({"zone", "host"})), "]"));
    if (Chance(30)) Append(out, Concat(R"("schedulerName":")", Pick({"one", "two"}), "\""));
    if (Chance(30)) Append(out, Concat(R"("priorityClassName":")", Pick({"low", "high"}), "\""));
    return out + "}";
  }

  std::mt19937_64 random_;
};

}  // namespace huygens::rules
