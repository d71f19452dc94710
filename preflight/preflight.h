// All of preflight: gathers the facts and lets them be judged. Reads only; access reviews, which store nothing, are the
// only objects it creates. Blocking.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "preflight/cluster.h"
#include "preflight/finding.h"
#include "settings/configuration.h"

namespace huygens::preflight {

struct Options {
  std::string scheduler_config;  // file; empty: kube-scheduler's configuration is not looked at
  std::string kubeconfig;        // instead of cluster.kubernetes.kubeconfig: preflight runs elsewhere than huygens will
  std::string config;            // where the configuration came from, for what is to be pasted
  std::string account;           // "NAMESPACE/NAME" of the service account whose permissions count; empty: one's own
  size_t kubelets = 20;          // so many are asked for their own configuration
  Duration call = std::chrono::seconds(5);  // bounds each small call
  ReadOptions read;
};

// `progress` is told what is under way.
Findings Run(const settings::Configuration& configuration, const Options& options, const Clock& clock,
             const std::function<void(std::string_view)>& progress);

}  // namespace huygens::preflight
