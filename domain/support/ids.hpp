// Distinct integer types for identifiers: a task id can't be passed where a user id is meant.
// Ids are positive and below 2^53, so that every JSON reader keeps them exactly.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace annolog {

template <class Tag>
struct Id {
  std::int64_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::int64_t v) : value(v) {}
  constexpr explicit operator bool() const { return value != 0; }
  auto operator<=>(const Id&) const = default;
};

using UserId = Id<struct UserTag>;
using ProjectId = Id<struct ProjectTag>;
using BatchId = Id<struct BatchTag>;
using DatasetId = Id<struct DatasetTag>;
using ItemId = Id<struct ItemTag>;
using TaskId = Id<struct TaskTag>;
using AnnotationId = Id<struct AnnotationTag>;
using CommentId = Id<struct CommentTag>;
using ClassId = Id<struct ClassTag>;
using PredictionId = Id<struct PredictionTag>;
using ApiKeyId = Id<struct ApiKeyTag>;
using GroupId = Id<struct GroupTag>;
using InvitationId = Id<struct InvitationTag>;
using SessionId = Id<struct SessionTag>;
using GuideAssetId = Id<struct GuideAssetTag>;
using NotificationId = Id<struct NotificationTag>;
using JobId = Id<struct JobTag>;
using WebhookId = Id<struct WebhookTag>;

inline constexpr std::int64_t kMaxId = (std::int64_t{1} << 53) - 1;

}  // namespace annolog

template <class Tag>
struct std::hash<annolog::Id<Tag>> {
  std::size_t operator()(annolog::Id<Tag> id) const noexcept {
    return std::hash<std::int64_t>{}(id.value);
  }
};
