// status.reservations of a BizGroupResourceQuota: one text with a line for each reservation,
//
//   KIND NAMESPACE/NAME KEY=AMOUNT,KEY=AMOUNT UNTIL UID
//   Deployment.apps team/web limits.cpu=4,limits.memory=8Gi 2026-11-25T22:00:00Z 3f0c6e1a-...
//
//   = =/db = = 9b1d2a40-...
//
// with a single space between the fields, NAME alone for what has no namespace, = for what the line above has, too, and
// %XX for a byte that would be taken for one of the signs. A text, and short, since an API server spends 0.15 ms on each
// object of a list whenever the status is written, and some 5 us on 100 bytes of text (docs/performance.md).
//
// The list of objects that huygens wrote at first is still read. What has the text cannot be read by those versions, so
// only the controller turns a list into a text (BizGroupQuota::reservations_as_text). Safe on any thread.
#pragma once

#include <string>

#include "base/status.h"
#include "cluster/biz_group_quota.h"
#include "json/reader.h"

namespace huygens::wire {

// Either form; null is neither, and no reservation.
Status ReadReservations(JsonReader& in, cluster::BizGroupQuota& out);
// The field, in the form that the group has.
void AppendReservations(std::string& out, const cluster::BizGroupQuota& group);

}  // namespace huygens::wire
