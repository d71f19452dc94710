#include "capacity_writer/fact_poller.h"

#include <algorithm>
#include <utility>

namespace huygens::capacity_writer {

FactPoller::FactPoller(std::unique_ptr<FactSource> source, Duration interval, const Clock& clock, net::EventLoop& loop,
                       Deliver deliver)
    : source_(std::move(source)),
      interval_(interval),
      clock_(clock),
      loop_(loop),
      deliver_(std::make_shared<const Deliver>(std::move(deliver))),
      thread_([this] { Work(); }) {}

FactPoller::~FactPoller() {
  waiter_.Interrupt();
  source_->Cancel();
  thread_.join();
}

void FactPoller::Work() {
  while (!waiter_.interrupted()) {
    const Duration begin = waiter_.Now();
    std::vector<real_capacity::Answer> answers = source_->Ask(clock_.Now());
    if (waiter_.interrupted()) return;
    loop_.Post([deliver = std::weak_ptr(deliver_), answers = std::move(answers)] {
      if (const auto still = deliver.lock()) (*still)(answers);
    });
    // A source that takes long is not asked without a rest.
    waiter_.Wait(std::max(interval_ - (waiter_.Now() - begin), interval_ / 10));
  }
}

}  // namespace huygens::capacity_writer
