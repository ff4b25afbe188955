// bench_load: HTTP load from many connections by one thread; prints what it measured as JSON.
// Exit code 1: it could not be carried out. Answers that are no 2xx are told in the JSON.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "platform/prompt_thread.hpp"
#include "tests/bench/load/runner.hpp"

int main(int argc, char** argv) {
  using namespace annolog::bench;
  Plan plan;
  std::string tokens, ids;
  std::vector<std::string> steps;
  bool random = false;
  CLI::App app("HTTP load for deploy/bench");
  app.add_option("--host", plan.host);
  app.add_option("--port", plan.port)->required();
  app.add_option("--tokens", tokens, "File with an access token a line")->required();
  app.add_option("--step", steps, "\"METHOD PATH [FILE]\", FILE with a body a line")->required();
  app.add_option("--ids", ids, "first:step:count,...");
  app.add_flag("--random", random, "Ids at random instead of each once");
  app.add_option("--connections", plan.connections);
  app.add_option("--seconds", plan.seconds, "0: until the rounds or ids are used up");
  app.add_option("--rounds", plan.rounds, "0: until the time is over");
  app.add_option("--rate", plan.rounds_per_s, "Rounds a second; 0: as fast as answers come");
  app.add_option("--window", plan.window_s, "Seconds of one piece of the time");
  app.add_option("--taken", plan.taken_file, "File for the ids that the first step gave");
  CLI11_PARSE(app, argc, argv);
  try {
    plan.tokens = read_lines(tokens);
    for (const auto& step : steps) plan.steps.push_back(parse_step(step));
    Ids source(ids, random);
    // Callers have machines of their own, which don't wait for this one's processors.
    annolog::platform::ask_for_short_slices();
    auto figures = run(plan, source);
    std::puts(as_json(figures).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_load: %s\n", error.what());
    return 1;
  }
  return 0;
}
