// A fixed number of threads behind a bounded queue, for slow or blocking work. Any thread may post.
// When the queue is full try_post says so at once: the caller answers 503, nobody waits.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace annolog::platform {

// A call without arguments that may own move-only things; run at most once.
class Task {
 public:
  Task() = default;
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Task> && std::invocable<F&>)
  Task(F&& call) : call_(std::make_unique<Holder<std::decay_t<F>>>(std::forward<F>(call))) {}

  explicit operator bool() const { return call_ != nullptr; }
  void operator()() { call_->run(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void run() = 0;
  };
  template <class F>
  struct Holder final : Base {
    explicit Holder(F&& f) : call(std::move(f)) {}
    explicit Holder(const F& f) : call(f) {}
    void run() override { call(); }
    F call;
  };
  std::unique_ptr<Base> call_;
};

struct ThreadPoolOptions {
  std::string name;             // at most 15 characters show in the system's thread list
  std::size_t threads = 1;      // at least 1
  std::size_t queue_limit = 1;  // waiting tasks, those that run not counted; at least 1
  // For work that fills cores: threads of other pools go first (setpriority(2), of each thread).
  bool gives_way = false;
  // Told the number of waiting tasks after each change; must be quick and must not throw.
  std::function<void(std::size_t)> on_depth = {};
  // A task let an exception out. Without it the process ends (std::terminate).
  std::function<void(std::exception_ptr)> on_exception = {};
};

class ThreadPool {
 public:
  explicit ThreadPool(ThreadPoolOptions options);
  // As stop(0): waiting tasks are dropped, running ones end.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // False when the queue is full or the pool is stopping; the task is then destroyed unrun.
  [[nodiscard]] bool try_post(Task task);
  std::size_t depth() const;
  const std::string& name() const;

  // No new tasks; works off the queue for at most `drain`, then drops what still waits and joins.
  // A running task can't be interrupted: it must carry a deadline of its own. Answers how many were
  // dropped. Further calls answer 0. Never call it from a task of this pool.
  std::size_t stop(std::chrono::milliseconds drain);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::platform
