// Awaits a function that calls back once with a value, from any thread; resumes on the executor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace annolog::api {

template <class T, class Start>
boost::asio::awaitable<T> await_callback(boost::asio::any_io_executor executor, Start start) {
  std::optional<T> result;
  co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void()>(
      [&](auto handler) {
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        // The guard keeps the connection's thread until the answer is there.
        auto guard = boost::asio::make_work_guard(executor);
        start([&result, executor, resume, guard](T value) {
          boost::asio::post(executor, [&result, resume, value = std::move(value)]() mutable {
            result.emplace(std::move(value));
            std::move (*resume)();
          });
        });
      },
      boost::asio::use_awaitable);
  co_return std::move(*result);
}

}  // namespace annolog::api
