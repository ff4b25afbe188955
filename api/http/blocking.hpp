// Runs slow or blocking work on a bounded thread pool and resumes the handler on its connection's
// thread:
//   BOOST_OUTCOME_CO_TRY(auto rows, co_await blocking(pool, [&] { return queries.list(filter); }));
// `work` returns T or Result<T>; both give awaitable<Result<T>>. It may refer to the handler's
// locals: the handler stays where it is until the work is over. A full or stopping pool, or a queue
// that kept the work waiting past `queue_deadline`, gives 503 OVERLOADED with Retry-After and the
// work is not run. Work that has begun must bound itself (statement timeouts and the like).
// An exception from `work` comes out of the co_await.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "domain/support/result.hpp"
#include "platform/thread_pool.hpp"

namespace annolog::http {

namespace detail {

template <class T>
struct BlockingResult {
  using type = Result<T>;
};
template <class T>
struct BlockingResult<Result<T>> {
  using type = Result<T>;
};

// Resumes the handler when it is destroyed, so that it does so whether the pool ran the work,
// refused it or dropped it.
template <class Handler>
class ResumeOnDestruction {
 public:
  ResumeOnDestruction(boost::asio::any_io_executor executor, Handler handler)
      : executor_(executor), guard_(executor), handler_(std::move(handler)) {}
  ~ResumeOnDestruction() { boost::asio::post(executor_, std::move(handler_)); }
  ResumeOnDestruction(const ResumeOnDestruction&) = delete;
  ResumeOnDestruction& operator=(const ResumeOnDestruction&) = delete;

 private:
  boost::asio::any_io_executor executor_;
  boost::asio::executor_work_guard<boost::asio::any_io_executor> guard_;
  Handler handler_;
};

inline DomainError overloaded() {
  return {DomainError::Kind::unavailable,
          "OVERLOADED",
          "The service is busy; try again soon.",
          {},
          {},
          1};
}

}  // namespace detail

template <class Work>
using BlockingResult = typename detail::BlockingResult<std::invoke_result_t<Work&>>::type;

template <class Work>
boost::asio::awaitable<BlockingResult<Work>> blocking(
    platform::ThreadPool& pool, Work work,
    std::chrono::milliseconds queue_deadline = std::chrono::seconds(5)) {
  using Wrapped = BlockingResult<Work>;
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto until = std::chrono::steady_clock::now() + queue_deadline;
  std::optional<Wrapped> result;
  std::exception_ptr failure;
  const auto initiate = [&](auto handler) {
    using Resume = detail::ResumeOnDestruction<decltype(handler)>;
    auto resume = std::make_unique<Resume>(executor, std::move(handler));
    // False destroys the task, which resumes the handler with nothing in `result`.
    (void)pool.try_post([&result, &failure, &work, until, held = std::move(resume)] {
      if (std::chrono::steady_clock::now() > until) return;
      try {
        if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
          work();
          result.emplace(success());
        } else {
          result.emplace(work());
        }
      } catch (...) {
        failure = std::current_exception();
      }
    });
  };
  co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&, void()>(
      initiate, boost::asio::use_awaitable);
  if (failure) std::rethrow_exception(failure);
  if (!result) co_return detail::overloaded();
  co_return std::move(*result);
}

}  // namespace annolog::http
