#include "usage_sources/readings_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace huygens::usage_sources {
namespace {

class ReadingsQueueTest : public testing::Test {
 protected:
  static usage::Readings Of(int64_t slot) { return {.slot = slot, .measured = {}, .workloads = {}, .nodes = {}}; }
  void Work() {
    while (loop_.Poll() > 0) {
    }
  }

  net::EventLoop loop_;
  std::vector<int64_t> applied_;  // slots
  int to_settle_ = 0;
  ReadingsQueue queue_{loop_, [this](const usage::Readings& readings) { applied_.push_back(readings.slot); },
                       [this] { return to_settle_ > 0 && --to_settle_ > 0; }};
};

TEST_F(ReadingsQueueTest, WhatIsDeliveredCountsOnceTheLoopHasLooked) {
  std::thread source([&] { queue_.Deliver(Of(7)); });
  source.join();
  EXPECT_TRUE(applied_.empty());
  EXPECT_FALSE(queue_.Empty());
  to_settle_ = 3;
  Work();
  EXPECT_EQ(applied_, std::vector<int64_t>{7});
  EXPECT_TRUE(queue_.Empty());
  EXPECT_EQ(to_settle_, 0) << "what is due is done when nothing waits";
}

TEST_F(ReadingsQueueTest, AFasterSourceWaits) {
  constexpr int kPieces = 1000;
  std::atomic<int> delivered = 0;
  std::thread source([&] {
    for (int i = 0; i < kPieces; ++i) {
      queue_.Deliver(Of(i));
      ++delivered;
    }
  });
  while (delivered < 128) std::this_thread::yield();
  EXPECT_EQ(delivered, 128);  // nobody has looked yet, so the next one waits
  while (delivered < kPieces) loop_.Poll();
  source.join();
  Work();
  EXPECT_EQ(applied_.size(), size_t{kPieces});
  EXPECT_EQ(applied_.back(), kPieces - 1);
}

TEST_F(ReadingsQueueTest, ClosingItFreesASourceThatWaits) {
  std::thread source([&] {
    for (int i = 0; i < 1000; ++i) queue_.Deliver(Of(i));
  });
  queue_.Close();
  source.join();
}

}  // namespace
}  // namespace huygens::usage_sources
