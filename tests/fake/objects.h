// Kubernetes objects as JSON text, in one readable line:
//   Node("n1").Cpu("8").Memory("32Gi")
//   CraneTopology("n1").Zone("node0", "4").Zone("node1", "4")
//   Pod("default", "a").Cpu("2").Annotation("topology.crane.io/cpu-policy", "numa")
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace huygens::fake {

using Fields = std::vector<std::pair<std::string, std::string>>;

// What all builders share. Derived is the builder itself, so that calls chain.
template <typename Derived>
class Object {
 public:
  Derived& Uid(std::string uid) { return uid_ = std::move(uid), Self(); }
  Derived& Label(std::string key, std::string value) {
    return labels_.emplace_back(std::move(key), std::move(value)), Self();
  }
  Derived& Annotation(std::string key, std::string value) {
    return annotations_.emplace_back(std::move(key), std::move(value)), Self();
  }
  operator std::string() const {
    return static_cast<const Derived*>(this)->Json();
  }  // NOLINT(google-explicit-constructor)

 protected:
  Object(std::string namespace_name, std::string name)
      : namespace_(std::move(namespace_name)), name_(std::move(name)) {}
  std::string Metadata() const;
  std::string namespace_, name_, uid_;
  Fields labels_, annotations_;

 private:
  Derived& Self() { return *static_cast<Derived*>(this); }
};

class Node : public Object<Node> {
 public:
  explicit Node(std::string name) : Object("", std::move(name)) {}
  Node& Cpu(std::string amount) { return Resource("cpu", std::move(amount)); }
  Node& Memory(std::string amount) { return Resource("memory", std::move(amount)); }
  Node& Resource(std::string name, std::string amount);
  std::string Json() const;

 private:
  Fields resources_;
};

class Pod : public Object<Pod> {
 public:
  Pod(std::string namespace_name, std::string name) : Object(std::move(namespace_name), std::move(name)) {}
  // Requests and limits alike, of the one container, as guaranteed pods have them.
  Pod& Cpu(std::string amount) { return Resource("cpu", std::move(amount)); }
  Pod& Memory(std::string amount) { return Resource("memory", std::move(amount)); }
  Pod& Resource(const std::string& name, const std::string& amount);
  Pod& Request(std::string name, std::string amount);
  Pod& Limit(std::string name, std::string amount);
  Pod& On(std::string node);
  Pod& Phase(std::string phase);
  Pod& Scheduler(std::string name);
  Pod& Gated();
  Pod& Deleting();
  std::string Json() const;

 private:
  Fields requests_, limits_;
  std::string node_, phase_ = "Pending", scheduler_ = "default-scheduler";
  bool gated_ = false;
  bool deleting_ = false;
};

// topology.crane.io/v1alpha1 of a node whose agent pins.
class CraneTopology : public Object<CraneTopology> {
 public:
  explicit CraneTopology(std::string node) : Object("", std::move(node)) {}
  CraneTopology& Zone(std::string name, std::string cpu, Fields attributes = {});
  CraneTopology& CpuManager(std::string policy);       // Static unless set
  CraneTopology& TopologyManager(std::string policy);  // None unless set
  std::string Json() const;

 private:
  struct ZoneText {
    std::string name, cpu;
    Fields attributes;
  };
  std::vector<ZoneText> zones_;
  std::string cpu_manager_ = "Static", topology_manager_ = "None";
};

// quota.huygens.dev/v1alpha1.
class BizGroupQuota : public Object<BizGroupQuota> {
 public:
  explicit BizGroupQuota(std::string name) : Object("", std::move(name)) {}
  BizGroupQuota& Parent(std::string name);
  BizGroupQuota& Hard(std::string key, std::string amount);
  BizGroupQuota& SelfUsed(std::string key, std::string amount);
  std::string Json() const;

 private:
  std::string parent_;
  Fields hard_, self_used_;
};

// topology.node.k8s.io/v1alpha2.
class CommunityTopology : public Object<CommunityTopology> {
 public:
  explicit CommunityTopology(std::string node) : Object("", std::move(node)) {}
  CommunityTopology& Zone(std::string name, std::string cpu);
  CommunityTopology& Attribute(std::string name, std::string value);
  std::string Json() const;

 private:
  Fields zones_, attributes_;
};

// The Lease that lets one instance bind, as the last one that held it gave it up.
std::string FreeLease();

}  // namespace huygens::fake
