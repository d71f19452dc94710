// What is remembered of the runtime's pods and containers between its answers: CRI tells the pod's annotations with the
// sandbox only, resources with the status only, and neither with a container that is gone. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/time.h"
#include "runtime/container_runtime.h"

namespace huygens::runtime {

class KnownContainers {
 public:
  struct Entry {
    Container last;                 // as it was last told
    std::string cgroups_path;       // "" until asked for
    int64_t pid = 0;                // when it was asked for
    std::optional<Duration> asked;  // when `resources` were; unset: they have changed since
  };

  // The pod as others hold it: the same object as long as nothing about it changes.
  std::shared_ptr<const Pod> Remember(Pod pod);
  // nullptr: not known.
  std::shared_ptr<const Pod> FindPod(std::string_view sandbox_id) const;

  void Remember(std::string_view id, Entry entry);
  // Its state and pod; the rest of a container that is known stays.
  void RememberState(const Container& container);
  // They are to be asked for again: what an update comes to is decided by the runtime, and by NRI plugins.
  void ForgetResources(std::string_view id);
  std::optional<Entry> Find(std::string_view id) const;

  // Forgets all pods and containers but these, and those that were remembered after `since` (SteadyNow): they are newer
  // than the list.
  void Keep(const TextSet& sandbox_ids, const TextSet& container_ids, Duration since);

 private:
  template <typename Value>
  struct Dated {
    Value value;
    Duration at{};  // when it was remembered last
  };

  mutable std::mutex mutex_;
  TextMap<Dated<std::shared_ptr<const Pod>>> pods_;
  TextMap<Dated<Entry>> containers_;
};

}  // namespace huygens::runtime
