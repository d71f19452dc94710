#include "cli/quota_view.h"

#include "cli/json_number.h"

namespace huygens::cli {

namespace {

using wire::JsonKey;
using wire::JsonReader;

Status ReadKey(JsonReader& in, QuotaKeyView& key) {
  return in.Members([&](const JsonKey& field) {
    if (field.text == "key") return in.Read(key.key);
    if (field.text == "hard") return in.Read(key.hard);
    if (field.text == "used") return in.Read(key.used);
    if (field.text == "self") return in.Read(key.self);
    if (field.text == "children") return in.Read(key.children);
    if (field.text == "remaining") return in.Read(key.remaining);
    if (field.text == "unknown") return in.Read(key.unknown);
    if (field.text == "unlimited") return in.Read(key.unlimited);
    return field.text == "share" ? ReadNumber(in, key.share.emplace()) : absl::OkStatus();
  });
}

Status ReadOver(JsonReader& in, QuotaOverView& over) {
  return in.Members([&](const JsonKey& field) {
    if (field.text == "group") return in.Read(over.group);
    if (field.text != "keys") return absl::OkStatus();
    return wire::ReadList(in, over.keys, [&](std::string& key) { return in.Read(key); });
  });
}

Status ReadGroup(JsonReader& in, QuotaGroupView& group) {
  return in.Members([&](const JsonKey& field) {
    if (field.text == "name") return in.Read(group.name);
    if (field.text == "parent") return in.Read(group.parent);
    if (field.text == "state") return in.Read(group.state);
    if (field.text == "why") return in.Read(group.why);
    if (field.text == "overAbove") {
      return wire::ReadList(in, group.over_above, [&](QuotaOverView& over) { return ReadOver(in, over); });
    }
    if (field.text != "keys") return absl::OkStatus();
    return wire::ReadList(in, group.keys, [&](QuotaKeyView& key) { return ReadKey(in, key); });
  });
}

Status ReadCost(JsonReader& in, PodCostView& cost) {
  return in.Members([&](const JsonKey& field) {
    if (field.text == "key") return in.Read(cost.key);
    if (field.text == "cost") return in.Read(cost.cost);
    if (field.text == "used") return in.Read(cost.used);
    if (field.text == "children") return in.Read(cost.children);
    if (field.text == "hard") return in.Read(cost.hard);
    if (field.text == "lacks") return in.Read(cost.lacks);
    return field.text == "ofNode" ? in.Read(cost.of_node) : absl::OkStatus();
  });
}

Status ReadHolder(JsonReader& in, QuotaUseView::Holder& holder) {
  return in.Members([&](const JsonKey& field) {
    if (field.text == "name") return in.Read(holder.name);
    return field.text == "amount" ? in.Read(holder.amount) : absl::OkStatus();
  });
}

Status ReadUse(JsonReader& in, QuotaUseView& use) {
  const auto holders = [&](std::vector<QuotaUseView::Holder>& list) {
    return wire::ReadList(in, list, [&](QuotaUseView::Holder& holder) { return ReadHolder(in, holder); });
  };
  return in.Members([&](const JsonKey& field) {
    if (field.text == "group") return in.Read(use.group);
    if (field.text == "key") return in.Read(use.key);
    if (field.text == "pods") return holders(use.pods);
    if (field.text == "children") return holders(use.children);
    if (field.text == "morePods") return in.Read(use.more_pods);
    return field.text == "moreChildren" ? in.Read(use.more_children) : absl::OkStatus();
  });
}

Status ReadModels(JsonReader& in, std::string& cpu, std::string& gpu, std::string& memory) {
  return in.Members([&](const JsonKey& field) {
    if (field.text == "cpu") return in.Read(cpu);
    if (field.text == "gpu") return in.Read(gpu);
    return field.text == "memory" ? in.Read(memory) : absl::OkStatus();
  });
}

}  // namespace

StatusOr<QuotaTreeView> DecodeQuotaTree(std::string_view json) {
  return wire::DecodeObject<QuotaTreeView>(json, [](JsonReader& in, QuotaTreeView& out) {
    return in.Members([&](const JsonKey& field) {
      if (field.text == "enforcement") return in.Read(out.enforcement);
      if (field.text != "groups") return absl::OkStatus();
      return wire::ReadList(in, out.groups, [&](QuotaGroupView& group) { return ReadGroup(in, group); });
    });
  });
}

StatusOr<PodQuotaView> DecodePodQuota(std::string_view json) {
  return wire::DecodeObject<PodQuotaView>(json, [](JsonReader& in, PodQuotaView& out) {
    return in.Members([&](const JsonKey& field) {
      if (field.text == "pod") return in.Read(out.pod);
      if (field.text == "enforcement") return in.Read(out.enforcement);
      if (field.text == "group") return in.Read(out.group);
      if (field.text == "path") return in.Read(out.path);
      if (field.text == "models") return ReadModels(in, out.cpu_model, out.gpu_model, out.memory_model);
      if (field.text == "nodeModels") {
        return ReadModels(in, out.node_cpu_model, out.node_gpu_model, out.node_memory_model);
      }
      if (field.text == "relabelled") return in.Read(out.relabelled);
      if (field.text == "refusedByModel") return in.Read(out.refused_by_model);
      if (field.text == "modelNodes") return in.Read(out.model_nodes.emplace());
      if (field.text == "otherModels") return in.Read(out.other_models);
      if (field.text == "nearestGroup") return in.Read(out.nearest_group);
      if (field.text == "usedBy") {
        return wire::ReadList(in, out.used_by, [&](QuotaUseView& use) { return ReadUse(in, use); });
      }
      if (field.text == "node") return in.Read(out.node);
      if (field.text == "since") return in.Read(out.since);
      if (field.text == "verdict") return in.Read(out.verdict);
      if (field.text == "why") return in.Read(out.why);
      if (field.text != "keys") return absl::OkStatus();
      return wire::ReadList(in, out.keys, [&](PodCostView& cost) { return ReadCost(in, cost); });
    });
  });
}

}  // namespace huygens::cli
