// What a process keeps in memory of who may do what: users, projects, members, API keys, sessions
// that have ended. Loaded from the read models, then led on by the events. load() and follow() from
// the read side's threads, shut_out() from the writers'.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_set>

#include "api/auth/ended_sessions.hpp"
#include "api/auth/known_keys.hpp"
#include "api/directory.hpp"
#include "api/personal_data.hpp"
#include "domain/events.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "projections/engine/control.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::app {

class DirectoryMemory {
 public:
  DirectoryMemory(const api::PersonKeys& keys, const platform::Clock& clock,
                  platform::Logger& logger)
      : keys_(keys), clock_(clock), logger_(logger) {}

  // The events that follow() makes use of.
  static std::unordered_set<std::string> types();

  // What the rows already hold, by shard.
  projections::Positions load(projections::ReadPool& reads, std::uint16_t shards);
  // In the order of each shard.
  void follow(eventstore::Position at, const Event& event);
  // What closes a door does so here before it is acknowledged; elsewhere as soon as it is heard of.
  void shut_out(eventstore::Position at, const Event& event);

  api::Directory directory;
  api::EndedSessions ended_sessions;
  api::KnownKeys known_keys;

 private:
  // A parameter, since the class is not whole yet here.
  template <class E, class Memory = DirectoryMemory>
  static constexpr bool kFollowed = requires(Memory& memory, const E& e) { memory.on(e); };

  void apply(const Event& event);
  void close(const Event& event);
  void forget_key(const std::string& key);

  void on(const UserCreated& e);
  void on(const UserRenamed& e);
  void on(const UserRoleChanged& e) { directory.apply(e); }
  void on(const UserDeactivated& e) { directory.apply(e); }
  void on(const UserActivated& e) { directory.apply(e); }
  void on(const UserPasswordChanged& e) { directory.apply(e); }
  void on(const UserSignedOutEverywhere& e) { directory.apply(e); }
  void on(const UserErased& e);
  void on(const GroupCreated& e) { directory.apply(e); }
  void on(const GroupUpdated& e) { directory.apply(e); }
  void on(const GroupDeleted& e) { directory.apply(e); }
  void on(const ApiKeyCreated& e);
  void on(const ApiKeyRevoked& e) { known_keys.revoke(e.key_id); }
  void on(const SessionEnded& e) { ended_sessions.put(e.session_id, clock_.now()); }
  void on(const ProjectCreated& e) { directory.apply(e); }
  void on(const ProjectUpdated& e) { directory.apply(e); }
  void on(const ProjectMemberAdded& e) { directory.apply(e); }
  void on(const ProjectMemberRoleChanged& e) { directory.apply(e); }
  void on(const ProjectMemberRemoved& e) { directory.apply(e); }
  void on(const ProjectTransferred& e) { directory.apply(e); }
  void on(const ProjectDeleted& e) { directory.apply(e); }

  const api::PersonKeys& keys_;
  const platform::Clock& clock_;
  platform::Logger& logger_;
  std::mutex mutex_;
  // Doors that were shut before follow() came there: what lies before must not open them again.
  // Guarded by mutex_, and so is shutting them.
  std::map<eventstore::Position, Event> ahead_;
};

}  // namespace annolog::app
