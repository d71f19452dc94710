#include "preflight/judge_scheduler.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/duration_text.h"
#include "base/text.h"

namespace huygens::preflight {

namespace {

constexpr AddTo Add{Group::kScheduler};

struct Url {
  std::string_view scheme, port, path;
};

Url Split(std::string_view url) {
  Url parts;
  const size_t colon = url.find("://");
  if (colon == std::string_view::npos) return parts;
  parts.scheme = url.substr(0, colon);
  url.remove_prefix(colon + 3);
  const size_t slash = std::min(url.find('/'), url.size());
  parts.path = url.substr(slash);
  while (parts.path.ends_with('/')) parts.path.remove_suffix(1);
  const std::string_view host = url.substr(0, slash);
  const size_t port = host.rfind(':');
  if (port != std::string_view::npos && port > host.rfind(']') + 1) parts.port = host.substr(port + 1);
  if (parts.port.empty()) parts.port = parts.scheme == "https" ? "443" : "80";
  return parts;
}

std::string_view PortOf(std::string_view address) { return address.substr(address.rfind(':') + 1); }

class Judge {
 public:
  Judge(const SchedulerExtender& ours, const settings::Configuration& configuration)
      : ours_(ours), configuration_(configuration), url_(Split(ours.url_prefix)) {}

  Findings Take() {
    Address();
    Verbs();
    Behaviour();
    if (configuration_.server.tls || url_.scheme == "https") Tls();
    if (findings_.empty())
      Add(findings_, Severity::kOk, Concat("the extender at ", ours_.url_prefix, " fits the configuration"));
    return std::move(findings_);
  }

 private:
  void Address() {
    const settings::ServerConfiguration& server = configuration_.server;
    if (url_.port != PortOf(server.address)) {
      Add(findings_, Severity::kError,
          Concat("urlPrefix ", ours_.url_prefix, " is not where huygens listens (", server.address, ")"),
          "Every pod fails with a connection error.",
          Concat("urlPrefix: ", server.tls ? "https" : "http", "://127.0.0.1:", PortOf(server.address)));
    }
    const std::string_view scheme = server.tls ? "https" : "http";
    if (url_.scheme != scheme) {
      Add(findings_, Severity::kError,
          Concat("urlPrefix begins with ", url_.scheme, "://, and huygens serves ", server.tls ? "TLS" : "plain HTTP"),
          "Every pod fails with a transport error.",
          Concat("urlPrefix: ", scheme,
                 ours_.url_prefix.substr(std::min(url_.scheme.size(), ours_.url_prefix.size()))));
    }
    std::string_view prefix = server.path_prefix;
    while (prefix.ends_with('/')) prefix.remove_suffix(1);
    if (url_.path != prefix) {
      Add(findings_, Severity::kError,
          Concat("the path of urlPrefix is \"", url_.path, "\", and server.pathPrefix is \"", server.path_prefix, "\""),
          "Every call is answered with 404.",
          Concat("server: {pathPrefix: ", url_.path.empty() ? "/" : url_.path, "}"));
    }
  }

  void Verb(std::string_view field, const std::string& value, std::string_view name, Severity severity,
            std::string_view why) {
    if (value == name) return;
    Add(findings_, value.empty() ? severity : Severity::kError,
        value.empty() ? Concat(field, " is not set") : Concat(field, " is ", value, ", and huygens answers ", name),
        value.empty() ? std::string(why) : "Every call of it is answered with 404.", Concat(field, ": ", name));
  }

  void Verbs() {
    Verb("filterVerb", ours_.filter_verb, "filter", Severity::kError, "huygens refuses no node.");
    Verb("prioritizeVerb", ours_.prioritize_verb, "prioritize", Severity::kWarning,
         "huygens' scores count for nothing.");
    Verb("preemptVerb", ours_.preempt_verb, "preempt", Severity::kWarning,
         "kube-scheduler evicts pods whose zones do not help the one it makes room for.");
    Verb("bindVerb", ours_.bind_verb, "bind", Severity::kError,
         "Pods are bound without zones, and two pods can be let into the same one.");
    if (!ours_.prioritize_verb.empty() && ours_.weight <= 0) {
      Add(findings_, Severity::kError, "weight must be above 0 with prioritizeVerb", "kube-scheduler does not start.",
          "weight: 5");
    }
  }

  void Behaviour() {
    if (!ours_.node_cache_capable) {
      Add(findings_, Severity::kWarning, "nodeCacheCapable is false",
          "kube-scheduler sends whole Node objects, kilobytes each, with every call.", "nodeCacheCapable: true");
    }
    const Duration deadline = configuration_.server.request_deadline;
    if (ours_.http_timeout <= deadline) {
      Add(findings_, Severity::kWarning,
          Concat("httpTimeout is ", DurationText(ours_.http_timeout), ", and server.requestDeadline is ",
                 DurationText(deadline)),
          "kube-scheduler gives up before huygens can say what is wrong.",
          Concat("httpTimeout: ", DurationText(deadline + std::chrono::seconds(1))));
    }
    if (ours_.ignorable && !ours_.bind_verb.empty()) {
      Add(findings_, Severity::kError, "ignorable is true together with bindVerb",
          "When a bind fails kube-scheduler binds the pod itself, without zones.", "ignorable: false");
    } else if (ours_.ignorable) {
      Add(findings_, Severity::kWarning, "ignorable is true",
          "While huygens is away pods are placed as if it did not exist.", "ignorable: false");
    }
    if (ours_.managed_resources > 0) {
      Add(findings_, Severity::kWarning,
          Concat("managedResources names ", Counted(ours_.managed_resources, "resource")),
          "Only pods that name one of them pass through huygens; all others reach its nodes unseen.",
          "managedResources: []");
    }
  }

  void Tls() {
    const SchedulerExtender::Tls& tls = ours_.tls;
    const bool authorities = !tls.ca_file.empty() || tls.ca_data;
    if (tls.insecure && authorities) {
      Add(findings_, Severity::kError, "tlsConfig has insecure: true and a CA", "kube-scheduler does not start.",
          "tlsConfig: {insecure: false}");
    } else if (tls.insecure || (ours_.enable_https && !authorities)) {
      Add(findings_, Severity::kWarning,
          tls.insecure ? "tlsConfig.insecure is true" : "enableHTTPS without a CA is TLS without verification",
          "Anybody on the way can answer in huygens' place.",
          "tlsConfig: {insecure: false, serverName: huygens, caFile: ca.crt}");
    }
    const bool certificate = !tls.cert_file.empty() || tls.cert_data, key = !tls.key_file.empty() || tls.key_data;
    if (certificate != key) {
      Add(findings_, Severity::kError,
          Concat("tlsConfig has a ", certificate ? "certificate without its key" : "key without its certificate"),
          "kube-scheduler does not start.", "tlsConfig: {certFile: kube-scheduler.crt, keyFile: kube-scheduler.key}");
    }
    if (configuration_.server.tls && !configuration_.server.tls->client_ca_file.empty() && !certificate) {
      Add(findings_, Severity::kError, "tlsConfig has no client certificate, and server.tls.clientCAFile asks for one",
          "Every handshake is refused.", "tlsConfig: {certFile: kube-scheduler.crt, keyFile: kube-scheduler.key}");
    }
    if (tls.key_data) {
      Add(findings_, Severity::kWarning, "tlsConfig.keyData holds the key itself",
          "kube-scheduler shows it in clear on /configz.", "tlsConfig: {keyFile: kube-scheduler.key}");
    }
  }

  const SchedulerExtender& ours_;
  const settings::Configuration& configuration_;
  const Url url_;
  Findings findings_;
};

}  // namespace

const SchedulerExtender* OursAmong(const SchedulerConfiguration& scheduler,
                                   const settings::Configuration& configuration) {
  for (const SchedulerExtender& each : scheduler.extenders) {
    if (Split(each.url_prefix).port == PortOf(configuration.server.address)) return &each;
  }
  return scheduler.extenders.size() == 1 ? &scheduler.extenders.front() : nullptr;
}

Findings JudgeScheduler(const SchedulerConfiguration& scheduler, const settings::Configuration& configuration) {
  Findings findings;
  if (const SchedulerExtender* ours = OursAmong(scheduler, configuration)) {
    findings = Judge(*ours, configuration).Take();
  } else {
    Add(findings, Severity::kError,
        Concat("no extender of kube-scheduler's configuration is at ", configuration.server.address),
        "huygens is never asked.", "add the entry below `extenders:` of config/scheduler/kube-scheduler.yaml");
  }
  if (std::ranges::count_if(scheduler.extenders, [](const auto& each) { return !each.bind_verb.empty(); }) > 1) {
    Add(findings, Severity::kError, "more than one extender has a bindVerb", "kube-scheduler does not start.",
        "leave bindVerb to huygens alone");
  }
  const auto below = [](const std::optional<int64_t>& percentage) { return percentage.value_or(0) < 100; };
  const bool all = below(scheduler.percentage_of_nodes_to_score);
  const bool any = scheduler.profiles.empty() ? all : std::ranges::any_of(scheduler.profiles, [&](const auto& own) {
    return own ? below(own) : all;
  });
  if (any) {
    Add(findings, Severity::kWarning,
        "percentageOfNodesToScore is below 100 (its default depends on the size of the cluster)",
        "kube-scheduler stops at enough nodes by its own plugins and only then asks huygens: if these have no free "
        "zone, "
        "the pod stays pending although others have one.",
        "percentageOfNodesToScore: 100");
  }
  return findings;
}

}  // namespace huygens::preflight
