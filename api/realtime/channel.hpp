// The channels that clients subscribe to: their names, who may and what they carry, in one table
// (spec, "Channels and sockets"). Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/support/ids.hpp"

namespace annolog::api::realtime {

struct Channel {
  enum class Kind : std::uint8_t {
    annotation,       // project:{id}:annotation
    preannotate,      // project:{id}:preannotate
    task_lock,        // task:{id}:lock
    prediction_jobs,  // global:prediction-jobs
    tracker_job,      // video-tracker-job:{id}, a job of the kind video_tracker
    notify,           // user:{id}:notify; the last one
  };
  Kind kind = Kind::annotation;
  std::int64_t id = 0;  // of what the name names; 0: nothing
  auto operator<=>(const Channel&) const = default;
};

inline constexpr std::size_t kChannelKinds = static_cast<std::size_t>(Channel::Kind::notify) + 1;

// A set of them.
class ChannelKinds {
 public:
  constexpr ChannelKinds(std::initializer_list<Channel::Kind> kinds = {}) {
    for (const Channel::Kind kind : kinds) add(kind);
  }
  constexpr void add(Channel::Kind kind) { bits_ |= bit(kind); }
  constexpr bool has(Channel::Kind kind) const { return (bits_ & bit(kind)) != 0; }
  constexpr bool any() const { return bits_ != 0; }
  constexpr ChannelKinds operator&(ChannelKinds other) const {
    return ChannelKinds(bits_ & other.bits_);
  }
  constexpr bool operator==(const ChannelKinds&) const = default;

 private:
  constexpr explicit ChannelKinds(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t bit(Channel::Kind kind) {
    return std::uint32_t{1} << static_cast<unsigned>(kind);
  }
  std::uint32_t bits_ = 0;
};

enum class Audience : std::uint8_t {
  readers,       // of the project that it is about
  super_admins,  // it tells of all projects
  oneself,       // the user that it is named after
};

struct ChannelRule {
  Channel::Kind kind;
  std::string_view prefix;
  std::string_view suffix;  // behind the id; without an id the prefix is all
  bool has_id;
  Audience audience;
  // Its frames come from the shards of all projects: positions name each of them.
  bool from_all_shards;
  std::string_view title;
  std::string_view carries;  // one sentence for those who read the description
};

std::span<const ChannelRule> channel_rules();  // one a kind, in their order
const ChannelRule& rule_of(const Channel& channel);

std::string name_of(const Channel& channel);
// Nothing when there is no such channel; ids are from 1 to 2^53 - 1, without zeros before them.
std::optional<Channel> channel_of(std::string_view name);

}  // namespace annolog::api::realtime

template <>
struct std::hash<annolog::api::realtime::Channel> {
  std::size_t operator()(const annolog::api::realtime::Channel& channel) const noexcept {
    constexpr auto kKinds = static_cast<std::int64_t>(annolog::api::realtime::kChannelKinds);
    return std::hash<std::int64_t>{}(channel.id * kKinds + static_cast<std::int64_t>(channel.kind));
  }
};
