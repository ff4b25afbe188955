// Which dataset an import fills: what goes into one comes into every project it is linked to.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/client/importing.hpp"

namespace annolog::client::import_dataset_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::Importing;

TEST_F(Importing, folders_of_one_name_stay_in_their_projects) {
  ASSERT_EQ(run(), 0) << err_.str();
  folder_.put("dogs/images/d.png", "a dog");
  options_.folder = folder_.path() / "dogs/images";
  options_.project = "Dogs";
  ASSERT_EQ(run(), 0) << err_.str();
  ASSERT_EQ(service_.datasets.size(), 2u);
  EXPECT_EQ(service_.datasets[1]["name"], "Dogs");
  EXPECT_EQ(files_of(1).size(), 3u);
  EXPECT_EQ(files_of(2), std::vector<std::string>{"d.png"});
}

TEST_F(Importing, a_repetition_goes_on_with_the_projects_dataset_whatever_they_are_called_now) {
  ASSERT_EQ(run(), 0) << err_.str();
  service_.projects[0]["name"] = "Street 2026";
  options_.project = "Street 2026";
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(service_.datasets.size(), 1u);
  EXPECT_EQ(files_of(1).size(), 3u);
  service_.datasets.push_back({{"id", 2}, {"name", "More"}, {"creator_id", 1}});
  service_.links.emplace(2, 1);
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("several datasets of yours: name one with --dataset"));
  service_.datasets[1]["name"] = "Street 2026";
  ASSERT_EQ(run(), 0) << err_.str();
  const auto filled = std::ranges::count_if(
      service_.items, [](const json& item) { return item["dataset_id"] == 2; });
  EXPECT_EQ(filled, 3) << "of several the one with the project's name";
}

TEST_F(Importing, a_dataset_of_somebody_else_is_left_alone) {
  service_.datasets.push_back({{"id", 1}, {"name", "Street"}, {"creator_id", 2}});
  for (const char* name : {"", "Street"}) {
    options_.dataset = name;
    ASSERT_EQ(run(), 0) << err_.str();
    ASSERT_EQ(service_.datasets.size(), 2u);
    for (const json& item : service_.items) EXPECT_EQ(item["dataset_id"], 2);
    EXPECT_EQ(files_of(1).size(), 3u);
  }
}

TEST_F(Importing, a_dataset_that_other_projects_use_must_be_named) {
  service_.datasets.push_back({{"id", 1}, {"name", "Street"}, {"creator_id", 1}});
  service_.projects.push_back({{"id", 1}, {"name", "Other"}});
  service_.links.emplace(1, 1);
  for (const bool dry_run : {true, false}) {
    options_.dry_run = dry_run;
    EXPECT_EQ(run(), 1);
    EXPECT_THAT(err_.str(),
                HasSubstr("error: your dataset Street (1) is linked to other projects"));
    EXPECT_THAT(err_.str(), HasSubstr("--dataset"));
  }
  EXPECT_EQ(service_.projects.size(), 1u) << "no empty project is left";
  EXPECT_TRUE(service_.items.empty());
  options_.dataset = "Street";
  ASSERT_EQ(run(), 0) << err_.str();
  EXPECT_EQ(service_.datasets.size(), 1u);
  EXPECT_EQ(files_of(2).size(), 3u);
}

TEST_F(Importing, a_dataset_that_came_into_another_project_since_must_be_named) {
  ASSERT_EQ(run(), 0) << err_.str();
  service_.projects.push_back({{"id", 2}, {"name", "Other"}});
  service_.links.emplace(1, 2);
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(err_.str(), HasSubstr("is linked to other projects"));
}

}  // namespace
}  // namespace annolog::client::import_dataset_test
