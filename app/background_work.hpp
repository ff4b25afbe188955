// What goes on beside requests: items become tasks, what is deleted leaves nothing behind,
// thumbnails are made, sizes are read, ended locks and old jobs are cleared away, webhooks are
// told. Each works for the shards that this process owns. start(), finish() and stop() belong to
// one thread, the rest to any.
#pragma once

#include "app/job_counts.hpp"
#include "app/webhook_work.hpp"
#include "commands/process_managers/dataset_chores.hpp"
#include "commands/process_managers/job_cleaner.hpp"
#include "commands/process_managers/link_runner.hpp"
#include "commands/process_managers/lock_cleaner.hpp"
#include "commands/process_managers/removal_runner.hpp"
#include "platform/keyring.hpp"
#include "platform/settings.hpp"
#include "workers/backfill/backfill_worker.hpp"
#include "workers/thumbnails/thumbnail_worker.hpp"

namespace annolog::app {

class BackgroundWork {
 public:
  BackgroundWork(const platform::Settings& settings, const eventstore::EventLog& log,
                 const platform::Keyring& keyring, const workers::ThumbnailWorker::Parts& parts);

  void start();
  // Nothing further begins; what is under way is waited for by stop(), so the bus must answer it.
  void finish();
  void stop();

  void owned(eventstore::ShardId shard, bool is);
  void on_event(eventstore::Position at, const Event& event);
  // Of all shards, before a read may see it (WebhookWork::types_and()).
  void follow(eventstore::Position at, const Event& event) { webhooks_.follow(at, event); }

 private:
  commands::LinkRunner links_;
  commands::RemovalRunner removals_;
  commands::DatasetChoreRunner chores_;
  workers::ThumbnailWorker thumbnails_;
  workers::BackfillWorker backfills_;
  commands::LockCleaner locks_;
  commands::JobCleaner jobs_;
  const JobCounts job_counts_;
  WebhookWork webhooks_;
};

}  // namespace annolog::app
