// How the operator of a machine speaks to the service on it: by a token for a minute, made with the
// service's own signing keys, which only its owner can read. The operator is no user and acts as
// the service itself, with a super_admin's rights and without an account. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "platform/clock.hpp"
#include "platform/jwt.hpp"

namespace annolog::api {

inline constexpr std::string_view kTokenIssuer = "annolog";
inline constexpr std::string_view kOperatorToken = "operator";  // the claim typ

std::string make_operator_token(const platform::Keyring& keyring, Timestamp now);

}  // namespace annolog::api
