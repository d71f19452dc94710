// What /debug/recommendations says (docs/overcommit.md), for the page that fills it in and for whoever reads it; the lists
// of fields are the format (json/document.h). `huygens recommend -o json` prints the same. Amounts are Kubernetes
// quantities of one pod; a text that is empty, and what else is not set, is not known. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace huygens::admin_api {

// One resource of one pod.
struct RecommendedAmount {
  std::string original, requested;  // as it was written, and as the pod that was created last has it
  std::string p50, p95, most;       // what pods used
  std::string fixed, recommended;   // by the pool's factor, and by what is used
  std::optional<double> saving;     // share of original that recommended leaves free

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("original", self.original);
    fields.IfSet("requested", self.requested);
    fields.IfSet("p50", self.p50);
    fields.IfSet("p95", self.p95);
    fields.IfSet("max", self.most);
    fields.IfSet("static", self.fixed);
    fields.IfSet("recommended", self.recommended);
    fields.IfSet("saving", self.saving);
  }
  bool operator==(const RecommendedAmount&) const = default;
};

struct RecommendationRow {
  std::string namespace_name, name;     // of the Recommendation
  std::string dimension, kind, target;  // "workload", "Deployment", "cart"
  std::string pool;                     // empty: none
  int64_t pods = 0;                     // that run
  RecommendedAmount cpu, memory;
  double confidence = 0;               // days of history
  std::optional<int64_t> age_seconds;  // of the last sample
  bool applied = false;                // to new pods
  std::string reason, message;         // "Dynamic"; why it is not applied, or what of it

  static void Describe(auto& self, auto& fields) {
    fields.Always("namespace", self.namespace_name);
    fields.Always("name", self.name);
    fields.Always("dimension", self.dimension);
    fields.IfSet("kind", self.kind);
    fields.IfSet("target", self.target);
    fields.IfSet("pool", self.pool);
    fields.Always("pods", self.pods);
    fields.Always("cpu", self.cpu);
    fields.Always("memory", self.memory);
    fields.Always("confidence", self.confidence);
    fields.IfSet("ageSeconds", self.age_seconds);
    fields.Always("applied", self.applied);
    fields.Always("reason", self.reason);
    fields.IfSet("message", self.message);
  }
  bool operator==(const RecommendationRow&) const = default;
};

struct RecommendationListDocument {
  int64_t more = 0;  // that match and are not listed
  std::vector<RecommendationRow> recommendations;

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("more", self.more);
    fields.Always("recommendations", self.recommendations);
  }
  bool operator==(const RecommendationListDocument&) const = default;
};

}  // namespace huygens::admin_api
