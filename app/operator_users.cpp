#include "app/operator_users.hpp"

#include <fmt/format.h>

#include <fstream>
#include <istream>
#include <memory>
#include <ostream>

#include "api/auth/operator_token.hpp"
#include "app/client/api_client.hpp"
#include "app/client/project_lookup.hpp"
#include "app/storage.hpp"
#include "platform/name_text.hpp"
#include "platform/random.hpp"

namespace annolog::app {
namespace {

using client::ApiClient;
using client::Called;
using client::CallError;
using nlohmann::json;

constexpr std::string_view kEverywhere = "0.0.0.0:";
constexpr std::string_view kEverywhereV6 = ":::";

// Where the service on this machine listens, as it has written it.
Called<std::string> url_of_service(const DataFolders& folders) {
  std::ifstream file(folders.run / "http.address");
  std::string address;
  if (!std::getline(file, address) || address.empty())
    return CallError{0, "", "no service runs on " + folders.root.string() + ": start it first", {}};
  if (address.starts_with(kEverywhere))
    return "http://127.0.0.1:" + address.substr(kEverywhere.size());
  if (address.starts_with(kEverywhereV6))
    return "http://[::1]:" + address.substr(kEverywhereV6.size());
  return "http://" + address;
}

Called<std::int64_t> id_of(ApiClient& api, const std::string& user) {
  BOOST_OUTCOME_TRY(const auto reply, api.get("/users"));
  const std::string folded = platform::case_folded(user);
  for (const json& each : reply.body) {
    if (std::to_string(client::id_in(each)) == user ||
        platform::case_folded(each.value("username", "")) == folded)
      return client::id_in(each);
  }
  return CallError{404, "", "no user is called " + user, {}};
}

struct Password {
  std::string text;
  bool made_up = false;
};

Password password_of(const UserVerbOptions& options, std::istream& in) {
  Password password;
  if (options.password_from_input) {
    std::getline(in, password.text);
  } else {
    password = {"A1a" + platform::random_base62(21), true};  // satisfies the password rule
  }
  return password;
}

void print(const UserVerbOptions& options, const json& user, const Password& password,
           std::ostream& out) {
  if (options.json) {
    json shown = user;
    if (password.made_up) shown["password"] = password.text;
    out << shown.dump() << '\n';
    return;
  }
  out << fmt::format("{} {} {} {}{}\n", client::id_in(user), user.value("username", ""),
                     user.value("role", ""), user.value("is_active", true) ? "active" : "inactive",
                     password.made_up ? " password " + password.text : "");
}

Called<json> create(ApiClient& api, const UserVerbOptions& options, const Password& password) {
  json body{{"username", options.user},
            {"name", options.name.empty() ? options.user : options.name},
            {"role", options.role},
            {"password", password.text}};
  if (!options.email.empty()) body["email"] = options.email;
  BOOST_OUTCOME_TRY(auto reply, api.post("/users", body, client::fresh_key("user-create")));
  return std::move(reply.body);
}

Called<json> change(ApiClient& api, const UserVerbOptions& options, const std::string& what,
                    const json& body) {
  BOOST_OUTCOME_TRY(const auto id, id_of(api, options.user));
  BOOST_OUTCOME_TRY(auto reply, api.post(fmt::format("/users/{}/{}", id, what), body,
                                         client::fresh_key("user-" + what)));
  return std::move(reply.body);
}

Called<bool> run(ApiClient& api, const UserVerbOptions& options, std::istream& in,
                 std::ostream& out) {
  using UserVerb = UserVerbOptions::Verb;
  if (options.verb == UserVerb::list) {
    BOOST_OUTCOME_TRY(const auto reply, api.get("/users"));
    for (const json& user : reply.body) print(options, user, {}, out);
    return true;
  }
  const bool needs_password =
      options.verb == UserVerb::create || options.verb == UserVerb::reset_password;
  const Password password = needs_password ? password_of(options, in) : Password{};
  const auto answer = [&]() -> Called<json> {
    switch (options.verb) {
      case UserVerb::create: return create(api, options, password);
      case UserVerb::reset_password:
        return change(api, options, "password", {{"password", password.text}});
      case UserVerb::deactivate: return change(api, options, "deactivate", nullptr);
      default: return change(api, options, "activate", nullptr);
    }
  };
  BOOST_OUTCOME_TRY(const json user, answer());
  print(options, user, password, out);
  return true;
}

}  // namespace

int operate_users(const platform::Settings& settings, const platform::Clock& clock,
                  const UserVerbOptions& options, std::istream& in, std::ostream& out,
                  std::ostream& err) {
  const DataFolders folders(settings);
  const auto done = [&]() -> Called<bool> {
    client::ConnectionOptions connection;
    BOOST_OUTCOME_TRY(connection.url, url_of_service(folders));
    connection.token = api::make_operator_token(platform::Keyring::open(folders.keys), clock.now());
    ApiClient api(std::make_shared<client::Session>(connection));
    return run(api, options, in, out);
  }();
  if (done) return 0;
  err << "error: " << done.error().text() << '\n';
  return 1;
}

}  // namespace annolog::app
