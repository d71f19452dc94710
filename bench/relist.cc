#include "bench/relist.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "bench/cluster.h"
#include "wire/pod.h"

namespace huygens::bench {

namespace {

constexpr size_t kPage = 500;
constexpr size_t kEventsPerSecond = 2000;

}  // namespace

const char* Text(Stream stream) {
  switch (stream) {
    case Stream::kNothing:
      return "nothing";
    case Stream::kSameAgain:
      return "LISTs, unchanged";
    case Stream::kChanged:
      return "LISTs, all changed";
    case Stream::kHalf:
      return "LISTs, half gone";
    case Stream::kEvents:
      return "2000 events/s";
  }
  return "";
}

size_t Deliver(Stream stream, size_t nodes, size_t pods, kube::WatchEventSink& sink, const std::atomic<bool>& stop) {
  ResourceNames names;
  static uint64_t version = 1'000'000;  // grows from stream to stream, as the API server's does
  const auto append = [&](kube::WatchEventBatch& batch, size_t number, uint64_t of_version) {
    const std::string json = BoundPodJson(number, nodes);
    batch.bytes += json.size();
    auto pod = std::make_shared<const cluster::Pod>(*wire::DecodePod(json, names));
    batch.events.push_back(cluster::PodSet{std::move(pod), of_version});
  };
  size_t count = 0;
  if (stream == Stream::kNothing) return 0;
  auto next = std::chrono::steady_clock::now();
  while (stream == Stream::kEvents && !stop) {
    kube::WatchEventBatch batch{.kind = cluster::Kind::kPod};
    for (size_t i = 0; i < 10; ++i, ++count) append(batch, count * 7919 % pods, ++version);
    sink.Deliver(std::move(batch));
    std::this_thread::sleep_until(next += std::chrono::microseconds(10 * 1'000'000 / kEventsPerSecond));
  }
  if (stream == Stream::kEvents) return count;
  for (; !stop; ++count) {
    if (stream != Stream::kSameAgain) ++version;
    const size_t every = stream == Stream::kHalf && count % 2 == 0 ? 2 : 1;
    kube::WatchEventBatch batch{.kind = cluster::Kind::kPod};
    batch.events.push_back(cluster::ListBegin{cluster::Kind::kPod});
    for (size_t pod = 0; pod < pods && !stop; pod += every) {
      append(batch, pod, stream == Stream::kSameAgain ? kFilledVersion : version);
      if (batch.events.size() >= kPage) sink.Deliver(std::exchange(batch, {.kind = cluster::Kind::kPod}));
    }
    if (stop) break;  // a LIST that was broken off has no end
    batch.events.push_back(cluster::ListEnd{cluster::Kind::kPod});
    sink.Deliver(std::move(batch));
  }
  return count;
}

}  // namespace huygens::bench
