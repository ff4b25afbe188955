#include "commands/process_managers/dataset_chores.hpp"

#include <system_error>
#include <utility>
#include <vector>

#include "commands/process_managers/retry_delay.hpp"
#include "commands/send_step.hpp"
#include "commands/state/shard_state.hpp"
#include "domain/dataset/objects.hpp"
#include "platform/named_thread.hpp"

namespace annolog::commands {
namespace {

// The datasets that `table` holds rows of, with one seek each.
std::vector<DatasetId> datasets_in(const eventstore::EventLog& log, eventstore::ShardId shard,
                                   Table table) {
  std::vector<DatasetId> found;
  const auto state = log.state(shard);
  std::int64_t next = 0;
  for (bool more = true; more;) {
    more = false;
    state->scan(Key(table).bytes(), Key(table).number(next).bytes(),
                [&](std::string_view key, std::string_view) {
                  const std::int64_t id =
                      last_number(key.substr(0, Key(table).number(0).bytes().size()));
                  found.emplace_back(id);
                  next = id + 1;
                  more = true;
                  return false;
                });
  }
  return found;
}

std::vector<DatasetId> datasets_to_empty(const eventstore::EventLog& log,
                                         eventstore::ShardId shard) {
  std::vector<DatasetId> found;
  log.state(shard)->scan(Key(Table::dataset).bytes(), {},
                         [&](std::string_view, std::string_view value) {
                           const auto dataset = codec::from_binary<DatasetState>(value);
                           if (dataset.deleted_at && !dataset.emptied) found.push_back(dataset.id);
                           return true;
                         });
  return found;
}

}  // namespace

DatasetChoreRunner::DatasetChoreRunner(CommandBus& bus, const eventstore::EventLog& log,
                                       platform::ObjectStore& objects, const platform::Clock& clock,
                                       platform::Logger& logger)
    : bus_(bus),
      log_(log),
      objects_(objects),
      clock_(clock),
      logger_(logger),
      turns_([&log](const Work& work) { return shard_of(work.dataset.value, log.shard_count()); }) {
}

DatasetChoreRunner::~DatasetChoreRunner() { stop(); }

void DatasetChoreRunner::start() {
  thread_ = platform::named_thread("chores", [this] { run(); });
}

void DatasetChoreRunner::finish() { turns_.finish(); }

void DatasetChoreRunner::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void DatasetChoreRunner::own(eventstore::ShardId shard) {
  auto found = datasets_to_empty(log_, shard);
  for (const Table table : {Table::doomed_item, Table::untold_size}) {
    const auto more = datasets_in(log_, shard, table);
    found.insert(found.end(), more.begin(), more.end());
  }
  std::vector<Work> work;
  for (const DatasetId dataset : found) work.push_back({dataset});
  turns_.own(shard, std::move(work));
}

void DatasetChoreRunner::disown(eventstore::ShardId shard) {
  turns_.disown(shard);
  const std::lock_guard guard(mutex_);
  std::erase_if(waiting_, [&](DatasetId dataset) {
    return shard_of(dataset.value, log_.shard_count()) == shard;
  });
}

void DatasetChoreRunner::on_event(const Event& event) {
  if (const auto* advanced = std::get_if<DatasetLinkAdvanced>(&event)) {
    wake_waiting(advanced->dataset_id);
    return;
  }
  if (const auto* unlinked = std::get_if<DatasetUnlinked>(&event)) {
    wake_waiting(unlinked->dataset_id);  // nobody waits for those sizes any more
    return;
  }
  std::optional<DatasetId> dataset;
  if (const auto* deleted = std::get_if<DatasetDeleted>(&event)) dataset = deleted->dataset_id;
  if (const auto* deleted = std::get_if<ItemDeleted>(&event)) dataset = deleted->dataset_id;
  if (const auto* measured = std::get_if<ItemMeasured>(&event)) dataset = measured->dataset_id;
  if (dataset) turns_.add({*dataset});
}

void DatasetChoreRunner::wake_waiting(DatasetId dataset) {
  const std::lock_guard guard(mutex_);
  if (waiting_.erase(dataset) > 0) turns_.add({dataset});
}

void DatasetChoreRunner::run() {
  while (auto work = turns_.take()) {
    if (advance(*work)) turns_.put_back(std::move(*work));
  }
}

bool DatasetChoreRunner::advance(Work& work) {
  const DatasetId dataset = work.dataset;
  {
    // Before the look: a link that moves on behind it wakes the dataset again.
    const std::lock_guard guard(mutex_);
    waiting_.insert(dataset);
  }
  auto looked = call(ReadDatasetChores{dataset, work.after});
  if (!looked) return true;
  auto chores = std::get<DatasetChores>(std::move(looked->reply).value());
  if (!chores.waiting) {
    const std::lock_guard guard(mutex_);
    waiting_.erase(dataset);
  }
  if (!chores.passed_on.empty()) return pass_sizes_on(dataset, std::move(chores));
  if (chores.deleted && !prepare_removal(work)) return true;
  if (!chores.doomed.empty()) return remove_items(work, std::move(chores));
  if (!chores.deleted) return false;
  // Once more: an upload may have been under way when the dataset was deleted.
  return !remove_objects(objects_of(dataset)) || !call(EmptyDataset{dataset});
}

// Goes on in any case: there may be more, or it is tried again.
bool DatasetChoreRunner::pass_sizes_on(DatasetId dataset, DatasetChores chores) {
  const ProjectId project = *chores.project_id;
  const bool told =
      chores.sizes.empty() || call(MeasureTasks{project, dataset, std::move(chores.sizes)});
  if (told) call(NoteSizesPassedOn{dataset, project, std::move(chores.passed_on)});
  return true;
}

bool DatasetChoreRunner::prepare_removal(Work& work) {
  const DatasetId dataset = work.dataset;
  if (!work.name_is_free)
    work.name_is_free = call(FreeName{NameKind::dataset, dataset.value}).has_value();
  if (!work.objects_are_gone) work.objects_are_gone = remove_objects(objects_of(dataset));
  return work.name_is_free && work.objects_are_gone;
}

bool DatasetChoreRunner::remove_items(Work& work, DatasetChores chores) {
  const DatasetId dataset = work.dataset;
  if (!chores.deleted) {
    for (const ItemId item : chores.doomed) {
      const bool gone = remove_objects(objects_of(dataset, item)) &&
                        remove_objects(thumbnail_key_of(dataset, item));
      if (!gone) return true;
    }
  }
  if (call(RemoveItems{dataset, std::move(chores.doomed)})) work.after = std::move(chores.reached);
  return true;
}

// False: not all, for now.
bool DatasetChoreRunner::remove_objects(const std::string& below) {
  const auto key = platform::ObjectKey::parse(below);
  try {
    const auto removed =
        objects_.remove_all(key.value(), [this] { return turns_.finishing().load(); });
    if (removed) return removed.value();
    rest("objects can't be removed; it is tried again", removed.error().code,
         removed.error().message);
  } catch (const std::system_error& error) {
    rest("objects can't be removed; it is tried again", "STORE_BROKEN", error.what());
  }
  return false;
}

// Nothing on refusal, after a pause, so that the turn comes again.
std::optional<Outcome> DatasetChoreRunner::call(Command command) {
  Outcome result = send_step(bus_, clock_, std::move(command)).get();
  if (result.reply) return result;
  rest("a dataset's chore was refused; it is tried again", result.reply.error().code,
       result.reply.error().message);
  return std::nullopt;
}

void DatasetChoreRunner::rest(const char* why, const std::string& code, const std::string& reason) {
  logger_.warn(why, {{"code", code}, {"reason", reason}});
  turns_.rest(kRetryDelay);
}

}  // namespace annolog::commands
