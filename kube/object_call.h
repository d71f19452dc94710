// A call of the API server that answers with an object as it is stored then. Blocking; one thread per client.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "kube/api_call.h"
#include "net/client.h"

namespace huygens::kube {

// An answer of 2xx. Aborted: the object has changed since the one that the call was made upon. NotFound: there is none.
// PermissionDenied: nobody allows it. FailedPrecondition: the API server takes no such object, and has written nothing.
// Other errors as those of net::Client, and Unavailable for any other answer: whether it was written is then not known.
StatusOr<net::HttpReply> CallForObject(net::Client& client, std::string_view method, std::string_view path,
                                       std::string_view body, Duration timeout,
                                       const net::Headers& headers = JsonHeaders());
// The same, and the object of the answer as `decode` reads it.
template <typename Decode>
auto CallForObject(Decode decode, net::Client& client, std::string_view method, std::string_view path,
                   std::string_view body, Duration timeout, const net::Headers& headers = JsonHeaders())
    -> decltype(decode(std::string_view())) {
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, CallForObject(client, method, path, body, timeout, headers));
  return decode(std::string_view(reply.body));
}
// Of a PATCH; `how`: "merge", "strategic-merge", "json".
net::Headers PatchHeaders(std::string_view how);
// Of a PATCH that is a server-side apply, whose body is JSON and whose path ends with ?fieldManager=NAME.
net::Headers ApplyHeaders();

}  // namespace huygens::kube
