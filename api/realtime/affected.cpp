#include "api/realtime/affected.hpp"

#include <type_traits>

namespace annolog::api::realtime {
namespace {

template <class E, class... Es>
constexpr bool kIsOneOf = (std::is_same_v<E, Es> || ...);

template <class E>
constexpr bool kShutsUserOut = kIsOneOf<E, UserRoleChanged, UserDeactivated, UserErased,
                                        UserPasswordChanged, UserSignedOutEverywhere, SessionEnded>;

template <class E>
constexpr bool kChangesProject = kIsOneOf<E, ProjectUpdated, ProjectMemberRoleChanged,
                                          ProjectMemberRemoved, ProjectTransferred, ProjectDeleted>;

}  // namespace

std::optional<Affected> affected_by(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<Affected> {
        using E = std::remove_cvref_t<decltype(e)>;
        if constexpr (kShutsUserOut<E>) return Affected{.user = e.user_id, .project = {}};
        if constexpr (kIsOneOf<E, ApiKeyRevoked>)
          return Affected{.user = e.owner_id, .project = {}};
        if constexpr (kChangesProject<E>) return Affected{.user = {}, .project = e.project_id};
        return std::nullopt;
      },
      event);
}

}  // namespace annolog::api::realtime
