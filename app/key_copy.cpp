#include "app/key_copy.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <string>
#include <variant>

#include "app/storage.hpp"
#include "domain/codec/events.hpp"

namespace annolog::app {
namespace {

// Where users and invitations are: commands/command.hpp.
constexpr eventstore::ShardId kUsers{0};

// An invitation's key becomes the user's who accepts it: one of both.
std::set<std::string> key_ids(const eventstore::EventLog& log) {
  std::set<std::string> ids;
  for (eventstore::Offset reached;;) {
    const auto records = log.read(kUsers, reached, {});
    if (records.empty()) return ids;
    reached = records.back().position.offset;
    for (const auto& [position, headers, data, chain, last] : records) {
      if (headers.type != UserCreated::kType && headers.type != InvitationCreated::kType) continue;
      const Event event = codec::decode_event(headers.type, headers.schema_version, data);
      const auto* const user = std::get_if<UserCreated>(&event);
      ids.insert(user ? user->username.key_id : std::get<InvitationCreated>(event).email.key_id);
    }
  }
}

}  // namespace

bool keys_lie_elsewhere(const LogPlace& from, const LogPlace& to) {
  return from.folder.empty() || to.folder.empty();
}

void require_keys_folder(const platform::Settings& settings) {
  const auto folder = DataFolders(settings).keys;
  if (!std::filesystem::exists(folder / "signing.keys"))
    throw std::invalid_argument(
        fmt::format("{} holds no signing.keys, which moving the keys of personal fields takes: "
                    "name the folder by --keys-dir or --data-dir, or copy --without-keys",
                    folder.string()));
}

KeyCopyReport copy_subject_keys(const eventstore::EventLog& log, const LogPlace& from,
                                const LogPlace& to, const platform::Settings& settings,
                                platform::Logger& logger) {
  const auto folder = DataFolders(settings).keys;
  const auto keyring = platform::Keyring::open(folder);
  const auto source = open_subject_keys(settings_at(from, settings), keyring, logger);
  const auto target = open_key_import(settings_at(to, settings), keyring, logger);
  const std::set<std::string> people = key_ids(log);
  KeyCopyReport report;
  std::size_t came_back = 0;
  for (const std::string& id : people) {
    const auto key = source->get(id);
    if (key) target->put(id, *key);
    ++(key ? report.copied : report.erased);
    if (!key && target->has(id)) ++came_back;
  }
  if (!people.empty() && report.copied == 0)
    throw std::runtime_error(
        fmt::format("the records are copied, but none of {} people has a key: is {} the log's "
                    "folder of keys?",
                    people.size(), folder.string()));
  if (came_back > 0)
    throw std::runtime_error(fmt::format(
        "the records are copied, but {} has keys of people who have none where the log comes from "
        "({} of them): start nothing on it before these old keys are removed",
        to.folder.empty() ? to_text(to) : (folder / "subjects").string(), came_back));
  return report;
}

}  // namespace annolog::app
