// The state of one shard: ordered keys and values, a fold of the shard's records and nothing else.
// Keys are bytes, compared as unsigned; the store keeps shards apart, so no key names its shard.
// A view belongs to the thread that got it. A broken disk throws LogCorrupted or LogUnavailable.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/record.hpp"

namespace annolog::eventstore {

// Return false to stop. Both views are valid during the call only; the callback must not write.
using ScanCallback = std::function<bool(std::string_view key, std::string_view value)>;

class StateView {
 public:
  virtual ~StateView() = default;
  virtual std::optional<std::string> get(std::string_view key) const = 0;
  // Keys that begin with `prefix` and are >= `from_key` (empty: from the first), ascending.
  virtual void scan(std::string_view prefix, std::string_view from_key,
                    const ScanCallback& callback) const = 0;
  // The same descending: keys that begin with `prefix` and are <= `from_key` (empty: from the
  // last).
  virtual void scan_reverse(std::string_view prefix, std::string_view from_key,
                            const ScanCallback& callback) const = 0;
};

// Reads see the writes made before them.
class StateWriter : public StateView {
 public:
  virtual void put(std::string_view key, std::string_view value) = 0;
  virtual void erase(std::string_view key) = 0;
};

// A frozen view; later commits don't show in it. Hold it briefly, it keeps old bytes alive, and
// never longer than its log.
class StateSnapshot : public StateView {
 public:
  virtual Offset position() const = 0;  // the record up to which this state is folded
};

}  // namespace annolog::eventstore
