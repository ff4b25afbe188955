// bench_kafka: figures of the log in Kafka and of a plain client of it, each as one line of JSON.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tests/bench/kafka/options.hpp"

int main(int argc, char** argv) {
  using namespace annolog::bench;
  KafkaOptions options;
  CLI::App app("Figures of the log in Kafka for deploy/bench");
  app.require_subcommand(1);
  using Measure = void (*)(const KafkaOptions&);
  Measure chosen = nullptr;
  const auto add = [&](const char* name, const char* help, Measure measure) {
    auto* command = app.add_subcommand(name, help);
    command->add_option("--bootstrap", options.bootstrap)->required();
    command->add_option("--prefix", options.prefix, "Of the topics")->required();
    command->add_option("--batch", options.batch, "Messages of a transaction");
    command->add_option("--bytes", options.bytes, "Of a message");
    command->add_option("--seconds", options.seconds);
    command->add_option("--records", options.records);
    command->add_option("--folder", options.folder, "For what filling leaves beside the log");
    command->add_flag("--decode", options.decode, "What is replayed, into events");
    command->add_flag("--headers", options.headers, "A plain consumer looks at them");
    command->callback([&chosen, measure] { chosen = measure; });
  };
  add("transactions", "Transactions of a plain producer", bare_transactions);
  add("fill", "Make a log of that many records", fill_log);
  add("consume", "Its messages by a plain consumer", bare_consume);
  add("replay", "Its records through the log", replay_log);
  CLI11_PARSE(app, argc, argv);
  try {
    chosen(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_kafka: %s\n", error.what());
    return 1;
  }
  return 0;
}
