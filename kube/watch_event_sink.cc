#include "kube/watch_event_sink.h"

namespace huygens::kube {

std::string_view Name(WatchState state) {
  switch (state) {
    case WatchState::kListing:
      return "listing";
    case WatchState::kSynced:
      return "synced";
    case WatchState::kBroken:
      return "broken";
    case WatchState::kAbsent:
      return "absent";
    case WatchState::kForbidden:
      return "forbidden";
  }
  return "unknown";
}

}  // namespace huygens::kube
