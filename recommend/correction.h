// From what a model says to what may be requested: rules of vivo's platform, and decisions where its description is
// silent. Amounts are whole: milli-CPU or bytes. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace huygens::recommend {

enum class Resource : uint8_t { kCpu, kMemory };
inline constexpr size_t kResources = 2;
// Of CPU a model counts cores.
inline constexpr double UnitsOf(Resource resource) { return resource == Resource::kCpu ? 1000 : 1; }

struct Rounding {
  int64_t step = 1;   // amounts are whole multiples of it, rounded up
  int64_t floor = 1;  // and no lower than this for each container, unless what was asked for is
};
inline constexpr Rounding kCpuRounding{.step = 1, .floor = 10};
inline constexpr Rounding kMemoryRounding{.step = 1 << 20, .floor = 16 << 20};

// A factor of 1, as millionths.
inline constexpr int64_t kOne = 1'000'000;

// model * factor, rounded up to the step; then no lower than the floor; then never above the original. So nothing is
// ever raised, even where less was asked for than the floor. A model of NaN changes nothing.
int64_t Correct(double model, int64_t factor_millionths, const Rounding& rounding, int64_t original);
// The same for a static factor, exactly.
int64_t Lower(int64_t original, int64_t factor_millionths, const Rounding& rounding);

// A pod's amount over its containers, in proportion to what each asked for, rounded up to the step and never above
// that. A container that did not ask gets nothing. The sum is no lower than the pod's amount, if what was asked for is
// not.
std::vector<std::optional<int64_t>> Split(int64_t pod, std::span<const std::optional<int64_t>> originals,
                                          const Rounding& rounding);

}  // namespace huygens::recommend
