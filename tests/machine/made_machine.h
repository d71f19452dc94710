// A machine made of files in a temporary folder, for tests of what reads /sys.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/text.h"
#include "machine/id_list.h"
#include "tests/fake/temporary_directory.h"

namespace huygens::machine::testing {

class MadeMachine {
 public:
  const std::string& root() const { return files_.path(); }
  std::string At(std::string_view path) const { return files_.File(path); }

  void Write(std::string_view path, std::string_view text) const {
    const std::filesystem::path file = At(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  void Remove(std::string_view path) const { std::filesystem::remove_all(At(path)); }
  void Link(std::string_view path, std::string_view target) const {
    const std::filesystem::path link = At(path);
    std::filesystem::create_directories(link.parent_path());
    std::filesystem::create_symlink(target, link);
  }

  void OfCpu(int cpu, std::string_view file, std::string_view text) const {
    Write(Concat("sys/devices/system/cpu/cpu", std::to_string(cpu), "/", file), text);
  }
  void OfNode(int node, std::string_view file, std::string_view text) const {
    Write(Concat("sys/devices/system/node/node", std::to_string(node), "/", file), text);
  }
  // The link from a node to a CPU, which kubelet follows.
  void LinkCpu(int node, int cpu) const {
    const std::string name = Concat("cpu", std::to_string(cpu));
    Link(Concat("sys/devices/system/node/node", std::to_string(node), "/", name), Concat("../../cpu/", name));
  }
  void Core(const Ids& cpus, int core, int package) const {
    for (const int cpu : cpus) {
      OfCpu(cpu, "topology/core_cpus_list", FormatIdList(cpus) + "\n");
      OfCpu(cpu, "topology/core_id", std::to_string(core) + "\n");
      OfCpu(cpu, "topology/physical_package_id", std::to_string(package) + "\n");
    }
  }
  void Node(int node, const Ids& cpus, long long kb, std::string_view distances) const {
    OfNode(node, "cpulist", FormatIdList(cpus) + "\n");
    OfNode(node, "meminfo", Concat("Node ", std::to_string(node), " MemTotal:  ", std::to_string(kb), " kB\n"));
    OfNode(node, "distance", Concat(distances, "\n"));
    for (const int cpu : cpus) LinkCpu(node, cpu);
  }
  // Two zones of two cores with two threads each: CPUs 0,4 1,5 in zone 0, 2,6 3,7 in zone 1.
  void TwoZones() const {
    Write("sys/devices/system/cpu/online", "0-7\n");
    Write("sys/devices/system/cpu/present", "0-7\n");
    for (int core = 0; core < 4; ++core) Core({core, core + 4}, core % 2, core / 2);
    Node(0, {0, 1, 4, 5}, 1000, "10 21");
    Node(1, {2, 3, 6, 7}, 2000, "21 10");
  }

 private:
  fake::TemporaryDirectory files_;
};

}  // namespace huygens::machine::testing
