// Machines made at random, written as kernels of different age write them, and read back; and such machines with any
// bytes in any file.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "machine/machine.h"
#include "tests/machine/made_machine.h"

namespace huygens::machine {
namespace {

using testing::MadeMachine;

// What there is, whether or not the files say so.
struct Model {
  Ids present, online;
  std::vector<Ids> cores;  // offline CPUs, too
  std::map<int, Ids> zones;
};

Model AnyModel() {
  Model model;
  std::set<int> ids;
  for (const int count = *rc::gen::inRange(1, 15); static_cast<int>(ids.size()) < count;) {
    ids.insert(*rc::gen::inRange(0, *rc::gen::element(16, 100)));
  }
  model.present.assign(ids.begin(), ids.end());
  for (const int cpu : model.present) {
    const bool sibling = !model.cores.empty() && model.cores.back().size() < 4 && *rc::gen::arbitrary<bool>();
    if (!sibling) model.cores.emplace_back();
    model.cores.back().push_back(cpu);
    if (*rc::gen::inRange(0, 5) > 0) model.online.push_back(cpu);
  }
  if (model.online.empty()) model.online.push_back(model.present.front());
  int zone = 0;
  for (const Ids& core : model.cores) {
    if (model.zones.empty() || *rc::gen::inRange(0, 3) == 0) zone += *rc::gen::element(1, 2, 40);
    Ids& cpus = model.zones[zone];
    cpus.insert(cpus.end(), core.begin(), core.end());
  }
  if (*rc::gen::arbitrary<bool>()) model.zones[zone + 7];  // without CPUs
  return model;
}

std::string Mask(const Ids& ids) {
  std::string out;
  for (int word = 3; word >= 0; --word) {
    uint32_t bits = 0;
    for (const int id : ids) {
      if (id / 32 == word) bits |= uint32_t{1} << id % 32;
    }
    char text[16];
    std::snprintf(text, sizeof text, "%08x", bits);
    out += Concat(out.empty() ? "" : ",", text);
  }
  return out + "\n";
}

void Write(const MadeMachine& made, const Model& model) {
  const bool old = *rc::gen::arbitrary<bool>();
  if (!old) {
    made.Write("sys/devices/system/cpu/online", FormatIdList(model.online) + "\n");
    made.Write("sys/devices/system/cpu/present", FormatIdList(model.present) + "\n");
  }
  for (const Ids& core : model.cores) {
    for (const int cpu : core) {
      made.OfCpu(cpu, "online", Has(model.online, cpu) ? "1\n" : "0\n");
      if (!Has(model.online, cpu)) continue;
      if (old) made.OfCpu(cpu, "topology/thread_siblings", Mask(core));
      if (!old) made.OfCpu(cpu, "topology/core_cpus_list", FormatIdList(core) + "\n");
    }
  }
  for (const auto& [id, cpus] : model.zones) {
    if (old) made.OfNode(id, "cpumap", Mask(cpus));
    if (!old) made.OfNode(id, "cpulist", FormatIdList(cpus) + "\n");
    made.OfNode(id, "meminfo", Concat("Node ", std::to_string(id), " MemTotal: ", std::to_string(1000 + id), " kB\n"));
    std::string row;
    for (const auto& [other, unused] : model.zones) row += Concat(other == id ? "10" : "20", " ");
    made.OfNode(id, "distance", row + "\n");
  }
}

RC_GTEST_PROP(ReadMachine, FindsWhatThereIs, ()) {
  const Model model = AnyModel();
  const MadeMachine made;
  Write(made, model);
  const StatusOr<Machine> machine = ReadMachine(made.root());
  RC_ASSERT(machine.ok());
  RC_ASSERT(machine->online == model.online);
  RC_ASSERT(machine->present == model.present);
  std::vector<Ids> cores, expected;
  for (const Core& core : machine->cores) cores.push_back(core.cpus);
  for (const Ids& core : model.cores) {
    if (Ids online = Both(core, model.online); !online.empty()) expected.push_back(std::move(online));
  }
  RC_ASSERT(cores == expected);
  RC_ASSERT(machine->zones.size() == model.zones.size());
  auto zone = machine->zones.begin();
  for (const auto& [id, cpus] : model.zones) {
    RC_ASSERT(zone->id == id);
    RC_ASSERT(zone->cpus == Both(cpus, model.online));
    RC_ASSERT(zone->memory_kb == 1000 + id);
    RC_ASSERT(zone->distances.size() == model.zones.size());
    ++zone;
  }
  RC_ASSERT(machine->notices.empty());
}

// Overwrites one of the files: with any bytes, another file's content, or its own with a character changed.
void Spoil(const MadeMachine& made) {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::recursive_directory_iterator(made.root())) {
    if (each.is_regular_file()) files.push_back(each.path());
  }
  std::ranges::sort(files);
  const auto any_file = [&] { return files[*rc::gen::inRange<size_t>(0, files.size())]; };
  const auto content = [](const std::filesystem::path& file) {
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::filesystem::path file = any_file();
  std::string text = content(file);
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      text = *rc::gen::arbitrary<std::string>();
      break;
    case 1:
      text = content(any_file());
      break;
    default:
      if (!text.empty())
        text[*rc::gen::inRange<size_t>(0, text.size())] = *rc::gen::elementOf(std::string("0189,-x \n"));
  }
  std::ofstream(file) << text;
}

RC_GTEST_PROP(ReadMachine, TakesAnyBytesAndSharesOutEveryCpuOnce, ()) {
  const MadeMachine made;
  Write(made, AnyModel());
  for (int times = *rc::gen::inRange(1, 4); times > 0; --times) Spoil(made);
  const StatusOr<Machine> machine = ReadMachine(made.root());
  if (!machine.ok()) {
    RC_ASSERT(Message(machine.status()).find(made.root()) != std::string_view::npos);
    return;
  }
  RC_ASSERT(!machine->zones.empty());
  Ids of_cores, of_zones = machine->without_zone;
  for (const Core& core : machine->cores) of_cores.insert(of_cores.end(), core.cpus.begin(), core.cpus.end());
  for (const Zone& zone : machine->zones) {
    RC_ASSERT(Both(zone.cpus, zone.claimed) == zone.cpus);
    of_zones.insert(of_zones.end(), zone.cpus.begin(), zone.cpus.end());
  }
  std::ranges::sort(of_cores);
  std::ranges::sort(of_zones);
  RC_ASSERT(of_cores == machine->online);
  RC_ASSERT(of_zones == machine->online);
}

}  // namespace
}  // namespace huygens::machine
