// bench_sockets: what thousands of WebSockets cost and how soon they are told, in turn with what
// PostgreSQL and bare connections need for as much. Prints one line of JSON. Exit code 1: it could
// not be carried out, or a frame never came.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/prompt_thread.hpp"
#include "tests/bench/load/plan.hpp"
#include "tests/bench/sockets/crowd.hpp"
#include "tests/bench/sockets/loopback.hpp"
#include "tests/bench/sockets/notify.hpp"

namespace annolog::bench {
namespace {

using nlohmann::json;

constexpr double kRestS = 2;               // until what was only needed to open is given back
constexpr std::size_t kOpenedFirst = 20;   // one in so many sockets: what the first ones alone cost
constexpr std::size_t kRecordBytes = 400;  // about what an event of a lock has

struct Options {
  Place place;
  std::string database, table, ids;
  std::int64_t project = 0;
  std::size_t listeners = 1000;
  std::size_t rounds = 6;  // the first warms up
  std::size_t fans = 20;   // events of a round that all listeners hear of, one by one
  std::size_t boxes = 100;
  int service = 0;
};

struct Round {
  std::vector<double> commits_us, frames_us, after_answers_us, fans_us, bare_fans_us;
  double many_us = 0;  // until all have the last frame of many
  double bare_many_us = 0;
};

// KiB resident.
double memory_kib(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  const std::string name = "VmRSS:";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return std::stod(line.substr(name.size()));
  throw std::runtime_error("the service's memory can't be read");
}

double at_share(std::vector<double> values, std::size_t percent) {
  std::sort(values.begin(), values.end());
  return values.at(std::min(values.size() - 1, values.size() * percent / 100));
}

std::vector<std::int64_t> all_of(const std::string& ranges) {
  Ids ids(ranges, false);
  std::vector<std::int64_t> all;
  while (const auto id = ids.next()) all.push_back(*id);
  return all;
}

// KiB of the service for each idle socket.
double open_all(const Options& options, Crowd& crowd) {
  auto tasks = all_of(options.ids);
  const auto first = static_cast<std::ptrdiff_t>(tasks.size() / kOpenedFirst);
  const std::vector<std::int64_t> rest(tasks.begin() + first, tasks.end());
  tasks.resize(static_cast<std::size_t>(first));
  crowd.open(tasks);
  crowd.rest(kRestS);
  const double before = memory_kib(options.service);
  crowd.open(rest);
  crowd.rest(kRestS);
  return (memory_kib(options.service) - before) / static_cast<double>(rest.size());
}

Round measure(const Options& options, Crowd& crowd, Notify& notify, Loopback& bare,
              std::size_t first, std::size_t count) {
  Round round;
  round.commits_us = notify.commits_us(count, kRecordBytes);
  for (std::size_t socket = first; socket < first + count; ++socket) {
    const Told told = crowd.lock(socket);
    round.frames_us.push_back(told.last_us);
    round.after_answers_us.push_back(std::max(0.0, told.last_us - told.answered_us));
  }
  for (std::size_t i = 0; i < options.fans; ++i) {
    round.fans_us.push_back(crowd.annotate(first, 1).last_us);
    round.bare_fans_us.push_back(bare.send_us(1, crowd.frame_bytes()));
  }
  round.bare_many_us = bare.send_us(options.boxes, crowd.frame_bytes());
  round.many_us = crowd.annotate(first, options.boxes).last_us;
  return round;
}

json as_json(const Round& round) {
  json figures{{"many_us", round.many_us}, {"bare_many_us", round.bare_many_us}};
  const auto put = [&](const std::string& name, const std::vector<double>& values) {
    figures[name + "_p50_us"] = at_share(values, 50);
    figures[name + "_p99_us"] = at_share(values, 99);
  };
  put("commit", round.commits_us);
  put("frame", round.frames_us);
  put("after_answer", round.after_answers_us);
  put("fan", round.fans_us);
  put("bare_fan", round.bare_fans_us);
  return figures;
}

json run(const Options& options) {
  // Callers have machines of their own; the bare connections, and their threads, get no less.
  platform::ask_for_short_slices();
  Notify notify(options.database, options.table);
  Loopback bare(options.listeners);
  Crowd crowd(options.place);
  const double kib = open_all(options, crowd);
  crowd.listen(options.project, options.listeners);
  // Each socket hears of one lock.
  json rounds = json::array();
  std::size_t first = 0;
  for (std::size_t i = 0; i < options.rounds; ++i) {
    const std::size_t end = crowd.size() * (i + 1) / options.rounds;
    const Round round = measure(options, crowd, notify, bare, first, end - first);
    if (i > 0) rounds.push_back(as_json(round));
    first = end;
  }
  crowd.rest(kRestS);  // what comes twice may still come
  return {{"sockets", crowd.size()}, {"kib_each", kib},      {"rounds", rounds},
          {"due", crowd.due()},      {"come", crowd.come()}, {"frame_bytes", crowd.frame_bytes()}};
}

}  // namespace
}  // namespace annolog::bench

int main(int argc, char** argv) {
  using namespace annolog::bench;
  Options options;
  std::string tokens;
  CLI::App app("WebSockets for deploy/bench");
  app.add_option("--host", options.place.host);
  app.add_option("--port", options.place.port)->required();
  app.add_option("--tokens", tokens, "File that begins with an access token")->required();
  app.add_option("--ids", options.ids, "Tasks, one a socket: first:step:count")->required();
  app.add_option("--project", options.project, "Theirs")->required();
  app.add_option("--listeners", options.listeners, "Sockets that hear of all annotations");
  app.add_option("--rounds", options.rounds, "Of which the first warms up");
  app.add_option("--fans", options.fans, "Single annotations of a round");
  app.add_option("--boxes", options.boxes, "Of the call that tells of many, at most 100");
  app.add_option("--database", options.database, "libpq connection string")->required();
  app.add_option("--table", options.table, "With a column data of text")->required();
  app.add_option("--service", options.service, "Its process id")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    options.place.token = read_lines(tokens).front();
    std::puts(run(options).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_sockets: %s\n", error.what());
    return 1;
  }
  return 0;
}
