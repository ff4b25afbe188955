// Loads single tasks for many requests at once: ids that arrive while a statement runs are fetched
// together by the next one, so that a burst of GETs costs a few statements instead of one each.
// Any thread may ask; `done` is called on a read thread.
#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "domain/support/result.hpp"
#include "domain/task/view.hpp"
#include "platform/clock.hpp"
#include "platform/thread_pool.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::api {

class TaskLoader {
 public:
  using Done = std::function<void(Result<std::optional<TaskView>>)>;

  TaskLoader(projections::ReadPool& reads, platform::ThreadPool& threads,
             const platform::Clock& clock)
      : reads_(reads), threads_(threads), clock_(clock) {}

  // A full pool answers 503 at once.
  void load(TaskId id, Done done);

 private:
  struct Wanted {
    TaskId id;
    Done done;
  };

  void run();
  void refuse_unless_running();
  std::vector<Wanted> take();
  void answer(std::vector<Wanted> wanted);

  static constexpr std::size_t kRunnersMax = 2;  // statements under way at once
  static constexpr std::size_t kBatchMax = 256;  // ids a statement
  static constexpr std::size_t kWaitingMax = 20'000;

  projections::ReadPool& reads_;
  platform::ThreadPool& threads_;
  const platform::Clock& clock_;
  std::mutex mutex_;
  std::deque<Wanted> waiting_;
  std::size_t runners_ = 0;
};

}  // namespace annolog::api
