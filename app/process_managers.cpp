#include "app/process_managers.hpp"

#include <stdexcept>
#include <string>

namespace annolog::app {
namespace {

commands::RemovalRunner::RemoveObject remove_from(platform::ObjectStore& objects) {
  return [&objects](const std::string& key) {
    const auto parsed = platform::ObjectKey::parse(key);
    if (!parsed) throw std::runtime_error(parsed.error().message);
    const auto removed = objects.remove(parsed.value());
    if (!removed) throw std::runtime_error(removed.error().message);
  };
}

}  // namespace

ProcessManagers::ProcessManagers(const Parts& parts, commands::LinkRunnerOptions links)
    : links_(parts.bus, parts.log, parts.clock, parts.logger, links),
      removals_(parts.bus, parts.log, remove_from(parts.objects), parts.clock, parts.logger) {}

void ProcessManagers::start() {
  links_.start();
  removals_.start();
}

void ProcessManagers::finish() {
  links_.finish();
  removals_.finish();
}

void ProcessManagers::stop() {
  links_.stop();
  removals_.stop();
}

void ProcessManagers::own(eventstore::ShardId shard, bool owned) {
  if (owned) {
    links_.own(shard);
    removals_.own(shard);
  } else {
    links_.disown(shard);
    removals_.disown(shard);
  }
}

void ProcessManagers::on_event(const Event& event) {
  links_.on_event(event);
  removals_.on_event(event);
}

}  // namespace annolog::app
