#include "quota/keys.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace huygens::quota {
namespace {

constexpr std::string_view kDevices = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kHugepages = "hugepages-";
constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kLimits = "limits.";

constexpr std::array<std::string_view, 6> kModelled = {"cpu",    "requests.cpu",    "limits.cpu",
                                                       "memory", "requests.memory", "limits.memory"};
constexpr std::array<std::string_view, 5> kPlain = {"ephemeral-storage", "requests.ephemeral-storage",
                                                    "limits.ephemeral-storage", "pods", "count/pods"};

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Letters and digits at both ends, `inner` between them.
bool IsName(std::string_view text, size_t max, std::string_view inner) {
  if (text.empty() || text.size() > max || !IsAlnum(text.front()) || !IsAlnum(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return IsAlnum(c) || inner.find(c) != std::string_view::npos; });
}

bool IsDomain(std::string_view text) {
  if (text.empty() || text.size() > 253 || text.find("..") != std::string_view::npos) return false;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('.', begin), text.size());
    if (!IsName(text.substr(begin, end - begin), 253, "-")) return false;
    begin = end + 1;
  }
  return std::none_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// As pkg/apis/core/v1/helper IsExtendedResourceName: "requests." must fit before the domain.
bool IsExtended(std::string_view name) {
  size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos) return false;
  if (name.starts_with(kRequests) || slash + kRequests.size() > 253) return false;
  return IsDomain(name.substr(0, slash)) && IsName(name.substr(slash + 1), 63, "-_.");
}

// Each '*' takes as little as it can; where that does not do, only the last one need take more.
bool Matches(std::string_view text, std::string_view pattern) {
  size_t at = 0, wanted = 0;
  size_t star = std::string_view::npos, after_star = 0;
  while (at < text.size()) {
    if (wanted < pattern.size() && pattern[wanted] == '*') {
      star = wanted++;
      after_star = at;
    } else if (wanted < pattern.size() && pattern[wanted] == text[at]) {
      ++wanted;
      ++at;
    } else if (star != std::string_view::npos) {
      wanted = star + 1;
      at = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', wanted) == std::string_view::npos;
}

std::string_view ModelOf(std::string_view name, const cluster::QuotaLabels& labels, const KeyOptions& options) {
  if (name == "cpu") return labels.cpu_model;
  if (name == "memory") return labels.memory_model;
  if (labels.gpu_model.empty() || name.starts_with(kDeviceClassResource)) return {};
  const auto& gpus = options.gpu_resources;
  bool gpu = std::any_of(gpus.begin(), gpus.end(), [&](std::string_view one) { return Matches(name, one); });
  return gpu ? std::string_view(labels.gpu_model) : std::string_view();
}

// To the key itself and to every dotted front of the model: "A100.80GB" is also an "A100".
void ChargeKey(const std::string& key, std::string_view model, const Quantity& amount, Amounts& charge) {
  Set(charge, key, amount);
  for (size_t dot = 0; !model.empty() && dot != std::string_view::npos;) {
    dot = model.find('.', dot + 1);
    Set(charge, Concat(key, ".", model.substr(0, dot)), amount);
  }
}

bool StripPrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool IsPlainResource(std::string_view name) { return name == "cpu" || name == "memory" || name == "ephemeral-storage"; }
bool IsDeviceOrExtended(std::string_view name) { return name.starts_with(kDeviceClassResource) || IsExtended(name); }

bool IsDevicesKey(std::string_view key) {
  return key.ends_with(kDevices) && IsDomain(key.substr(0, key.size() - kDevices.size()));
}

}  // namespace

void Charge(std::string_view name, Side side, const Quantity& amount, const cluster::QuotaLabels& labels,
            const KeyOptions& options, Amounts& charge) {
  const std::string_view model = ModelOf(name, labels, options);
  const bool plain = IsPlainResource(name);
  if (side == Side::kLimits) {
    if (plain) ChargeKey(Concat(kLimits, name), model, amount, charge);
    return;
  }
  const bool hugepages = name.starts_with(kHugepages);
  if (plain || hugepages) ChargeKey(std::string(name), model, amount, charge);
  if (plain || hugepages || IsDeviceOrExtended(name)) ChargeKey(Concat(kRequests, name), model, amount, charge);
}

std::string DevicesKey(std::string_view device_class) { return Concat(device_class, kDevices); }

bool IsOfDevices(std::string_view key) {
  StripPrefix(key, kCashPrefix);
  return IsDevicesKey(key) || (StripPrefix(key, kRequests) && key.starts_with(kDeviceClassResource));
}

std::string_view ExtendedResourceOf(std::string_view key) {
  StripPrefix(key, kCashPrefix);
  if (IsDevicesKey(key) || !StripPrefix(key, kRequests) || !IsExtended(key)) return {};
  return key;
}

bool IsExtendedResource(std::string_view name) { return IsExtended(name); }

bool IsGeneralTo(std::string_view general, std::string_view model) {
  return model.starts_with(general) && (model.size() == general.size() || model[general.size()] == '.');
}

std::string NormalKey(std::string_view key) {
  if (IsCash(key)) return Concat(kCashPrefix, NormalKey(key.substr(kCashPrefix.size())));
  if (IsDevicesKey(key)) return std::string(key);
  std::string_view name = key;
  StripPrefix(name, kLimits);
  return IsDeviceOrExtended(name) && !name.starts_with("count/") ? Concat(kRequests, name) : std::string(key);
}

Amounts NormalKeys(const Amounts& amounts) {
  Amounts normal;
  for (const auto& [key, amount] : amounts) {
    std::string name = NormalKey(key);
    const Quantity* other = Find(normal, name);
    if (!other || amount < *other) Set(normal, name, amount);
  }
  return normal;
}

std::string TwinKey(std::string_view key) {
  std::string twin;
  if (StripPrefix(key, kCashPrefix)) {
    twin = TwinKey(key);
    return twin.empty() ? twin : Concat(kCashPrefix, twin);
  }
  if (key == "pods") return "count/pods";
  if (key == "count/pods") return "pods";
  if (IsDevicesKey(key)) {
    key.remove_suffix(kDevices.size());
    return Concat(kRequests, kDeviceClassResource, key);
  }
  std::string_view name = key;
  if (StripPrefix(name, kRequests) && StripPrefix(name, kDeviceClassResource)) return DevicesKey(name);
  name = key;
  twin = StripPrefix(name, kRequests) ? std::string(name) : Concat(kRequests, name);
  return IsKnownKey(twin) && NormalKey(twin) == twin ? twin : std::string();
}

std::string_view MandatoryBase(std::string_view key) {
  for (std::string_view base : kModelled) {
    std::string_view rest = key;
    if (!StripPrefix(rest, base)) continue;
    if (rest.empty() || (rest.front() == '.' && IsName(rest.substr(1), 63, "-_."))) return base;
  }
  return {};
}

bool MayBeOfModel(std::string_view key) {
  if (IsOfDevices(key)) return false;
  StripPrefix(key, kCashPrefix);
  const std::string_view base = MandatoryBase(key);
  if (!base.empty()) return key.size() > base.size();
  const size_t slash = key.find('/');
  return slash != std::string_view::npos && key.find('.', slash) != std::string_view::npos;
}

bool IsCpuKey(std::string_view key) { return MandatoryBase(key).ends_with("cpu"); }

bool IsKnownKey(std::string_view key) {
  if (StripPrefix(key, kCashPrefix)) return !IsCash(key) && IsKnownKey(key);
  if (!MandatoryBase(key).empty()) return true;
  if (std::find(kPlain.begin(), kPlain.end(), key) != kPlain.end()) return true;
  if (IsDevicesKey(key)) return true;
  std::string normal = NormalKey(key);
  std::string_view name = normal;
  bool requests = StripPrefix(name, kRequests);
  return name.starts_with(kHugepages) || (requests && IsDeviceOrExtended(name));
}

Amounts CashOf(const Amounts& amounts) {
  Amounts cash;
  for (const auto& [key, amount] : amounts) {
    if (IsCash(key)) cash.emplace_back(key, amount);
  }
  return cash;
}

}  // namespace huygens::quota
