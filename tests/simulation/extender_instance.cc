#include "tests/simulation/extender_instance.h"

#include <utility>

#include "base/text.h"
#include "wire/pod.h"

namespace huygens::simulation {
namespace {

std::shared_ptr<const cluster::Pod> PodOf(const Workload& pod, const ResourceNames& names) {
  return std::make_shared<const cluster::Pod>(*wire::DecodePod(Json(pod), names));
}

std::unique_ptr<placement::Placement> MakePlacement(const ResourceNames& names) {
  auto placement = std::move(*placement::Placement::Create(
      {.checks = {"quota"}, .quota = {.enforcement = quota::Enforcement::kAdmission}, .resource_names = &names}));
  for (int i = 0; i < 3; ++i) {
    cluster::Node node;
    node.name = Concat("n", std::to_string(i));
    placement->Apply(cluster::NodeSet{std::move(node)});
  }
  return placement;
}

}  // namespace

ExtenderInstance::ExtenderInstance(const Surroundings& given, const Stream& random)
    : given_(given),
      placement_(MakePlacement(names_)),
      groups_(given.server, given.time, kGroups, random.Fork(1), given.lag,
              [this](const Change& change) {
                if (change.gone) return placement_->Apply(cluster::BizGroupQuotaGone{change.group->name});
                placement_->Apply(cluster::BizGroupQuotaSet{*change.group});
              }),
      pods_(given.server, given.time, kPods, random.Fork(2), given.lag, [this](const Change& change) {
        if (change.gone) return placement_->Apply(cluster::PodGone{change.workload->uid});
        placement_->Apply(cluster::PodSet{PodOf(*change.workload, names_)});
      }) {}

bool ExtenderInstance::Reserve(const Workload& pod, const std::string& node) {
  if (!groups_.listed() || !pods_.listed()) return false;
  const auto reserved = placement_->Reserve(PodOf(pod, names_), node, given_.time.Now());
  return reserved.ok() && reserved->Accepted();
}

void ExtenderInstance::Settled(const Workload& pod, bool bound) {
  if (bound) return placement_->Assume(pod.uid, given_.time.Now());
  placement_->Release(pod.uid);
}

Plain ExtenderInstance::Charged(std::string_view group) const {
  const auto& groups = placement_->quota()->tree().groups();
  const auto found = groups.find(group);
  return found == groups.end() ? Plain() : PlainOf(found->second.charged);
}

}  // namespace huygens::simulation
