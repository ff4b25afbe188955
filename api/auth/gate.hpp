// Who is calling (bearer token) and may they (permission table). Token and role are judged in
// memory: the directory follows the log, so a deactivated user's token fails at once. Who would be
// refused is judged a second time, with all that the log holds by then.
//
// Project-scoped routes are judged here. Tasks, annotations, datasets and items do not say their
// project in the path: for writes the decider judges (its permission check is part of every
// decision), for reads the resource is loaded through visible_task()/visible_dataset() in
// api/visibility.hpp, which is the only way the routes read one.
#pragma once

#include <optional>
#include <type_traits>

#include "api/auth/ended_sessions.hpp"
#include "api/auth/known_keys.hpp"
#include "api/auth/socket_door.hpp"
#include "api/http/gate.hpp"
#include "api/second_look.hpp"
#include "api/services.hpp"

namespace annolog::api {

class TokenGate final : public http::Gate, public SocketDoor {
 public:
  struct Parts {
    const platform::Clock& clock;
    const platform::Jwt& jwt;
    const Directory& directory;
    const EndedSessions& ended_sessions;
    KnownKeys& known_keys;
    const Acknowledged& acknowledged;
    projections::ReadBarrier& barrier;
    SecondLook& second_look;
    commands::CommandBus& bus;
    std::int64_t read_wait_ms = 2'000;
  };
  explicit TokenGate(Parts parts) : parts_(parts) {}

  http::awaitable<Result<http::Caller>> authenticate(const http::RequestHead& head,
                                                     const http::Access& access) override;
  http::awaitable<Result<void>> authorise(const http::Caller& caller, const http::Access& access,
                                          const http::PathParams& params) override;

  http::awaitable<Result<Holder>> admit(const Presented& shown) override;
  std::optional<Role> still_admits(const Holder& holder) const override;

 private:
  http::awaitable<Result<http::Caller>> caller_of(const http::RequestHead& head,
                                                  const http::Access& access);
  Result<platform::Claims> claims_of(const http::RequestHead& head) const;
  // A key that is neither void nor expired, of an active owner.
  std::optional<http::Caller> holder_of(std::string_view api_key, const std::string& address) const;
  void note_use(ApiKeyId id);
  http::awaitable<Result<http::Caller>> authenticate_key(std::string_view api_key,
                                                         const std::string& address);
  http::awaitable<Result<Holder>> admit_key(const Presented& shown);
  // The user of a token that is not void, as far as this node knows.
  std::optional<KnownUser> holder_of(const platform::Claims& claims) const;
  std::optional<KnownUser> holder_of(UserId id, std::int64_t generation,
                                     std::string_view jti) const;

  template <class Find>
  http::awaitable<Result<std::invoke_result_t<Find>>> find_in_directory(Find find);

  // What this node acknowledged in the shard must be in the directory before it judges. False: it
  // still is not there after read_wait_ms.
  http::awaitable<bool> catch_up(commands::ShardId shard) const;

  Parts parts_;
};

}  // namespace annolog::api
