// Errors travel as values: absl::Status and absl::StatusOr. A refused pod is a value of its own, a broken request is a
// Status.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text.h"

namespace huygens {

using absl::Status;
using absl::StatusOr;

inline Status Invalid(std::string_view message) { return absl::InvalidArgumentError(ToAbsl(message)); }
inline Status NotFound(std::string_view message) { return absl::NotFoundError(ToAbsl(message)); }
inline Status Unavailable(std::string_view message) { return absl::UnavailableError(ToAbsl(message)); }
inline Status Conflict(std::string_view message) { return absl::AbortedError(ToAbsl(message)); }
inline Status Refused(std::string_view message) { return absl::FailedPreconditionError(ToAbsl(message)); }
inline Status OutOfRange(std::string_view message) { return absl::OutOfRangeError(ToAbsl(message)); }
inline Status Internal(std::string_view message) { return absl::InternalError(ToAbsl(message)); }

// The message of a status as std::string_view.
inline std::string_view Message(const Status& status) { return ToStd(status.message()); }

// The same error with `context: ` in front of its message.
inline Status Annotate(const Status& status, std::string_view context) {
  if (status.ok()) return status;
  return Status(status.code(), ToAbsl(Concat(context, ": ", Message(status))));
}

}  // namespace huygens

// Evaluates `expression` (a Status); returns it from the calling function unless ok.
#define HUYGENS_RETURN_IF_ERROR(expression)                                                        \
  do {                                                                                             \
    if (::absl::Status huygens_status = (expression); !huygens_status.ok()) return huygens_status; \
  } while (false)

#define HUYGENS_CONCAT_INNER(a, b) a##b
#define HUYGENS_CONCAT(a, b) HUYGENS_CONCAT_INNER(a, b)
// Evaluates `expression` (a StatusOr); returns its status from the calling function, or moves its value into
// `declaration`.
#define HUYGENS_ASSIGN_OR_RETURN(declaration, expression) \
  HUYGENS_ASSIGN_OR_RETURN_INNER(HUYGENS_CONCAT(huygens_or_, __LINE__), declaration, expression)
#define HUYGENS_ASSIGN_OR_RETURN_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                                           \
  if (!temporary.ok()) return temporary.status();                          \
  declaration = *std::move(temporary)
