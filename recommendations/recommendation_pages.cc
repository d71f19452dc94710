#include "recommendations/recommendation_pages.h"

#include <charconv>
#include <string>
#include <utility>

#include "admin/query_string.h"
#include "json/document.h"
#include "recommendation_api/report.h"
#include "recommendations/target_status.h"

namespace huygens::recommendations {

namespace {

constexpr size_t kUsualLimit = 100;
constexpr size_t kMostLimit = 1000;  // some 30 ms of the loop's thread

struct Wanted {
  std::string namespace_name, pool, target;  // empty: any
  size_t limit = kUsualLimit;
};

net::Response Text(int status, std::string_view body) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = Concat(body, "\n")};
}

bool Matches(const Wanted& wanted, const TargetState& target, const settings::PoolConfiguration* pool) {
  if (target.uid.empty()) return false;
  if (!wanted.namespace_name.empty() && target.target.namespace_name != wanted.namespace_name) return false;
  if (!wanted.target.empty() && target.target.name != wanted.target) return false;
  return wanted.pool.empty() || (pool != nullptr && pool->name == wanted.pool);
}

admin_api::RecommendationListDocument Collect(const Recommender& recommender, const Wanted& wanted) {
  const Time now = recommender.environment().clock.Now();
  const Targets& targets = recommender.targets();
  admin_api::RecommendationListDocument document;
  targets.ForEach([&](const TargetState& target) {
    if (!Matches(wanted, target, targets.PoolOf(target))) return;
    if (document.recommendations.size() >= wanted.limit) {
      ++document.more;
      return;
    }
    recommendation_api::Recommendation recommendation;
    recommendation.metadata.name = target.target.ObjectName();
    recommendation.metadata.namespace_name = target.target.namespace_name;
    recommendation.target = target.target;
    recommendation.status = StatusOf(target, targets.pools(), now);
    document.recommendations.push_back(recommendation_api::RowOf(recommendation, now));
  });
  return document;
}

class RecommendationPages final : public admin::Pages {
 public:
  explicit RecommendationPages(std::shared_ptr<const Recommender> recommender) : recommender_(std::move(recommender)) {}

  Question Find(std::string_view path, std::string_view query) const override {
    if (path != "/debug/recommendations") return {};
    if (std::string key = admin::UnknownKey(query, {"namespace", "pool", "target", "limit"}); !key.empty()) {
      return Wrong(Concat("no parameter is called ", key, "; there are namespace, pool, target and limit"));
    }
    Wanted wanted{admin::QueryValue(query, "namespace").value_or(""), admin::QueryValue(query, "pool").value_or(""),
                  admin::QueryValue(query, "target").value_or("")};
    if (const auto text = admin::QueryValue(query, "limit")) {
      const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), wanted.limit);
      const bool number = error == std::errc() && end == text->data() + text->size();
      if (!number || wanted.limit == 0 || wanted.limit > kMostLimit) {
        return Wrong(Concat("limit must be from 1 to ", std::to_string(kMostLimit), ", not \"", *text, "\""));
      }
    }
    return {.ask = [this, wanted = std::move(wanted)](const Answer& answer) {
      if (!recommender_->environment().calls.leads()) {
        return answer(
            Text(503, "this instance does not lead; ask the one that does, or read the Recommendation objects"));
      }
      answer({.status = 200,
              .content_type = "application/json",
              .body = EncodeJson(Collect(*recommender_, wanted)) + "\n"});
    }};
  }
  std::string_view Endpoints() const override {
    return "/debug/recommendations   what pods should ask for, by what they use; "
           "?namespace=NAME&pool=NAME&target=NAME, "
           "&limit=N\n";
  }

 private:
  static Question Wrong(std::string why) {
    return {.ask = [why = std::move(why)](const Answer& answer) { answer(Text(400, why)); }, .on_decision = false};
  }

  const std::shared_ptr<const Recommender> recommender_;
};

}  // namespace

std::unique_ptr<const admin::Pages> MakeRecommendationPages(std::shared_ptr<const Recommender> recommender) {
  return std::make_unique<RecommendationPages>(std::move(recommender));
}

}  // namespace huygens::recommendations
