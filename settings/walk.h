// One description of the configuration's fields (configuration_fields.cc: name, field, comment, kind), walked by
// whoever reads, prints or documents them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/configuration.h"
#include "settings/scalar.h"

namespace huygens::settings {

inline constexpr std::string_view kApiVersion = "config.huygens.dev/v1alpha1";
inline constexpr std::string_view kKind = "ExtenderConfiguration";

class Walk;
void Describe(Walk& walk, Configuration& configuration);
void Describe(Walk& walk, ServerConfiguration& server);
void Describe(Walk& walk, TlsConfiguration& tls);
void Describe(Walk& walk, ClusterConfiguration& cluster);
void Describe(Walk& walk, KubernetesConfiguration& kubernetes);
void Describe(Walk& walk, ManifestsConfiguration& manifests);
void Describe(Walk& walk, FilterConfiguration& filter);
void Describe(Walk& walk, PrioritizeConfiguration& prioritize);
void Describe(Walk& walk, placement::CheckSetting& check);
void Describe(Walk& walk, TermConfiguration& term);
void Describe(Walk& walk, ResourceWeight& resource);
void Describe(Walk& walk, BindConfiguration& bind);
void Describe(Walk& walk, LeaseConfiguration& lease);
void Describe(Walk& walk, TopologyConfiguration& topology);
void Describe(Walk& walk, KubeletConfiguration& kubelet);
void Describe(Walk& walk, TopologyManagerPolicyOptions& options);
void Describe(Walk& walk, CpuManagerPolicyOptions& options);
void Describe(Walk& walk, RealCapacityConfiguration& real_capacity);
void Describe(Walk& walk, UsageConfiguration& usage);
void Describe(Walk& walk, PrometheusConfiguration& prometheus);
void Describe(Walk& walk, HeaderConfiguration& header);
void Describe(Walk& walk, UsageResource& resource);
void Describe(Walk& walk, QuotaConfiguration& quota);
void Describe(Walk& walk, WebhookConfiguration& webhook);
void Describe(Walk& walk, ControllerConfiguration& controller);
void Describe(Walk& walk, CertificatesConfiguration& certificates);
void Describe(Walk& walk, MetricsFrontConfiguration& front);
// Of real capacity: real_capacity_fields.cc.
void Describe(Walk& walk, RealCapacityFacts& facts);
void Describe(Walk& walk, KeptRulesConfiguration& rules);
void Describe(Walk& walk, FactQuery& query);
void Describe(Walk& walk, FactAttribute& attribute);
// Of overcommit: overcommit_fields.cc.
void Describe(Walk& walk, OvercommitConfiguration& overcommit);
void Describe(Walk& walk, PoolConfiguration& pool);
void Describe(Walk& walk, StaticFactor& factor);
// Of rules: scheduling_rules_fields.cc.
void Describe(Walk& walk, SchedulingRulesConfiguration& rules);
// Of moves: rescheduler_fields.cc.
void Describe(Walk& walk, ReschedulerConfiguration& rescheduler);
void Describe(Walk& walk, MovesInFlight& moves);
void Describe(Walk& walk, MovesPerHour& moves);
void Describe(Walk& walk, WakeConfiguration& wake);
void Describe(Walk& walk, DecisionLogConfiguration& decision_log);
void Describe(Walk& walk, LogConfiguration& log);
// Of checks and terms: rule_options.cc.
void Describe(Walk& walk, policy::RuleOptions& options);
void DescribeOptionsOf(Walk& walk, placement::CheckSetting& check);
void DescribeOptionsOf(Walk& walk, TermConfiguration& term);
// Those that have options of their own and are not listed.
std::vector<placement::CheckSetting> OtherChecks(const std::vector<placement::CheckSetting>& listed);
std::vector<TermConfiguration> OtherTerms(const std::vector<TermConfiguration>& listed);
std::string CheckNames();         // "topology, usage, quota"
std::string TermNames();          // likewise
std::string WeighingTermNames();  // "LeastUsed, Balanced and MostAllocated"
std::string WhatTermsMean();      // "FewestZones: fewer zones, then nearer zones; LeastUsed: peak against capacity."

class Walk {
 public:
  virtual ~Walk() = default;

  virtual void Value(std::string_view name, Scalar scalar, std::string_view comment) = 0;
  virtual void Texts(std::string_view name, std::vector<std::string>& values, std::string_view kind, Rule rule,
                     std::string_view comment) = 0;

  // There can be no such field here. `why`: for who gave one all the same; empty: he is told enough.
  virtual void Without(std::string_view /*name*/, std::string_view /*why*/) {}

  template <typename T>
  void Section(std::string_view name, T& section, std::string_view comment) {
    if (!Enter(name, comment)) return;
    Describe(*this, section);
    Leave();
  }

  // A section that means something by being there.
  template <typename T>
  void Optional(std::string_view name, std::optional<T>& section, std::string_view comment) {
    switch (EnterOptional(name, section.has_value(), comment)) {
      case Presence::kAbsent:
        section.reset();
        return;
      case Presence::kPresent:
        if (!section) section.emplace();
        Describe(*this, *section);
        return Leave();
      case Presence::kShown: {
        T shown = section.value_or(T{});
        Describe(*this, shown);
        return Leave();
      }
    }
  }

  // With a `short_form` an item may be a single value that stands for this field of it. `examples`: what else an item
  // could be, for who reads about them.
  template <typename T>
  void List(std::string_view name, std::vector<T>& items, std::string_view comment, std::string_view short_form = "",
            std::vector<T> examples = {}) {
    std::optional<size_t> count = EnterList(name, items.size(), comment);
    if (!count) return;
    std::vector<T> walked = FreshItems() ? std::vector<T>(*count) : items;
    for (size_t i = 0; i < walked.size(); ++i) {
      if (!EnterItem(i, short_form)) continue;
      Describe(*this, walked[i]);
      Leave();
    }
    for (T& example : examples) {
      if (!EnterExample()) break;
      Describe(*this, example);
      Leave();
    }
    Leave();
    items = std::move(walked);
  }

 protected:
  enum class Presence : uint8_t {
    kAbsent,   // it is not there: reset it
    kPresent,  // it is there
    kShown,    // walk it, and leave it as it is
  };
  // Each that says yes is followed by Leave.
  virtual bool Enter(std::string_view name, std::string_view comment) = 0;
  virtual Presence EnterOptional(std::string_view name, bool present, std::string_view comment) = 0;
  virtual std::optional<size_t> EnterList(std::string_view name, size_t size, std::string_view comment) = 0;
  virtual bool EnterItem(size_t position, std::string_view short_form) = 0;
  virtual bool EnterExample() = 0;
  virtual void Leave() = 0;
  // Whether lists start over with items that have only defaults.
  virtual bool FreshItems() const = 0;
};

}  // namespace huygens::settings
