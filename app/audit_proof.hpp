// Checkpoints, audit exports and archives, joined to the log, the keys and the read models.
#pragma once

#include <atomic>

#include "api/services.hpp"
#include "eventstore/event_log.hpp"
#include "platform/keyring.hpp"
#include "platform/settings.hpp"
#include "workers/audit/archive_worker.hpp"
#include "workers/audit/checkpointer.hpp"

namespace annolog::app {

// What the checkpointer asks of a log.
workers::LogEnds log_ends(const eventstore::EventLog& log);

// start() and the ends belong to one thread, the rest to any.
class AuditProof {
 public:
  struct Parts {
    const platform::Settings& settings;
    const eventstore::EventLog& log;
    commands::CommandBus& bus;
    projections::ReadPool& reads;
    projections::ReadPool& shared;  // that writes
    projections::ReadBarrier& barrier;
    platform::ObjectStore& objects;
    const platform::Keyring& keyring;
    const api::PersonKeys& keys_of_persons;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
  };

  explicit AuditProof(const Parts& parts);

  void start();
  // No further archive begins; the one under way is waited for by stop_archives(), so the bus must
  // answer it.
  void finish();
  void stop_archives() { archives_.stop(); }
  // Signs what was written last: once nothing is appended any more.
  void stop_checkpoints() { checkpoints_.stop(); }
  void on_event(const Event& event) { archives_.on_event(event); }

  api::OpenAuditExport open_export() const;
  api::SigningPublicKeys public_keys() const;

 private:
  workers::ArchiveWorker::Parts archive_parts() const;
  workers::Checkpointer::Parts checkpoint_parts() const;
  bool await_reads() const;

  const Parts parts_;
  const api::PersonalData personal_data_;
  const projections::Unseal unseal_;  // origins of requests
  const workers::StatementSigner signer_;
  const workers::AuditLog audit_log_;
  std::atomic<bool> finishing_{false};
  workers::ArchiveWorker archives_;
  workers::Checkpointer checkpoints_;
};

}  // namespace annolog::app
