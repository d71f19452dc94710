// PodMigrations and lists of them as an API server sends them. What can be read comes back as it is when it is written.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/reader.h"
#include "migration_api/pod_migration.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace huygens;
  namespace api = migration_api;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto migration = api::Decode(text); migration.ok()) {
    const std::string written = api::Encode(*migration);
    const auto again = api::Decode(written);
    fuzz::Require(again.ok(), "what was read can be written and read");
    fuzz::Require(api::Encode(*again) == written, "and is the same then");
    fuzz::Require(JsonReader::Check(api::EncodeStatusPatch(migration->status)).ok(), "the patch is JSON");
  }
  (void)api::DecodePage(text);
  return 0;
}
