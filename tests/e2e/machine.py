"""The hardware that a kubelet is to see: files as the kernel shows them under /sys/devices/system/{cpu,node} and in /proc/{cpuinfo,meminfo}.

kubelet (through cadvisor) takes zones, their CPUs and memory from node/nodeN, which CPUs are online from cpu/online, and the number of
cores and sockets from cpuinfo. CPUs are numbered as most machines number them: first one thread of every core, then the others.
"""


class Machine:
    def __init__(self, zones, cores, threads, zone_memory, distances=(10, 21)):
        self.zone_ids = range(zones)
        self.cores = cores  # per zone
        self.threads = threads
        self.zone_memory = zone_memory  # bytes
        self._near, self._far = distances

    def cpus(self, zone):
        total = len(self.zone_ids) * self.cores
        return sorted(thread * total + zone * self.cores + core for thread in range(self.threads) for core in range(self.cores))

    def zone_of(self, cpu):
        return self.core_of(cpu) // self.cores

    def core_of(self, cpu):
        return cpu % (len(self.zone_ids) * self.cores)

    def distance(self, zone, other):
        return self._near if zone == other else self._far

    def write(self, directory):
        """`directory` gets cpu/, node/, cpuinfo and meminfo."""
        everything = sorted(cpu for zone in self.zone_ids for cpu in self.cpus(zone))
        cpuinfo = []
        for cpu in everything:
            zone, core = self.zone_of(cpu), self.core_of(cpu)
            topology = directory / "node" / f"node{zone}" / f"cpu{cpu}" / "topology"
            topology.mkdir(parents=True)
            (topology / "core_id").write_text(f"{core}\n")
            (topology / "physical_package_id").write_text(f"{zone}\n")
            cpuinfo.append(f"processor\t: {cpu}\nvendor_id\t: AuthenticAMD\ncpu MHz\t\t: 2000.000\n"
                           f"physical id\t: {zone}\ncore id\t\t: {core}\n")
        (directory / "cpuinfo").write_text("\n".join(cpuinfo))
        total = len(self.zone_ids) * self.zone_memory // 1024
        (directory / "meminfo").write_text(f"MemTotal: {total} kB\nMemFree: {total} kB\nMemAvailable: {total} kB\nSwapTotal: 0 kB\n")
        (directory / "cpu").mkdir()
        for name in ("online", "possible", "present"):
            (directory / "cpu" / name).write_text(",".join(map(str, everything)) + "\n")
        for zone in self.zone_ids:
            path = directory / "node" / f"node{zone}"
            (path / "cpulist").write_text(",".join(map(str, self.cpus(zone))) + "\n")
            (path / "distance").write_text(" ".join(str(self.distance(zone, other)) for other in self.zone_ids) + "\n")
            (path / "meminfo").write_text(f"Node {zone} MemTotal:       {self.zone_memory // 1024} kB\n")
