// What pods that are listed anew, or change, cost the requests that come meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

#include "kube/watch_event_sink.h"

namespace huygens::bench {

// What a reflector would deliver.
enum class Stream : uint8_t {
  kNothing,
  kSameAgain,  // LISTs of all pods, one after the other, none of which has changed
  kChanged,    // the same, but each pod has changed
  kHalf,       // LISTs of all pods and of every second one in turns
  kEvents,     // 2000 changed pods a second
};
const char* Text(Stream stream);

// Delivers on the calling thread until `stop`, LISTs as fast as the sink takes them; returns how many LISTs, or events.
size_t Deliver(Stream stream, size_t nodes, size_t pods, kube::WatchEventSink& sink, const std::atomic<bool>& stop);

}  // namespace huygens::bench
