// Which objects of a kind have which fault, so that one is told when it comes or changes and not each time the object
// is written: kubelet writes its node every few minutes, an exporter its object every few seconds. Holds as many
// entries as objects have a fault. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace huygens::kube {

class KnownFaults {
 public:
  // What is wrong with the object now, or empty: nothing is, or it is gone. Whether there is something to be told.
  bool IsNews(std::string_view object, std::string_view fault);
  // Whether something was wrong with it when it was last asked about.
  bool Knows(std::string_view object) const { return faults_.contains(object); }
  // Around a LIST: objects that it does not name are gone, and the end says which of those had a fault. One that is
  // broken off has no end.
  void ListBegin() { ++list_; }
  std::vector<std::string> ListEnd();

 private:
  struct Fault {
    std::string text;
    uint32_t list = 0;  // that last named the object
  };
  TextMap<Fault> faults_;
  uint32_t list_ = 0;
};

}  // namespace huygens::kube
