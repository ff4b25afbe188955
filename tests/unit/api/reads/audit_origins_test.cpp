// Where requests come from, sealed for the audit.
#include "api/audit_origins.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "platform/files.hpp"

namespace annolog::api::audit_origins_test {
namespace {

using Place = AuditOrigins::Place;

class AuditOriginsTest : public ::testing::Test {
 protected:
  AuditOriginsTest() { keys_["ann"].bytes.fill(1); }

  std::optional<PlainOrigin> opened(const RequestOrigin& origin) const {
    return open_origin(personal_data_, origin);
  }

  platform::TempDir dir_;
  platform::Keyring keyring_ = platform::Keyring::open(dir_.path() / "keys");
  std::map<std::string, platform::SubjectKey, std::less<>> keys_;
  bool is_broken_ = false;
  PersonKeys person_keys_{[this](std::string_view id) -> std::optional<platform::SubjectKey> {
                            if (is_broken_) throw std::runtime_error("the disk is broken");
                            const auto found = keys_.find(id);
                            return found == keys_.end() ? std::nullopt
                                                        : std::optional(found->second);
                          },
                          {},
                          {}};
  PersonalData personal_data_{person_keys_, keyring_};
  platform::Metrics metrics_;
  AuditOrigins origins_{personal_data_, 2, metrics_.counter({"lost_total", "Lost"})};
};

TEST_F(AuditOriginsTest, say_nothing_in_the_clear) {
  const auto origin = origins_.seal({"ann", "203.0.113.7", "Browser/1"});
  ASSERT_TRUE(origin.sealed);
  EXPECT_FALSE(origin.ip);
  EXPECT_EQ(origin.sealed->key_id, "ann");
  const auto plain = opened(origin);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->ip, "203.0.113.7");
  EXPECT_EQ(plain->user_agent, "Browser/1");
  keys_.clear();
  EXPECT_FALSE(opened(origin)) << "the person was erased";
}

TEST_F(AuditOriginsTest, are_sealed_once_for_a_person_and_place) {
  const Place home{"ann", "203.0.113.7", "Browser/1"};
  EXPECT_FALSE(origins_.find(home));
  const auto sealed = origins_.seal(home);
  EXPECT_EQ(origins_.find(home), sealed);
  for (const Place& other :
       {Place{"bob", "203.0.113.7", "Browser/1"}, Place{"ann", "203.0.113.8", "Browser/1"},
        Place{"ann", "203.0.113.7", "Browser/2"}})
    EXPECT_FALSE(origins_.find(other));
}

TEST_F(AuditOriginsTest, are_forgotten_when_not_used_for_longest) {
  const Place first{"ann", "203.0.113.1", ""};
  const Place second{"ann", "203.0.113.2", ""};
  const Place third{"ann", "203.0.113.3", ""};
  origins_.seal(first);
  origins_.seal(second);
  EXPECT_TRUE(origins_.find(first));
  origins_.seal(third);
  EXPECT_TRUE(origins_.find(first));
  EXPECT_FALSE(origins_.find(second));
  EXPECT_TRUE(origins_.find(third));
}

TEST_F(AuditOriginsTest, of_nobody_are_sealed_with_a_key_of_the_service) {
  const auto origin = origins_.seal({kKeyOfNobody, "203.0.113.7", "Browser/1"});
  ASSERT_TRUE(origin.sealed);
  const auto plain = opened(origin);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->ip, "203.0.113.7");
}

TEST_F(AuditOriginsTest, are_left_out_when_the_key_is_gone_or_can_not_be_read) {
  const Place gone{"bob", "203.0.113.7", "Browser/1"};
  const Place unread{"ann", "203.0.113.7", "Browser/1"};
  EXPECT_EQ(origins_.seal(gone), RequestOrigin{});
  is_broken_ = true;
  EXPECT_EQ(origins_.seal(unread), RequestOrigin{});
  EXPECT_FALSE(origins_.find(gone) || origins_.find(unread)) << "it is tried again";
  is_broken_ = false;
  EXPECT_TRUE(origins_.seal(unread).sealed);
}

TEST_F(AuditOriginsTest, show_256_characters_of_a_user_agent_and_no_others) {
  const auto shown = [&](const std::string& agent) {
    return opened(origins_.seal({"ann", "203.0.113.7", agent}))->user_agent;
  };
  std::string bears;
  for (int i = 0; i < 300; ++i) bears += "ä";
  EXPECT_EQ(shown(bears), bears.substr(0, 512));
  EXPECT_EQ(shown("a\x01-\x7f\xff\xc3"), "a?-???");
}

TEST_F(AuditOriginsTest, that_are_lost_are_counted) {
  origins_.count_lost();
  EXPECT_NE(metrics_.expose().find("lost_total 1"), std::string::npos);
}

}  // namespace
}  // namespace annolog::api::audit_origins_test
