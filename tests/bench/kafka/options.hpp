// What bench_kafka is asked for; filled by main().
#pragma once

#include <cstdint>
#include <string>

namespace annolog::bench {

struct KafkaOptions {
  std::string bootstrap;
  std::string prefix;          // of the topics; those of `transactions` are made anew
  std::uint64_t batch = 64;    // messages of one transaction
  std::uint64_t bytes = 1024;  // of one message
  double seconds = 3;
  std::uint64_t records = 1'000'000;  // of a log that is filled, or read
  std::string folder;                 // for the state that filling folds
  bool decode = false;                // what is replayed, into events
  bool headers = false;               // looked at by the plain consumer
};

// Each prints one line of JSON and throws when the cluster refuses.
void bare_transactions(const KafkaOptions& options);  // begin, produce, commit, one after another
void fill_log(const KafkaOptions& options);           // events like a day's work
void bare_consume(const KafkaOptions& options);       // their messages, by a consumer alone
void replay_log(const KafkaOptions& options);         // the same through the log

}  // namespace annolog::bench
