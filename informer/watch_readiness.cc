#include "informer/watch_readiness.h"

#include <algorithm>
#include <vector>

#include "base/duration_text.h"
#include "base/text.h"

namespace huygens::informer {

namespace {

constexpr size_t kMostNames = 2;

// The paths of the kinds differ, what is wrong with the server does not.
std::string WithoutPath(std::string_view why) {
  const size_t host = why.find("://");
  if (host == why.npos) return std::string(why);
  const size_t path = why.find('/', host + 3), end = why.find(": ", host);
  if (path >= end || end == why.npos) return std::string(why);
  return Concat(why.substr(0, path), "/...", why.substr(end));
}

struct Cause {
  std::string text;
  std::vector<std::string_view> kinds;
};

}  // namespace

observe::Readiness::Item DescribeWatch(const kube::WatchReport& watch, bool listed, Duration silence) {
  const bool core = watch.kind == cluster::Kind::kNode || watch.kind == cluster::Kind::kPod;
  const bool forbidden = watch.state == kube::WatchState::kForbidden;
  observe::Readiness::Item item{.ok = (listed || forbidden) && !(core && silence > kTooLong),
                                .name = std::string(Name(watch.kind))};
  item.warning = item.ok && (watch.state == kube::WatchState::kBroken || forbidden || silence > kWorrying);
  item.detail = Concat(Name(watch.state), watch.why.empty() ? "" : ": ", watch.why);
  if (listed && silence > kWorrying) {
    item.detail += Concat("; not heard of for ", SecondsText(silence), ": decisions go on with what was last seen");
  }
  return item;
}

std::string WaitingText(std::span<const Missing> missing) {
  std::vector<Cause> causes;
  for (const Missing& each : missing) {
    std::string text = WithoutPath(each.why);
    auto known = std::find_if(causes.begin(), causes.end(), [&](const Cause& cause) { return cause.text == text; });
    if (known == causes.end()) known = causes.insert(known, {std::move(text), {}});
    known->kinds.push_back(each.kind);
  }
  std::string out;
  for (const Cause& cause : causes) {
    out += out.empty() ? "waiting for the first list of " : "; of ";
    const size_t named = cause.kinds.size() > kMostNames + 1 ? kMostNames : cause.kinds.size();
    for (size_t i = 0; i < named; ++i)
      out += Concat(i == 0 ? "" : i + 1 == cause.kinds.size() ? " and " : ", ", cause.kinds[i]);
    if (named < cause.kinds.size()) out += Concat(" and ", std::to_string(cause.kinds.size() - named), " more");
    if (!cause.text.empty()) out += Concat(" (", cause.text, ")");
  }
  return out;
}

}  // namespace huygens::informer
