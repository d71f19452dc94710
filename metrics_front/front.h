// The metrics API (metrics.k8s.io) between API servers and whoever measures pods. Whatever is asked is asked upstream, and
// answered as upstream answers, byte for byte; but the HPA controller that asks for the pods of an autoscaler whose requests
// were lowered is told the use from which it comes to the count of the basis (scaled_answer.h). It keeps nothing, so that
// several instances serve beside each other. Callers are believed who they say they are: the server that this handles
// requests of must let in front proxies alone. The loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "kube/call_pool.h"
#include "kube/event_recorder.h"
#include "metrics_front/known_objects.h"
#include "metrics_front/scaled_answer.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "net/server.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/metrics.h"
#include "observe/readiness.h"

namespace huygens::metrics_front {

struct FrontOptions {
  net::ClientOptions api_server, upstream;
  std::vector<std::string> autoscalers;  // users who are told another use
  ControllerOptions controller;
  std::string instance;                         // in Events: which of several this is
  Duration timeout = std::chrono::seconds(10);  // of each call
};

class Front {
 public:
  struct Environment {
    net::EventLoop& loop;
    observe::Log& log;
    observe::Metrics& metrics;
    const Clock& clock;
  };

  // What is referred to must outlive this.
  Front(FrontOptions options, Environment environment);
  ~Front();

  // Once. Fails if the client options are not usable.
  Status Start();
  void Stop();

  void Handle(const net::Request& request, const net::Respond& respond);
  // Items of /readyz: whether upstream answers, and what is known of pods and autoscalers.
  std::vector<observe::Readiness::Item> Describe() const;

 private:
  struct Question;  // under way

  bool IsAutoscaler(std::string_view user) const;
  void Pass(const std::shared_ptr<Question>& question);
  // Finds the autoscaler that asks: the one whose target's pods have this selector.
  void Find(const std::shared_ptr<Question>& question);
  void Ask(const std::shared_ptr<Question>& question);
  void Answer(const std::shared_ptr<Question>& question, const StatusOr<net::HttpReply>& reply);
  void Hold(const Question& question, std::string_view why);
  // To whoever owns an autoscaler that cannot be told other than what was measured.
  void TellOwner(const Autoscaler& autoscaler, const std::string& why);
  void Probe();

  const FrontOptions options_;
  const Environment environment_;
  ResourceNames names_;
  KnownObjects known_;
  kube::EventRecorder events_;
  kube::CallPool api_server_, upstream_;
  Status reached_ = Unavailable("not asked yet");
  net::Timer probe_;
  observe::RateLimit warnings_{std::chrono::seconds(10)};
};

}  // namespace huygens::metrics_front
