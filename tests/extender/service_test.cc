#include "extender/service.h"

#include <gmock/gmock.h>

#include "tests/extender/fixture.h"

namespace huygens::extender {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ServiceTest, CountsWhatTheServerRefusedAndLogsItAtALimitedRate) {
  const net::RefusedRequest large{.path = "/filter",
                                  .status = 413,
                                  .peer = "127.0.0.1:5",
                                  .reason = "the body is too large",
                                  .bytes_in = 300,
                                  .duration = std::chrono::seconds(2)};
  for (int i = 0; i < 3; ++i) service_.Refused(large);
  service_.Refused({.path = "", .status = 400, .reason = "malformed HTTP"});
  const std::string metrics = metrics_.Render();
  EXPECT_THAT(metrics, HasSubstr("huygens_request_duration_seconds_count{outcome=\"malformed\",verb=\"filter\"} 3"));
  EXPECT_THAT(metrics, HasSubstr("huygens_request_duration_seconds_count{outcome=\"malformed\",verb=\"other\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("huygens_request_duration_seconds_sum{outcome=\"malformed\",verb=\"filter\"} 6\n"));
  EXPECT_THAT(metrics, HasSubstr("huygens_request_bytes_sum{direction=\"in\",verb=\"filter\"} 900\n"));
  EXPECT_THAT(captured_.Lines(),
              ElementsAre(AllOf(HasSubstr("level=warn msg=\"refused a request\" verb=filter status=413"),
                                HasSubstr("the body is too large"), HasSubstr("leftOut=0"))));
  clock_.Advance(std::chrono::seconds(10));
  service_.Refused(large);
  EXPECT_THAT(captured_.Lines().back(), HasSubstr("leftOut=3"));
}

TEST_F(ServiceTest, WhatThereIsNoRoomForIsNotTheCallersFault) {
  service_.Refused({.path = "/filter", .status = 503, .reason = "requests and answers of 900 bytes are in flight"});
  const std::string metrics = metrics_.Render();
  EXPECT_THAT(metrics, HasSubstr("huygens_request_duration_seconds_count{outcome=\"overloaded\",verb=\"filter\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("huygens_request_duration_seconds_count{outcome=\"malformed\",verb=\"filter\"} 0"));
  EXPECT_THAT(captured_.Lines(), ElementsAre(HasSubstr("msg=\"refused a request\" verb=filter status=503")));
}

}  // namespace
}  // namespace huygens::extender
