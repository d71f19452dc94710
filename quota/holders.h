// Who uses a group's budget of a key: the largest of its own pods, and its children by what they hold of it. Of an
// hours key a pod's amount is what it takes an hour. For people, since it looks at every pod that is charged: node by
// node, so that others can go between. Amounts from the largest down, ties by name. Decision thread only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "quota/account.h"

namespace huygens::quota {

struct Holder {
  std::string name;  // NAMESPACE/NAME of a pod, or that of a group
  Quantity amount;
};

// The largest few, and how many there are besides.
class Largest {
 public:
  static constexpr size_t kMost = 5;

  void Add(std::string name, const Quantity& amount);
  const std::vector<Holder>& holders() const { return holders_; }
  size_t more() const { return more_; }

 private:
  std::vector<Holder> holders_;  // in order
  size_t more_ = 0;
};

struct KeyHolders {
  std::string group;
  std::string key;
  Largest pods;
  Largest children;
};

class Holders {
 public:
  // A budget that is named twice counts once; beyond kMostKeys they are left out.
  static constexpr size_t kMostKeys = 8;
  void Ask(std::string group, std::string key);
  bool Any() const { return !of_.empty(); }

  // How many pods were added up.
  size_t LookAt(const Account& account, cluster::NodeIndex node);
  void LookAtChildren(const Tree& tree);

  // In the order in which they were asked for.
  const std::vector<KeyHolders>& of() const { return of_; }

 private:
  std::vector<KeyHolders> of_;
};

}  // namespace huygens::quota
