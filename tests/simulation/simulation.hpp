// Random users over the real runtime and log, with a clock that jumps, restarts, refused commits
// and retries, each answer and the whole state held against the model. Tests only.
#pragma once

#include <map>
#include <random>

#include "tests/simulation/model.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing {

struct Course {
  std::uint64_t seed = 1;
  int tasks = 24;      // of the dataset that stays
  int more_tasks = 6;  // of the other
  int steps = 3000;
  int restart_every = 500;
  int compare_every = 100;
  int clean_every = 7;     // locks that are over
  bool is_crowded = true;  // nine people, else six
  bool refolds = true;     // at the end
  ServiceOptions service = {};
};

class Simulation {
 public:
  explicit Simulation(const Course& course);

  void run();
  // Outcomes by code, and what else happened: a test that never met these would prove little.
  const std::map<std::string, int>& met() const { return met_; }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  bool chance(std::size_t percent) { return pick(100) < percent; }

  void add_people(bool is_crowded);
  void add(Who who, int rank);
  void set_rank(std::size_t u, int rank);
  std::size_t place_of(std::int64_t user, std::size_t otherwise) const;  // in users_
  std::vector<std::size_t> find_tasks();  // those that are new, put down in the model
  void pass_time();
  std::int64_t to_the_next_expiry() const;
  Outcome call(const Command& command, Who who);
  Outcome call_twice(const Command& command, Who who);
  bool wrote(const Outcome& outcome);
  void step();
  void clean_locks();

  // --- Wishes about the project.
  void project_step();
  void change_members();
  void archive(std::size_t u);
  void unlink(std::size_t u);
  void link_second();

  // --- Wishes about tasks.
  void task_step();
  std::size_t some_task();
  template <class Expect>
  void check(const Command& command, std::size_t u, std::size_t t, Expect expect);
  void next(std::size_t u);
  void review(std::size_t u, std::size_t t);

  // --- Wishes about shapes and classes.
  std::string some_class();
  struct OnShape {
    std::int64_t id = 0;
    std::size_t task = 0;
    std::size_t user = 0;  // who wishes
  };
  std::optional<OnShape> some_shape(std::size_t u, bool deleted);
  std::size_t worker_on(std::size_t t, std::size_t otherwise) const;
  template <class Expect>
  bool change(const Command& wish, const OnShape& on, Expect expect);
  void annotate(std::size_t u, std::size_t t, bool submit);
  void edit(std::size_t u);
  void remove(std::size_t u);
  void restore(std::size_t u);
  void rename_class(std::size_t u);

  // --- Wishes about batches.
  void batch_step();
  std::size_t some_batch();
  std::vector<std::size_t> some_batches();
  std::size_t live_batches() const;
  BatchRef ref(std::size_t batch);
  std::size_t boss();  // most often somebody who may
  ModelPeople some_people();
  std::vector<std::size_t> some_tasks(std::size_t batch);
  std::vector<TaskId> ids_of(const std::vector<std::size_t>& tasks) const;
  void check_batch(const Outcome& outcome, const std::string& expected, std::size_t batch);
  void create_batch(std::size_t u);
  void fill(std::size_t u, std::size_t b);
  void take_out(std::size_t u, std::size_t b);
  void assign(std::size_t u, std::size_t b);
  void move(std::size_t u, std::size_t b);
  void reset(std::size_t u, std::size_t b);
  void remove_batch(std::size_t u, std::size_t b);
  void change_many(std::size_t u);
  void reassign_many(std::size_t u);
  void distribute(std::size_t u);
  std::vector<BatchRef> refs(const std::vector<std::size_t>& named, bool with_default);
  void compare(const BulkOutcome& given, const ModelBulk& expected, bool with_default);

  // --- Against the model.
  eventstore::ShardId shard() const;
  void compare(const TaskView& view, std::size_t t);
  void compare(const BatchView& view, std::size_t b);
  void compare_task(const eventstore::StateView& state, std::size_t t);
  void compare_shape(std::int64_t id);
  void compare_batches(const eventstore::StateView& state);
  void compare_all();
  void compare_counts(const eventstore::StateView& state,
                      std::map<std::string, std::int64_t>& counts);

  const Course course_;
  std::mt19937_64 random_;
  Service service_;
  Model model_;
  ProjectId project_;
  DatasetId second_;  // is linked and unlinked; the first one's tasks stay
  std::vector<Who> whos_;
  std::vector<ModelUser> users_;
  std::optional<std::pair<std::size_t, int>> away_;  // its place in users_, and its rank before
  std::vector<TaskId> ids_;
  std::vector<std::size_t> second_tasks_;  // their places in ids_, while it is linked
  std::vector<BatchId> batch_ids_;
  std::map<std::size_t, ClassId> class_ids_;  // of the model's classes that were used
  std::int64_t moves_ = 0;
  std::int64_t keys_ = 0;
  std::map<std::string, int> met_;
};

}  // namespace annolog::testing
