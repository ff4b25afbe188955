#include "app/first_user.hpp"

#include <future>
#include <stdexcept>

#include "api/users.hpp"
#include "commands/state/key.hpp"
#include "platform/random.hpp"

namespace annolog::app {
namespace {

constexpr std::int64_t kDeadlineMs = 30'000;

bool has_users(const eventstore::EventLog& log) {
  bool found = false;
  log.state(commands::kDirectory)
      ->scan(commands::Key(commands::Table::user).bytes(), {},
             [&](std::string_view, std::string_view) {
               found = true;
               return false;
             });
  return found;
}

std::string reasons(const DomainError& error) {
  std::string text = error.message;
  for (const auto& field : error.errors) text += " " + field.msg;
  return text;
}

}  // namespace

std::optional<FirstUser> make_first_user(const platform::Settings& settings,
                                         const eventstore::EventLog& log, commands::CommandBus& bus,
                                         api::PersonalData& personal,
                                         const platform::PasswordHasher& hasher,
                                         const platform::Clock& clock) {
  if (has_users(log)) return std::nullopt;
  FirstUser first{settings.admin_username.empty() ? "admin" : settings.admin_username, ""};
  std::string password = settings.admin_password;
  if (password.empty()) {
    password = "A1a" + platform::random_base62(21);  // satisfies the password rule
    first.made_up_password = password;
  }
  const api::NewUser user{first.username, "Administrator", std::nullopt, password,
                          Role::super_admin};
  auto command = api::prepare_user(user, personal, hasher);
  if (!command) {
    throw std::runtime_error(
        "the first user can't be made from admin_username and "
        "admin_password: " +
        reasons(command.error()));
  }
  std::promise<commands::Outcome> promise;
  auto outcome = promise.get_future();
  commands::Envelope envelope;
  envelope.command = std::move(command).value();
  envelope.actor = kSystemUser;
  envelope.role = Role::super_admin;
  envelope.deadline_ms = clock.monotonic_ms() + kDeadlineMs;
  envelope.done = [&](commands::Outcome result) { promise.set_value(std::move(result)); };
  bus.send(std::move(envelope));
  const auto made = outcome.get();
  // Another node, started at the same time, was first.
  if (!made.reply && made.reply.error().kind == DomainError::Kind::conflict) return std::nullopt;
  if (!made.reply) {
    throw std::runtime_error("the first user was refused: " + reasons(made.reply.error()));
  }
  return first;
}

}  // namespace annolog::app
