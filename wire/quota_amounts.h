// Amounts by key as the objects of quota.huygens.dev have them: {"limits.cpu":"100"}. Safe on any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cluster/biz_group_quota.h"
#include "json/reader.h"

namespace huygens::wire {

// Null empties `out`; a second map is merged into the first, as Go does.
Status ReadAmounts(JsonReader& in, cluster::QuotaAmounts& out);
// In place of what the key had.
void SetAmount(std::string_view key, Quantity amount, cluster::QuotaAmounts& amounts);
void AppendAmounts(std::string& out, std::string_view field, const cluster::QuotaAmounts& amounts);

}  // namespace huygens::wire
