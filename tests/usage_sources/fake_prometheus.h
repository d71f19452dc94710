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

namespace huygens::usage_sources {

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
    std::string tenant;  // the header X-Scope-OrgID
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
      Call call{request->path, {}, request->authorization, request->tenant};
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
    // "max_over_time(EXPRESSION[900000ms])", at one moment or several; or the expression at one moment, as it was at
    // most five minutes before.
    const size_t bracket = query.rfind('[');
    const bool highest = query.starts_with("max_over_time(");
    const Duration window =
        highest ? Duration(std::chrono::milliseconds(std::stoll(query.substr(bracket + 1)))) : std::chrono::minutes(5);
    const bool range = call.path.ends_with("_range");
    const Time first = At(call.form.Query(range ? "start" : "time")), last = range ? At(call.form.Query("end")) : first;
    const Duration step = range ? At(call.form.Query("step")).time_since_epoch() : Duration(1);
    for (const auto& [expression, all] : series_) {
      // A part of a recording yields all of it.
      const bool part = expression.ends_with("}") &&
                        query.find(Concat(expression.substr(0, expression.size() - 1), ",pod=")) != std::string::npos;
      if ((query.find(expression) == std::string::npos && !part) || query.starts_with("count by")) continue;
      for (const Series& series : all) {
        std::string samples;
        for (Time at = first; at <= last; at += step) {
          std::optional<double> value;
          const auto end = series.samples.upper_bound(at);
          for (auto it = series.samples.lower_bound(at - window); it != end; ++it) {
            if (!highest || !value || it->second > *value || std::isnan(*value)) value = it->second;
          }
          if (value) samples += Sample(at, *value);
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

}  // namespace huygens::usage_sources
