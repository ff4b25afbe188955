#include "app/notification_source.hpp"

#include "domain/codec/domain_json.hpp"
#include "domain/notification/notices.hpp"
#include "projections/engine/event_id.hpp"
#include "projections/notifications/queries.hpp"

namespace annolog::app {
namespace {

namespace realtime = api::realtime;

class NotificationRows final : public realtime::NotificationSource {
 public:
  explicit NotificationRows(const NotificationSourceParts& parts) : parts_(parts) {}

  bool may_come_of(std::string_view event_type) const override {
    return may_be_noticed(event_type);
  }

  std::vector<realtime::NewNotification> made_by(commands::ShardId shard, commands::Offset after,
                                                 commands::Offset upto) override {
    return told(queries().made_by(shard, after, upto));
  }

  std::vector<realtime::NewNotification> of_user_since(UserId user, const realtime::Cursor& after,
                                                       const realtime::Cursor& upto,
                                                       std::size_t most) override {
    projections::Positions behind(parts_.shards);
    for (const auto& position : after.positions())
      if (position.shard.value < behind.size()) behind[position.shard.value] = position.offset;
    auto found = told(queries().of_user_since(user, behind, upto.positions()));
    if (found.size() > most + 1) found.resize(most + 1);
    return found;
  }

 private:
  projections::NotificationQueries queries() const {
    return {parts_.reads, parts_.clock.now() + -parts_.kept_ms};
  }

  std::vector<realtime::NewNotification> told(
      std::vector<projections::NotificationFor> found) const {
    std::vector<realtime::NewNotification> all;
    all.reserve(found.size());
    for (auto& [user, view] : found) {
      if (auto& actor = view.payload.actor) actor->name = parts_.directory.brief(actor->id).name;
      all.push_back(
          {user, view.type, codec::to_json_text(view), projections::event_position(view.id.value)});
    }
    return all;
  }

  const NotificationSourceParts parts_;
};

}  // namespace

std::unique_ptr<realtime::NotificationSource> notification_source(
    const NotificationSourceParts& parts) {
  return std::make_unique<NotificationRows>(parts);
}

}  // namespace annolog::app
