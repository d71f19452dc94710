#include "net/certificates.h"

#include <curl/curl.h>
#include <openssl/err.h>

#include <memory>

#include "base/read_file.h"
#include "net/x509.h"

namespace huygens::net {
namespace {

size_t Ignore(char*, size_t size, size_t count, void*) { return size * count; }

}  // namespace

StatusOr<std::vector<Certificate>> ReadCertificates(std::string_view pem) {
  const BioPtr bio = ReadFrom(pem);
  std::vector<Certificate> certificates;
  while (const CertificatePtr read = NextCertificate(bio.get())) {
    Certificate certificate{.names = NamesOf(read.get()), .not_before = {}, .not_after = {}};
    HUYGENS_ASSIGN_OR_RETURN(certificate.not_before, TimeOf(X509_get0_notBefore(read.get())));
    HUYGENS_ASSIGN_OR_RETURN(certificate.not_after, TimeOf(X509_get0_notAfter(read.get())));
    certificates.push_back(std::move(certificate));
  }
  ERR_clear_error();  // how reading ends
  if (certificates.empty()) return Invalid("no certificate in PEM form in it");
  return certificates;
}

StatusOr<std::vector<Certificate>> ReadCertificateFile(const std::string& path) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string pem, ReadFile(path, "certificate file"));
  auto certificates = ReadCertificates(pem);
  if (!certificates.ok()) return Annotate(certificates.status(), path);
  return certificates;
}

StatusOr<std::vector<Certificate>> CertificatesOfServer(const ClientOptions& server, Duration timeout) {
  if (server.base_url.starts_with("http://")) return std::vector<Certificate>();
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return Internal("libcurl cannot be initialised");
  const std::unique_ptr<CURL, FreeWith<curl_easy_cleanup>> easy(curl_easy_init());
  if (!easy) return Internal("libcurl cannot make a handle");
  CURL* const handle = easy.get();
  curl_easy_setopt(handle, CURLOPT_URL, server.base_url.c_str());
  curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_CERTINFO, 1L);
  // Nothing is told to it: no credentials are sent, and what it answers is thrown away.
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, Ignore);
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(timeout).count()));
  const CURLcode code = curl_easy_perform(handle);
  curl_certinfo* chain = nullptr;
  curl_easy_getinfo(handle, CURLINFO_CERTINFO, &chain);
  if (chain == nullptr || chain->num_of_certs == 0) {
    return Unavailable(Concat(server.base_url, ": ", curl_easy_strerror(code)));
  }
  std::string pem;
  for (int i = 0; i < chain->num_of_certs; ++i) {
    for (const curl_slist* each = chain->certinfo[i]; each != nullptr; each = each->next) {
      const std::string_view line = each->data;
      if (line.starts_with("Cert:")) pem += Concat(line.substr(5), "\n");
    }
  }
  return ReadCertificates(pem);
}

}  // namespace huygens::net
