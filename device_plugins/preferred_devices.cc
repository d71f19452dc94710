#include "device_plugins/preferred_devices.h"

#include <algorithm>
#include <map>
#include <set>

namespace huygens::device_plugins {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The run of digits at `at`, without the zeros in front, and behind it.
std::string_view TakeNumber(std::string_view text, size_t& at) {
  while (at < text.size() && text[at] == '0') ++at;
  const size_t begin = at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  return text.substr(begin, at - begin);
}

using Zone = std::optional<int>;
using IdsByZone = std::map<Zone, std::vector<std::string>>;

// The zone to go on with: one already taken from, else the lowest that has all that is missing, else the one that has
// most. Taking from the fullest until one is enough touches as few zones as there can be.
Zone NextZone(const IdsByZone& left, const std::set<Zone>& touched, size_t missing) {
  const auto better = [&](const Zone& a, const Zone& b) {
    if (a.has_value() != b.has_value()) return a.has_value();
    if (touched.contains(a) != touched.contains(b)) return touched.contains(a);
    const size_t has_a = std::min(left.at(a).size(), missing), has_b = std::min(left.at(b).size(), missing);
    return has_a != has_b ? has_a > has_b : a < b;
  };
  Zone best = left.begin()->first;
  for (const auto& [zone, ids] : left) {
    if (better(zone, best)) best = zone;
  }
  return best;
}

void Take(IdsByZone& left, std::set<Zone>& touched, size_t size, std::vector<std::string>& out) {
  while (out.size() < size && !left.empty()) {
    const Zone zone = NextZone(left, touched, size - out.size());
    touched.insert(zone);
    for (std::string& id : left[zone]) {
      if (out.size() < size) out.push_back(std::move(id));
    }
    left.erase(zone);
  }
}

}  // namespace

bool InNaturalOrder(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const std::string_view left = TakeNumber(a, i), right = TakeNumber(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a < b;  // the same but for zeros in front
}

std::vector<std::string> PreferredDevices(std::span<const Device> available, std::span<const std::string> must,
                                          size_t size, std::span<const int> wanted) {
  std::vector<std::string> out(must.begin(), must.end());
  std::set<Zone> touched;
  IdsByZone in_wanted, others;
  std::vector<Device> sorted(available.begin(), available.end());
  std::ranges::sort(sorted, [](const Device& a, const Device& b) { return InNaturalOrder(a.id, b.id); });
  for (const Device& each : sorted) {
    if (std::ranges::find(must, each.id) != must.end()) {
      touched.insert(each.zone);
    } else if (each.zone && std::ranges::find(wanted, *each.zone) != wanted.end()) {
      in_wanted[each.zone].push_back(each.id);
    } else {
      others[each.zone].push_back(each.id);
    }
  }
  Take(in_wanted, touched, size, out);
  Take(others, touched, size, out);
  return out;
}

std::vector<int> ZonesOfAsking(std::span<const WaitingPod> pods, int64_t count) {
  const WaitingPod* last = nullptr;
  bool differ = false;
  for (const WaitingPod& pod : pods) {
    if (std::ranges::find(pod.counts, count) == pod.counts.end()) continue;
    if (last == nullptr || pod.seen > last->seen) {
      last = &pod;
      differ = false;
    } else if (pod.seen == last->seen && pod.zones != last->zones) {
      differ = true;
    }
  }
  return last == nullptr || differ ? std::vector<int>() : last->zones;
}

}  // namespace huygens::device_plugins
