// An independent model of one project: statuses, locks, assignees, counters. It is told what users
// wish and says what must come of it; it shares no code with the deciders. Tests only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace annolog::testing {

struct ModelLock {
  std::int64_t user = 0;
  std::int64_t until_ms = 0;
};

struct ModelTask {
  std::string status = "pending";
  std::int64_t assignee = 0;
  std::int64_t submitted_by = 0;
  std::optional<ModelLock> lock;
  std::int64_t annotations = 0;
  std::int64_t reopened = 0;
};

struct ModelUser {
  std::int64_t id = 0;
  int rank = 0;  // 0 viewer, 1 annotator, 2 reviewer, 3 admin, 4 owner
};

// What a wish comes to: "ok", or the code of its refusal.
class Model {
 public:
  std::vector<ModelTask> tasks;  // in the order of their display numbers
  std::int64_t now_ms = 0;
  std::int64_t lock_ms = 0;
  bool review_required = false;

  // The number of the task that tasks/next must give, -1 for none, with its reason in `why`.
  int next(const ModelUser& user, std::string& why);
  std::string lock(const ModelUser& user, ModelTask& task);
  std::string unlock(const ModelUser& user, ModelTask& task);
  std::string annotate(const ModelUser& user, ModelTask& task, int shapes, bool submit);
  std::string remove_one(const ModelUser& user, ModelTask& task);
  std::string restore_one(const ModelUser& user, ModelTask& task);
  std::string review(const ModelUser& user, ModelTask& task, bool approve);
  std::string send_to_review(const ModelUser& user, ModelTask& task);
  std::string accept(const ModelUser& user, ModelTask& task);
  std::string reopen(const ModelUser& user, ModelTask& task);

 private:
  bool live(const ModelTask& task) const { return task.lock && now_ms < task.lock->until_ms; }
  bool held_by_other(const ModelUser& user, const ModelTask& task) const {
    return live(task) && task.lock->user != user.id;
  }
  std::string may_edit(const ModelUser& user, const ModelTask& task) const;
  void take(const ModelUser& user, ModelTask& task) const;
  int own_work(const ModelUser& user, const std::string& status) const;
};

}  // namespace annolog::testing
