#include "app/merged_records.hpp"

#include <algorithm>
#include <tuple>

namespace annolog::app {
namespace {

using eventstore::EventLog;
using eventstore::Offset;
using eventstore::Record;
using eventstore::ShardId;

// Of each shard at a time: many shards are read side by side.
constexpr eventstore::ReadLimits kAtOnce{.max_records = 500, .max_bytes = 1U << 20U};
// Going back, a shard is read in windows that grow: most often the first one is enough.
constexpr std::uint64_t kWindowGrowth = 4;
constexpr std::uint64_t kWindowMax = 4000;

bool is_before(const Record& a, const Record& b) {
  return std::tuple(a.headers.time_ms, a.position) < std::tuple(b.headers.time_ms, b.position);
}

// The newest records seen so far; a heap with the oldest of them on top.
class Newest {
 public:
  explicit Newest(std::size_t count) : count_(count) {}

  // Records of a shard are asked about from the newest to the oldest: false, and none of the rest
  // can be among the newest.
  bool wants(const Record& record) const {
    return kept_.size() < count_ || (!kept_.empty() && is_before(kept_.front(), record));
  }
  void put(Record record) {
    if (kept_.size() == count_) {
      std::ranges::pop_heap(kept_, later);
      kept_.pop_back();
    }
    kept_.push_back(std::move(record));
    std::ranges::push_heap(kept_, later);
  }
  std::vector<Record> take() {
    std::ranges::sort(kept_, is_before);
    return std::move(kept_);
  }

 private:
  static bool later(const Record& a, const Record& b) { return is_before(b, a); }

  const std::size_t count_;
  std::vector<Record> kept_;
};

// All records after `after` up to `last`.
std::vector<Record> read_window(const EventLog& log, ShardId shard, Offset after, Offset last) {
  std::vector<Record> window;
  while (after < last) {
    auto records = log.read(shard, after, {.max_records = last.value - after.value});
    if (records.empty()) break;
    after = records.back().position.offset;
    std::ranges::move(records, std::back_inserter(window));
  }
  return window;
}

}  // namespace

MergedRecords::MergedRecords(const EventLog& log, std::span<const From> from) : log_(log) {
  for (const From& each : from) sources_.push_back({each.shard, each.after, {}});
}

void MergedRecords::fill(Source& source) const {
  if (!source.waiting.empty() || log_.end(source.shard) <= source.read) return;
  auto records = log_.read(source.shard, source.read, kAtOnce);
  if (records.empty()) return;
  source.read = records.back().position.offset;
  std::ranges::move(records, std::back_inserter(source.waiting));
}

std::optional<Record> MergedRecords::next() {
  const auto later = [this](std::size_t a, std::size_t b) {
    return is_before(sources_[b].waiting.front(), sources_[a].waiting.front());
  };
  if (line_.empty()) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      fill(sources_[i]);
      if (!sources_[i].waiting.empty()) line_.push_back(i);
    }
    std::ranges::make_heap(line_, later);
  }
  if (line_.empty()) return std::nullopt;
  std::ranges::pop_heap(line_, later);
  Source& source = sources_[line_.back()];
  Record record = std::move(source.waiting.front());
  source.waiting.pop_front();
  fill(source);
  if (source.waiting.empty()) {
    line_.pop_back();
  } else {
    std::ranges::push_heap(line_, later);
  }
  return record;
}

std::vector<Record> newest_records(const EventLog& log, std::span<const MergedRecords::From> ends,
                                   std::size_t count, const RecordFilter& filter,
                                   const std::function<bool()>& stop) {
  Newest newest(count);
  for (const auto& [shard, end] : ends) {
    bool wanted = count > 0;
    std::uint64_t width = count;
    for (Offset last = end; wanted && last > Offset{} && !stop();) {
      const Offset after{last.value > width ? last.value - width : 0};
      width = std::min(width * kWindowGrowth, kWindowMax);
      auto window = read_window(log, shard, after, last);
      for (auto record = window.rbegin(); wanted && record != window.rend(); ++record) {
        wanted = newest.wants(*record);
        if (wanted && filter(*record)) newest.put(std::move(*record));
      }
      last = after;
    }
  }
  return newest.take();
}

}  // namespace annolog::app
