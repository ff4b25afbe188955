#include "workers/audit/archive_worker.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "commands/send_step.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/job/commands.hpp"
#include "platform/encoding.hpp"
#include "platform/give_way.hpp"
#include "platform/named_thread.hpp"
#include "platform/random.hpp"
#include "projections/jobs/queries.hpp"
#include "workers/audit/gzip.hpp"

namespace annolog::workers {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::int64_t kJobsALook = 10;
// Well within the lease; how soon a cancelled job is given up, too.
constexpr std::chrono::seconds kAdvanceEvery{2};
constexpr std::size_t kErrorBytes = 2'000;

// What is to be tried again by whoever claims the job next: the database is away, the store is
// full, the process ends.
struct PutOff : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ArchiveResult {
  std::string key;
  std::int64_t size_bytes = 0;
  std::string sha256;
  std::int64_t rows = 0;
  Timestamp from;
  Timestamp to;
  std::vector<AuditEnd> audit;
};
BOOST_DESCRIBE_STRUCT(ArchiveResult, (), (key, size_bytes, sha256, rows, from, to, audit))

// A time in the name of a file: 20261124T081500000Z.
std::string compact(Timestamp at) {
  std::string text = to_rfc3339(at);
  std::erase_if(text, [](char c) { return c == '-' || c == ':' || c == '.'; });
  return text;
}

Timestamp before_of(const JobState& job) {
  const auto payload = nlohmann::json::parse(job.payload.text);
  const auto at = from_rfc3339(payload.at("before").get<std::string>());
  if (!at) throw std::runtime_error("the job does not say before when");
  return *at;
}

template <class T>
T granted(Result<T> result) {
  if (result) return std::move(result).value();
  if (result.error().kind == DomainError::Kind::unavailable) throw PutOff(result.error().message);
  throw std::runtime_error(result.error().message);
}

// The file on its way into the store: compressed, measured, digested; its digest lies beside it, as
// sha256sum(1) writes and checks it.
class StoredArchive {
 public:
  StoredArchive(platform::ObjectStore& objects, const std::string& key)
      : objects_(objects),
        key_(granted(platform::ObjectKey::parse(key))),
        sum_key_(granted(platform::ObjectKey::parse(key + ".sha256"))),
        writer_(begin_anew(key_)),
        gzip_([this](std::string_view bytes) { put(bytes); }) {}

  void write(std::string_view bytes) { gzip_.write(bytes); }
  // Nobody can write it again afterwards.
  void commit(ArchiveResult& result) {
    gzip_.finish();
    result.size_bytes = end(key_, *writer_);
    result.key = key_.text();
    result.sha256 = platform::to_hex(platform::as_bytes_view(digest_.finish()));
    const auto sum = begin_anew(sum_key_);
    const std::string name = result.key.substr(result.key.rfind('/') + 1);
    add(*sum, result.sha256 + "  " + name + "\n");
    end(sum_key_, *sum);
  }
  void take_back() {
    granted(objects_.remove(sum_key_));
    granted(objects_.remove(key_));
  }

 private:
  void put(std::string_view bytes) {
    digest_.update(bytes);
    add(*writer_, bytes);
  }

  static void add(platform::ObjectWriter& writer, std::string_view bytes) {
    granted(writer.write(std::as_bytes(std::span(bytes))));
  }

  // What an earlier attempt left is sealed: it can only be removed.
  std::unique_ptr<platform::ObjectWriter> begin_anew(const platform::ObjectKey& key) {
    granted(objects_.remove(key));
    return granted(objects_.begin_write(key, {}));
  }

  // Sealed, and how large.
  std::int64_t end(const platform::ObjectKey& key, platform::ObjectWriter& writer) {
    const auto size = static_cast<std::int64_t>(granted(writer.commit()).size_bytes);
    granted(objects_.set_sealed(key, true));
    return size;
  }

  platform::ObjectStore& objects_;
  const platform::ObjectKey key_;
  const platform::ObjectKey sum_key_;
  std::unique_ptr<platform::ObjectWriter> writer_;
  platform::Sha256 digest_;
  GzipWriter gzip_;
};

}  // namespace

ArchiveWorker::ArchiveWorker(Parts parts, std::chrono::milliseconds look_every)
    : parts_(std::move(parts)), look_every_(look_every) {}

ArchiveWorker::~ArchiveWorker() { stop(); }

void ArchiveWorker::start() {
  thread_ = platform::named_thread("archive", [this] { run(); });
}

void ArchiveWorker::finish() {
  {
    const std::lock_guard guard(mutex_);
    finishing_ = true;
  }
  news_.notify_one();
}

void ArchiveWorker::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void ArchiveWorker::on_event(const Event& event) {
  const auto* queued = std::get_if<JobQueued>(&event);
  if (queued == nullptr || queued->kind != JobKind::audit_archive) return;
  {
    const std::lock_guard guard(mutex_);
    there_is_news_ = true;
  }
  news_.notify_one();
}

void ArchiveWorker::run() {
  platform::give_way();
  while (!finishing_) {
    if (do_one()) continue;
    std::unique_lock guard(mutex_);
    news_.wait_for(guard, look_every_, [&] { return finishing_ || there_is_news_; });
    there_is_news_ = false;
  }
}

bool ArchiveWorker::do_one() {
  try {
    if (!parts_.await_reads()) return false;
    const auto free = projections::JobQueries(parts_.reads)
                          .free_ones(JobKind::audit_archive, parts_.clock.now(), kJobsALook);
    for (const JobId id : free) {
      if (finishing_) return false;
      const auto job = claim(id);
      if (!job) continue;
      archive(*job);
      return true;
    }
  } catch (const std::exception& error) {
    if (!finishing_) parts_.logger.warn("audit archives wait", {{"reason", error.what()}});
  }
  return false;
}

JobState ArchiveWorker::told(commands::Command command) {
  const auto outcome = commands::send_step(parts_.bus, parts_.clock, std::move(command)).get();
  if (!outcome.reply) throw PutOff(outcome.reply.error().message);
  return std::get<JobState>(outcome.reply.value());
}

// Of those that claim at once one finds itself in the answer; a claim is never given twice.
std::optional<JobState> ArchiveWorker::claim(JobId id) {
  const std::string me = parts_.name + "." + platform::to_hex(platform::random_bytes(4));
  JobState job = told(ClaimJob{id, me});
  if (job.status != JobStatus::running || job.worker != me) return std::nullopt;
  return job;
}

bool ArchiveWorker::advance(const JobState& job, std::int64_t progress_pct) {
  const JobState now = told(AdvanceJob{job.id, job.claim, progress_pct});
  return now.status == JobStatus::running && now.claim == job.claim;
}

void ArchiveWorker::archive(const JobState& job) {
  try {
    AuditScope scope;
    scope.to = before_of(job);
    projections::AuditSnapshot snapshot(parts_.reads, scope);
    const auto header = header_of(snapshot, scope, parts_.log, parts_.clock.now());
    ArchiveResult result;
    result.to = *scope.to;
    result.from = snapshot.first_at().value_or(result.to);
    result.audit = header.audit;
    std::int64_t all = 0;
    for (const AuditEnd& head : header.audit) all += head.number - head.after;
    StoredArchive stored(parts_.objects, "audit/archive-" + compact(result.from) + "-" +
                                             compact(result.to) + "-" +
                                             std::to_string(job.id.value) + ".ndjson.gz");
    AuditFileWriter writer([&](std::string_view bytes) { stored.write(bytes); },
                           AuditFraming::ndjson, parts_.signer);
    auto told_at = Steady::now();
    const bool whole =
        // Nothing is opened: what lies in the store outlasts an erasure.
        write_audit_file(snapshot, header, writer, {}, [&](std::int64_t rows) {
          if (finishing_) throw PutOff("the process ends");
          if (Steady::now() - told_at < kAdvanceEvery) return true;
          told_at = Steady::now();
          return advance(job, rows * 100 / std::max<std::int64_t>(all, 1));
        });
    // Once more before it is there for all to see: it may have been cancelled meanwhile.
    if (!whole || !advance(job, 99)) return;
    stored.commit(result);
    result.rows = writer.rows();
    const JobState end = told(CompleteJob{job.id, job.claim, {codec::to_json_text(result)}});
    if (end.status == JobStatus::cancelled) stored.take_back();
  } catch (const PutOff& why) {
    parts_.logger.warn("an audit archive is put off",
                       {{"job", job.id.value}, {"reason", why.what()}});
  } catch (const projections::ReadUnavailable& why) {
    parts_.logger.warn("an audit archive is put off",
                       {{"job", job.id.value}, {"reason", why.what()}});
  } catch (const std::exception& error) {
    parts_.logger.error("an audit archive failed",
                        {{"job", job.id.value}, {"error", error.what()}});
    told(FailJob{job.id, job.claim, std::string(error.what()).substr(0, kErrorBytes)});
  }
}

}  // namespace annolog::workers
