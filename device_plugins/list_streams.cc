#include "device_plugins/list_streams.h"

#include <utility>

namespace huygens::device_plugins {

class ListStreams::Stream final : public grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse> {
 public:
  explicit Stream(ListStreams& all) : all_(all) {}

  void OnWriteDone(bool ok) override {
    {
      const std::lock_guard lock(all_.mutex_);
      writing_ = false;
      if (!ok) over_ = true;
    }
    all_.Continue(*this);
  }
  void OnCancel() override {
    {
      const std::lock_guard lock(all_.mutex_);
      over_ = true;
    }
    all_.Continue(*this);
  }
  void OnDone() override {
    std::function<void()> ended;
    {
      const std::lock_guard lock(all_.mutex_);
      all_.streams_.erase(this);
      if (!all_.ending_) ended = all_.ended_;
    }
    if (ended) ended();
    delete this;
  }

 private:
  friend class ListStreams;
  ListStreams& all_;
  v1beta1::ListAndWatchResponse message_;
  std::optional<uint64_t> sent_;  // the version
  bool writing_ = false;
  bool over_ = false;  // nothing more is to be written
  bool finished_ = false;
};

ListStreams::~ListStreams() = default;

void ListStreams::Set(const std::vector<Device>& devices) {
  v1beta1::ListAndWatchResponse list;
  for (const Device& each : devices) {
    v1beta1::Device& device = *list.add_devices();
    device.set_id(each.id);
    device.set_health(each.healthy ? "Healthy" : "Unhealthy");
    if (each.zone) device.mutable_topology()->add_nodes()->set_id(*each.zone);
  }
  std::vector<Stream*> idle;
  {
    const std::lock_guard lock(mutex_);
    list_ = std::move(list);
    ++version_;
    for (Stream* stream : streams_) {
      if (stream->writing_ || stream->finished_ || stream->over_) continue;
      // So that the stream stays until this thread has started its write, whoever ends it meanwhile.
      stream->writing_ = true;
      stream->sent_ = version_;
      stream->message_ = list_;
      idle.push_back(stream);
    }
  }
  for (Stream* stream : idle) stream->StartWrite(&stream->message_);
}

grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* ListStreams::Open() {
  auto* stream = new Stream(*this);
  {
    const std::lock_guard lock(mutex_);
    streams_.insert(stream);
    if (ending_) stream->over_ = true;
  }
  Continue(*stream);
  return stream;
}

void ListStreams::End() {
  std::vector<Stream*> idle;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (Stream* stream : streams_) {
      stream->over_ = true;
      if (stream->writing_ || stream->finished_) continue;
      stream->finished_ = true;
      idle.push_back(stream);
    }
  }
  for (Stream* stream : idle) stream->Finish(grpc::Status::OK);
}

size_t ListStreams::open() const {
  const std::lock_guard lock(mutex_);
  return streams_.size();
}

// Starts what the stream needs next: the end, a message or nothing. A write or a Finish that is started outlives the
// lock, since the stream stays until both are done.
void ListStreams::Continue(Stream& stream) {
  bool finish = false;
  {
    const std::lock_guard lock(mutex_);
    if (stream.writing_ || stream.finished_) return;
    if (stream.over_) {
      finish = stream.finished_ = true;
    } else if (stream.sent_ != version_) {
      stream.writing_ = true;
      stream.sent_ = version_;
      stream.message_ = list_;
    } else {
      return;
    }
  }
  if (finish) {
    stream.Finish(grpc::Status::OK);
  } else {
    stream.StartWrite(&stream.message_);
  }
}

}  // namespace huygens::device_plugins
