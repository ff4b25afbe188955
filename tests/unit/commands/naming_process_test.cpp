// The process of unique names: crashes between any two steps, refusals, two changes at once.
#include <thread>

#include "domain/codec/domain_json.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::naming_process_test {
namespace {

UpdateProject rename_wish(ProjectId project, const std::string& name) {
  UpdateProject wish;
  wish.project_id = project;
  wish.name = name;
  return wish;
}

struct Scene {
  Scene() { owner = service.add_user(Role::project_admin); }

  bool name_is_free(const std::string& name) {
    return Service::code(service.create(Service::project_wish(name, owner), owner)) == "ok";
  }
  NameReserved reserve(const std::string& name) {
    auto wish = Service::project_wish(name, owner);
    return service.must<NameReserved>(
        ReserveName{NameKind::project, 0, 0, name, {codec::to_json_text(wish)}}, owner);
  }

  Service service;
  Who owner;
};

TEST(NamingProcess, a_crash_after_the_reservation_is_made_good) {
  Scene scene;
  const auto reserved = scene.reserve("Streets");
  scene.service.restart_without_links();
  scene.service.settle_names();
  EXPECT_EQ(scene.service.count_records("project.created"), 1U);
  EXPECT_EQ(scene.service.count_records("name.confirmed"), 1U);
  const auto view = scene.service.must<ProjectView>(
      rename_wish(ProjectId{reserved.holder_id}, "Streets"), scene.owner);
  EXPECT_EQ(view.owner_id, scene.owner.id);
  EXPECT_EQ(view.classes_config.size(), 2U);
  EXPECT_FALSE(scene.name_is_free("Streets"));
  scene.service.expect_refold_gives_the_same();
}

TEST(NamingProcess, a_retry_after_a_crash_is_told_that_it_is_one) {
  Scene scene;
  auto wish = Service::project_wish("Streets", scene.owner);
  const ReserveName name{NameKind::project, 0, 0, "Streets", {codec::to_json_text(wish)}};
  const std::string reservation_key = "\1key";  // as the process names it
  scene.service.call(name, scene.owner, reservation_key, "request");
  scene.service.restart_without_links();
  scene.service.settle_names();
  const auto first = scene.service.create(wish, scene.owner, "key", "request");
  ASSERT_EQ(Service::code(first), "ok");
  EXPECT_TRUE(first.replayed);
  EXPECT_EQ(scene.service.count_records("project.created"), 1U);
  const auto other = scene.service.create(wish, scene.owner, "key", "another request");
  EXPECT_EQ(Service::code(other), "IDEMPOTENCY_KEY_REUSED");
}

TEST(NamingProcess, a_crash_after_the_creation_is_made_good) {
  Scene scene;
  const auto reserved = scene.reserve("Streets");
  auto wish = Service::project_wish("Streets", scene.owner);
  wish.project_id = ProjectId{reserved.holder_id};
  scene.service.must<ProjectView>(wish, scene.owner);
  scene.service.restart_without_links();
  scene.service.settle_names();
  EXPECT_EQ(scene.service.count_records("project.created"), 1U);
  EXPECT_EQ(scene.service.count_records("name.confirmed"), 1U);
  EXPECT_FALSE(scene.name_is_free("Streets"));
}

TEST(NamingProcess, a_pending_reservation_folds_to_the_same_bytes) {
  Scene scene;
  scene.reserve("Streets");
  scene.service.restart_without_links();
  const auto before = scene.service.dump();
  scene.service.runtime->stop();
  commands::refold_all(*scene.service.log, [](std::uint16_t) {});
  EXPECT_TRUE(scene.service.dump() == before);
}

TEST(NamingProcess, a_crash_before_a_rename_was_done_frees_the_new_name) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  scene.service.must<NameReserved>(
      ReserveName{NameKind::project, 0, project.value, "Roads", {"{}"}}, scene.owner);
  scene.service.restart_without_links();
  scene.service.settle_names();
  EXPECT_EQ(scene.service.count_records("name.released"), 1U);
  EXPECT_TRUE(scene.name_is_free("Roads"));
  EXPECT_FALSE(scene.name_is_free("Streets"));
}

TEST(NamingProcess, a_crash_after_a_rename_was_done_frees_the_old_name) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  scene.service.must<NameReserved>(
      ReserveName{NameKind::project, 0, project.value, "Roads", {"{}"}}, scene.owner);
  scene.service.must<ProjectView>(rename_wish(project, "Roads"), scene.owner);
  scene.service.restart_without_links();
  scene.service.settle_names();
  EXPECT_TRUE(scene.name_is_free("Streets"));
  EXPECT_FALSE(scene.name_is_free("Roads"));
}

TEST(NamingProcess, a_rename_moves_the_name) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  EXPECT_EQ(Service::take<ProjectView>(scene.service.rename(project, " Roads ", scene.owner)).name,
            "Roads");
  EXPECT_TRUE(scene.name_is_free("Streets"));
  EXPECT_FALSE(scene.name_is_free("Roads"));
}

TEST(NamingProcess, a_refused_rename_leaves_the_name_free) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  EXPECT_EQ(Service::code(scene.service.rename(project, "Roads", scene.owner, 99)),
            "VERSION_MISMATCH");
  EXPECT_TRUE(commands::pending_names(*scene.service.log).empty());
  EXPECT_TRUE(scene.name_is_free("Roads"));
  EXPECT_FALSE(scene.name_is_free("Streets"));
}

TEST(NamingProcess, a_rename_to_the_own_name_keeps_it_whatever_comes_of_it) {
  Scene scene;
  const auto project = scene.service.add_project("Streets", scene.owner);
  EXPECT_EQ(Service::code(scene.service.rename(project, "Streets", scene.owner)), "ok");
  EXPECT_FALSE(scene.name_is_free("Streets"));
  EXPECT_EQ(Service::code(scene.service.rename(project, "Streets", scene.owner, 99)),
            "VERSION_MISMATCH");
  EXPECT_FALSE(scene.name_is_free("Streets"));
}

TEST(NamingProcess, a_name_in_use_is_refused_and_a_bad_wish_reserves_nothing) {
  Scene scene;
  scene.service.add_project("Streets", scene.owner);
  const auto other = scene.service.add_project("Roads", scene.owner);
  EXPECT_EQ(Service::code(scene.service.rename(other, "Streets", scene.owner)), "NAME_TAKEN");
  const auto records = scene.service.records().size();
  auto bad = Service::project_wish("Rivers", scene.owner);
  bad.classes_config = {{"", "", {}}};
  EXPECT_EQ(Service::code(scene.service.create(bad, scene.owner)), "VALIDATION_ERROR");
  EXPECT_EQ(scene.service.records().size(), records);
}

TEST(NamingProcess, datasets_of_two_creators_may_share_a_name) {
  Scene scene;
  const auto other = scene.service.add_user(Role::project_admin);
  const auto first = scene.service.add_dataset("Photos", scene.owner);
  const auto second = scene.service.add_dataset("Photos", other);
  EXPECT_NE(first, second);
  EXPECT_EQ(Service::code(scene.service.create(
                CreateDataset{{}, "Photos", "", DataType::image, scene.owner.id}, scene.owner)),
            "NAME_TAKEN");
}

// Whatever the order of many renames at once, a name has one bearer and a bearer one name.
TEST(NamingProcess, renames_at_once_never_share_a_name) {
  Scene scene;
  std::vector<ProjectId> projects;
  for (int i = 0; i < 4; ++i) {
    projects.push_back(scene.service.add_project("P" + std::to_string(i), scene.owner));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const auto project = projects[static_cast<std::size_t>(t + i) % projects.size()];
        const std::string name = "P" + std::to_string((t * 7 + i * 3) % 6);
        const bool bad = i % 5 == 4;
        scene.service.rename(project, name, scene.owner,
                             bad ? std::optional<std::int64_t>(-1) : std::nullopt);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(commands::pending_names(*scene.service.log).empty());
  std::map<std::string, ProjectId> bearers;
  for (const auto project : projects) {
    UpdateProject look;
    look.project_id = project;
    const auto view = scene.service.must<ProjectView>(look, scene.owner);
    EXPECT_TRUE(bearers.emplace(view.name, project).second) << view.name << " is borne twice";
  }
  for (int n = 0; n < 6; ++n) {
    const std::string name = "P" + std::to_string(n);
    EXPECT_EQ(scene.name_is_free(name), !bearers.contains(name)) << name;
  }
  scene.service.expect_refold_gives_the_same();
}

TEST(NamingProcess, an_overloaded_service_leaves_no_name_behind) {
  Scene scene;
  scene.service.clock.advance(1000);
  auto envelope =
      scene.service.envelope(Service::project_wish("Streets", scene.owner), scene.owner);
  envelope.deadline_ms = scene.service.clock.monotonic_ms();
  auto promise = std::make_shared<std::promise<Outcome>>();
  auto answer = promise->get_future();
  envelope.done = [promise](Outcome outcome) { promise->set_value(std::move(outcome)); };
  {
    const std::lock_guard held(scene.service.faults->gate);
    scene.service.naming->create(std::move(envelope));
    // The reservation is decided in time or not; the creation after it comes too late.
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    scene.service.clock.advance(1);
  }
  EXPECT_EQ(Service::code(answer.get()), "DEADLINE_EXCEEDED");
  EXPECT_TRUE(commands::pending_names(*scene.service.log).empty());
  EXPECT_TRUE(scene.name_is_free("Streets"));
}

}  // namespace
}  // namespace annolog::testing::naming_process_test
