// The past of all tasks of a project, folded from its records in their order, and what differs
// between a moment that was marked and the end. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "api/views/history.hpp"
#include "domain/history/past.hpp"

namespace annolog::app {

// Locks are judged by the moment's time; where it is a place in the log, by the task's last event.
struct ComparedMoment {
  projections::Until until;
  std::optional<Timestamp> at;
};

class ProjectPast {
 public:
  explicit ProjectPast(ProjectId project) : project_(project) {}

  // Whether the event is of the project; then it is taken in.
  bool add(const PastEvent& event);
  // What comes from here on is the difference.
  void mark(const ComparedMoment& from);

  // Of each task that was touched since the mark, in order of id; without `from` and `to`. Tasks
  // that were not there then, or are no more, are told by version 0.
  std::map<TaskId, api::TaskDifference> differences(const ComparedMoment& to) const;

 private:
  struct Kept {
    TaskPast past;
    Timestamp last;  // when its last event happened
  };
  void touch(TaskId id, const PastEvent& event);
  void touch_batch(BatchId batch, const PastEvent& event);
  void name_classes(const PastEvent& event);

  const ProjectId project_;
  std::map<TaskId, Kept> now_;
  std::map<TaskId, Kept> before_;  // at the mark, of those touched since
  TaskPast batches_;               // of no task: the batches as they are told
  std::map<BatchId, std::set<TaskId>> members_;
  std::vector<projections::Naming> namings_;
  bool marked_ = false;
  ComparedMoment from_;
};

// Whether an event is of the project.
bool is_of_project(const Event& event, ProjectId project);
// The task that an event is about; absent: none, or many.
std::optional<TaskId> task_of(const Event& event);

}  // namespace annolog::app
