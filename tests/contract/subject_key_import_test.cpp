// Keys that move to another store are the same keys there, and never replace another one.
#include "eventstore/subject_key_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "eventstore/errors.hpp"
#include "eventstore/files/file_subject_keys.hpp"
#include "eventstore/kafka/kafka_key_import.hpp"
#include "tests/contract/kafka_keys_topic.hpp"
#include "tests/contract/temporary_folder.hpp"

namespace annolog::eventstore::subject_key_import_test {
namespace {

class KeysPlace {
 public:
  virtual ~KeysPlace() = default;
  virtual std::unique_ptr<SubjectKeys> open() = 0;
  virtual std::unique_ptr<SubjectKeyImport> import() = 0;
};

class InFiles final : public KeysPlace {
 public:
  std::unique_ptr<SubjectKeys> open() override { return open_file_subject_keys(folder_.path()); }
  std::unique_ptr<SubjectKeyImport> import() override {
    return open_file_key_import(folder_.path());
  }

 private:
  TemporaryFolder folder_;
};

class InKafka final : public KeysPlace {
 public:
  explicit InKafka(std::unique_ptr<KafkaKeysTopic> topic) : topic_(std::move(topic)) {}
  std::unique_ptr<SubjectKeys> open() override { return topic_->open(); }
  std::unique_ptr<SubjectKeyImport> import() override {
    return open_kafka_key_import(topic_->options());
  }

 private:
  std::unique_ptr<KafkaKeysTopic> topic_;
};

struct Place {
  std::string name;
  std::function<std::unique_ptr<KeysPlace>()> make;  // nothing when what it needs is not here
};

std::unique_ptr<KeysPlace> in_files() { return std::make_unique<InFiles>(); }

std::unique_ptr<KeysPlace> in_kafka() {
  auto topic = KafkaKeysTopic::make();
  return topic == nullptr ? nullptr : std::make_unique<InKafka>(std::move(topic));
}

class SubjectKeyImportContract : public ::testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    place_ = GetParam().make();
    if (place_ == nullptr) GTEST_SKIP() << "no Kafka: ANNOLOG_TEST_KAFKA names none";
    key_.fill(7);
  }

  std::unique_ptr<KeysPlace> place_;
  SubjectKey key_{};
};

INSTANTIATE_TEST_SUITE_P(, SubjectKeyImportContract,
                         ::testing::Values(Place{"files", in_files}, Place{"kafka", in_kafka}),
                         [](const auto& place) { return place.param.name; });

TEST_P(SubjectKeyImportContract, a_key_is_the_same_key_afterwards) {
  const auto import = place_->import();
  EXPECT_FALSE(import->has("user-1"));
  import->put("user-1", key_);
  EXPECT_TRUE(import->has("user-1"));
  const auto keys = place_->open();
  EXPECT_EQ(keys->get("user-1"), key_);
  EXPECT_EQ(keys->create("user-1"), key_);
  EXPECT_EQ(keys->get("user-2"), std::nullopt);
  EXPECT_NE(keys->create("user-2"), key_);
}

TEST_P(SubjectKeyImportContract, a_key_may_be_put_again_but_not_another_one) {
  const auto import = place_->import();
  import->put("user-1", key_);
  import->put("user-1", key_);
  SubjectKey other = key_;
  other[3] = 8;
  EXPECT_THROW(import->put("user-1", other), LogRefused);
  EXPECT_EQ(place_->open()->get("user-1"), key_);
}

TEST_P(SubjectKeyImportContract, a_key_that_came_so_can_be_erased) {
  place_->import()->put("user-1", key_);
  const auto keys = place_->open();
  keys->erase("user-1");
  EXPECT_EQ(keys->get("user-1"), std::nullopt);
  EXPECT_EQ(place_->open()->get("user-1"), std::nullopt);
}

}  // namespace
}  // namespace annolog::eventstore::subject_key_import_test
