#include "reports/reschedule_report.h"

#include <string_view>
#include <vector>

#include "base/text.h"
#include "reports/table.h"

namespace huygens::reports {

using admin_api::MoveDocument;
using admin_api::RescheduleDocument;

namespace {

std::string TimeText(const std::optional<Time>& time) { return time ? FormatRfc3339(*time) : std::string(); }

std::string Head(const RescheduleDocument& document) {
  std::string text = Concat("mode ", document.mode);
  if (document.mode == "move") text += document.leads ? ", this instance moves pods" : ", another instance moves pods";
  text += "\n";
  if (!document.stopped.empty()) text += Concat("STOPPED: ", document.stopped, "\n");
  if (!document.state.empty()) text += Concat("trouble: ", document.state, "\n");
  if (document.mode == "off") text += "nothing is planned: set rescheduler.mode to report or move\n";
  return text;
}

std::string MovesTable(const std::vector<MoveDocument>& moves) {
  Table table({"POD", "FROM", "TO", "CAUSE", "PHASE", "REASON", "NODE", "SINCE", "NEXT TRY"});
  for (const MoveDocument& move : moves) {
    table.AddRow({move.pod, move.source, move.target, move.cause, move.phase, move.reason, move.node,
                  TimeText(move.since), TimeText(move.next_try)});
  }
  return table.Text();
}

}  // namespace

std::string ReschedulePlanText(const RescheduleDocument& document) {
  std::string text = Head(document);
  if (document.mode == "off") return text;
  if (!document.planned_at) return text + "no plan has been made yet\n";
  text += Concat("planned ", TimeText(document.planned_at), ": ", std::to_string(document.hot_nodes),
                 " nodes above a ceiling at some time of the week, ", std::to_string(document.plan.size()),
                 " moves to come\n");
  if (!document.plan.empty()) {
    Table table({"POD", "FROM", "TO", "CAUSE", "WAITS FOR", "WHY"});
    for (const auto& move : document.plan)
      table.AddRow({move.pod, move.source, move.target, move.cause, move.waits_for, move.why});
    text += Concat("\n", table.Text());
  }
  if (!document.stuck.empty()) {
    text += "\nnothing can be done about:\n";
    Table table({"NODE", "POD", "CAUSE", "REASON"});
    for (const auto& each : document.stuck) table.AddRow({each.node, each.pod, each.cause, each.reason});
    text += table.Text();
  }
  return text;
}

std::string RescheduleStatusText(const RescheduleDocument& document) {
  std::string text = Head(document);
  if (document.mode != "move") return text;
  text += Concat(std::to_string(document.moves.size()), " under way\n");
  if (!document.moves.empty()) text += MovesTable(document.moves);
  if (!document.ended.empty()) text += Concat("\nthe last that ended:\n", MovesTable(document.ended));
  if (!document.limits.empty()) {
    text += "\nheld back by:\n";
    Table table({"LIMIT", "TIMES"});
    for (const auto& [limit, times] : document.limits) table.AddRow({limit, std::to_string(times)});
    text += table.Text();
  }
  return text;
}

std::string RescheduleLine(const RescheduleDocument& document, const std::string& pod) {
  for (const MoveDocument& move : document.moves) {
    if (move.pod == pod)
      return Concat("moves from ", move.source, " to ", move.target, " (", move.cause, "): ", move.phase, "\n");
    if (!move.replacement.empty() && pod == Concat(pod.substr(0, pod.find('/') + 1), move.replacement) &&
        move.pod.substr(0, move.pod.find('/')) == pod.substr(0, pod.find('/'))) {
      return Concat("replaces ", move.pod, ", which moves from ", move.source, " to ", move.target, "\n");
    }
  }
  for (const auto& move : document.plan) {
    if (move.pod != pod) continue;
    const std::string held = move.waits_for.empty() ? "" : Concat(", held by ", move.waits_for);
    return Concat(document.mode == "report" ? "would move from " : "is to move from ", move.source, " to ", move.target,
                  ": ", move.why, held, "\n");
  }
  for (const auto& each : document.stuck) {
    if (each.pod == pod) return Concat("stands wrong (", each.cause, ") and is not moved: ", each.reason, "\n");
  }
  for (const MoveDocument& move : document.ended) {
    if (move.pod != pod) continue;
    const std::string next = move.next_try ? Concat("; next try ", TimeText(move.next_try)) : std::string();
    return Concat("move to ", move.target, " ended: ", move.phase, " ", move.reason, ": ", move.message, next, "\n");
  }
  return "";
}

}  // namespace huygens::reports
