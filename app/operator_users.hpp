// `annolog user …`: what the operator of the machine does for people, through the service that runs
// on it (api/auth/operator_token.hpp): the same commands, checks and trace in the log as for
// everyone.
#pragma once

#include <iosfwd>
#include <string>

#include "platform/clock.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

struct UserVerbOptions {
  enum class Verb { create, reset_password, deactivate, activate, list };
  Verb verb = Verb::list;
  std::string user;  // id or username
  std::string name;
  std::string email;
  std::string role = "viewer";
  bool password_from_input = false;  // its first line; else one is made up and printed
  bool json = false;
};

// Exit code: 0 done, 1 refused or not reachable. Prints for a person, or JSON.
int operate_users(const platform::Settings& settings, const platform::Clock& clock,
                  const UserVerbOptions& options, std::istream& in, std::ostream& out,
                  std::ostream& err);

}  // namespace annolog::app
