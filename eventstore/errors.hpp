// What the log throws. All of these mean a broken environment or a broken caller, never a refusal.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

// Stored bytes are not those that were written. what() names shard and offset, or the file.
class LogCorrupted : public std::runtime_error {
 public:
  LogCorrupted(ShardId shard, Offset offset, const std::string& reason);
  explicit LogCorrupted(const std::string& reason);  // where it is, is not known
  const std::optional<Position>& position() const { return position_; }

 private:
  std::optional<Position> position_;
};

// The log can't be opened as asked: another shard count or format, held by another process.
class LogRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The disk or broker does not answer as it should.
class LogUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Misuse by the caller (a shard not claimed, two writers for one shard) throws std::logic_error.

}  // namespace annolog::eventstore
