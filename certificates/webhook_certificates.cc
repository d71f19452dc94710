#include "certificates/webhook_certificates.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "net/certificates.h"
#include "net/issue_certificate.h"

namespace huygens::certificates {
namespace {

using net::CertifiedKey;

constexpr char kServerCertificate[] = "tls.crt", kServerKey[] = "tls.key";
constexpr char kAuthority[] = "ca.crt", kAuthorityKey[] = "ca.key";
constexpr char kNext[] = "next-ca.crt", kNextKey[] = "next-ca.key";
constexpr char kPrevious[] = "previous-ca.crt";

constexpr Duration kShortestRest = std::chrono::minutes(1);

// The first certificate of a PEM text; nothing where it cannot be read or is not valid now.
std::optional<net::Certificate> ValidNow(const std::string& pem, Time now) {
  const auto read = net::ReadCertificates(pem);
  if (!read.ok() || now < read->front().not_before || now >= read->front().not_after) return std::nullopt;
  return read->front();
}

bool Contains(const std::string& bundle, const std::string& certificate) {
  const std::vector<std::string> theirs = net::SplitCertificates(bundle);
  return std::find(theirs.begin(), theirs.end(), certificate) != theirs.end();
}

// One look at one Secret.
class Planner {
 public:
  Planner(const SecretData& secret, std::span<const std::string> told, const CertificateRules& rules, Time now)
      : told_(told), rules_(rules), now_(now), secret_(secret) {
    server_ = {Get(kServerCertificate), Get(kServerKey)};
    authority_ = {FirstOf(kAuthority), Get(kAuthorityKey)};
    next_ = {FirstOf(kNext), Get(kNextKey)};
    previous_ = FirstOf(kPrevious);
  }

  StatusOr<CertificatePlan> Plan() {
    if (!previous_.empty() && (!ValidNow(previous_, now_) || previous_ == authority_.certificate)) previous_.clear();
    if (!next_.certificate.empty() && !Signs(next_)) next_ = {};
    HUYGENS_RETURN_IF_ERROR(MakeUsable());
    return Finish();
  }

 private:
  std::string Get(const char* key) const {
    const auto found = secret_.find(key);
    return found == secret_.end() ? std::string() : found->second;
  }
  std::string FirstOf(const char* key) const {
    const std::vector<std::string> all = net::SplitCertificates(Get(key));
    return all.empty() ? std::string() : all.front();
  }

  bool Trusted(const CertifiedKey& authority) const {
    return ValidNow(authority.certificate, now_) && net::IsSignedBy(authority.certificate, authority.certificate);
  }
  bool Signs(const CertifiedKey& authority) const {
    return Trusted(authority) && net::KeyFits(authority.certificate, authority.key);
  }
  bool Serves() const {
    return ValidNow(server_.certificate, now_) && net::KeyFits(server_.certificate, server_.key) &&
           net::IsSignedBy(server_.certificate, authority_.certificate);
  }
  bool NamesAll() const {
    const auto certificate = ValidNow(server_.certificate, now_);
    return certificate && std::all_of(rules_.dns_names.begin(), rules_.dns_names.end(), [&](const std::string& name) {
             return std::count(certificate->names.begin(), certificate->names.end(), name) > 0;
           });
  }
  bool EndsWithin(const std::string& certificate, Duration span) const {
    const auto valid = ValidNow(certificate, now_);
    return !valid || valid->not_after - now_ <= span;
  }
  // It ends soon, and a new one would last longer: none outlives its authority.
  bool IsToBeRenewed() const {
    if (!EndsWithin(server_.certificate, rules_.renew_server)) return false;
    const Time longest = std::min(now_ + rules_.server_lifetime, ValidNow(authority_.certificate, now_)->not_after);
    return longest > ValidNow(server_.certificate, now_)->not_after;
  }
  // When it was made, by the clock of then.
  Time Made(const std::string& certificate) const {
    const auto valid = ValidNow(certificate, now_);
    return valid ? valid->not_before + rules_.backdated : now_;
  }
  bool ToldEverywhere(const std::string& authority) const {
    return std::all_of(told_.begin(), told_.end(), [&](const std::string& each) { return Contains(each, authority); });
  }

  Status MakeUsable() {
    const bool signs = Signs(authority_);
    const bool serves = Trusted(authority_) && Serves();
    if (!signs && !serves) {
      News(authority_.certificate.empty() ? "there is no authority yet" : "the authority cannot be used any more");
      return Replace();
    }
    if (!signs || EndsWithin(authority_.certificate, rules_.renew_authority)) {
      if (next_.certificate.empty()) {
        HUYGENS_ASSIGN_OR_RETURN(next_, NewAuthority());
        News("the authority ends: the next is told");
      } else if (ToldEverywhere(next_.certificate) && now_ >= Made(next_.certificate) + rules_.told_first) {
        News("the next authority has been told: it signs from now on");
        return Replace();
      }
    }
    if (!signs || (serves && NamesAll() && !IsToBeRenewed())) {
      return absl::OkStatus();
    }
    News(!serves       ? "the certificate cannot be used"
         : !NamesAll() ? "the certificate lacks a name"
                       : "the certificate ends");
    return NewServer();
  }

  // The next authority, or a new one, in place of the authority.
  Status Replace() {
    if (Trusted(authority_)) previous_ = authority_.certificate;
    if (next_.certificate.empty()) {
      HUYGENS_ASSIGN_OR_RETURN(authority_, NewAuthority());
    } else {
      authority_ = std::exchange(next_, {});
    }
    return NewServer();
  }

  net::Validity From(Duration lifetime) const { return {now_ - rules_.backdated, now_ + lifetime}; }
  // Clients choose an authority by its name, so each has its own.
  StatusOr<CertifiedKey> NewAuthority() const {
    return net::IssueAuthority(Concat("huygens-webhook-ca ", FormatRfc3339(now_)), From(rules_.authority_lifetime));
  }
  Status NewServer() {
    HUYGENS_ASSIGN_OR_RETURN(server_,
                             net::IssueServerCertificate(authority_, rules_.dns_names, From(rules_.server_lifetime)));
    return absl::OkStatus();
  }
  void News(std::string_view text) { plan_.news.emplace_back(text); }

  void Set(const char* key, std::string value) {
    if (Get(key) == value) return;
    plan_.data[key] = std::move(value);
    plan_.write = true;
  }

  CertificatePlan Finish() {
    plan_.data = secret_;
    if (!previous_.empty() && now_ >= Made(server_.certificate) + rules_.overlap) {
      previous_.clear();
      News("the previous authority is told no more");
    }
    // A text that only is written in another way stays as it is.
    if (FirstOf(kAuthority) != authority_.certificate) Set(kAuthority, authority_.certificate);
    if (FirstOf(kNext) != next_.certificate || next_.certificate.empty()) Set(kNext, next_.certificate);
    if (FirstOf(kPrevious) != previous_ || previous_.empty()) Set(kPrevious, previous_);
    Set(kAuthorityKey, authority_.key);
    Set(kNextKey, next_.key);
    Set(kServerCertificate, server_.certificate);
    Set(kServerKey, server_.key);
    plan_.ca_bundle = Concat(authority_.certificate, next_.certificate, previous_);
    plan_.look_again = NextLook();
    return std::move(plan_);
  }

  Time NextLook() const {
    Time next = now_ + rules_.longest_rest;
    const auto by = [&](Time time) { next = std::min(next, std::max(time, now_ + kShortestRest)); };
    const auto end = [&](const std::string& pem) { return ValidNow(pem, now_)->not_after; };
    by(end(server_.certificate) - rules_.renew_server);
    if (next_.certificate.empty()) {
      by(end(authority_.certificate) - rules_.renew_authority);
    } else {
      const Time signs = Made(next_.certificate) + rules_.told_first;
      by(signs > now_ ? signs : now_ + rules_.told_first);
    }
    if (!previous_.empty()) by(Made(server_.certificate) + rules_.overlap);
    return next;
  }

  const std::span<const std::string> told_;
  const CertificateRules& rules_;
  const Time now_;
  const SecretData& secret_;
  CertifiedKey server_, authority_, next_;
  std::string previous_;
  CertificatePlan plan_;
};

}  // namespace

StatusOr<CertificatePlan> PlanCertificates(const SecretData& secret, std::span<const std::string> told,
                                           const CertificateRules& rules, Time now) {
  return Planner(secret, told, rules, now).Plan();
}

}  // namespace huygens::certificates
