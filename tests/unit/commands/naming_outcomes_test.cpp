// Unique names where an outcome is lost, as a cluster may lose it, and retries of renames.
#include <atomic>
#include <thread>

#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::naming_outcomes_test {
namespace {

constexpr std::int64_t kLookMs = 1;

enum class Lost { command, outcome };

// Loses the next command of a type, or what came of it: its sender can't know which.
class LosingBus final : public commands::CommandBus {
 public:
  explicit LosingBus(commands::CommandBus& inner) : inner_(inner) {}

  template <class C>
  void lose_next(Lost lost) {
    lost_ = lost;
    type_ = Command(C{}).index();
  }
  std::uint16_t shard_count() const override { return inner_.shard_count(); }
  void send(commands::Envelope envelope) override {
    std::size_t type = envelope.command.index();
    if (!type_.compare_exchange_strong(type, kNone)) return inner_.send(std::move(envelope));
    if (lost_ == Lost::command) return envelope.done(unknown());
    envelope.done = [done = std::move(envelope.done)](const Outcome&) { done(unknown()); };
    inner_.send(std::move(envelope));
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static Outcome unknown() {
    return {
        DomainError{DomainError::Kind::unavailable, "OUTCOME_UNKNOWN", "It was lost.", {}, {}, 2},
        std::nullopt, false};
  }

  commands::CommandBus& inner_;
  Lost lost_ = Lost::command;
  std::atomic<std::size_t> type_{kNone};
};

struct Scene {
  Scene() : service({.link_runner = {.names_look_ms = kLookMs}}), bus(*service.runtime) {
    service.naming = std::make_unique<commands::Naming>(bus);
    owner = service.add_user(Role::project_admin);
  }
  std::size_t pending() const { return commands::pending_names(*service.log).size(); }
  // Time passes until the link runner has settled every reservation, without a restart.
  void settle() {
    for (int i = 0; i < 1'000'000 && pending() > 0; ++i) {
      service.clock.advance(kLookMs);
      std::this_thread::yield();
    }
    EXPECT_EQ(pending(), 0U);
  }
  std::string create(const std::string& name) {
    return Service::code(service.create(Service::project_wish(name, owner), owner));
  }
  std::string create_dataset(const std::string& name) {
    return Service::code(
        service.create(CreateDataset{{}, name, "", DataType::image, owner.id}, owner));
  }
  Outcome rename(ProjectId project, const std::string& name, const std::string& key = "",
                 const std::string& request = "request") {
    return service.rename(project, name, owner, std::nullopt, key, request);
  }

  Service service;
  LosingBus bus;
  Who owner;
};

TEST(NamingOutcomes, a_rename_that_was_done_unknown_keeps_its_name) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  scene.bus.lose_next<UpdateProject>(Lost::outcome);
  EXPECT_EQ(Service::code(scene.rename(project, "Roads")), "OUTCOME_UNKNOWN");
  EXPECT_EQ(scene.pending(), 1U);
  EXPECT_EQ(scene.create("Roads"), "NAME_TAKEN");
  EXPECT_EQ(scene.create("Streets"), "NAME_TAKEN");
  scene.settle();
  EXPECT_EQ(scene.create("Roads"), "NAME_TAKEN");
  EXPECT_EQ(scene.create("Streets"), "ok");
  scene.service.expect_refold_gives_the_same();
}

TEST(NamingOutcomes, a_rename_that_was_not_done_frees_its_name_in_the_end) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  scene.bus.lose_next<UpdateProject>(Lost::command);
  EXPECT_EQ(Service::code(scene.rename(project, "Roads")), "OUTCOME_UNKNOWN");
  EXPECT_EQ(scene.create("Roads"), "NAME_TAKEN");
  scene.settle();
  EXPECT_EQ(scene.create("Roads"), "ok");
  EXPECT_EQ(scene.create("Streets"), "NAME_TAKEN");
  EXPECT_EQ(Service::code(scene.rename(project, "Rivers")), "ok");
}

TEST(NamingOutcomes, the_same_for_datasets) {
  Scene scene;
  const auto dataset = scene.service.add_dataset("Photos", scene.owner);
  scene.bus.lose_next<UpdateDataset>(Lost::outcome);
  EXPECT_EQ(Service::code(scene.service.rename(dataset, "Films", scene.owner)), "OUTCOME_UNKNOWN");
  EXPECT_EQ(scene.create_dataset("Films"), "NAME_TAKEN");
  scene.settle();
  EXPECT_EQ(scene.create_dataset("Films"), "NAME_TAKEN");
  EXPECT_EQ(scene.create_dataset("Photos"), "ok");
}

TEST(NamingOutcomes, a_creation_of_which_nobody_knows_comes_to_a_project) {
  for (const Lost lost : {Lost::command, Lost::outcome}) {
    Scene scene;
    scene.bus.lose_next<CreateProject>(lost);
    EXPECT_EQ(scene.create("Streets"), "OUTCOME_UNKNOWN");
    EXPECT_EQ(scene.create("Streets"), "NAME_TAKEN");
    scene.settle();
    EXPECT_EQ(scene.create("Streets"), "NAME_TAKEN");
    EXPECT_EQ(scene.service.count_records("project.created"), 1U);
    EXPECT_EQ(scene.service.count_records("name.confirmed"), 1U);
    EXPECT_EQ(scene.service.count_records("name.released"), 0U);
  }
}

TEST(NamingOutcomes, a_settlement_that_was_lost_is_made_good_while_the_service_runs) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  scene.bus.lose_next<ConfirmName>(Lost::command);
  EXPECT_EQ(Service::code(scene.rename(project, "Roads")), "ok");
  EXPECT_EQ(scene.pending(), 1U);
  scene.settle();
  EXPECT_EQ(scene.create("Roads"), "NAME_TAKEN");
  EXPECT_EQ(scene.create("Streets"), "ok");
}

TEST(NamingOutcomes, the_key_of_a_rename_tells_what_became_of_it) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  scene.bus.lose_next<UpdateProject>(Lost::outcome);
  EXPECT_EQ(Service::code(scene.rename(project, "Roads", "key")), "OUTCOME_UNKNOWN");
  const auto again = scene.rename(project, "Roads", "key");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(Service::take<ProjectView>(again).name, "Roads");
  scene.settle();
  EXPECT_TRUE(scene.rename(project, "Roads", "key").replayed);
  EXPECT_EQ(scene.create("Roads"), "NAME_TAKEN");
  EXPECT_EQ(scene.create("Streets"), "ok");
}

TEST(NamingOutcomes, the_key_of_a_rename_that_was_not_done_does_it_once_that_is_known) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  scene.bus.lose_next<UpdateProject>(Lost::command);
  EXPECT_EQ(Service::code(scene.rename(project, "Roads", "key")), "OUTCOME_UNKNOWN");
  EXPECT_EQ(Service::code(scene.rename(project, "Roads", "key")), "RENAME_PENDING");
  scene.settle();
  const auto again = scene.rename(project, "Roads", "key");
  EXPECT_EQ(Service::code(again), "ok");
  EXPECT_FALSE(again.replayed);
  EXPECT_EQ(scene.create("Roads"), "NAME_TAKEN");
}

TEST(NamingOutcomes, the_key_of_a_creation_goes_on_with_its_reservation) {
  for (const Lost lost : {Lost::command, Lost::outcome}) {
    Scene scene;
    const auto create = [&] {
      return scene.service.create(Service::project_wish("Streets", scene.owner), scene.owner, "key",
                                  "request");
    };
    scene.bus.lose_next<CreateProject>(lost);
    EXPECT_EQ(Service::code(create()), "OUTCOME_UNKNOWN");
    EXPECT_EQ(Service::code(create()), "ok");
    EXPECT_EQ(scene.pending(), 0U);
    EXPECT_EQ(scene.service.count_records("project.created"), 1U);
    EXPECT_EQ(scene.create("Streets"), "NAME_TAKEN");
  }
}

// A retry of the creation meets a change of the name that is under way, and leaves it alone.
TEST(NamingOutcomes, a_retried_creation_settles_nothing_of_others) {
  Scene scene;
  const auto create = [&] {
    return scene.service.create(Service::project_wish("Streets", scene.owner), scene.owner, "key",
                                "request");
  };
  const auto project = Service::take<ProjectView>(create()).id;
  EXPECT_EQ(Service::code(scene.rename(project, "Roads")), "ok");
  scene.service.must<NameReserved>(
      ReserveName{NameKind::project, 0, project.value, "Streets", {"{}"}}, scene.owner);
  EXPECT_TRUE(create().replayed);
  EXPECT_EQ(scene.pending(), 1U);
}

TEST(NamingOutcomes, a_retried_rename_is_told_again_though_another_bears_the_name_now) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  EXPECT_EQ(Service::code(scene.rename(project, "Roads", "key")), "ok");
  EXPECT_EQ(Service::code(scene.rename(project, "Rivers")), "ok");
  const auto other = scene.service.add_project("Roads", scene.owner);
  const auto records = scene.service.records().size();
  const auto again = scene.rename(project, "Roads", "key");
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(Service::take<ProjectView>(again).name, "Rivers");
  EXPECT_EQ(Service::code(scene.rename(project, "Roads", "key", "another request")),
            "IDEMPOTENCY_KEY_REUSED");
  EXPECT_EQ(Service::code(scene.rename(project, "Roads", "another key")), "NAME_TAKEN");
  EXPECT_EQ(scene.service.records().size(), records);
  EXPECT_EQ(Service::code(scene.rename(other, "Lakes")), "ok");
  EXPECT_EQ(Service::code(scene.rename(project, "Roads", "another key")), "ok");
}

TEST(NamingOutcomes, a_retried_rename_of_a_dataset_too) {
  Scene scene;
  const auto dataset = scene.service.add_dataset("Photos", scene.owner);
  const auto rename = [&] {
    return scene.service.rename(dataset, "Films", scene.owner, "key", "request");
  };
  EXPECT_EQ(Service::code(rename()), "ok");
  EXPECT_EQ(Service::code(scene.service.rename(dataset, "Clips", scene.owner)), "ok");
  EXPECT_EQ(scene.create_dataset("Films"), "ok");
  const auto again = rename();
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(Service::take<DatasetView>(again).name, "Clips");
}

}  // namespace
}  // namespace annolog::testing::naming_outcomes_test
