// A Prometheus inside the test: it knows series by the expression that yields them, and answers the few forms of query
// that huygens sends. The real one is asked in real_prometheus_test.cc.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "tests/fake/connection.h"
#include "tests/net/peer.h"

namespace huygens::prom {

class FakePrometheus {
 public:
  struct Series {
    std::string labels;  // JSON members: "node":"n1"
    std::map<Time, double> samples;
  };
  struct Call {
    std::string path;
    fake::HttpRequest form;
    std::string authorization;
    std::string query() const { return form.Query("query"); }
  };
  // What comes instead of the answer: bytes; empty: the connection is cut; "hang": nothing, ever.
  using Fault = std::function<std::optional<std::string>(const Call&)>;

  FakePrometheus() : peer_([this](int, int socket) { Serve(socket); }) {}

  std::string Url() const { return peer_.Url(); }
  void Put(const std::string& expression, Series series) {
    const std::lock_guard lock(mutex_);
    series_[expression].push_back(std::move(series));
  }
  void Break(Fault fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }
  std::vector<Call> TakeCalls() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }

  static std::string Json(int code, const std::string& body, const std::string& headers = "") {
    return fake::ReplyBytes(code, "application/json", body, headers);
  }
  static std::string Error(int code, const std::string& type, const std::string& text) {
    return Json(code, Concat(R"({"status":"error","errorType":")", type, R"(","error":")", text, R"("})"));
  }
  net::testing::Inbox<std::string> arrived;  // paths

 private:
  void Serve(int socket) {
    fake::Connection connection(::dup(socket));
    while (const auto request = connection.Read()) {
      Call call{request->path, {}, request->authorization};
      call.form.query = request->body;
      std::optional<std::string> bytes;
      {
        const std::lock_guard lock(mutex_);
        calls_.push_back(call);
        if (fault_) bytes = fault_(call);
        if (!bytes) bytes = Json(200, Answer(call));
      }
      arrived.Put(call.path);
      if (bytes == "hang") {
        while (connection.Read()) {
        }
      }
      if (!connection.Write(*bytes) || bytes->empty()) return;
    }
  }

  static Time At(const std::string& seconds) {
    return Time(std::chrono::milliseconds(std::llround(std::stod(seconds) * 1000)));
  }
  static std::string Sample(Time time, double value) {
    char text[64];
    std::snprintf(text, sizeof text, "[%.3f,\"%s%.17g\"],",
                  static_cast<double>(time.time_since_epoch() / std::chrono::milliseconds(1)) / 1000,
                  value == INFINITY ? "+" : "", value);
    return text;
  }

  std::string Answer(const Call& call) const {
    const std::string query = call.query();
    std::string result;
    const auto append = [&](const std::string& labels, std::string samples) {
      if (samples.empty()) return;
      samples.pop_back();
      result += Concat(result.empty() ? "" : ",", R"({"metric":{)", labels, R"(},"values":[)", samples, "]}");
    };
    if (query.starts_with("count by (__name__, resource)")) {
      for (const auto& [expression, unused] : series_) {
        const size_t brace = expression.find(R"({resource=")");
        if (!expression.starts_with("huygens:") || brace == std::string::npos) continue;
        const std::string resource = expression.substr(brace + 11, expression.size() - brace - 13);
        append(Concat(R"("__name__":")", expression.substr(0, brace), R"(","resource":")", resource, "\""),
               Sample(At(call.form.Query("time")), 1));
      }
    }
    const size_t bracket = query.rfind('[');
    const Duration window =
        bracket == std::string::npos ? Duration() : std::chrono::milliseconds(std::stoll(query.substr(bracket + 1)));
    for (const auto& [expression, all] : series_) {
      if (query.find(expression) == std::string::npos || window == Duration()) continue;
      for (const Series& series : all) {
        std::string samples;
        if (call.path.ends_with("/query")) {
          const Time at = At(call.form.Query("time"));
          for (const auto& [time, value] : series.samples) {
            if (time >= at - window && time <= at) samples += Sample(time, value);
          }
        } else {
          const Duration step = At(call.form.Query("step")).time_since_epoch();
          for (Time at = At(call.form.Query("start")); at <= At(call.form.Query("end")); at += step) {
            std::optional<double> highest;
            for (auto it = series.samples.lower_bound(at - window); it != series.samples.end() && it->first <= at;
                 ++it) {
              if (!highest || it->second > *highest || std::isnan(*highest)) highest = it->second;
            }
            if (highest) samples += Sample(at, *highest);
          }
        }
        append(series.labels, samples);
      }
    }
    return Concat(R"({"status":"success","data":{"resultType":"matrix","result":[)", result, "]}}");
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<Series>> series_;
  Fault fault_;
  std::vector<Call> calls_;
  net::testing::Peer peer_;  // last: its thread uses the rest
};

}  // namespace huygens::prom
