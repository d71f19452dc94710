// A node whose kubelet pins, with a past: pods came and went, each let in and placed by the naive rerun of kubelet
// (naive_kubelet.h), so that every state can be reached. It is told as kubelet_topology.jsonl.gz tells one, from which
// the objects of a cluster follow (vector_objects.h).
#pragma once

#include <boost/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/resource.h"
#include "tests/kubelet/naive_kubelet.h"

namespace huygens::kubelet::test {

class KubeletWorld {
 public:
  // What is special about the machine, besides chance.
  struct Kind {
    bool scarce_memory = false;     // zones without hugepages, or with little memory: pods span zones
    bool mixed_cores = false;       // of one and of two threads, and full-pcpus-only
    bool homeless_devices = false;  // some of no zone
  };

  KubeletWorld(uint64_t seed, const Kind& kind, ResourceNames& names);

  // The pod that asks, and what kubelet says to it.
  const cluster::Pod& Asks() const { return asks_; }
  NaiveResult Truth() const { return NaiveAdmit(machine_, asks_); }
  // The machine, its kubelet and the pods on it, without the one that asks.
  boost::json::object Vector() const;
  const Machine& machine() const { return machine_; }

 private:
  struct Held {
    cluster::Pod pod;
    std::vector<NaiveContainer> containers;
  };

  int Number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool Chance(int percent) { return Number(1, 100) <= percent; }
  int Pick(std::initializer_list<int> from) { return *(from.begin() + Number(0, static_cast<int>(from.size()) - 1)); }

  void MakeZones();
  void MakeCpus();
  void MakeMemory(ResourceId resource);
  void MakeDevices(ResourceId resource);
  void MakeOptions();
  cluster::Pod NewPod(bool modest);
  cluster::Container NewContainer(bool modest);
  void LeaveWhatIsShort();
  void Live();
  void Release(const Held& held);
  void ReleaseMemory(ResourceId resource, int64_t bytes, const std::set<int>& zones);

  boost::json::object ZoneText(size_t zone) const;
  boost::json::array CoresText() const;

  std::mt19937_64 random_;
  const Kind kind_;
  const ResourceNames& names_;
  const ResourceId hugepages_, gpu_, nic_;
  Machine machine_;
  std::vector<LogicalCpu> cpus_;
  CpuSet reserved_;
  std::vector<Held> here_;
  cluster::Pod asks_;
};

}  // namespace huygens::kubelet::test
