#include "workers/import/import.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "workers/import/document_reader.hpp"

namespace annolog::workers {
namespace {

constexpr std::size_t kInFlight = 8;
constexpr int kTriesMax = 6;
constexpr std::chrono::milliseconds kFirstPause{100};

// Sends commands, several at once, and gathers what comes of them.
class Sending {
 public:
  Sending(const ImportSurroundings& around, ImportProblems& problems, ImportReport& report)
      : around_(around), problems_(problems), report_(report) {}
  ~Sending() { settle(0); }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;

  // False: nothing more is to be sent.
  bool send(ImportAnnotations command, std::vector<DocumentPlace> places) {
    start(std::make_shared<Sent>(Sent{std::move(command), std::move(places), 0}));
    settle(kInFlight - 1);
    const std::lock_guard guard(mutex_);
    return !failure_;
  }

  Result<void> finish() {
    settle(0);
    const std::lock_guard guard(mutex_);
    if (failure_) return *failure_;
    return success();
  }

 private:
  struct Sent {
    ImportAnnotations command;
    std::vector<DocumentPlace> places;  // in the document, by shape
    int tries = 0;
  };

  void start(const std::shared_ptr<Sent>& sent) {
    {
      const std::lock_guard guard(mutex_);
      ++in_flight_;
      ++sent->tries;
    }
    around_.send(sent->command,
                 [this, sent](Result<ImportOutcome> outcome) { came(sent, std::move(outcome)); });
  }

  void came(const std::shared_ptr<Sent>& sent, Result<ImportOutcome> outcome) {
    const std::lock_guard guard(mutex_);
    if (outcome) {
      take(*sent, outcome.value());
    } else if (outcome.error().kind == DomainError::Kind::unavailable && sent->tries < kTriesMax &&
               !failure_) {
      again_.push_back(sent);
    } else {
      refuse(*sent, outcome.error());
    }
    --in_flight_;
    changed_.notify_all();
  }

  void take(const Sent& sent, const ImportOutcome& outcome) {
    report_.imported += outcome.imported;
    report_.skipped += outcome.skipped;
    for (const auto& problem : outcome.problems) {
      problems_.note(sent.places.at(static_cast<std::size_t>(problem.index)), problem.code,
                     problem.message);
    }
  }

  void refuse(const Sent& sent, const DomainError& error) {
    using Kind = DomainError::Kind;
    if (error.kind != Kind::conflict && error.kind != Kind::not_found) {
      if (!failure_) failure_ = error;
      return;
    }
    const bool gone = error.kind == Kind::not_found;
    for (const auto& place : sent.places) {
      problems_.note(place, gone ? "TASK_NOT_FOUND" : error.code, error.message);
    }
  }

  // Until at most `under_way` are under way and none waits to be sent again.
  void settle(std::size_t under_way) {
    for (;;) {
      std::shared_ptr<Sent> next;
      {
        std::unique_lock guard(mutex_);
        changed_.wait(guard, [&] { return in_flight_ <= under_way || !again_.empty(); });
        if (again_.empty()) return;
        next = std::move(again_.front());
        again_.pop_front();
        if (failure_) continue;
      }
      std::this_thread::sleep_for(kFirstPause * (1 << (next->tries - 1)));
      start(next);
    }
  }

  const ImportSurroundings& around_;
  ImportProblems& problems_;
  ImportReport& report_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t in_flight_ = 0;
  std::deque<std::shared_ptr<Sent>> again_;
  std::optional<DomainError> failure_;
};

const char* source_of(ImportFormat format) {
  switch (format) {
    case ImportFormat::coco: return "import:coco";
    case ImportFormat::yolo: return "import:yolo";
    case ImportFormat::voc: return "import:voc";
    case ImportFormat::native_json: break;
  }
  return "import:native_json";
}

Result<void> read_document(DocumentReading& reading) {
  switch (reading.plan.format) {
    case ImportFormat::coco: return read_coco(reading);
    case ImportFormat::yolo: return read_yolo(reading);
    case ImportFormat::voc: return read_voc(reading);
    case ImportFormat::native_json: break;
  }
  return read_native_json(reading);
}

// /annotations/12, labels/a.txt:3, Annotations/a.xml#object/2; an entry alone when all of it is
// meant.
std::string name_of(DocumentPlace place, ImportFormat format, EntryNames& entries) {
  const std::string row = std::to_string(place.row);
  if (format == ImportFormat::coco || format == ImportFormat::native_json) {
    constexpr const char* kLists[] = {"/categories/", "/images/", "/annotations/"};
    return kLists[place.part] + row;
  }
  const std::string entry = entries.name_at(place.part);
  if (place.row == 0) return entry;
  return entry + (format == ImportFormat::yolo ? ":" : "#object/") + row;
}

void send_all(DocumentReading& reading, Sending& sending) {
  const ImportPlan& plan = reading.plan;
  reading.spill.each_task([&](std::uint32_t task, std::vector<SpilledShape> shapes, bool too_many) {
    if (reading.stopping()) return false;
    if (too_many) {
      for (const auto& one : shapes) {
        reading.bad(one.place, DocumentReading::kTooManyShapes,
                    DocumentReading::kTooManyShapesMessage);
      }
      return true;
    }
    ImportAnnotations command{.project_id = plan.project_id,
                              .task_id = reading.tasks[task].id,
                              .source = source_of(plan.format),
                              .shapes = {},
                              .dry_run = plan.dry_run};
    std::vector<DocumentPlace> places;
    for (auto& one : shapes) {
      command.shapes.push_back(std::move(one.shape));
      places.push_back(one.place);
    }
    return sending.send(std::move(command), std::move(places));
  });
}

DomainError stopped() {
  return {DomainError::Kind::unavailable,
          "SERVICE_STOPPING",
          "The service stops; import the document again to go on.",
          {},
          {},
          5};
}

}  // namespace

DomainError bad_document(std::string code, std::string message) {
  return {DomainError::Kind::invalid, std::move(code), std::move(message), {}, {}, 0};
}

Result<ImportReport> import_annotations(const std::filesystem::path& document,
                                        const TaskIndex& tasks, const ImportPlan& plan,
                                        const ImportSurroundings& around) {
  ImportReport report;
  ImportProblems problems;
  ShapeSpill spill(around.scratch, tasks.size());
  EntryNames entries(around.scratch / "entry-names");
  DocumentReading reading{.document = document,
                          .tasks = tasks,
                          .plan = plan,
                          .spill = spill,
                          .problems = problems,
                          .entries = entries,
                          .unmatched = 0,
                          .stopping = around.stopping};
  BOOST_OUTCOME_TRY(read_document(reading));
  {
    Sending sending(around, problems, report);
    send_all(reading, sending);
    BOOST_OUTCOME_TRY(sending.finish());
  }
  if (around.stopping()) return stopped();
  report.unmatched = reading.unmatched;
  report.error_count = problems.count();
  report.errors_by_code = problems.count_by_code();
  report.errors =
      problems.in_order([&](DocumentPlace place) { return name_of(place, plan.format, entries); });
  return report;
}

}  // namespace annolog::workers
