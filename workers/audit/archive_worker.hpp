// Does the jobs of kind audit_archive (domain/job): the audit rows from before a moment, as a
// compressed file in the object store that can be checked without the service. It looks for free
// jobs in the read models, claims one by a command, renews its lease as it goes, and gives up when
// the answer says that the job is cancelled or another one's. What a killed one has written is not
// visible in the store; whoever claims the job next begins anew.
// One thread that gives way to others. on_event() from any.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "commands/bus.hpp"
#include "domain/events.hpp"
#include "domain/job/state.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/objects/object_store.hpp"
#include "projections/queries/read_pool.hpp"
#include "workers/audit/audit_export.hpp"

namespace annolog::workers {

class ArchiveWorker {
 public:
  struct Parts {
    commands::CommandBus& bus;
    projections::ReadPool& reads;
    platform::ObjectStore& objects;
    const platform::Clock& clock;
    platform::Logger& logger;
    const StatementSigner& signer;
    AuditLog log;
    // Until the read models show all that is in the log now; false: they are behind.
    std::function<bool()> await_reads;
    std::string name;  // of this process, shown with the jobs it takes
  };
  static constexpr std::chrono::milliseconds kLookEvery{2'000};

  explicit ArchiveWorker(Parts parts, std::chrono::milliseconds look_every = kLookEvery);
  ~ArchiveWorker();
  ArchiveWorker(const ArchiveWorker&) = delete;
  ArchiveWorker& operator=(const ArchiveWorker&) = delete;

  void start();
  // No further rows are written; what is sent is waited for by stop(), so the bus must answer.
  void finish();
  void stop();

  void on_event(const Event& event);

 private:
  void run();
  // Whether there was one to do.
  bool do_one();
  std::optional<JobState> claim(JobId id);
  void archive(const JobState& job);
  // Whether the job is still this worker's.
  bool advance(const JobState& job, std::int64_t progress_pct);
  JobState told(commands::Command command);

  const Parts parts_;
  const std::chrono::milliseconds look_every_;
  std::mutex mutex_;
  std::condition_variable news_;
  bool there_is_news_ = false;
  std::atomic<bool> finishing_{false};
  std::thread thread_;
};

}  // namespace annolog::workers
