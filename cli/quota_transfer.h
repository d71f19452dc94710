// huygens quota transfer: makes a QuotaTransfer of what a person types. One thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "cli/api_server.h"
#include "cluster/quota_transfer.h"

namespace huygens::cli {

// {"FROM", "TO", "limits.cpu=20", ...}; `until` is empty, a moment (RFC 3339) or how long from now on ("7d").
StatusOr<cluster::QuotaTransfer> ReadTransfer(std::span<const std::string_view> arguments, std::string_view until,
                                              Time now);

// Creates it and says how it is called.
StatusOr<std::string> CreateTransfer(const ApiCall& call, const cluster::QuotaTransfer& transfer);

}  // namespace huygens::cli
