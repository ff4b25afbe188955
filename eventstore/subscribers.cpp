#include "eventstore/subscribers.hpp"

#include <list>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace annolog::eventstore {

struct Subscribers::List {
  // Held shared while callbacks run, so that the end of a subscription waits for them.
  std::shared_mutex mutex;
  std::list<EndCallback> callbacks;
};

class Subscribers::Entry final : public Subscription {
 public:
  Entry(std::shared_ptr<List> list, EndCallback callback) : list_(std::move(list)) {
    const std::unique_lock lock(list_->mutex);
    at_ = list_->callbacks.insert(list_->callbacks.end(), std::move(callback));
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry() override {
    const std::unique_lock lock(list_->mutex);
    list_->callbacks.erase(at_);
  }

 private:
  std::shared_ptr<List> list_;
  std::list<EndCallback>::iterator at_;
};

Subscribers::Subscribers() : list_(std::make_shared<List>()) {}

std::unique_ptr<Subscription> Subscribers::add(EndCallback callback) {
  return std::make_unique<Entry>(list_, std::move(callback));
}

void Subscribers::tell(ShardId shard, Offset end) const {
  const std::shared_lock lock(list_->mutex);
  for (const EndCallback& callback : list_->callbacks) callback(shard, end);
}

}  // namespace annolog::eventstore
