// bench_auth: what proving who somebody is costs, each figure as one line of JSON.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "api/auth/ended_sessions.hpp"
#include "api/auth/session_tokens.hpp"
#include "api/directory.hpp"
#include "platform/jwt.hpp"
#include "platform/password.hpp"

namespace {

using namespace annolog;
using Clock = std::chrono::steady_clock;

struct Options {
  double seconds = 3;
  std::size_t threads = 2;
  std::int64_t memory_kib = 65'536;
  std::int64_t passes = 2;
  std::int64_t users = 10'000;
  std::string folder;
};

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Checks of one right password, as many at a time as threads.
void verify_passwords(const Options& options) {
  const platform::PasswordHasher hasher({options.memory_kib, options.passes});
  const std::string hash = hasher.hash("Bench-pass-1");
  std::atomic<std::uint64_t> checks = 0;
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < options.threads; ++i)
      threads.emplace_back([&] {
        while (since(start) < options.seconds) {
          if (!hasher.verify(hash, "Bench-pass-1")) throw std::runtime_error("not verified");
          ++checks;
        }
      });
  }
  std::puts(nlohmann::json{{"per_s", static_cast<double>(checks) / since(start)}}.dump().c_str());
}

// What the gate does for each call with a bearer token: signature, claims, user, session.
void check_tokens(const Options& options) {
  const auto keyring = platform::Keyring::open(options.folder);
  const platform::Jwt jwt(keyring, "annolog");
  const platform::SystemClock clock;
  api::Directory directory;
  const api::EndedSessions ended;
  std::vector<std::string> tokens;
  for (std::int64_t id = 1; id <= options.users; ++id) {
    directory.put({{UserId{id}, "Name", "name"}, Role::annotator, true, 0, "key"});
    platform::Claims claims;
    claims.sub = UserId{id};
    claims.role = "annotator";
    claims.jti = std::to_string(id) + ".x";
    claims.iat = clock.now();
    claims.exp = clock.now() + 1'800'000;
    tokens.push_back(jwt.create(claims));
  }
  const auto check = [&](const std::string& token) {
    const auto claims = jwt.verify(token, {.now = clock.now()});
    if (!claims) throw std::runtime_error("a good token was refused");
    const auto user = directory.user(claims.value().sub);
    if (!user || !user->active || user->generation != claims.value().gen ||
        ended.contains(api::session_of(claims.value().jti)))
      throw std::runtime_error("a good session was refused");
  };
  const auto once = [&] {
    const auto start = Clock::now();
    for (const auto& token : tokens) check(token);
    return since(start) * 1e6 / static_cast<double>(tokens.size());
  };
  const double first = once();
  const double again = once();
  std::puts(nlohmann::json{{"first_us", first}, {"again_us", again}}.dump().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Figures of passwords and tokens for deploy/bench");
  app.require_subcommand(1);
  using Measure = void (*)(const Options&);
  Measure chosen = nullptr;
  const auto add = [&](const char* name, const char* help, Measure measure) {
    auto* command = app.add_subcommand(name, help);
    command->add_option("--seconds", options.seconds);
    command->add_option("--threads", options.threads);
    command->add_option("--memory-kib", options.memory_kib);
    command->add_option("--passes", options.passes);
    command->add_option("--users", options.users);
    command->add_option("--folder", options.folder, "Of signing keys");
    command->callback([&chosen, measure] { chosen = measure; });
  };
  add("passwords", "Checks of a password by argon2id alone", verify_passwords);
  add("tokens", "Checks of access tokens, at first sight and again", check_tokens);
  CLI11_PARSE(app, argc, argv);
  try {
    chosen(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_auth: %s\n", error.what());
    return 1;
  }
  return 0;
}
