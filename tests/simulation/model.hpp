// An independent model of one project: statuses, locks, people, batches, counters. It is told what
// users wish and says what must come of it; it shares no code with the deciders. Tests only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace annolog::testing {

inline constexpr std::size_t kNoBatch = ~std::size_t{0};

struct ModelLock {
  std::int64_t user = 0;
  std::int64_t until_ms = 0;
};

struct ModelTask {
  std::string status = "pending";
  std::int64_t assignee = 0;
  std::int64_t reviewer = 0;
  std::int64_t submitted_by = 0;
  std::optional<ModelLock> lock;
  std::int64_t annotations = 0;
  std::int64_t reopened = 0;
  bool skipped = false;
  std::size_t batch = kNoBatch;
  bool gone = false;  // with its dataset
};

// A shape, deleted or not.
struct ModelShape {
  std::size_t task = 0;
  std::size_t class_of = 0;  // its place in Model::classes
  std::int64_t version = 1;
  bool deleted = false;
};

struct ModelEdit {
  std::optional<std::int64_t> version;  // that the user has seen
  std::optional<std::string> class_name;
  bool moves = false;
};

struct ModelBatch {
  std::string status = "draft";
  std::int64_t annotator = 0;
  std::int64_t reviewer = 0;
  std::string feedback;
  std::int64_t reviewed_by = 0;
  bool gone = false;
};

struct ModelUser {
  std::int64_t id = 0;
  int rank = 0;  // kStranger, 0 viewer, 1 annotator, 2 reviewer, 3 admin, 4 owner

  static constexpr int kStranger = -1;
};

// Absent: keep; 0: clear.
struct ModelPeople {
  std::optional<std::int64_t> annotator;
  std::optional<std::int64_t> reviewer;
};

struct ModelMove {
  std::string to;
  std::optional<std::string> reason;
  std::optional<std::string> feedback;
};

// What becomes of the batches that a bulk call names, in the order of the call.
struct ModelBulk {
  std::vector<std::size_t> succeeded;
  std::vector<std::size_t> skipped;
  std::vector<std::pair<std::size_t, std::string>> failed;
};

// What a wish comes to: "ok", or the code of its refusal.
class Model {
 public:
  std::vector<ModelTask> tasks;                       // in the order of their display numbers
  std::vector<ModelBatch> batches;                    // likewise; those that are gone stay as such
  std::map<std::int64_t, ModelShape> shapes;          // by id
  std::vector<std::string> classes = {"car", "bus"};  // what each is called now
  std::map<std::int64_t, int> ranks;
  std::int64_t now_ms = 0;
  std::int64_t lock_ms = 0;
  bool review_required = false;
  bool archived = false;
  std::map<std::string, int> happened;  // what no answer tells by itself

  // --- The project.
  std::string archive(const ModelUser& user, bool away);
  std::string unlink(const ModelUser& user, const std::vector<std::size_t>& leaving);

  // --- tasks/next, in the batch or anywhere (kNoBatch).
  std::string may_take_next(const ModelUser& user, std::size_t batch) const;
  // The law says which turn comes first, but not always which task of it: any of these will do.
  std::set<std::size_t> offered(const ModelUser& user, std::size_t batch) const;
  std::string why_none(std::size_t batch) const;
  void take_next(const ModelUser& user, std::size_t task);

  // --- Tasks.
  std::string lock(const ModelUser& user, ModelTask& task);
  std::string unlock(const ModelUser& user, ModelTask& task);
  std::string skip(const ModelUser& user, ModelTask& task);
  std::string review(const ModelUser& user, ModelTask& task, bool approve);
  std::string send_to_review(const ModelUser& user, ModelTask& task);
  std::string accept(const ModelUser& user, ModelTask& task);
  std::string reopen(const ModelUser& user, ModelTask& task);

  // --- Shapes and classes.
  std::optional<std::size_t> class_called(const std::string& name) const;
  std::int64_t uses_of(std::size_t class_of) const;
  std::string annotate(const ModelUser& user, ModelTask& task,
                       const std::vector<std::string>& class_names, bool submit);
  std::string edit(const ModelUser& user, ModelTask& task, ModelShape& shape,
                   const ModelEdit& wish);
  std::string remove_one(const ModelUser& user, ModelTask& task, ModelShape& shape);
  std::string restore_one(const ModelUser& user, ModelTask& task, ModelShape& shape);
  std::string rename_class(const ModelUser& user, const std::string& from, const std::string& to);

  // --- Batches.
  std::vector<std::size_t> oldest_unclassified(std::size_t count) const;
  std::string create(const ModelUser& user, const ModelPeople& people,
                     const std::vector<std::size_t>& chosen);
  std::string add(const ModelUser& user, std::size_t batch, const std::vector<std::size_t>& chosen);
  std::string take_out(const ModelUser& user, std::size_t batch,
                       const std::vector<std::size_t>& chosen);
  std::string assign(const ModelUser& user, std::size_t batch, const ModelPeople& people);
  std::string move(const ModelUser& user, std::size_t batch, const ModelMove& wish);
  std::string reset(const ModelUser& user, std::size_t batch, const std::string& reason);
  std::string remove(const ModelUser& user, std::size_t batch);
  std::string change_many(const ModelUser& user, const std::string& action,
                          const std::vector<std::size_t>& named, ModelBulk& outcome);
  std::string reassign_many(const ModelUser& user, const std::vector<std::size_t>& named,
                            const ModelPeople& people, ModelBulk& outcome);
  std::string distribute(const ModelUser& user, const std::vector<std::int64_t>& annotators,
                         const std::vector<std::int64_t>& reviewers, bool all,
                         std::vector<std::size_t>& dealt);
  // The statuses to which the table leads from there.
  static std::vector<std::string> ways_from(const std::string& status);
  std::map<std::string, std::int64_t> progress(std::size_t batch) const;

  bool live(const ModelTask& task) const { return task.lock && now_ms < task.lock->until_ms; }

 private:
  // "ok" from that rank on. Strangers see nothing of the project, nor do annotators when it is
  // archived.
  std::string allows(const ModelUser& user, int least) const;
  // The same for work, which an archived project has none of.
  std::string admits(const ModelUser& user, int least) const;
  std::string admits(const ModelUser& user, int least, const ModelBatch& batch) const;
  bool held_by_other(const ModelUser& user, const ModelTask& task) const {
    return live(task) && task.lock->user != user.id;
  }
  bool at_work(const ModelTask& task) const;  // its batch is open, or it is in none
  std::string may_edit(const ModelUser& user, const ModelTask& task) const;
  std::string may_change(const ModelUser& user, const ModelTask& task, const ModelShape& shape,
                         const std::optional<std::int64_t>& version) const;
  void touch(const ModelUser& user, ModelTask& task);
  void take(const ModelUser& user, ModelTask& task) const;
  int turn(const ModelUser& user, std::size_t scope, const ModelTask& task) const;
  // The steps that a batch takes by itself.
  void begin(const ModelTask& task);
  void end(const ModelTask& task);
  bool went_to_review(std::size_t batch);
  std::int64_t open_tasks(std::size_t batch) const;
  int rank_of(std::int64_t user) const;
  std::string fits(const ModelPeople& people) const;
  void follow_annotator(ModelTask& task, std::int64_t annotator);
  void follow_reviewer(ModelTask& task, std::int64_t reviewer);
  void set_people(std::size_t batch, const ModelPeople& people);
  void join(ModelTask& task, std::size_t batch);
  std::string unmet(std::size_t batch, const std::string& needs, const ModelMove& wish) const;
};

bool open_work(const std::string& status);
bool open_batch(const std::string& status);

}  // namespace annolog::testing
