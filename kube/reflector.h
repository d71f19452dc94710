// Keeps one kind of object up to date: paged LIST, then WATCH, for ever, on a thread of its own; decodes there and
// delivers small typed events. What client-go's Reflector does (k8s.io/client-go/tools/cache), with these choices:
//  - every LIST is a consistent read (no resourceVersion), so that time never runs backwards when another API server
//    answers;
//  - a watch that was cut resumes from the last version seen; 410 Gone, or three failures in a row without progress,
//    list anew;
//  - a page whose token expired is followed by one LIST without pages, and if that fails by pages again. A page that is
//    too large, or takes too long, is asked for in halves; with each LIST that succeeds pages grow again by a quarter;
//  - a watch that stays silent for several bookmark intervals is taken for dead;
//  - of a kind with several versions the newest that is served is read;
//  - an optional kind whose CRD is absent is an empty list, and is looked for again; one that was there must be missed
//    twice.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/backoff.h"
#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "cluster/watch_event.h"
#include "kube/decoded_object.h"
#include "kube/known_faults.h"
#include "kube/page_size.h"
#include "kube/resource.h"
#include "kube/watch_event_sink.h"
#include "net/client.h"

namespace huygens::kube {

struct ReflectorOptions {
  int page_size = 500;
  int least_page_size = 10;
  Duration list_timeout = std::chrono::seconds(60);   // for one page
  Duration silence = std::chrono::seconds(180);       // three bookmark intervals of kube-apiserver
  Duration shortest_watch = std::chrono::minutes(5);  // a watch ends after a random time between these
  Duration longest_watch = std::chrono::minutes(10);
  Duration absent_interval = std::chrono::seconds(30);    // between looks for a missing CRD
  Duration shortest_absence = std::chrono::seconds(1);    // until the first look for one that was there; then doubled
  Duration first_pause = std::chrono::milliseconds(200);  // back-off after a failure
  Duration longest_pause = std::chrono::seconds(30);
  size_t max_line_bytes = size_t{16} << 20;  // one watch event
  size_t short_watch_above = 5000;           // objects listed: catch up by a short watch instead of a LIST
};

class Reflector {
 public:
  // Everything referred to must outlive the reflector. Does nothing until Start.
  Reflector(Resource resource, net::ClientOptions api_server, WatchEventSink& sink, std::unique_ptr<Waiter> waiter,
            Random random, ReflectorOptions options = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  // Once. Fails if the client options are not usable.
  Status Start();
  // Ends what is under way, within milliseconds, and waits for the thread. Any thread but the reflector's own.
  void Stop();
  // Makes sure that all changes up to `version` will be delivered soon, instead of with the next event or bookmark: by
  // a LIST, or where that would be long by a short watch, which ends with a bookmark. Cheap when they were delivered,
  // or when it is at it. Any thread.
  void CatchUp(uint64_t version);

  cluster::Kind kind() const { return resource_.kind; }

 private:
  class Watching;
  // How a LIST or a watch ended.
  struct End {
    enum class What { kDone, kFailed, kListAnew, kAbsent };
    What what = What::kDone;
    std::string why;
    std::optional<Duration> retry_after;
    bool forbidden = false;
  };

  void Loop();
  // With the lock held: ends what is under way.
  void Interrupt();
  // Chooses what comes next; false when stopping.
  bool Prepare();
  void Step();
  End List();
  End Watch();
  // One page, or the whole; `token` is that of the next one afterwards.
  End ListPage(std::string& token);
  End Judge(const net::HttpReply& reply) const;
  void Take(const End& end);
  // Whether there is another version of the kind to list before it counts as absent.
  bool TryNextVersion();
  std::string_view Path() const { return resource_.paths[version_of_kind_]; }
  void Absent(const std::string& why);
  void Append(cluster::WatchEvent event) { batch_.push_back(std::move(event)); }
  // The event of an object, and what is wrong with it.
  void TakeObject(DecodedObject object);
  void Send(uint64_t resource_version);
  void Report(WatchState state, std::string why = "");
  void Advance(const std::string& resource_version);

  const Resource resource_;
  const net::ClientOptions api_server_;
  WatchEventSink& sink_;
  const std::unique_ptr<Waiter> waiter_;
  const Random random_;
  const ReflectorOptions options_;
  std::thread thread_;

  std::mutex mutex_;  // guards what CatchUp and Stop touch
  std::unique_ptr<net::Client> shared_client_;
  bool stopping_ = false;
  bool interrupted_ = false;  // what is under way was cancelled
  bool client_lost_ = false;  // the client was cancelled, and no new one could be made yet
  bool catching_up_ = false;  // what is under way ends with a recent version
  uint64_t listing_for_ = 0;  // wanted_version_ when the LIST began
  uint64_t wanted_version_ = 0;
  uint64_t sent_version_ = 0;  // delivered

  // Of the thread alone.
  net::Client* client_ = nullptr;
  std::vector<cluster::WatchEvent> batch_;
  size_t batch_bytes_ = 0;  // read since the last batch
  KnownFaults faults_;
  Backoff backoff_;
  std::optional<WatchReport> reported_;
  size_t version_of_kind_ = 0;  // among its paths
  size_t versions_missed_ = 0;  // since the last LIST that was answered
  bool need_list_ = true;
  bool whole_list_ = false;  // the next LIST is without pages: their token expired on the way
  PageSize page_size_;
  bool present_ = false;      // the kind has been listed, and is not known to be absent
  bool missed_ = false;       // present, but the last LIST said 404
  Duration absent_pause_{};   // until the next look for a missing CRD
  bool short_watch_ = false;  // the next watch is to end soon, with a bookmark
  bool short_watch_tried_ = false;
  size_t listed_ = 0;     // objects of the last LIST
  int failures_ = 0;      // of watches in a row, without progress
  std::string version_;   // where a watch resumes
  uint64_t reached_ = 0;  // the same as a number
};

}  // namespace huygens::kube
