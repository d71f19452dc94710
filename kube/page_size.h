// How many objects of a kind a LIST asks for at once. Halved when that was too much for the API server or for us, and
// larger again by a quarter with each LIST that succeeds. One thread.
#pragma once

#include "base/status.h"
#include "net/client.h"

namespace huygens::kube {

class PageSize {
 public:
  PageSize(int most, int least) : most_(most), least_(least), size_(most) {}

  int get() const { return size_; }
  void Grow();
  // False if it cannot be less.
  bool Halve();

 private:
  int most_, least_, size_;
};

// Whether what failed was the amount that was asked for at once.
bool IsTooMuch(const StatusOr<net::HttpReply>& reply);

}  // namespace huygens::kube
