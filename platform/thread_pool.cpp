#include "platform/thread_pool.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/give_way.hpp"
#include "platform/named_thread.hpp"

namespace annolog::platform {

struct ThreadPool::Impl {
  ThreadPoolOptions options;
  mutable std::mutex mutex;
  std::condition_variable work;     // a task came, or intake ended
  std::condition_variable drained;  // the queue became empty
  std::deque<Task> queue;           // guarded by mutex
  bool stopping = false;            // guarded by mutex
  std::vector<std::thread> threads;

  // Called with the mutex held, so that the last value told is the true one.
  void tell_depth() const {
    if (options.on_depth) options.on_depth(queue.size());
  }

  void run(Task task) {
    if (!options.on_exception) {
      task();
      return;
    }
    try {
      task();
    } catch (...) {
      options.on_exception(std::current_exception());
    }
  }

  void work_loop() noexcept {
    if (options.gives_way) give_way();
    for (;;) {
      Task task;
      {
        std::unique_lock held(mutex);
        work.wait(held, [&] { return stopping || !queue.empty(); });
        if (queue.empty()) return;
        task = std::move(queue.front());
        queue.pop_front();
        tell_depth();
        if (queue.empty()) drained.notify_all();
      }
      run(std::move(task));
    }
  }
};

ThreadPool::ThreadPool(ThreadPoolOptions options) : impl_(std::make_unique<Impl>()) {
  if (options.threads == 0 || options.queue_limit == 0) {
    throw std::invalid_argument("thread pool " + options.name +
                                ": threads and queue_limit must be at least 1");
  }
  impl_->options = std::move(options);
  try {
    for (std::size_t i = 0; i < impl_->options.threads; ++i) {
      impl_->threads.push_back(
          named_thread(impl_->options.name, [impl = impl_.get()] { impl->work_loop(); }));
    }
  } catch (...) {
    stop(std::chrono::milliseconds(0));  // the system gave fewer threads than asked for
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(std::chrono::milliseconds(0)); }

bool ThreadPool::try_post(Task task) {
  {
    const std::lock_guard held(impl_->mutex);
    if (impl_->stopping || impl_->queue.size() >= impl_->options.queue_limit) return false;
    impl_->queue.push_back(std::move(task));
    impl_->tell_depth();
  }
  impl_->work.notify_one();
  return true;
}

std::size_t ThreadPool::depth() const {
  const std::lock_guard held(impl_->mutex);
  return impl_->queue.size();
}

const std::string& ThreadPool::name() const { return impl_->options.name; }

std::size_t ThreadPool::stop(std::chrono::milliseconds drain) {
  std::deque<Task> dropped;  // destroyed after the lock: their destructors are foreign code
  std::vector<std::thread> threads;
  {
    std::unique_lock held(impl_->mutex);
    impl_->stopping = true;
    impl_->work.notify_all();
    impl_->drained.wait_for(held, drain, [&] { return impl_->queue.empty(); });
    dropped.swap(impl_->queue);
    if (!dropped.empty()) impl_->tell_depth();
    threads.swap(impl_->threads);
  }
  for (std::thread& thread : threads) thread.join();
  return dropped.size();
}

}  // namespace annolog::platform
