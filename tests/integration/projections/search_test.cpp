// Looking for names.
#include "projections/search/queries.hpp"

#include <gtest/gtest.h>

#include "tests/integration/projections/samples.hpp"
#include "tests/integration/projections/world.hpp"

namespace annolog::projections::testing::search_test {
namespace {

constexpr ProjectId kOther{5};
const SeenProjects kAll{.all = true, .ids = {}};

SeenProjects only(std::initializer_list<ProjectId> ids) { return {.all = false, .ids = ids}; }

// Two projects, a task for each name.
void fill(World& world, const std::vector<std::string>& first,
          const std::vector<std::string>& second = {}) {
  world.append(0, {user_created(7, Role::project_admin, "ada.lovelace"),
                   user_created(8, Role::annotator, "bob"), user_created(9, Role::viewer, "ab%c")});
  const auto tasks = [](std::int64_t id, ProjectId project, const std::vector<std::string>& names) {
    TasksCreated event = tasks_created(id, static_cast<std::int64_t>(names.size()), project);
    for (std::size_t i = 0; i < names.size(); ++i) {
      event.tasks[i].number = static_cast<std::int64_t>(i) + 1;
      event.tasks[i].file_name = names[i];
    }
    return event;
  };
  world.append(kProjectShard, {project_created(), tasks(100, kProject, first),
                               ProjectMemberAdded{kProject, UserId{8}, Role::annotator}});
  world.append(kProjectShard, {project_created(kOther, UserId{1}), tasks(100'000, kOther, second)});
  world.append(kDatasetShard, {dataset_created(), DatasetLinked{kDataset, kProject},
                               dataset_created(DatasetId{14}, UserId{9})});
  world.start();
  world.settle();
}

class Looking {
 public:
  explicit Looking(World& world) : queries_(*world.pool) {}

  Found find(const std::string& text, const SeenProjects& seen = kAll, std::int64_t limit = 5,
             UserId viewer = UserId{1}) const {
    return queries_.find({.text = text, .limit = limit, .viewer = viewer, .seen = seen});
  }
  std::vector<std::string> files(const std::string& text, const SeenProjects& seen = kAll,
                                 std::int64_t limit = 5) const {
    std::vector<std::string> names;
    for (const auto& task : find(text, seen, limit).tasks) names.push_back(task.file_name);
    return names;
  }

 private:
  SearchQueries queries_;
};

using Names = std::vector<std::string>;

TEST(Search, FindsTasksByPartsOfTheirNamesTheMostAlikeFirst) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, {"front/car_with_a_long_name.jpg", "car.jpg", "bus.jpg", "Scarf.png"});
  const Looking looking(world);
  EXPECT_EQ(looking.files("car")[0], "car.jpg");
  EXPECT_EQ(looking.files("car").size(), 3U);
  EXPECT_EQ(looking.files("CAR.JPG"), (Names{"car.jpg"}));
  EXPECT_EQ(looking.files("car", kAll, 1), (Names{"car.jpg"}));
  EXPECT_EQ(looking.files("us.j"), (Names{"bus.jpg"}));
  EXPECT_EQ(looking.files("front/car"), (Names{"front/car_with_a_long_name.jpg"}));
  EXPECT_TRUE(looking.files("nowhere").empty());
  const auto task = looking.find("bus").tasks.at(0);
  EXPECT_EQ(task.id, TaskId{102});
  EXPECT_EQ(task.project_id, kProject);
  EXPECT_EQ(task.number, 3);
  EXPECT_EQ(task.status, TaskStatus::pending);
}

TEST(Search, TakesTheTextAsItIs) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, {"100%_sure.jpg", "100_x_sure.jpg", R"(back\slash.jpg)", "it's.jpg"});
  const Looking looking(world);
  EXPECT_EQ(looking.files("100%"), (Names{"100%_sure.jpg"}));
  EXPECT_EQ(looking.files("100_"), (Names{"100_x_sure.jpg"}));
  EXPECT_EQ(looking.files("%_"), (Names{"100%_sure.jpg"}));
  EXPECT_EQ(looking.files(R"(k\s)"), (Names{R"(back\slash.jpg)"}));
  EXPECT_EQ(looking.files("it's"), (Names{"it's.jpg"}));
  EXPECT_TRUE(looking.files("--").empty());
}

TEST(Search, FindsNamesInOtherScripts) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, {"Straße.jpg", "Москва.jpg", "東京タワー.jpg"});
  const Looking looking(world);
  EXPECT_EQ(looking.files("straß"), (Names{"Straße.jpg"}));
  EXPECT_EQ(looking.files("Моск"), (Names{"Москва.jpg"}));
  EXPECT_EQ(looking.files("東京"), (Names{"東京タワー.jpg"}));
}

// More tasks than are looked at without the index.
Names many(std::int64_t count) {
  Names names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back("frame " + std::to_string(10'000 + i));
  return names;
}

TEST(Search, FindsOldTasksByTheIndex) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  Names names = many(2'000);
  names[3] = "zebra crossing";
  names[4] = "qx";
  fill(world, names, many(10));
  const Looking looking(world);
  SeenProjects long_list = only({kProject});
  for (std::int64_t id = 100; id < 150; ++id) long_list.ids.emplace_back(id);
  for (const SeenProjects& seen : {kAll, only({kProject}), only({kProject, kOther}), long_list}) {
    EXPECT_EQ(looking.files("zebra", seen), (Names{"zebra crossing"}));
    EXPECT_EQ(looking.files("crossing", seen), (Names{"zebra crossing"}));
    EXPECT_EQ(looking.files("qx", seen), (Names{"qx"})) << "two letters, at the beginning";
    EXPECT_EQ(looking.files("frame 10042", seen), (Names{"frame 10042"}));
    EXPECT_EQ(looking.files("frame", seen, 20).size(), 20U);
  }
  EXPECT_TRUE(looking.files("zebra", only({kOther})).empty());
  long_list.ids.front() = kOther;
  EXPECT_TRUE(looking.files("zebra", long_list).empty());
}

TEST(Search, FindsByDisplayId) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, {"a.jpg", "b.jpg", "T-2.jpg"}, {"c.jpg", "d.jpg"});
  const Looking looking(world);
  EXPECT_EQ(looking.files("T-2"), (Names{"d.jpg", "b.jpg", "T-2.jpg"}));
  EXPECT_EQ(looking.files("t-2", only({kProject})), (Names{"b.jpg", "T-2.jpg"}));
  EXPECT_EQ(looking.files("t-2", kAll, 1), (Names{"d.jpg"}));
  EXPECT_TRUE(looking.files("T-4").empty());
  const auto project = looking.find("p-5").projects;
  ASSERT_EQ(project.size(), 1U);
  EXPECT_EQ(project[0].name, "Street 5");
  EXPECT_TRUE(looking.find("P-5", only({kProject})).projects.empty());
  EXPECT_EQ(looking.find("D-10").datasets.size(), 1U);
  EXPECT_EQ(looking.find("U-8").people.size(), 1U);
  EXPECT_TRUE(looking.find("P-99999999999999999999").projects.empty());
  EXPECT_TRUE(looking.find("P-5x").projects.empty());
}

TEST(Search, ShowsOnlyWhatTheProjectsMakeVisible) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, {"car.jpg"}, {"car of another.jpg"});
  const Looking looking(world);
  EXPECT_EQ(looking.files("car").size(), 2U);
  EXPECT_EQ(looking.files("car", only({kProject})), (Names{"car.jpg"}));
  EXPECT_TRUE(looking.files("car", only({})).empty());
  EXPECT_EQ(looking.find("street").projects.size(), 2U);
  EXPECT_EQ(looking.find("stre", only({kOther})).projects.at(0).id, kOther);
  EXPECT_TRUE(looking.find("street", only({})).projects.empty());
  EXPECT_EQ(looking.find("images").datasets.size(), 2U);
  EXPECT_EQ(looking.find("images", only({kProject})).datasets.at(0).id, kDataset);
  EXPECT_EQ(looking.find("images", only({}), 5, UserId{9}).datasets.at(0).id, DatasetId{14});
  EXPECT_TRUE(looking.find("images", only({kOther})).datasets.empty());
  // Members and owners.
  EXPECT_EQ(looking.find("name").people.size(), 3U);
  EXPECT_EQ(looking.find("name", only({kProject})).people.size(), 2U);
  EXPECT_TRUE(looking.find("name", only({})).people.empty());
  EXPECT_EQ(looking.find("love", only({kProject})).people.at(0).username, "ada.lovelace");
  EXPECT_EQ(looking.find("b%c").people.at(0).id, UserId{9});
}

TEST(Search, DoesNotFindTheErased) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  fill(world, {"car.jpg"});
  const Looking looking(world);
  ASSERT_EQ(looking.find("bob").people.size(), 1U);
  UserErased erased;
  erased.user_id = UserId{8};
  world.append(0, {erased});
  world.settle();
  for (const SeenProjects& seen : {kAll, only({kProject})}) {
    EXPECT_TRUE(looking.find("bob", seen).people.empty());
    EXPECT_TRUE(looking.find("U-8", seen).people.empty());
  }
}

TEST(Search, GoesOnAfterARebuild) {
  ANNOLOG_NEEDS_POSTGRESQL();
  World world;
  Names names = many(1'000);
  names[3] = "zebra";
  fill(world, names);
  world.stop();
  world.rebuild();
  EXPECT_EQ(Looking(world).files("zebra"), (Names{"zebra"}));
}

}  // namespace
}  // namespace annolog::projections::testing::search_test
