// Check "told", for tests: keeps every pod off every node until histories of real use have changed, and then says so of
// the node with the index 0.
#include "policy/registry.h"

namespace huygens::policy {

namespace {

class ToldCheck final : public Check {
 public:
  explicit ToldCheck(Waker& waker) : waker_(waker) {}

  std::string_view name() const override { return "told"; }
  void Run(const PodQuery&, const cluster::Prepared*, const cluster::State&, Candidates& nodes) const override {
    for (size_t i = 0; i < nodes.size() && !told_; ++i) nodes.Reject(i, Reason::kUsageUnknown);
  }
  void UsageChanged() override {
    told_ = true;
    waker_.Gained(0);
  }

 private:
  Waker& waker_;
  bool told_ = false;
};

}  // namespace

CheckEntry ToldEntry() {
  return {
      .name = "told",
      .needs = {.usage = true, .waker = true},
      .make = [](const Sources& from) -> std::unique_ptr<Check> { return std::make_unique<ToldCheck>(*from.waker); }};
}

}  // namespace huygens::policy
