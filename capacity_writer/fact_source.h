// Where one named query gets its facts: a Prometheus, or a document of an HTTP server (fact_document.h). Blocking; one
// thread, only Cancel may be called from others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "real_capacity/facts.h"
#include "usage_sources/prometheus_client.h"

namespace huygens::capacity_writer {

// One query of the configuration.
struct QuerySource {
  std::string name;
  std::string query;  // PromQL; empty: `document` is asked
  net::ClientOptions document;
  std::string path;                 // of the document, with its query string
  std::string node_label = "node";  // of series: whose value names the node
  std::string zone_label = "zone";  // empty: the facts are of nodes as wholes, of documents too
};

struct FactSourceOptions {
  net::ClientOptions prometheus;                // without a URL: no query asks it
  net::Headers headers;                         // that go with each question to it
  Duration timeout = std::chrono::seconds(30);  // of one question
  std::vector<QuerySource> queries;
};

class FactSource {
 public:
  virtual ~FactSource() = default;
  // The answers in the order of the queries; each says for itself whether it can be used.
  virtual std::vector<real_capacity::Answer> Ask(Time now) = 0;
  // Ends what is under way and all that follows, within milliseconds. For good.
  virtual void Cancel() = 0;
};

// Reads no file and opens no connection yet. Fails where client options cannot be used.
StatusOr<std::unique_ptr<FactSource>> MakeFactSource(const FactSourceOptions& options);

}  // namespace huygens::capacity_writer
