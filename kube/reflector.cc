#include "kube/reflector.h"

#include <algorithm>
#include <utility>

#include "kube/api_call.h"
#include "kube/line_splitter.h"
#include "wire/list.h"
#include "wire/object_meta.h"
#include "wire/watch.h"

namespace huygens::kube {
namespace {

constexpr int kFailuresBeforeList = 3;
// The API server sends a bookmark about two seconds before the end of a watch, if that is still to come when the watch
// begins (k8s.io/apiserver, cacheWatcher.nextBookmarkTime): so of these three seconds, after one, or with the next tick
// of a timer.
constexpr int64_t kShortWatchSeconds = 3;
constexpr Duration kLongestRetryAfter = std::chrono::seconds(30);  // whatever a proxy asks for
constexpr size_t kMaxErrorBody = 64 << 10;
constexpr size_t kEventsPerBatch = 500;  // of a LIST

bool IsJson(const net::HttpReply& reply) { return reply.content_type.starts_with("application/json"); }

std::string NotJson(const net::HttpReply& reply) {
  return Concat("the answer is of type \"", reply.content_type.substr(0, 60), "\": is this the URL of an API server?");
}

}  // namespace

Reflector::Reflector(Resource resource, net::ClientOptions api_server, WatchEventSink& sink,
                     std::unique_ptr<Waiter> waiter, Random random, ReflectorOptions options)
    : resource_(std::move(resource)),
      api_server_(std::move(api_server)),
      sink_(sink),
      waiter_(std::move(waiter)),
      random_(random),
      options_(options),
      backoff_(options.first_pause, options.longest_pause, std::move(random)),
      page_size_(options.page_size, options.least_page_size) {}

Reflector::~Reflector() { Stop(); }

Status Reflector::Start() {
  HUYGENS_ASSIGN_OR_RETURN(shared_client_, net::Client::Create(api_server_));
  client_ = shared_client_.get();
  thread_ = std::thread([this] { Loop(); });
  return absl::OkStatus();
}

void Reflector::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (shared_client_ != nullptr) shared_client_->Cancel();
  }
  waiter_->Interrupt();
  if (thread_.joinable()) thread_.join();
}

void Reflector::Interrupt() {
  interrupted_ = true;
  if (shared_client_ != nullptr) shared_client_->Cancel();
  waiter_->Wake();
}

void Reflector::CatchUp(uint64_t version) {
  const std::lock_guard lock(mutex_);
  wanted_version_ = std::max(wanted_version_, version);
  if (sent_version_ < version && !catching_up_ && !interrupted_)
    Interrupt();  // otherwise Prepare sees to it in its time
}

bool Reflector::Prepare() {
  const std::lock_guard lock(mutex_);
  if (stopping_) return false;
  const bool behind = wanted_version_ > sent_version_;
  if (!behind) short_watch_tried_ = false;
  short_watch_ = behind && !need_list_ && !short_watch_tried_ && listed_ > options_.short_watch_above;
  if (short_watch_) short_watch_tried_ = true;
  if (behind && !short_watch_) need_list_ = true;
  catching_up_ = need_list_ || short_watch_;
  listing_for_ = wanted_version_;
  client_lost_ = client_lost_ || interrupted_;
  interrupted_ = false;
  if (!client_lost_) return true;
  auto client = net::Client::Create(api_server_);  // the old one is cancelled for good
  if (client.ok()) {
    shared_client_ = *std::move(client);
    client_ = shared_client_.get();
    client_lost_ = false;
  }
  return true;
}

void Reflector::Loop() {
  while (Prepare()) Step();
}

void Reflector::Step() {
  if (!need_list_) {
    Take(Watch());
    return;
  }
  if (!reported_ || reported_->state == WatchState::kSynced) Report(WatchState::kListing);
  const End end = List();
  if (end.what == End::What::kDone) {
    need_list_ = missed_ = false;
    versions_missed_ = 0;
    page_size_.Grow();
    {
      // A consistent read that began after the wish is as recent as can be, whatever number it bears.
      const std::lock_guard lock(mutex_);
      if (wanted_version_ == listing_for_) wanted_version_ = 0;
    }
    present_ = true;
    failures_ = 0;
    backoff_.Reset();
    Report(WatchState::kSynced);
    return;
  }
  if (end.what == End::What::kAbsent && TryNextVersion()) return;
  Take(end);
}

// Of a kind that is served in several versions the newest that the API server has.
bool Reflector::TryNextVersion() {
  const size_t count = resource_.paths.size();
  version_of_kind_ = (version_of_kind_ + 1) % count;
  versions_missed_ = (versions_missed_ + 1) % count;
  return versions_missed_ != 0;
}

void Reflector::Take(const End& end) {
  {
    // An end that Stop or CatchUp brought about is none of the API server's doing.
    const std::lock_guard lock(mutex_);
    if (stopping_ || interrupted_) return;
  }
  switch (end.what) {
    case End::What::kDone:
      return;
    case End::What::kAbsent:
      Absent(end.why);
      return;
    case End::What::kListAnew:
      need_list_ = true;
      break;
    case End::What::kFailed:
      if (!need_list_ && ++failures_ >= kFailuresBeforeList) need_list_ = true;
      break;
  }
  if (!end.why.empty()) Report(end.forbidden ? WatchState::kForbidden : WatchState::kBroken, end.why);
  const Duration asked = std::min<Duration>(end.retry_after.value_or(Duration::zero()), kLongestRetryAfter);
  waiter_->Wait(std::max(backoff_.Next(), asked));
}

// The API server says 404 for the whole kind.
void Reflector::Absent(const std::string& why) {
  need_list_ = true;
  if (present_ && !missed_) {
    // What is there should not vanish because of one strange answer.
    missed_ = true;
    Report(WatchState::kBroken, why);
    waiter_->Wait(backoff_.Next());
    return;
  }
  if (!reported_ || reported_->state != WatchState::kAbsent) {
    // Who deletes a definition often makes it anew, as by a new chart, and pods wait for what it defines.
    absent_pause_ = present_ ? options_.shortest_absence : options_.absent_interval;
    present_ = missed_ = false;
    faults_ = {};
    Append(cluster::ListBegin{resource_.kind});
    Append(cluster::ListEnd{resource_.kind});
    Send(0);
    Report(WatchState::kAbsent, why);
  }
  backoff_.Reset();
  waiter_->Wait(absent_pause_);
  absent_pause_ = std::min(2 * absent_pause_, options_.absent_interval);
}

Reflector::End Reflector::Judge(const net::HttpReply& reply) const {
  using What = End::What;
  if (reply.code == 404 && resource_.optional) return {What::kAbsent, resource_.why_absent, {}};
  // 400: a version that this API server cannot understand, as after a restore.
  if (reply.code == 410 || (reply.code == 400 && !need_list_)) return {What::kListAnew, "", {}};
  const bool forbidden = reply.code == 403 && resource_.why_forbidden != nullptr;
  return {What::kFailed, forbidden ? resource_.why_forbidden(reply) : ExplainReply(reply), reply.retry_after,
          forbidden};
}

Reflector::End Reflector::List() {
  std::string token;
  Append(cluster::ListBegin{resource_.kind});
  faults_.ListBegin();
  listed_ = 0;
  const bool whole = whole_list_;
  End end;
  do {
    end = ListPage(token);
  } while (end.what == End::What::kDone && !token.empty());
  if (whole) whole_list_ = false;  // whatever became of it, pages are next
  if (end.what != End::What::kDone) {
    batch_.clear();
    batch_bytes_ = 0;
  }
  return end;
}

Reflector::End Reflector::ListPage(std::string& token) {
  using What = End::What;
  std::string path(Path());
  if (!whole_list_) path += Concat("?limit=", std::to_string(page_size_.get()));
  if (!token.empty()) path += Concat("&continue=", token);
  const auto reply = client_->Call("GET", path, "", JsonHeaders(), options_.list_timeout);
  if (!whole_list_ && IsTooMuch(reply) && page_size_.Halve()) {
    // Where the API server said so at once, it is asked at once; what took long is tried again after a pause.
    if (reply.ok() && reply->code != 504) return ListPage(token);
  }
  if (!reply.ok()) return {What::kFailed, std::string(Message(reply.status())), {}};
  if (reply->code == 410 && !token.empty()) whole_list_ = true;
  if (!Succeeded(*reply)) return Judge(*reply);
  if (!IsJson(*reply)) return {What::kFailed, NotJson(*reply), {}};
  const auto page = wire::DecodeList(reply->body);
  if (!page.ok()) return {What::kFailed, Concat("the list cannot be read: ", Message(page.status())), {}};
  for (const wire::ListItem& item : page->items) {
    batch_bytes_ += item.text.size();
    TakeObject(resource_.present(item.text, item.resource_version));
    // Not too much at once: it is worked off and thrown away in slices.
    if (batch_.size() >= kEventsPerBatch) Send(0);
  }
  listed_ += page->items.size();
  token = net::PercentEncoded(page->continue_token);
  if (!token.empty()) {
    Send(0);
    return {};
  }
  version_ = page->resource_version;
  reached_ = wire::ParseResourceVersion(version_);
  Append(cluster::ListEnd{resource_.kind});
  for (const std::string& gone : faults_.ListEnd()) sink_.ObjectFault(resource_.kind, gone, absl::OkStatus(), false);
  Send(reached_);
  return {};
}

// One WATCH answer, line by line.
class Reflector::Watching {
 public:
  explicit Watching(Reflector& owner) : owner_(owner), lines_(owner.options_.max_line_bytes) {}

  bool OnStatus(const net::HttpReply& head) {
    head_ = head;
    if (head.code != 200) return true;  // its body says why
    if (!IsJson(head)) return false;
    owner_.Report(WatchState::kSynced);
    return true;
  }

  bool OnBytes(std::string_view piece) {
    if (head_.code != 200) {
      head_.body.append(piece.substr(0, kMaxErrorBody - std::min(kMaxErrorBody, head_.body.size())));
      return true;
    }
    owner_.batch_bytes_ += piece.size();
    size_t taken = 0;
    const bool more = lines_.Feed(piece, [&](std::string_view line) {
      ++taken;
      return OnLine(line);
    });
    if (lines_.too_long()) end_ = {End::What::kFailed, "a watch event is too long", {}};
    if (taken > 0) owner_.Send(owner_.reached_);
    return more;
  }

  End Finish(const Status& status) {
    using What = End::What;
    if (head_.code != 0 && head_.code != 200) return owner_.Judge(head_);
    if (head_.code == 200 && !IsJson(head_)) return {What::kFailed, NotJson(head_), {}};
    if (end_.what != What::kDone) return end_;
    if (!status.ok()) return {What::kFailed, std::string(Message(status)), {}};
    // Ended in order, as every watch does after a while. One that brought nothing at all must not be asked again at
    // once.
    if (!progressed_) return {What::kFailed, "", {}};
    return {};
  }

 private:
  bool OnLine(std::string_view line) {
    const auto event = wire::DecodeWatchLine(line);
    if (!event.ok()) {
      end_ = {End::What::kListAnew, Concat("a watch event cannot be read: ", Message(event.status())), {}};
      return false;
    }
    if (event->type == wire::WatchType::kError) {
      const bool expired =
          event->error.code == 410 || event->error.reason == "Expired" || event->error.reason == "Gone";
      end_ = expired ? End{End::What::kListAnew, "", {}} : End{End::What::kFailed, event->error.message, {}};
      if (end_.what == End::What::kFailed && end_.why.empty())
        end_.why = "the API server reports an error without a text";
      return false;
    }
    if (event->type == wire::WatchType::kDeleted) {
      owner_.TakeObject(owner_.resource_.deleted(event->object));
    } else if (event->type != wire::WatchType::kBookmark) {
      const uint64_t version = wire::ParseResourceVersion(event->resource_version);
      owner_.TakeObject(owner_.resource_.present(event->object, version));
    }
    owner_.Advance(event->resource_version);
    progressed_ = true;
    return true;
  }

  Reflector& owner_;
  LineSplitter lines_;
  net::HttpReply head_;
  End end_;
  bool progressed_ = false;
};

Reflector::End Reflector::Watch() {
  const double shortest = std::chrono::duration<double>(options_.shortest_watch).count();
  const double longest = std::chrono::duration<double>(options_.longest_watch).count();
  const auto seconds =
      short_watch_ ? kShortWatchSeconds : static_cast<int64_t>(shortest + random_() * (longest - shortest));
  const std::string path =
      Concat(Path(), "?watch=true&allowWatchBookmarks=true&resourceVersion=", net::PercentEncoded(version_),
             "&timeoutSeconds=", std::to_string(seconds));
  Watching watching(*this);
  const net::Client::StreamObserver observer{
      .on_status = [&](const net::HttpReply& head) { return watching.OnStatus(head); },
      .on_bytes = [&](std::string_view piece) { return watching.OnBytes(piece); }};
  return watching.Finish(client_->Stream(path, JsonHeaders(), observer, options_.silence));
}

void Reflector::TakeObject(DecodedObject object) {
  const bool mended = object.fault.ok() && faults_.Knows(object.name);
  if (faults_.IsNews(object.name, Message(object.fault)) || mended) {
    sink_.ObjectFault(resource_.kind, object.name, object.fault, object.in_use);
  }
  if (object.event) Append(*std::move(object.event));
}

void Reflector::Advance(const std::string& resource_version) {
  const uint64_t number = wire::ParseResourceVersion(resource_version);
  // A repeated event is passed on, but the place to resume never goes back.
  if (resource_version.empty() || (number != 0 && number < reached_)) return;
  version_ = resource_version;
  reached_ = number;
  failures_ = 0;
  backoff_.Reset();
}

void Reflector::Send(uint64_t resource_version) {
  if (resource_version != 0) {
    const std::lock_guard lock(mutex_);
    sent_version_ = resource_version;
  }
  sink_.Deliver({.kind = resource_.kind,
                 .events = std::move(batch_),
                 .resource_version = resource_version,
                 .bytes = std::exchange(batch_bytes_, 0)});
  batch_.clear();
}

void Reflector::Report(WatchState state, std::string why) {
  if (reported_ && reported_->state == state && reported_->why == why) return;
  reported_ = WatchReport{resource_.kind, state, std::move(why)};
  sink_.Report(*reported_);
}

}  // namespace huygens::kube
