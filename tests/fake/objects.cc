#include "tests/fake/objects.h"

#include "base/text.h"
#include "json/append.h"

namespace huygens::fake {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

std::string Map(const Fields& fields) {
  std::string out = "{";
  for (const auto& [key, value] : fields) {
    if (out.size() > 1) out += ',';
    out += Concat(Quoted(key), ":", Quoted(value));
  }
  return out + "}";
}

// [{"name":NAME,"value":VALUE}]
std::string NamedValues(const Fields& fields) {
  std::string out = "[";
  for (const auto& [key, value] : fields) {
    if (out.size() > 1) out += ',';
    out += Concat(R"({"name":)", Quoted(key), R"(,"value":)", Quoted(value), "}");
  }
  return out + "]";
}

}  // namespace

template <typename Derived>
std::string Object<Derived>::Metadata() const {
  std::string out = Concat(R"("metadata":{"name":)", Quoted(name_));
  if (!namespace_.empty()) out += Concat(R"(,"namespace":)", Quoted(namespace_));
  if (!uid_.empty()) out += Concat(R"(,"uid":)", Quoted(uid_));
  if (!labels_.empty()) out += Concat(R"(,"labels":)", Map(labels_));
  if (!annotations_.empty()) out += Concat(R"(,"annotations":)", Map(annotations_));
  return out + "}";
}

Node& Node::Resource(std::string name, std::string amount) {
  resources_.emplace_back(std::move(name), std::move(amount));
  return *this;
}

std::string Node::Json() const {
  return Concat(R"({"apiVersion":"v1","kind":"Node",)", Metadata(), R"(,"status":{"allocatable":)", Map(resources_),
                "}}");
}

Pod& Pod::Resource(const std::string& name, const std::string& amount) {
  return Request(name, amount).Limit(name, amount);
}
Pod& Pod::Request(std::string name, std::string amount) {
  requests_.emplace_back(std::move(name), std::move(amount));
  return *this;
}
Pod& Pod::Limit(std::string name, std::string amount) {
  limits_.emplace_back(std::move(name), std::move(amount));
  return *this;
}
Pod& Pod::On(std::string node) {
  node_ = std::move(node);
  return *this;
}
Pod& Pod::Phase(std::string phase) {
  phase_ = std::move(phase);
  return *this;
}
Pod& Pod::Scheduler(std::string name) {
  scheduler_ = std::move(name);
  return *this;
}
Pod& Pod::Gated() {
  gated_ = true;
  return *this;
}
Pod& Pod::Deleting() {
  deleting_ = true;
  return *this;
}

std::string Pod::Json() const {
  std::string metadata = Metadata();
  if (deleting_) metadata.insert(metadata.size() - 1, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
  std::string out =
      Concat(R"({"apiVersion":"v1","kind":"Pod",)", metadata, R"(,"spec":{"schedulerName":)", Quoted(scheduler_));
  if (!node_.empty()) out += Concat(R"(,"nodeName":)", Quoted(node_));
  if (gated_) out += R"(,"schedulingGates":[{"name":"wait"}])";
  return Concat(out, R"(,"containers":[{"name":"main","image":"example.invalid/main","resources":{"requests":)",
                Map(requests_), R"(,"limits":)", Map(limits_), R"(}}]},"status":{"phase":)", Quoted(phase_), "}}");
}

CraneTopology& CraneTopology::Zone(std::string name, std::string cpu, Fields attributes) {
  zones_.push_back({std::move(name), std::move(cpu), std::move(attributes)});
  return *this;
}
CraneTopology& CraneTopology::CpuManager(std::string policy) {
  cpu_manager_ = std::move(policy);
  return *this;
}
CraneTopology& CraneTopology::TopologyManager(std::string policy) {
  topology_manager_ = std::move(policy);
  return *this;
}

std::string CraneTopology::Json() const {
  std::string zones;
  for (const ZoneText& zone : zones_) {
    if (!zones.empty()) zones += ',';
    const std::string amount = Map({{"cpu", zone.cpu}});
    zones += Concat(R"({"name":)", Quoted(zone.name), R"(,"type":"Node")");
    if (!zone.attributes.empty()) zones += Concat(R"(,"attributes":)", Map(zone.attributes));
    zones += Concat(R"(,"resources":{"capacity":)", amount, R"(,"allocatable":)", amount, "}}");
  }
  return Concat(R"({"apiVersion":"topology.crane.io/v1alpha1","kind":"NodeResourceTopology",)", Metadata(),
                R"(,"craneManagerPolicy":{"cpuManagerPolicy":)", Quoted(cpu_manager_), R"(,"topologyManagerPolicy":)",
                Quoted(topology_manager_), R"(},"zones":[)", zones, "]}");
}

BizGroupQuota& BizGroupQuota::Parent(std::string name) {
  parent_ = std::move(name);
  return *this;
}
BizGroupQuota& BizGroupQuota::Hard(std::string key, std::string amount) {
  hard_.emplace_back(std::move(key), std::move(amount));
  return *this;
}
BizGroupQuota& BizGroupQuota::SelfUsed(std::string key, std::string amount) {
  self_used_.emplace_back(std::move(key), std::move(amount));
  return *this;
}

std::string BizGroupQuota::Json() const {
  return Concat(R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota",)", Metadata(),
                R"(,"spec":{"parentBizGroup":)", Quoted(parent_), R"(,"hard":)", Map(hard_),
                R"(},"status":{"selfUsed":)", Map(self_used_), "}}");
}

CommunityTopology& CommunityTopology::Zone(std::string name, std::string cpu) {
  zones_.emplace_back(std::move(name), std::move(cpu));
  return *this;
}
CommunityTopology& CommunityTopology::Attribute(std::string name, std::string value) {
  attributes_.emplace_back(std::move(name), std::move(value));
  return *this;
}

std::string CommunityTopology::Json() const {
  std::string zones;
  for (const auto& [name, cpu] : zones_) {
    if (!zones.empty()) zones += ',';
    const std::string amount = Quoted(cpu);
    zones += Concat(R"({"name":)", Quoted(name), R"(,"type":"Node","resources":[{"name":"cpu","capacity":)", amount,
                    R"(,"allocatable":)", amount, R"(,"available":)", amount, "}]}");
  }
  return Concat(R"({"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology",)", Metadata(),
                R"(,"attributes":)", NamedValues(attributes_), R"(,"zones":[)", zones, "]}");
}

template class Object<Node>;
template class Object<Pod>;
template class Object<CraneTopology>;
template class Object<BizGroupQuota>;
template class Object<CommunityTopology>;

std::string FreeLease() {
  return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"huygens-bind",)"
         R"("namespace":"kube-system"},"spec":{"leaseDurationSeconds":1,"renewTime":"2026-11-21T11:36:20.500000Z",)"
         R"("leaseTransitions":1}})";
}

}  // namespace huygens::fake
