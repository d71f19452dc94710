// A part of the agent: something that it does on its node beside the other things, such as publishing zones or pinning
// containers. Agent (agent/agent.h) starts and stops the parts that agent/parts.cc lists, and knows no more of them.
// Everything in a part is called on the thread of the loop, which must not be blocked: whoever has to wait for kubelet,
// a runtime or the API server has a thread of its own and posts back.
#pragma once

#include <string>
#include <string_view>

#include "agent/configuration.h"
#include "agent/node_facts.h"
#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/instruments.h"
#include "observe/log.h"
#include "observe/readiness.h"

namespace huygens::agent {

// All of it outlives the parts.
struct PartContext {
  const AgentConfiguration& configuration;
  const std::string& node_name;
  const net::ClientOptions& api_server;
  NodeFacts& facts;
  net::EventLoop& loop;
  observe::Log& log;
  const Clock& clock;
  observe::Instruments& metrics;
};

class Part {
 public:
  virtual ~Part() = default;
  // Once, before the loop runs. An error ends the start of the agent, and says which setting, file or socket cannot be
  // used: what may come later, such as a runtime that is not up yet, is no error.
  virtual Status Start() = 0;
  // Ends what is under way within a second and begins nothing more. Also called where Start has failed.
  virtual void Stop() = 0;
  // One line or more of /readyz?verbose: how it is doing, in a few words.
  virtual void Describe(observe::Readiness& readiness) const = 0;
  // Before a scrape: figures that are kept elsewhere.
  virtual void RefreshMetrics() {}
};

}  // namespace huygens::agent
