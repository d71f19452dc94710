#include "machine/id_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace huygens::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(IdList, ReadsWhatTheKernelWrites) {
  EXPECT_THAT(*ParseIdList(""), IsEmpty());
  EXPECT_THAT(*ParseIdList("0"), ElementsAre(0));
  EXPECT_THAT(*ParseIdList("0-2,8,10-11"), ElementsAre(0, 1, 2, 8, 10, 11));
  EXPECT_THAT(*ParseIdList("65535"), ElementsAre(kMostId));
}

TEST(IdList, RefusesWhatIsNoList) {
  for (const char* text : {"a", "1,", ",1", "1,,2", "-1", "1-", "2-1", "1-2-3", "1 2", "0x1", "+1", "1,1", "2,1",
                           "0-3,3", "65536", "0-99999999999", "1\n2", "none"}) {
    EXPECT_EQ(ParseIdList(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(IdMask, ReadsWordsOf32BitsTheHighestFirst) {
  EXPECT_THAT(*ParseIdMask("00000000"), IsEmpty());
  EXPECT_THAT(*ParseIdMask("5"), ElementsAre(0, 2));
  EXPECT_THAT(*ParseIdMask("0001,80000003"), ElementsAre(0, 1, 31, 32));
  EXPECT_THAT(*ParseIdMask("1,00000000,00000000"), ElementsAre(64));
}

TEST(IdMask, RefusesWhatIsNoMask) {
  for (const char* text : {"g", "1,", ",1", "-1", "0x1", "000000001", "1 ", "0-3"}) {
    EXPECT_EQ(ParseIdMask(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  std::string far = "1";
  for (int i = 0; i <= kMostId / 32; ++i) far += ",00000000";
  EXPECT_FALSE(ParseIdMask(far).ok()) << "an id of 65536";
}

RC_GTEST_PROP(IdList, ReadsBackWhatItWrites, ()) {
  Ids ids = *rc::gen::container<Ids>(rc::gen::inRange(0, *rc::gen::element(20, 300, kMostId + 1)));
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  const auto read = ParseIdList(FormatIdList(ids));
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == ids);
}

}  // namespace
}  // namespace huygens::machine
