// bench_submits: submits of ten boxes to the writers and into the read models, with the audit's row
// and without it, in turn: the same commands over the same log and database, but for what the edge
// says of the request. Prints one line of JSON. Exit code 1: a submit was refused.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/submits/write_side.hpp"

namespace annolog::bench {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kBoxes = 10;
// Of a measurement: what else the machine does meets both alike.
constexpr std::size_t kPieces = 10;

struct Options {
  std::string folder, database;
  std::size_t tasks = 20'000;  // of one measurement
  std::size_t rounds = 6;      // of which the first warms up
};

std::vector<Shape> boxes() {
  std::vector<Shape> shapes;
  for (int i = 0; i < kBoxes; ++i) {
    Shape shape;
    shape.class_name = "car";
    shape.geometry = Bbox{0.1 + i * 0.012345, 0.2 + i * 0.023456, 0.123456, 0.234567};
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// As the edge fills them for POST /tasks/{id}/annotations; address and user agent are sealed once
// for all requests of a person from one place.
RequestFacts facts_of(TaskId task) {
  RequestFacts facts;
  facts.action = "annotation.create";
  facts.method = "POST";
  facts.path = "/api/v1/tasks/" + std::to_string(task.value) + "/annotations";
  facts.status = 201;
  facts.proof = CallerProof::token;
  facts.target_type = "task";
  facts.target_id = task.value;
  facts.task_id = task;
  facts.origin.sealed =
      Sealed{"0198a6b0000070008000000000000000",
             "k7mQx2vTz9LwPq4RsN8bYcUe1HdGfJa0oIi5VtXyB3nKEuZr6WpMhSgDlFjCA-_k7mQx2v"
             "Tz9LwPq4RsN8bYcUe1HdGfJa0oIi5VtXyB3nKEuZr6WpMhSgDlFjCA"};
  return facts;
}

// Microseconds of each submit: until the last was answered, until the read models had it, and those
// in which a thread of this process worked meanwhile.
struct Taken {
  double answered_us = 0;
  double shown_us = 0;
  double cpu_us = 0;
  double bytes = 0;  // in the log
  void add(const Taken& piece) {
    answered_us += piece.answered_us / kPieces;
    shown_us += piece.shown_us / kPieces;
    cpu_us += piece.cpu_us / kPieces;
    bytes += piece.bytes / kPieces;
  }
};

// Of all threads.
std::chrono::microseconds cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

class Submits {
 public:
  explicit Submits(const Options& options)
      : options_(options),
        side_(options.folder, options.database),
        tasks_(side_.make_tasks(2 * piece() * kPieces * options.rounds)) {}

  Taken measure_piece(bool is_audited) {
    const std::size_t first = std::exchange(next_, next_ + piece());
    const auto start = Clock::now();
    const auto cpu_start = cpu_time();
    side_.send(piece(), [&](std::size_t i) {
      const TaskId task = tasks_.at(first + i);
      auto envelope = envelope_of(AddAnnotations{task, shapes_, true});
      if (is_audited) envelope.request = facts_of(task);
      return envelope;
    });
    const double answered_us = each_us(Clock::now() - start);
    side_.wait_for_read_models();
    const double shown_us = each_us(Clock::now() - start);
    return {answered_us, shown_us, each_us(cpu_time() - cpu_start),
            static_cast<double>(side_.new_bytes()) / static_cast<double>(piece())};
  }

 private:
  std::size_t piece() const { return std::max<std::size_t>(1, options_.tasks / kPieces); }
  double each_us(Clock::duration time) const {
    return std::chrono::duration<double, std::micro>(time).count() / static_cast<double>(piece());
  }

  const Options& options_;
  WriteSide side_;
  const std::vector<Shape> shapes_ = boxes();
  const std::vector<TaskId> tasks_;
  std::size_t next_ = 0;
};

json as_json(const Taken& taken) {
  return {{"answered_us", taken.answered_us},
          {"shown_us", taken.shown_us},
          {"cpu_us", taken.cpu_us},
          {"bytes", taken.bytes}};
}

// In turn, and each time the other one first: what comes first may find more in the caches.
json run(const Options& options) {
  Submits submits(options);
  json rounds = json::array();
  for (std::size_t i = 0; i < options.rounds; ++i) {
    std::array<Taken, 2> taken;
    for (std::size_t piece = 0; piece < kPieces; ++piece) {
      const bool with_first = piece % 2 == 0;
      for (const bool is_audited : {with_first, !with_first})
        taken[is_audited ? 1 : 0].add(submits.measure_piece(is_audited));
    }
    if (i > 0) rounds.push_back({{"without", as_json(taken[0])}, {"with", as_json(taken[1])}});
  }
  return {{"rounds", rounds}, {"submits", options.tasks}};
}

}  // namespace
}  // namespace annolog::bench

int main(int argc, char** argv) {
  using namespace annolog::bench;
  Options options;
  CLI::App app("What the audit costs a submit, for deploy/bench");
  app.add_option("--folder", options.folder, "For a new log")->required();
  app.add_option("--database", options.database, "libpq connection string; an empty one")
      ->required();
  app.add_option("--tasks", options.tasks, "Submits of one measurement, in ten pieces");
  app.add_option("--rounds", options.rounds, "Of which the first warms up");
  CLI11_PARSE(app, argc, argv);
  try {
    std::puts(run(options).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_submits: %s\n", error.what());
    return 1;
  }
  return 0;
}
