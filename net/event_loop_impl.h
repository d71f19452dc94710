// The Asio side of EventLoop, for the files of net/ only.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <vector>

#include "net/event_loop.h"

namespace huygens::net {

namespace asio = boost::asio;

struct EventLoop::Impl {
  asio::io_context context{1};  // one thread runs it, any thread may post
  // For good: an io_context that once ran out of work stops, and stays so.
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  std::vector<std::unique_ptr<asio::signal_set>> signals;
};

}  // namespace huygens::net
