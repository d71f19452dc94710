#include "base/interned_string.h"

#include <mutex>
#include <new>

#include "absl/container/flat_hash_set.h"
#include "base/text.h"

namespace huygens {

struct InternedString::Table {
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return TextHash()(text); }
    size_t operator()(const Kept* kept) const { return TextHash()(kept->text()); }
  };
  struct Equal {
    using is_transparent = void;
    static std::string_view Of(std::string_view text) { return text; }
    static std::string_view Of(const Kept* kept) { return kept->text(); }
    bool operator()(const auto& a, const auto& b) const { return Of(a) == Of(b); }
  };
  std::mutex mutex;
  absl::flat_hash_set<Kept*, Hash, Equal> kept;
};

// Never destroyed: texts may outlive main().
InternedString::Table& InternedString::TheTable() {
  static auto* table = new Table;
  return *table;
}

InternedString::Kept* InternedString::Keep(std::string_view text) {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  if (auto found = table.kept.find(text); found != table.kept.end()) {
    (*found)->users.fetch_add(1, std::memory_order_relaxed);
    return *found;
  }
  auto* kept = new (::operator new(sizeof(Kept) + text.size())) Kept{1, static_cast<uint32_t>(text.size())};
  text.copy(reinterpret_cast<char*>(kept + 1), text.size());
  table.kept.insert(kept);
  return kept;
}

void InternedString::Drop(Kept* kept) {
  // The last user drops it under the lock: but for itself only Keep can make it have users again.
  uint32_t users = kept->users.load(std::memory_order_relaxed);
  while (users > 1) {
    if (kept->users.compare_exchange_weak(users, users - 1, std::memory_order_release, std::memory_order_relaxed))
      return;
  }
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  if (kept->users.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  table.kept.erase(kept);
  kept->~Kept();
  ::operator delete(kept);
}

size_t InternedString::Count() {
  Table& table = TheTable();
  std::lock_guard lock(table.mutex);
  return table.kept.size();
}

}  // namespace huygens
