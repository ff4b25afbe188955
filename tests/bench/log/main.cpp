// bench_log: figures of the event log and of what lies below it, each as one line of JSON.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tests/bench/log/options.hpp"

int main(int argc, char** argv) {
  using namespace annolog::bench;
  LogOptions options;
  CLI::App app("Figures of the event log for deploy/bench");
  app.require_subcommand(1);
  using Measure = void (*)(const LogOptions&);
  Measure chosen = nullptr;
  const auto add = [&](const char* name, const char* help, Measure measure) {
    auto* command = app.add_subcommand(name, help);
    command->add_option("--folder", options.folder)->required();
    command->add_option("--bytes", options.bytes, "Bytes of an event, or of an append");
    command->add_option("--events", options.events, "Events of a command");
    command->add_option("--group", options.group, "Commands of a commit");
    command->add_option("--seconds", options.seconds);
    command->add_option("--times", options.times, "Appends of file");
    command->add_option("--rate", options.rate, "Appends a second; 0: one after another");
    command->callback([&chosen, measure] { chosen = measure; });
  };
  add("log", "Commits to an event log", append_to_log);
  add("rocksdb", "The same bytes to RocksDB alone", append_to_rocksdb);
  add("file", "Synced appends to a file", append_to_file);
  add("decode", "Read and decode all records of a log", decode_log);
  CLI11_PARSE(app, argc, argv);
  try {
    chosen(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_log: %s\n", error.what());
    return 1;
  }
  return 0;
}
