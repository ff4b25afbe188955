// How fast records go into the log, beside RocksDB and a file alone.
#include <fcntl.h>
#include <rocksdb/db.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "eventstore/rocksdb/rocksdb_log.hpp"
#include "platform/prompt_thread.hpp"
#include "tests/bench/log/options.hpp"
#include "tests/bench/payload.hpp"

namespace annolog::bench {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

double since_s(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void print_rate(std::uint64_t commits, const LogOptions& options, double seconds) {
  const double commands = static_cast<double>(commits * options.group);
  std::puts(json{{"commands_per_s", commands / seconds},
                 {"events_per_s", commands * static_cast<double>(options.events) / seconds},
                 {"commits_per_s", static_cast<double>(commits) / seconds}}
                .dump()
                .c_str());
}

}  // namespace

void append_to_log(const LogOptions& options) {
  using namespace eventstore;
  RocksdbLogOptions log_options;
  log_options.folder = options.folder;
  const auto log = open_rocksdb_log(log_options);
  const ShardId shard(1);
  NewRecord record;
  record.headers.id = "0198a6b0-0000-7000-8000-000000000000";
  record.headers.type = "task.annotations_added";
  record.headers.subject = "task/4161";
  record.headers.actor = "user/7";
  record.data = payload(options.bytes);
  std::uint64_t commits = 0;
  const auto start = Clock::now();
  for (; since_s(start) < options.seconds; ++commits) {
    const auto transaction = log->begin(std::array{shard});
    for (std::uint64_t command = 0; command < options.group; ++command) {
      for (std::uint64_t i = 0; i < options.events; ++i) transaction->append(shard, record);
      transaction->end_command(shard);
    }
    if (log->commit(*transaction) != CommitOutcome::ok) {
      throw std::runtime_error(log->health().detail);
    }
  }
  print_rate(commits, options, since_s(start));
}

void append_to_rocksdb(const LogOptions& options) {
  rocksdb::Options settings;
  settings.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(settings, options.folder, &opened);
  const std::unique_ptr<rocksdb::DB> database(opened);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  const std::string value = payload(options.bytes);
  rocksdb::WriteOptions synced;
  synced.sync = true;
  std::uint64_t commits = 0;
  std::uint64_t sequence = 0;
  const auto start = Clock::now();
  for (; since_s(start) < options.seconds; ++commits) {
    rocksdb::WriteBatch batch;
    for (std::uint64_t i = 0; i < options.group * options.events; ++i, ++sequence) {
      std::array<char, 24> key{};
      const int length = std::snprintf(key.data(), key.size(), "%020llu",
                                       static_cast<unsigned long long>(sequence));
      batch.Put(rocksdb::Slice(key.data(), static_cast<std::size_t>(length)), value);
    }
    const auto written = database->Write(synced, &batch);
    if (!written.ok()) throw std::runtime_error(written.ToString());
  }
  print_rate(commits, options, since_s(start));
}

void append_to_file(const LogOptions& options) {
  const auto path = std::filesystem::path(options.folder) / "appended";
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) throw std::system_error(errno, std::generic_category(), path);
  const std::string bytes = payload(options.bytes);
  std::vector<double> took_us;
  platform::ask_for_short_slices();  // as whoever appends to the log
  const auto began = Clock::now();
  for (std::uint64_t i = 0; i < options.times; ++i) {
    if (options.rate > 0) {
      const std::chrono::duration<double> due(static_cast<double>(i) / options.rate);
      std::this_thread::sleep_until(began + due);
    }
    const auto start = Clock::now();
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written != static_cast<ssize_t>(bytes.size()) || ::fdatasync(file) != 0) {
      throw std::system_error(errno, std::generic_category(), path);
    }
    took_us.push_back(since_s(start) * 1e6);
  }
  ::close(file);
  std::filesystem::remove(path);
  std::sort(took_us.begin(), took_us.end());
  std::puts(json{{"p50_us", took_us.at(took_us.size() / 2)},
                 {"p99_us", took_us.at(took_us.size() * 99 / 100)}}
                .dump()
                .c_str());
}

}  // namespace annolog::bench
