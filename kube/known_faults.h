// Which objects of a kind have which fault, so that one is told when it comes or changes and not each time the object
// is written: kubelet writes its node every few minutes, an exporter its object every few seconds. Holds as many
// entries as objects have a fault. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace huygens::kube {

class KnownFaults {
 public:
  // What is wrong with the object now, or empty: nothing is, or it is gone. Whether there is something to be told.
  bool IsNews(std::string_view object, std::string_view fault);
  // Around a LIST: objects that it does not name are gone. One that is broken off has no end.
  void ListBegin() { ++list_; }
  void ListEnd();

 private:
  struct Fault {
    std::string text;
    uint32_t list = 0;  // that last named the object
  };
  TextMap<Fault> faults_;
  uint32_t list_ = 0;
};

}  // namespace huygens::kube
