// Whether a client believes a server, by the rules of Go's crypto/x509, which API servers go by: the certificates that
// the server shows lead to one of the authorities that the client trusts, none of them is out of date, and the server's
// own is for a server of that name. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"

namespace huygens::net {

// `shown`: PEM, the server's own certificate first. `trusted`: PEM; each certificate in it is an authority, whoever
// signed it. `host`: a DNS name or an IP address. Unauthenticated: the server is not believed; the message says why in
// half a sentence that begins with "the certificate", and names no file.
Status VerifyServer(std::string_view shown, std::string_view trusted, const std::string& host, Time now);

}  // namespace huygens::net
