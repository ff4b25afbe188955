// docs/webhook-events.md is made from the catalogue and from what is told;
// ANNOLOG_REWRITE_GOLDEN=1 writes it anew.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "domain/webhook/catalogue.hpp"
#include "projections/webhooks/outbound.hpp"
#include "tests/unit/domain/codec/golden_files.hpp"
#include "tests/unit/domain/codec/samples.hpp"

namespace annolog::projections::webhook_events_page_test {
namespace {

using nlohmann::ordered_json;

std::string form_of(const ordered_json& value) {
  if (value.is_array()) return value.empty() ? "array" : "array of " + form_of(value.front());
  if (value.is_boolean()) return "boolean";
  if (value.is_number()) return "integer";
  if (value.is_null()) return "null";
  if (value.is_string()) return "string";
  std::string members;
  for (const auto& [name, member] : value.items())
    members += (members.empty() ? "" : ", ") + name + ' ' + form_of(member);
  return '{' + members + '}';
}

std::vector<Outbound> told_of(const Event& event, UserId actor, bool are_known) {
  DisplayNumbers numbers;
  std::vector<TaskId> tasks;
  std::vector<BatchId> batches;
  add_named(event, tasks, batches);
  if (are_known) {
    for (const TaskId id : tasks) numbers.tasks[id.value] = 1;
    for (const BatchId id : batches) numbers.batches[id.value] = 1;
  }
  return outbound_of(event, {actor, Timestamp{1'750'000'000'000}}, numbers);
}

// Each event of the catalogue with its members, those that may be null as such.
template <class E>
void add_rows(std::map<std::string, std::string>& rows) {
  const auto full = told_of(annolog::testing::Filler(true).make<E>(), UserId{7}, true);
  const auto bare = told_of(annolog::testing::Filler(false).make<E>(), kSystemUser, false);
  for (std::size_t i = 0; i < full.size(); ++i) {
    const auto data = ordered_json::parse(full[i].data);
    const auto least = i < bare.size() ? ordered_json::parse(bare[i].data) : ordered_json::object();
    std::string members;
    for (const auto& [name, member] : data.items()) {
      const bool is_sometimes_null =
          !member.is_null() &&
          (name == "actor_id" || (least.contains(name) && least[name].is_null()));
      members += (members.empty() ? "`" : ", `") + name + "` " + form_of(member) +
                 (is_sometimes_null ? " or null" : "");
    }
    rows[std::string(E::kType) + ' ' + std::string(full[i].event)] = members;
  }
}

template <class... Es>
std::string page(const std::variant<Es...>*) {
  std::map<std::string, std::string> rows;
  (add_rows<Es>(rows), ...);
  std::string text =
      "# Events of webhooks\n\nWhat an envelope's `event` may be and what its `data` holds "
      "([webhooks.md](webhooks.md)). An event with several rows tells of several things.\nMembers "
      "may be added; `display_id` is null where the thing is gone by the time, `actor_id` where "
      "nobody asked for it.\nMade from the program's own catalogue; `ANNOLOG_REWRITE_GOLDEN=1` and "
      "the test of this page write it anew.\n\n| event | tells that | data |\n|---|---|---|\n";
  for (const OutboundEvent& event : outbound_events()) {
    text += "| `" + std::string(event.name) + "` | " + std::string(event.meaning) + " | " +
            rows.at(std::string(event.of) + ' ' + std::string(event.name)) + " |\n";
  }
  return text;
}

TEST(WebhookEventsPage, is_what_is_told) {
  const std::string text = page(static_cast<const AnyEvent*>(nullptr));
  EXPECT_EQ(annolog::testing::golden("docs/webhook-events.md", text), text);
}

}  // namespace
}  // namespace annolog::projections::webhook_events_page_test
