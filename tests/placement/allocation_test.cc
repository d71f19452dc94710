// A call over thousands of nodes allocates nothing per node once its buffers have grown.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "placement/placement.h"
#include "tests/cluster/build.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HUYGENS_OWN_ALLOCATOR 0  // the sanitizers bring theirs
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HUYGENS_OWN_ALLOCATOR 0
#endif
#endif
#ifndef HUYGENS_OWN_ALLOCATOR
#define HUYGENS_OWN_ALLOCATOR 1
#endif

namespace {
std::atomic<size_t> allocations = 0;
}  // namespace

#if HUYGENS_OWN_ALLOCATOR
void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
#endif

namespace huygens::placement {
namespace {

class Allocation : public testing::TestWithParam<policy::CheckMode> {};

TEST_P(Allocation, NothingPerNode) {
  if (!HUYGENS_OWN_ALLOCATOR) GTEST_SKIP() << "allocations are not counted under a sanitizer";
  const Time now = Time(std::chrono::hours(24 * 365 * 56));
  auto placement = std::move(*Placement::Create({.checks = {{"topology", GetParam()}}, .narrow_to = 10}));
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) {
    names.push_back("node-" + std::to_string(i));
    placement->Apply(cluster::NodeSet{test::MakeNode(names.back())});
    placement->Apply(
        cluster::TopologySet{test::MakeTopology(names.back(), std::vector<int64_t>(8, i % 3 == 0 ? 1000 : 4000))});
  }
  std::vector<std::string_view> views(names.begin(), names.end());
  for (int64_t cpus : {2, 20, 99}) {  // one zone, several zones, nowhere
    auto pod = test::MakePod("p", cpus);
    placement->Filter(*pod, views, now);
    placement->Prioritize(*pod, views, now);
    const size_t before = allocations;
    placement->Filter(*pod, views, now);
    placement->Prioritize(*pod, views, now);
    EXPECT_LT(allocations - before, 20u) << cpus;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Allocation, testing::Values(policy::CheckMode::kReport, policy::CheckMode::kEnforce));

}  // namespace
}  // namespace huygens::placement
