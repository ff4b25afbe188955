// The write side in one process: memory log, runtime, naming, link runner, a clock that stands
// still. Calls wait for their outcome. A restart keeps the bytes of the log and nothing else.
// Tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "commands/process_managers/dataset_chores.hpp"
#include "commands/process_managers/link_runner.hpp"
#include "commands/process_managers/naming.hpp"
#include "commands/process_managers/removal_runner.hpp"
#include "commands/runtime.hpp"
#include "commands/state/key.hpp"
#include "eventstore/memory/memory_log.hpp"
#include "tests/unit/commands/support/fault_log.hpp"

namespace annolog::testing {

using commands::Command;
using commands::Outcome;
using commands::Reply;

struct Who {
  UserId id;
  Role role = Role::viewer;
};

inline constexpr Who kSystem{kSystemUser, Role::super_admin};

struct ServiceOptions {
  std::uint16_t shards = 4;
  commands::RuntimeOptions runtime = {};
  bool links = true;                         // run the link runner
  platform::ObjectStore* objects = nullptr;  // run the datasets' chores, on these
  commands::LinkRunnerOptions link_runner = {};
};

inline constexpr std::int64_t kNever = std::int64_t{1} << 60;

using Dump = std::map<std::string, std::string>;

class Service {
 public:
  explicit Service(ServiceOptions options = {})
      : options_(options),
        store_(eventstore::make_memory_store(options.shards)),
        logger_(clock, platform::LogLevel::error, [](std::string_view) {}) {
    open();
  }
  ~Service() { close(); }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  void restart() {
    close();
    open();
  }
  // Only the runtime, as if the process had died in between: no link runner yet.
  void restart_with_lock_ms(std::int64_t lock_ms) {
    options_.runtime.lock_ms = lock_ms;
    restart();
  }
  void restart_without_links() {
    close();
    const bool links = std::exchange(options_.links, false);
    open();
    options_.links = links;
  }
  // The same for the chores: whatever is left to do stays as it is.
  void restart_without_chores() {
    close();
    auto* const kept = std::exchange(options_.objects, nullptr);
    open();
    options_.objects = kept;
  }
  void start_links() {
    make_runners();
    own_all();
    start_runners();
  }

  // Waits until the link runner has settled every reservation.
  void settle_names() {
    start_links();
    for (int i = 0; i < 100'000 && !commands::pending_names(*log).empty(); ++i)
      std::this_thread::yield();
    EXPECT_TRUE(commands::pending_names(*log).empty());
  }

  commands::Envelope envelope(Command command, Who who, const std::string& key = "",
                              const std::string& request = "") const {
    commands::Envelope made;
    made.command = std::move(command);
    made.actor = who.id;
    made.role = who.role;
    if (!key.empty()) made.idempotency = commands::IdempotencyKey{key, request};
    return made;
  }

  std::future<Outcome> send(commands::Envelope made) {
    auto promise = std::make_shared<std::promise<Outcome>>();
    auto future = promise->get_future();
    made.done = [promise](Outcome outcome) { promise->set_value(std::move(outcome)); };
    runtime->send(std::move(made));
    return future;
  }
  Outcome call(Command command, Who who, const std::string& key = "",
               const std::string& request = "") {
    return send(envelope(std::move(command), who, key, request)).get();
  }
  template <class R>
  R must(Command command, Who who) {
    return take<R>(call(std::move(command), who));
  }
  template <class R>
  static R take(Outcome outcome) {
    if (!outcome.reply) {
      ADD_FAILURE() << outcome.reply.error().code << ": " << outcome.reply.error().message;
      return R{};
    }
    auto* value = std::get_if<R>(&outcome.reply.value());
    if (value == nullptr) {
      ADD_FAILURE() << "another kind of reply";
      return R{};
    }
    return std::move(*value);
  }
  static std::string code(const Outcome& outcome) {
    return outcome.reply ? "ok" : outcome.reply.error().code;
  }

  // Through the process of unique names.
  Outcome create(Command command, Who who, const std::string& key = "",
                 const std::string& request = "") {
    return through(&commands::Naming::create, envelope(std::move(command), who, key, request));
  }
  Outcome rename(ProjectId project, const std::string& name, Who who,
                 std::optional<std::int64_t> version = std::nullopt, const std::string& key = "",
                 const std::string& request = "") {
    UpdateProject wish;
    wish.project_id = project;
    wish.name = name;
    if (version) wish.expected_version = {{*version}};
    return through(&commands::Naming::rename, envelope(wish, who, key, request));
  }

  Outcome rename(DatasetId dataset, const std::string& name, Who who, const std::string& key = "",
                 const std::string& request = "") {
    UpdateDataset wish;
    wish.dataset_id = dataset;
    wish.creator_id = who.id;
    wish.name = name;
    return through(&commands::Naming::rename, envelope(wish, who, key, request));
  }
  Outcome remove(DatasetId dataset, Who who, const std::string& key = "") {
    return through(&commands::Naming::remove, envelope(DeleteDataset{dataset, {}}, who, key, ""));
  }

  // By the process of unique names, as the edge does.
  Outcome through(void (commands::Naming::*way)(commands::Envelope), commands::Envelope made) {
    auto promise = std::make_shared<std::promise<Outcome>>();
    auto future = promise->get_future();
    made.done = [promise](Outcome outcome) { promise->set_value(std::move(outcome)); };
    (naming.get()->*way)(std::move(made));
    return future.get();
  }

  // --- A world to work in.
  Who add_user(Role role) {
    CreateUser wish;
    wish.role = role;
    wish.username_digest = "user" + std::to_string(++users_);
    return {must<commands::UserReply>(wish, kSystem).user.id, role};
  }
  ProjectId add_project(const std::string& name, Who owner, bool review_required = false) {
    return take<ProjectView>(create(project_wish(name, owner, review_required), owner)).id;
  }
  static CreateProject project_wish(const std::string& name, Who owner,
                                    bool review_required = false) {
    CreateProject wish;
    wish.name = name;
    wish.classes_config = {{"car", "", {}}, {"bus", "", {}}};
    wish.review_required = review_required;
    wish.rendering_config = {R"({"z":1,"a":[1.50,{"y":2,"b":null}]})"};
    wish.owner_id = owner.id;
    return wish;
  }
  DatasetId add_dataset(const std::string& name, Who creator) {
    return take<DatasetView>(
               create(CreateDataset{{}, name, "", DataType::image, creator.id}, creator))
        .id;
  }
  void add_items(DatasetId dataset, Who creator, int count, const std::string& prefix = "f") {
    RegisterItems wish{dataset, {}};
    for (int i = 0; i < count; ++i) {
      const std::string name = prefix + std::to_string(i) + ".png";
      wish.items.push_back(
          {i, name, name, "image/png", 10, std::nullopt, 64, 48, {R"({"z":1,"a":2})"}});
    }
    must<commands::ItemsRegisteredReply>(wish, creator);
  }
  void add_member(ProjectId project, Who owner, Who user) {
    must<MemberView>(
        AddMember{project, user.id, std::min(user.role, Role::project_admin), user.role}, owner);
  }
  commands::TasksMade link(DatasetId dataset, ProjectId project, Who owner) {
    must<commands::TasksMade>(LinkDataset{dataset, project}, owner);
    return catch_up(dataset, project);
  }
  // What the link has made since it was last asked, once it has caught up with its items.
  commands::TasksMade catch_up(DatasetId dataset, ProjectId project) {
    auto& told = told_[{dataset, project}];
    for (;;) {
      const auto at = must<commands::LinkProgress>(commands::ReadLink{dataset, project}, kSystem);
      if (at.done >= at.items) return {at.items - std::exchange(told, at.items), 0};
      std::this_thread::yield();
    }
  }

  // Behind the runtime's back; its writer lets go of the shard soon after a reply.
  void write_state(eventstore::ShardId shard, const commands::Key& key, std::string_view value) {
    for (;;) {
      try {
        log->apply_state(shard, log->end(shard),
                         [&](auto& state) { state.put(key.bytes(), value); });
        return;
      } catch (const std::logic_error&) {  // claimed by the writer
        std::this_thread::yield();
      }
    }
  }

  // Every key of every shard's state.
  std::vector<Dump> dump() const {
    std::vector<Dump> shards;
    for (std::uint16_t s = 0; s < log->shard_count(); ++s) {
      Dump all;
      log->state(eventstore::ShardId(s))
          ->scan({}, {}, [&](std::string_view key, std::string_view value) {
            all.emplace(key, value);
            return true;
          });
      shards.push_back(std::move(all));
    }
    return shards;
  }
  // Every record of every shard, in order.
  std::vector<eventstore::Record> records() const {
    std::vector<eventstore::Record> all;
    for (std::uint16_t s = 0; s < log->shard_count(); ++s) {
      const auto some = log->read(eventstore::ShardId(s), {}, {1'000'000, 1U << 30U});
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  std::size_t count_records(const std::string& type) const {
    const auto all = records();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const auto& r) { return r.headers.type == type; }));
  }
  // The state folded anew from the log is the state there was, byte for byte.
  void expect_refold_gives_the_same() {
    close();
    log = eventstore::open_memory_log(store_, options_.shards);
    const auto before = dump();
    commands::refold_all(*log, [](std::uint16_t) {});
    const auto after = dump();
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t s = 0; s < before.size(); ++s) {
      EXPECT_EQ(before[s].size(), after[s].size()) << "shard " << s;
      for (const auto& [key, value] : before[s]) {
        const auto found = after[s].find(key);
        EXPECT_TRUE(found != after[s].end() && found->second == value)
            << "shard " << s << " table " << key.front();
      }
    }
    open();
  }

  platform::ManualClock clock;
  std::unique_ptr<eventstore::EventLog> log;
  std::unique_ptr<FaultLog> faults;
  std::unique_ptr<commands::Runtime> runtime;
  std::unique_ptr<commands::Naming> naming;
  std::unique_ptr<commands::LinkRunner> runner;
  std::unique_ptr<commands::RemovalRunner> remover;
  // What the object store holds.
  std::mutex objects_mutex;
  std::set<std::string> objects;
  std::atomic<bool> objects_fail{false};
  std::unique_ptr<commands::DatasetChoreRunner> chores;
  std::atomic<int> fatal_calls{0};

 private:
  std::map<std::pair<DatasetId, ProjectId>, std::int64_t> told_;

  void open() {
    metrics_ = std::make_unique<platform::Metrics>();
    log = eventstore::open_memory_log(store_, options_.shards);
    faults = std::make_unique<FaultLog>(*log);
    runtime =
        std::make_unique<commands::Runtime>(*faults, clock, logger_, *metrics_, options_.runtime,
                                            [this](const std::string&) { ++fatal_calls; });
    naming = std::make_unique<commands::Naming>(*runtime);
    if (options_.links) make_runners();
    if (options_.objects != nullptr) {
      chores = std::make_unique<commands::DatasetChoreRunner>(*runtime, *log, *options_.objects,
                                                              clock, logger_);
    }
    runtime->observe([this](std::span<commands::CommittedEvent> events) {
      for (const auto& committed : events) {
        if (runner) runner->on_event(committed.event);
        if (remover) remover->on_event(committed.event);
        if (chores) chores->on_event(committed.event);
      }
    });
    runtime->start();
    if (chores) {
      for (std::uint16_t s = 0; s < options_.shards; ++s) chores->own(eventstore::ShardId(s));
      chores->start();
    }
    if (!runner) return;
    own_all();
    start_runners();
  }
  void make_runners() {
    remover = std::make_unique<commands::RemovalRunner>(
        *runtime, *log, [this](const std::string& key) { remove_object(key); }, clock, logger_);
    runner = std::make_unique<commands::LinkRunner>(*runtime, *log, clock, logger_,
                                                    options_.link_runner);
  }
  void start_runners() {
    runner->start();
    remover->start();
  }
  void remove_object(const std::string& key) {
    if (objects_fail) throw std::runtime_error("the store fails");
    const std::lock_guard guard(objects_mutex);
    objects.erase(key);
  }
  void own_all() {
    for (std::uint16_t s = 0; s < options_.shards; ++s) {
      runner->own(eventstore::ShardId(s));
      remover->own(eventstore::ShardId(s));
    }
  }
  void close() {
    if (runner) runner->finish();
    if (remover) remover->finish();
    if (runner) runner->stop();
    if (remover) remover->stop();
    if (chores) chores->stop();
    if (runtime) runtime->stop();
    runner.reset();
    remover.reset();
    chores.reset();
    naming.reset();
    runtime.reset();
    faults.reset();
    log.reset();
  }
  ServiceOptions options_;
  std::shared_ptr<eventstore::MemoryStore> store_;
  platform::Logger logger_;
  std::unique_ptr<platform::Metrics> metrics_;
  int users_ = 0;
};

}  // namespace annolog::testing
