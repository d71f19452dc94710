// The two kinds of topology objects as JSON, by their lists of fields. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace huygens::publish {

using Texts = std::vector<std::pair<std::string, std::string>>;

struct OwnerReference {
  std::string api_version = "v1", kind = "Node", name, uid;
  static void Describe(auto& self, auto& fields) {
    fields.Always("apiVersion", self.api_version);
    fields.Always("kind", self.kind);
    fields.Always("name", self.name);
    fields.Always("uid", self.uid);
  }
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct Metadata {
  std::string name, resource_version;
  std::vector<OwnerReference> owners;
  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.IfSet("resourceVersion", self.resource_version);
    fields.IfSet("ownerReferences", self.owners);
  }
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

struct Cost {
  std::string name;
  int64_t value = 0;
  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("value", self.value);
  }
  friend bool operator==(const Cost&, const Cost&) = default;
};

struct CraneResources {
  Texts capacity, allocatable;
  int64_t reserved_cpus = 0;
  static void Describe(auto& self, auto& fields) {
    fields.Always("capacity", self.capacity);
    fields.Always("allocatable", self.allocatable);
    fields.Always("reservedCPUNums", self.reserved_cpus);
  }
  friend bool operator==(const CraneResources&, const CraneResources&) = default;
};

struct CraneZone {
  std::string name, type = "Node", parent;
  std::vector<Cost> costs;
  Texts attributes;
  CraneResources resources;
  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("type", self.type);
    fields.IfSet("parent", self.parent);
    fields.IfSet("costs", self.costs);
    fields.IfSet("attributes", self.attributes);
    fields.Always("resources", self.resources);
  }
  friend bool operator==(const CraneZone&, const CraneZone&) = default;
};

struct CranePolicy {
  std::string cpu, topology;
  static void Describe(auto& self, auto& fields) {
    fields.Always("cpuManagerPolicy", self.cpu);
    fields.Always("topologyManagerPolicy", self.topology);
  }
  friend bool operator==(const CranePolicy&, const CranePolicy&) = default;
};

struct CraneObject {
  std::string api_version = "topology.crane.io/v1alpha1", kind = "NodeResourceTopology";
  Metadata metadata;
  CranePolicy policy;
  Texts reserved, attributes;
  std::vector<CraneZone> zones;
  static void Describe(auto& self, auto& fields) {
    fields.Always("apiVersion", self.api_version);
    fields.Always("kind", self.kind);
    fields.Always("metadata", self.metadata);
    fields.Always("craneManagerPolicy", self.policy);
    fields.IfSet("reserved", self.reserved);
    fields.Always("attributes", self.attributes);
    fields.Always("zones", self.zones);
  }
  friend bool operator==(const CraneObject&, const CraneObject&) = default;
};

struct Attribute {
  std::string name, value;
  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("value", self.value);
  }
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

struct CommunityResource {
  std::string name, capacity, allocatable, available;
  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("capacity", self.capacity);
    fields.Always("allocatable", self.allocatable);
    fields.Always("available", self.available);
  }
  friend bool operator==(const CommunityResource&, const CommunityResource&) = default;
};

struct CommunityZone {
  std::string name, type = "Node", parent;
  std::vector<Cost> costs;
  std::vector<Attribute> attributes;
  std::vector<CommunityResource> resources;
  static void Describe(auto& self, auto& fields) {
    fields.Always("name", self.name);
    fields.Always("type", self.type);
    fields.IfSet("parent", self.parent);
    fields.IfSet("costs", self.costs);
    fields.IfSet("attributes", self.attributes);
    fields.Always("resources", self.resources);
  }
  friend bool operator==(const CommunityZone&, const CommunityZone&) = default;
};

struct CommunityObject {
  std::string api_version = "topology.node.k8s.io/v1alpha2", kind = "NodeResourceTopology";
  Metadata metadata;
  std::vector<Attribute> attributes;
  std::vector<CommunityZone> zones;
  static void Describe(auto& self, auto& fields) {
    fields.Always("apiVersion", self.api_version);
    fields.Always("kind", self.kind);
    fields.Always("metadata", self.metadata);
    fields.Always("attributes", self.attributes);
    fields.Always("zones", self.zones);
  }
  friend bool operator==(const CommunityObject&, const CommunityObject&) = default;
};

}  // namespace huygens::publish
