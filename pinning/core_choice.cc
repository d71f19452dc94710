#include "pinning/core_choice.h"

#include <algorithm>
#include <vector>

namespace huygens::pinning {
namespace {

// A core in the eyes of one choice.
struct Seat {
  const CpuSet* core = nullptr;
  CpuSet free;     // nobody's
  CpuSet yielded;  // of those who float
  bool full = false;

  int size() const { return core->Count(); }
  int free_count() const { return free.Count(); }
  int open() const { return free_count() + yielded.Count(); }
  bool Untouched() const { return open() == size(); }
};

std::vector<Seat> Seats(const ZoneCpus& zone, const CpuSet& fixed, const CpuSet& floating) {
  std::vector<Seat> seats;
  for (const CpuSet& core : zone.cores) {
    const CpuSet open = core - fixed;
    seats.push_back({&core, open - floating, open & floating, core.Count() == zone.threads});
  }
  return seats;
}

void AddLowest(const CpuSet& from, int count, CpuSet& to) {
  from.ForEach([&](size_t cpu) {
    if (count-- > 0) to.Add(cpu);
  });
}

// `count` of the core's CPUs, those first that are nobody's.
void Sit(Seat& seat, int count, CpuSet& own) {
  CpuSet got;
  AddLowest(seat.free, count, got);
  AddLowest(seat.yielded, count - got.Count(), got);
  seat.free -= got;
  seat.yielded -= got;
  own |= got;
}

// Full cores that nobody holds for good, those first that need the fewest moves.
std::vector<Seat*> WholeSeats(std::vector<Seat>& seats) {
  std::vector<Seat*> whole;
  for (Seat& seat : seats) {
    if (seat.full && seat.Untouched()) whole.push_back(&seat);
  }
  std::ranges::stable_sort(whole, {}, [](const Seat* seat) { return seat->yielded.Count(); });
  return whole;
}

bool Isolate(const ZoneCpus& zone, std::vector<Seat>& seats, int cpus, CoreChoice& choice) {
  const auto cores = static_cast<size_t>((cpus + zone.threads - 1) / zone.threads);
  std::vector<Seat*> whole = WholeSeats(seats);
  if (whole.size() < cores) return false;
  whole.resize(cores);
  std::ranges::sort(whole);  // by their lowest CPU again
  for (Seat* seat : whole) {
    const int take = std::min(cpus - choice.own.Count(), zone.threads);
    AddLowest(*seat->core, take, choice.own);
    choice.idle |= *seat->core - choice.own;
  }
  return true;
}

bool Pack(const ZoneCpus& zone, std::vector<Seat>& seats, int cpus, CoreChoice& choice) {
  const auto cores = static_cast<size_t>(cpus / zone.threads);
  const std::vector<Seat*> whole = WholeSeats(seats);
  if (whole.size() < cores) return false;
  for (size_t i = 0; i < cores; ++i) Sit(*whole[i], zone.threads, choice.own);
  const int rest = cpus % zone.threads;
  if (rest == 0) return true;
  // One more core for the rest: where the fewest must move, then the fullest, so that whole cores stay whole.
  Seat* best = nullptr;
  const auto cost = [&](const Seat& seat) { return std::pair(std::max(0, rest - seat.free_count()), seat.open()); };
  for (Seat& seat : seats) {
    if (seat.open() >= rest && (best == nullptr || cost(seat) < cost(*best))) best = &seat;
  }
  if (best == nullptr) return false;
  Sit(*best, rest, choice.own);
  return true;
}

bool Spread(std::vector<Seat>& seats, int cpus, CoreChoice& choice) {
  int left = cpus;
  while (left > 0) {
    std::vector<Seat*> open;
    for (Seat& seat : seats) {
      if (seat.open() > 0) open.push_back(&seat);
    }
    if (open.empty()) return false;
    // One thread each: of cores that are free or partly so first, and of these where whole cores are not broken.
    std::ranges::stable_sort(open, {}, [](const Seat* seat) { return std::pair(seat->free.empty(), seat->open()); });
    for (Seat* seat : open) {
      if (left-- <= 0) break;
      Sit(*seat, 1, choice.own);
    }
  }
  return true;
}

// By those who do not say how, and who may be moved later: nobody is moved for them.
bool Anyhow(const ZoneCpus& zone, std::vector<Seat>& seats, int cpus, CoreChoice& choice) {
  CpuSet free;
  for (const Seat& seat : seats) free |= seat.free;
  choice.own = TakePacked(zone, free, cpus);
  return choice.own.Count() == cpus;
}

}  // namespace

CpuSet TakePacked(const ZoneCpus& zone, const CpuSet& from, int count) {
  std::vector<Seat> seats = Seats(zone, zone.assignable - from, {});
  CpuSet own;
  for (Seat& seat : seats) {
    if (seat.full && seat.Untouched() && count - own.Count() >= seat.size()) Sit(seat, seat.size(), own);
  }
  // The rest where cores are broken already, the fullest first.
  std::vector<Seat*> open;
  open.reserve(seats.size());
  for (Seat& seat : seats) open.push_back(&seat);
  std::ranges::stable_sort(open, {},
                           [](const Seat* seat) { return std::pair(seat->Untouched() && seat->full, seat->open()); });
  for (Seat* seat : open) Sit(*seat, std::min(count - own.Count(), seat->open()), own);
  // What lies outside the zone's cores, such as CPUs that have become reserved, only when nothing else is left.
  AddLowest((from & zone.shared) - own, count - own.Count(), own);
  return own;
}

CpuSet TakeSpread(const ZoneCpus& zone, const CpuSet& from, int count) {
  std::vector<Seat> seats = Seats(zone, zone.assignable - from, {});
  CoreChoice choice;
  const CpuSet within = from & zone.assignable;
  // The cores with most threads first: they can give one to a further container as well.
  std::ranges::stable_sort(seats, [](const Seat& a, const Seat& b) { return a.open() > b.open(); });
  for (int left = std::min(count, within.Count()); left > 0;) {
    for (Seat& seat : seats) {
      if (left > 0 && seat.open() > 0) {
        Sit(seat, 1, choice.own);
        --left;
      }
    }
  }
  AddLowest((from & zone.shared) - choice.own, count - choice.own.Count(), choice.own);
  return choice.own;
}

std::optional<CoreChoice> ChooseCores(const ZoneCpus& zone, const CpuSet& fixed, const CpuSet& floating, int cpus,
                                      cluster::Smt smt) {
  if (zone.threads == 0) return std::nullopt;
  std::vector<Seat> seats = Seats(zone, fixed, floating);
  CoreChoice choice;
  bool found = false;
  switch (smt) {
    case cluster::Smt::kIsolate:
      found = Isolate(zone, seats, cpus, choice);
      break;
    case cluster::Smt::kPack:
      found = Pack(zone, seats, cpus, choice);
      break;
    case cluster::Smt::kSpread:
      found = Spread(seats, cpus, choice);
      break;
    case cluster::Smt::kUnset:
      found = Anyhow(zone, seats, cpus, choice);
      break;
  }
  if (!found) return std::nullopt;
  choice.evicted = (choice.own | choice.idle) & floating;
  // They need as many free CPUs elsewhere.
  const CpuSet left = zone.assignable - fixed - floating - choice.own - choice.idle;
  if (left.Count() < choice.evicted.Count()) return std::nullopt;
  return choice;
}

}  // namespace huygens::pinning
