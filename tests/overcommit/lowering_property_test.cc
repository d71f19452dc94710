// Of any pod, policy and recommendation: a patch applied twice is a patch applied once, and nothing is ever above what was
// asked for at first, nor that above the limit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/overcommit/pods.h"

namespace huygens::overcommit {
namespace {

namespace json = boost::json;

json::object AnyContainer(const std::string& name) {
  json::object requests, limits;
  for (const char* resource : {"cpu", "memory"}) {
    const bool cpu = std::string_view(resource) == "cpu";
    const int64_t limit = *rc::gen::inRange<int64_t>(1, cpu ? 64'000 : 64'000'000'000);
    const auto text = [&](int64_t amount) { return ToQuantity(cpu ? kCpu : kMemory, amount).Canonical(); };
    const int shape = *rc::gen::inRange(0, 4);  // none, request alone, limit alone or equal, both
    if (shape == 1 || shape == 3) requests[resource] = text(*rc::gen::inRange<int64_t>(0, limit + 1));
    if (shape >= 2) limits[resource] = text(limit);
    if (shape == 2) requests[resource] = text(limit);
  }
  return {{"name", name}, {"resources", json::object{{"requests", requests}, {"limits", limits}}}};
}

PoolTerms AnyTerms() {
  PoolTerms terms = StaticTerms("0.5");
  recommend::PoolPolicy& policy = terms.policy;
  policy.type = *rc::gen::element(recommend::PoolPolicy::Type::kStatic, recommend::PoolPolicy::Type::kDynamic,
                                  recommend::PoolPolicy::Type::kBoth);
  policy.memory = *rc::gen::arbitrary<bool>();
  policy.lower_guaranteed = *rc::gen::arbitrary<bool>();
  policy.static_factor = {*rc::gen::inRange<int64_t>(1, 1'000'001), *rc::gen::inRange<int64_t>(1, 1'000'001)};
  policy.rounding[0].step = *rc::gen::element<int64_t>(1, 50, 1000);
  terms.keep_whole_cpus = *rc::gen::arbitrary<bool>();
  return terms;
}

// What a container of the pod asked for at first, as its record says, else as it is written.
int64_t OriginalOf(const AdmittedPod& pod, const cluster::Container& container, size_t resource, ResourceId id) {
  const RecordedAmounts* recorded = FindContainer(pod.record, container.name);
  if (recorded == nullptr || !(*recorded)[resource]) return container.requests.Get(id);
  return (*recorded)[resource]->original;
}

RC_GTEST_PROP(LoweringProperty, TwiceIsOnceAndNothingIsRaised, ()) {
  json::array containers;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) containers.push_back(AnyContainer("c" + std::to_string(i)));
  json::object sidecar = AnyContainer("sidecar");
  sidecar["restartPolicy"] = "Always";
  json::object spec{{"containers", containers}, {"initContainers", json::array{AnyContainer("init"), sidecar}}};
  std::string pod = json::serialize(json::object{{"metadata", json::object()}, {"spec", spec}});
  const PoolTerms terms = AnyTerms();
  const recommend::Recommendation model{
      .ready = *rc::gen::arbitrary<bool>(),
      .history = std::chrono::hours(48),
      .age = std::chrono::minutes(1),
      .model = {*rc::gen::inRange(0, 100'000) / 1000.0, *rc::gen::inRange(0, 64'000) * 1e6},
      .memory_guard = *rc::gen::inRange<int64_t>(0, 64'000'000'000)};

  const AdmittedPod before = *DecodeAdmittedPod(pod, ResourceNames());
  const Lowered once = LowerText(pod, terms, &model);
  const std::string text = json::serialize(once.pod);
  RC_ASSERT(LowerText(text, terms, &model).result.patch.empty());

  // A second policy goes by the same originals.
  const PoolTerms other = AnyTerms();
  const AdmittedPod after = *DecodeAdmittedPod(json::serialize(LowerText(text, other, &model).pod), ResourceNames());
  const AdmittedPod lowered = *DecodeAdmittedPod(text, ResourceNames());
  for (const AdmittedPod* each : {&lowered, &after}) {
    for (size_t i = 0; i < before.pod.containers.size(); ++i) {
      const cluster::Container& was = before.pod.containers[i];
      const cluster::Container& is = each->pod.containers[i];
      RC_ASSERT(is.limits == was.limits);
      for (const auto& [resource, id] : {std::pair<size_t, ResourceId>(0, kCpu), {1, kMemory}}) {
        RC_ASSERT(is.requests.Has(id) == was.requests.Has(id));
        RC_ASSERT(is.requests.Get(id) <= was.requests.Get(id));
        RC_ASSERT(OriginalOf(*each, is, resource, id) == was.requests.Get(id));
        if (is.limits.Has(id)) RC_ASSERT(is.requests.Get(id) <= is.limits.Get(id));
      }
    }
    RC_ASSERT(each->pod.init_containers[0].requests == before.pod.init_containers[0].requests);
  }
}

}  // namespace
}  // namespace huygens::overcommit
