#include "app/directory_memory.hpp"

#include <boost/mp11/algorithm.hpp>
#include <type_traits>

#include "projections/queries/directory.hpp"

namespace annolog::app {
namespace {

template <class E, class... Es>
constexpr bool kIsOneOf = (std::is_same_v<E, Es> || ...);

template <class E>
constexpr bool kShutsOut =
    kIsOneOf<E, UserRoleChanged, UserDeactivated, UserErased, UserPasswordChanged,
             UserSignedOutEverywhere, ApiKeyRevoked, SessionEnded>;

}  // namespace

// Of somebody erased; again by each node, and at each start, lest one that died has left it. What
// can't be done now is told, and done at the next start.
void DirectoryMemory::forget_key(const std::string& key) {
  try {
    keys_.erase(key);
  } catch (const std::runtime_error& error) {
    logger_.error("the key of an erased person can't be removed", {{"error", error.what()}});
  }
}

projections::Positions DirectoryMemory::load(projections::ReadPool& reads, std::uint16_t shards) {
  const auto rows = projections::load_directory(reads);
  for (const auto& key : rows.erased_keys) forget_key(key);
  for (const auto& user : rows.users) {
    directory.put({{user.id, user.name, user.username},
                   user.role,
                   user.is_active,
                   user.generation,
                   user.key_id,
                   user.email});
  }
  for (const auto& group : rows.groups) directory.put(group.id, group.name);
  for (const auto& key : rows.api_keys) {
    known_keys.put(key.prefix, {key.id, key.owner_id, key.secret_digest, key.expires_at});
  }
  for (const auto& session : rows.ended_sessions) {
    ended_sessions.put(session.id, session.ended_at);
  }
  for (const auto& project : rows.projects) {
    directory.put(project.id, {project.owner_id, project.status, {}});
  }
  for (const auto& member : rows.members) {
    directory.put_member(member.project_id, member.user_id, member.role);
  }
  projections::Positions shown(shards);
  for (const auto& at : rows.positions)
    if (at.shard.value < shown.size()) shown[at.shard.value] = at.offset;
  return shown;
}

void DirectoryMemory::on(const UserCreated& e) {
  const auto name = api::open_sealed(keys_, e.name);
  const auto username = api::open_sealed(keys_, e.username);
  directory.put({{e.user_id, name.value_or(""), username.value_or("")},
                 e.role,
                 true,
                 0,
                 e.username.key_id,
                 e.email ? api::open_sealed(keys_, *e.email) : std::nullopt});
}

void DirectoryMemory::on(const UserRenamed& e) {
  directory.rename(e.user_id, api::open_sealed(keys_, e.name).value_or(""));
}

void DirectoryMemory::on(const UserErased& e) {
  directory.apply(e);
  for (const auto& key : e.key_ids) forget_key(key);
}

void DirectoryMemory::on(const ApiKeyCreated& e) {
  known_keys.put(e.prefix, {e.key_id, e.owner_id, e.secret_digest, e.expires_at});
}

std::unordered_set<std::string> DirectoryMemory::types() {
  std::unordered_set<std::string> types;
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, AnyEvent>>([&](auto type) {
    using E = typename decltype(type)::type;
    if constexpr (kFollowed<E>) types.emplace(E::kType);
  });
  return types;
}

void DirectoryMemory::apply(const Event& event) {
  std::visit(
      [this](const auto& e) {
        if constexpr (kFollowed<std::remove_cvref_t<decltype(e)>>) on(e);
      },
      event);
}

// Without what takes time: writers call this.
void DirectoryMemory::close(const Event& event) {
  std::visit(
      [this](const auto& e) {
        using E = std::remove_cvref_t<decltype(e)>;
        if constexpr (std::is_same_v<E, UserErased>) {
          directory.apply(e);
        } else if constexpr (kShutsOut<E>) {
          on(e);
        }
      },
      event);
}

void DirectoryMemory::follow(eventstore::Position at, const Event& event) {
  apply(event);
  const std::lock_guard guard(mutex_);
  std::erase_if(ahead_, [&](const auto& shut) {
    return shut.first.shard == at.shard && shut.first.offset <= at.offset;
  });
  for (const auto& [position, shut] : ahead_) close(shut);
}

void DirectoryMemory::shut_out(eventstore::Position at, const Event& event) {
  if (!std::visit([](const auto& e) { return kShutsOut<std::remove_cvref_t<decltype(e)>>; }, event))
    return;
  const std::lock_guard guard(mutex_);
  ahead_.emplace(at, event);
  close(event);
}

}  // namespace annolog::app
