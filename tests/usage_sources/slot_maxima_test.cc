#include "usage_sources/slot_maxima.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::usage_sources {
namespace {

using namespace std::chrono_literals;

// One line per batch: "slot measured(s): w name=amount … | n name=amount …".
std::vector<std::string> Delivered(SlotMaxima maxima) {
  std::vector<std::string> lines;
  std::move(maxima).DeliverTo(
      [&](const usage::Readings& batch) {
        EXPECT_EQ(batch.resource, 7U);
        EXPECT_LE(batch.workloads.size() + batch.nodes.size(), usage::kReadingsPerBatch);
        std::string line = Concat(std::to_string(batch.slot), " at ",
                                  std::to_string(batch.measured.time_since_epoch() / std::chrono::seconds(1)), ":");
        for (const auto& each : batch.workloads) line += Concat(" w ", each.subject, "=", std::to_string(each.amount));
        for (const auto& each : batch.nodes) line += Concat(" n ", each.subject, "=", std::to_string(each.amount));
        lines.push_back(line);
      },
      7);
  return lines;
}

TEST(SlotMaxima, DeliversTheHighestBySlotKindAndName) {
  SlotMaxima maxima;
  const uint32_t b = maxima.Subject(SubjectKind::kWorkload, "b");
  const uint32_t node = maxima.Subject(SubjectKind::kNode, "a");
  const uint32_t a = maxima.Subject(SubjectKind::kWorkload, "a");
  EXPECT_EQ(maxima.Subject(SubjectKind::kWorkload, "b"), b);
  EXPECT_NE(node, a);
  maxima.Raise(b, 12, 5, Time(601s));
  maxima.Raise(b, 12, 4, Time(602s));
  maxima.Raise(node, 11, 9, Time(603s));
  maxima.Raise(a, 12, 0, Time(604s));
  maxima.Raise(b, 11, 8, Time(605s));
  maxima.Raise(b, 12, 7, Time(603s));
  maxima.Raise(a, 12, 0, Time(603s));
  maxima.Raise(b, 12, 6, Time(601s));
  EXPECT_EQ(maxima.FirstSlot(SubjectKind::kWorkload), 11);
  EXPECT_EQ(SlotMaxima().FirstSlot(SubjectKind::kNode), std::nullopt);
  EXPECT_THAT(Delivered(std::move(maxima)),
              testing::ElementsAre("11 at 605: w b=8", "11 at 603: n a=9", "12 at 604: w a=0 w b=7"));
}

TEST(SlotMaxima, LetsNobodyPassForFreshBesideOthers) {
  SlotMaxima maxima;
  maxima.Raise(maxima.Subject(SubjectKind::kNode, "fresh"), 1, 1, Time(1000s));
  maxima.Raise(maxima.Subject(SubjectKind::kNode, "silent"), 1, 2, Time(500s));
  EXPECT_THAT(Delivered(std::move(maxima)), testing::ElementsAre("1 at 500: n silent=2", "1 at 1000: n fresh=1"));
}

TEST(SlotMaxima, CutsBatches) {
  SlotMaxima maxima;
  for (int i = 0; i < 600; ++i) {
    maxima.Raise(maxima.Subject(SubjectKind::kWorkload, std::to_string(i)), 1, i, Time(60s));
  }
  EXPECT_EQ(Delivered(std::move(maxima)).size(), 3U);
}

}  // namespace
}  // namespace huygens::usage_sources
