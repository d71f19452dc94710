#include "publish/topology_object.h"

#include "json/document.h"

namespace huygens::publish {
namespace {

void Add(std::string name, std::string value, Texts& attributes) {
  attributes.emplace_back(std::move(name), std::move(value));
}
void Add(std::string name, std::string value, std::vector<Attribute>& attributes) {
  attributes.push_back({std::move(name), std::move(value)});
}

}  // namespace

std::string TopologyObject::Json() const {
  return std::visit([](const auto& object) { return EncodeJson(object); }, object_);
}

std::string TopologyObject::JsonWith(const StoredTopology& stored) const {
  return std::visit(
      [&](auto object) {
        object.metadata.resource_version = stored.resource_version;
        for (auto& zone : object.zones) {
          const auto foreign = stored.foreign.find(zone.name);
          if (foreign == stored.foreign.end()) continue;
          for (const auto& [name, value] : foreign->second) Add(name, value, zone.attributes);
        }
        return EncodeJson(object);
      },
      object_);
}

}  // namespace huygens::publish
