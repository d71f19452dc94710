#include "agent/topology_writer.h"

#include "base/text.h"
#include "kube/object_call.h"

namespace huygens::agent {
namespace {

constexpr Duration kWriteTimeout = std::chrono::seconds(10);

}  // namespace

TopologyWriter::TopologyWriter(std::string_view collection, std::string_view node)
    : path_(Concat(collection, "/", node)) {}

StatusOr<std::optional<std::string>> TopologyWriter::Read(net::Client& client) const {
  StatusOr<net::HttpReply> reply = kube::CallForObject(client, "GET", path_, "", kWriteTimeout);
  if (reply.ok()) return std::move(reply->body);
  if (absl::IsNotFound(reply.status())) return std::nullopt;
  return reply.status();
}

Status TopologyWriter::Apply(net::Client& client, const publish::TopologyObject& object) {
  std::string body = object.Json();
  if (zones_ != publish::ZoneList::kByName) {
    HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> now, Read(client));
    if (now) {
      HUYGENS_ASSIGN_OR_RETURN(const publish::StoredTopology stored, publish::DecodeStoredTopology(*now));
      zones_ = stored.zones;
      if (zones_ != publish::ZoneList::kByName) body = object.JsonWith(stored);
    }
  }
  HUYGENS_ASSIGN_OR_RETURN(const publish::StoredTopology written,
                           kube::CallForObject(publish::DecodeStoredTopology, client, "PATCH",
                                               Concat(path_, "?fieldManager=", kFieldManager, "&force=true"), body,
                                               kWriteTimeout, kube::ApplyHeaders()));
  if (written.zones != publish::ZoneList::kUnknown) zones_ = written.zones;
  return absl::OkStatus();
}

StatusOr<TopologyWriter::Found> TopologyWriter::Look(net::Client& client, const publish::TopologyObject& object) {
  HUYGENS_ASSIGN_OR_RETURN(const std::optional<std::string> now, Read(client));
  if (!now) return Found::kAbsent;
  return publish::JsonHolds(*now, object.Json()) ? Found::kAsWanted : Found::kDiffers;
}

}  // namespace huygens::agent
