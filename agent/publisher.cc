#include "agent/publisher.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "agent/topology_writer.h"
#include "base/backoff.h"
#include "base/steady_now.h"
#include "base/text.h"
#include "json/document.h"
#include "json/reader.h"
#include "kube/call_pool.h"
#include "kube/object_call.h"
#include "publish/kubelet_placement.h"
#include "publish/topology_object.h"

namespace huygens::agent {
namespace {

using publish::TopologyObject;

constexpr Duration kCallTimeout = std::chrono::seconds(10);
// Between two writes of the object: pods may come by the dozen.
constexpr Duration kLeastGap = std::chrono::milliseconds(200);
// Between looks whether somebody else has changed what was written, or the labels of the Node.
constexpr Duration kCheckInterval = std::chrono::minutes(5);
constexpr Duration kFirstRetry = std::chrono::milliseconds(200), kLastRetry = std::chrono::seconds(15);
// Between looks whether the kind has been installed.
constexpr Duration kMissingPause = std::chrono::minutes(1);

// One of the two kinds of objects.
struct Kind {
  Kind(std::string_view name, std::string_view collection, std::string_view node)
      : name(name), writer(std::make_shared<TopologyWriter>(collection, node)) {}

  const std::string_view name;
  const std::shared_ptr<TopologyWriter> writer;
  std::optional<TopologyObject> wanted;
  bool only_if_there = false;             // it is put right, but not made
  std::optional<TopologyObject> settled;  // as it was written, or found
  Duration checked{};
  // Why it cannot be written for now, and until when it is left alone: the kind is not installed.
  std::string missing;
  Duration missing_until{};
  publish::ZoneList told = publish::ZoneList::kUnknown;
};

// A pod's annotation that is to be written.
struct Note {
  std::string uid, path, text;
};

struct AnnotationPatch {
  struct Metadata {
    std::string uid;
    std::vector<std::pair<std::string, std::string>> annotations;
    static void Describe(auto& self, auto& fields) {
      fields.Always("uid", self.uid);
      fields.Always("annotations", self.annotations);
    }
  };
  Metadata metadata;
  static void Describe(auto& self, auto& fields) { fields.Always("metadata", self.metadata); }
};

StatusOr<publish::NodeIdentity> DecodeIdentity(std::string_view json) {
  return DecodeObject<publish::NodeIdentity>(json, [](JsonReader& in, publish::NodeIdentity& out) {
    const auto read_labels = [&] {
      return in.Members([&](const JsonKey& key) -> Status {
        if (key.text != "topology.crane.io/topology-awareness") return absl::OkStatus();
        std::string value;
        HUYGENS_RETURN_IF_ERROR(in.Read(value));
        out.aware = value != "false";
        return absl::OkStatus();
      });
    };
    return in.Fields("metadata", [&] { return in.Fields("name", out.name, "uid", out.uid, "labels", read_labels); });
  });
}

class Publisher final : public Part {
 public:
  explicit Publisher(const PartContext& context)
      : context_(context),
        crane_("topology.crane.io", kCraneTopologies, context.node_name),
        community_("topology.node.k8s.io", kCommunityTopologies, context.node_name),
        pool_(context.loop),
        backoff_(kFirstRetry, kLastRetry, SystemRandom()),
        writes_(Counter("huygens_agent_topology_writes_total", "Writes of this node's topology object.", "ok")),
        failed_writes_(
            Counter("huygens_agent_topology_writes_total", "Writes of this node's topology object.", "failed")),
        notes_(Counter("huygens_agent_placement_writes_total",
                       "Writes of huygens.dev/kubelet-placement into pods of this node.", "ok")),
        failed_notes_(Counter("huygens_agent_placement_writes_total",
                              "Writes of huygens.dev/kubelet-placement into pods of this node.", "failed")) {}
  ~Publisher() override { Publisher::Stop(); }

  Status Start() override {
    HUYGENS_RETURN_IF_ERROR(pool_.Start(context_.api_server, 1));
    context_.facts.OnChange([this] { Update(); });
    Work();
    return absl::OkStatus();
  }

  void Stop() override {
    stopped_ = true;
    timer_.Cancel();
    pool_.Stop();
  }

  void Describe(observe::Readiness& readiness) const override {
    const bool written = crane_.settled || community_.settled;
    const bool missing = !crane_.missing.empty() || !community_.missing.empty();
    readiness.items.push_back(
        {.ok = written, .warning = written && (missing || !fault_.empty()), .name = "publisher", .detail = State()});
  }

 private:
  observe::CounterSeries Counter(const char* name, const char* help, const char* result) const {
    return context_.metrics.MakeCounter(name, help, {{"result", result}});
  }

  std::string State() const {
    if (!fault_.empty()) return fault_;
    for (const Kind* kind : {&community_, &crane_}) {
      if (kind->wanted && !kind->missing.empty()) return kind->missing;
    }
    if (context_.facts.look() == nullptr) return "waits for kubelet";
    for (const Kind* kind : {&community_, &crane_}) {
      if (!kind->wanted || !kind->settled || kind->only_if_there) continue;
      return Concat(kind->name, " is written, ",
                    kind->writer->zones() == publish::ZoneList::kAsWhole ? "zones as a whole, with others' attributes"
                                                                         : "zones by their names");
    }
    return "nothing is written yet";
  }

  // What is to be, from what is known.
  void Update() {
    const auto& facts = context_.facts;
    if (stopped_ || !node_known_ || facts.machine() == nullptr || facts.look() == nullptr) return;
    const KubeletLook& look = *facts.look();
    if (!faulted_) fault_.clear();
    wanted_notes_.clear();
    community_.wanted.reset();
    const pod_resources::ZoneDevices* devices = look.devices ? &*look.devices : nullptr;
    if (!look.kubelet.PinsCpus()) {
      crane_.wanted = publish::ManagedTopology(node_, *facts.machine(), look.kubelet, devices);
      crane_.only_if_there = false;
      return Work();
    }
    crane_.wanted = publish::HandsOffTopology(node_, *facts.machine(), look.kubelet);
    crane_.only_if_there = SteadyNow() >= community_.missing_until;
    if (facts.kubelet_machine() == nullptr) {
      Complain("kubelet finds no zones on this machine, so there is nothing to publish of them");
      return Work();
    }
    const kubelet_api::MemoryManagerState* memory = look.memory ? &*look.memory : nullptr;
    community_.wanted = publish::PinnedTopology(node_, {.machine = *facts.kubelet_machine(),
                                                        .kubelet = look.kubelet,
                                                        .pods = look.pods,
                                                        .cpus = *look.cpus,
                                                        .memory = memory,
                                                        .devices = devices});
    SetNotes(publish::KubeletPlacements(context_.node_name, *facts.kubelet_machine(), look.pods, *look.cpus, memory),
             look.pods);
    Work();
  }

  void SetNotes(const std::map<std::string, std::string>& placements, const std::vector<kubelet_api::Pod>& pods) {
    std::erase_if(noted_, [&](const auto& each) { return !placements.contains(each.first); });
    for (const kubelet_api::Pod& pod : pods) {
      const auto text = placements.find(pod.uid);
      if (text == placements.end() || pod.Annotation(publish::kKubeletPlacement) == text->second) continue;
      if (const auto sent = noted_.find(pod.uid); sent != noted_.end() && sent->second == text->second) continue;
      wanted_notes_.push_back(
          {pod.uid, Concat("/api/v1/namespaces/", pod.namespace_name, "/pods/", pod.name), text->second});
    }
  }

  // Begins whatever is due, one call at a time.
  void Work() {
    if (stopped_ || calling_ || retrying_) return;
    timer_.Cancel();
    const Duration now = SteadyNow();
    if (!node_known_ || now - node_checked_ >= kCheckInterval) return AskNode();
    std::optional<Duration> due = node_checked_ + kCheckInterval;
    const auto sooner = [&](Duration when) { due = std::min(*due, when); };
    for (Kind* kind : {&community_, &crane_}) {
      if (!kind->wanted) continue;
      if (now < kind->missing_until) {
        sooner(kind->missing_until);
        continue;
      }
      const bool differs = kind->settled != kind->wanted;
      if (differs && now >= written_ + kLeastGap) return kind->only_if_there ? Check(*kind) : Write(*kind);
      if (differs) {
        sooner(written_ + kLeastGap);
      } else if (now >= kind->checked + kCheckInterval) {
        return Check(*kind);
      } else {
        sooner(kind->checked + kCheckInterval);
      }
    }
    if (!wanted_notes_.empty()) return WriteNote();
    timer_ =
        context_.loop.After(std::max(*due - now, Duration::zero()) + std::chrono::milliseconds(1), [this] { Work(); });
  }

  // `call` on the pool's thread, `then` with what it returned on this one.
  template <typename Call, typename Then>
  void Begin(Call call, Then then) {
    calling_ = true;
    pool_.Post([this, call = std::move(call), then = std::move(then)](net::Client& client) -> kube::CallPool::Then {
      auto result = std::make_shared<decltype(call(client))>(call(client));
      return [this, then, result] {
        calling_ = false;
        if (!stopped_) then(*result);
      };
    });
  }

  void AskNode() {
    const std::string path = Concat("/api/v1/nodes/", context_.node_name);
    Begin(
        [path](net::Client& client) {
          return kube::CallForObject(DecodeIdentity, client, "GET", path, "", kCallTimeout);
        },
        [this](const StatusOr<publish::NodeIdentity>& node) {
          // Who is not allowed to read it publishes without an owner.
          if (!node.ok() && !absl::IsPermissionDenied(node.status())) return Retry(node.status());
          if (!node.ok())
            Complain(Concat("the Node cannot be read, so its object names no owner: ", Message(node.status())));
          node_ = node.ok() ? *node : publish::NodeIdentity{.name = context_.node_name};
          node_known_ = true;
          node_checked_ = SteadyNow();
          if (node.ok()) Succeed();
          Update();
          Work();
        });
  }

  void Write(Kind& kind) {
    written_ = SteadyNow();
    Begin([writer = kind.writer, object = *kind.wanted](net::Client& client) { return writer->Apply(client, object); },
          [this, &kind, object = *kind.wanted](const Status& written) {
            (written.ok() ? writes_ : failed_writes_).Add();
            if (!written.ok()) return Fail(kind, written);
            kind.settled = object;
            kind.checked = SteadyNow();
            kind.missing_until = Duration::zero();
            kind.missing.clear();
            Tell(kind);
            Succeed();
            Work();
          });
  }

  void Fail(Kind& kind, const Status& status) {
    if (!absl::IsNotFound(status)) return Retry(status);
    std::string why = Concat("the kind NodeResourceTopology of ", kind.name, " is not installed");
    if (why != kind.missing) context_.log.Warn("cannot publish; it is tried again", {{"why", why}});
    kind.missing = std::move(why);
    kind.missing_until = SteadyNow() + kMissingPause;
    // Then crane's object at least says that the agent does not pin here.
    if (&kind == &community_) crane_.only_if_there = false;
    Work();
  }

  void Check(Kind& kind) {
    Begin([writer = kind.writer, object = *kind.wanted](net::Client& client) { return writer->Look(client, object); },
          [this, &kind, object = *kind.wanted](const StatusOr<TopologyWriter::Found>& found) {
            if (!found.ok()) return Retry(found.status());
            kind.checked = SteadyNow();
            Succeed();
            const bool absent = *found == TopologyWriter::Found::kAbsent;
            if (*found == TopologyWriter::Found::kAsWanted || (absent && kind.only_if_there)) {
              kind.settled = object;
              return Work();
            }
            if (kind.settled) {
              context_.log.Warn(absent ? "the topology object is gone; it is made anew"
                                       : "the topology object was changed by another; it is put right",
                                {{"kind", kind.name}});
            }
            Write(kind);
          });
  }

  void WriteNote() {
    const Note note = wanted_notes_.back();
    wanted_notes_.pop_back();
    noted_[note.uid] = note.text;  // what comes while the call is under way must not want it again
    const std::string body = EncodeJson(AnnotationPatch{
        .metadata = {.uid = note.uid, .annotations = {{std::string(publish::kKubeletPlacement), note.text}}}});
    Begin(
        [path = Concat(note.path, "?fieldManager=", kFieldManager), body](net::Client& client) {
          return kube::CallForObject(client, "PATCH", path, body, kCallTimeout, kube::PatchHeaders("merge")).status();
        },
        [this, note](const Status& written) {
          (written.ok() ? notes_ : failed_notes_).Add();
          // A static pod is another object at the API server, and one that is gone needs no note any more.
          const bool another =
              absl::IsNotFound(written) || absl::IsAborted(written) || absl::IsFailedPrecondition(written);
          if (!written.ok() && !another) {
            noted_.erase(note.uid);
            wanted_notes_.push_back(note);
            return Retry(written);
          }
          Succeed();
          Work();
        });
  }

  // How the zones are owned, once.
  void Tell(Kind& kind) {
    const publish::ZoneList zones = kind.writer->zones();
    if (zones == kind.told || zones == publish::ZoneList::kUnknown) return;
    kind.told = zones;
    context_.log.Info("the topology object is written",
                      {{"kind", kind.name},
                       {"zones", zones == publish::ZoneList::kByName
                                     ? "by their names, so that others may apply attributes of their own"
                                     : "as a whole, with the attributes that others wrote"}});
  }

  void Succeed() {
    if (!fault_.empty() && faulted_) context_.log.Info("the API server takes what is published again");
    if (faulted_) fault_.clear();
    faulted_ = false;
    backoff_.Reset();
  }

  void Retry(const Status& status) {
    Complain(Message(status));
    faulted_ = true;
    retrying_ = true;
    timer_ = context_.loop.After(backoff_.Next(), [this] {
      retrying_ = false;
      Work();
    });
  }

  // Once for each cause.
  void Complain(std::string_view why) {
    if (why != fault_) context_.log.Warn("cannot publish; it is tried again", {{"why", why}});
    fault_ = why;
  }

  const PartContext context_;
  Kind crane_, community_;
  kube::CallPool pool_;
  Backoff backoff_;
  net::Timer timer_;
  publish::NodeIdentity node_;
  bool node_known_ = false, calling_ = false, retrying_ = false, stopped_ = false, faulted_ = false;
  Duration node_checked_{}, written_{};
  std::vector<Note> wanted_notes_;
  std::map<std::string, std::string> noted_;  // pod UID -> what was written last
  std::string fault_;
  const observe::CounterSeries writes_, failed_writes_, notes_, failed_notes_;
};

}  // namespace

std::unique_ptr<Part> MakePublisher(const PartContext& context) { return std::make_unique<Publisher>(context); }

}  // namespace huygens::agent
