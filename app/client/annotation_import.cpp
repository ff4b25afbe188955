#include "app/client/annotation_import.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <system_error>

namespace annolog::client {
namespace {

using nlohmann::json;

// Linking makes tasks step by step; so often, each time waiting longer, the list is read again.
constexpr int kListingsMax = 8;
constexpr std::chrono::milliseconds kFirstListingDelay{100};

std::int64_t integer(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

// What the reading of the file has said before anything was sent.
bool told_before(const std::string& code) {
  static const std::set<std::string> kCodes{
      "DUPLICATE_ID",     "IMAGE_SIZE_UNKNOWN", "INVALID_CATEGORY", "INVALID_IMAGE",
      "SHAPE_UNREADABLE", "UNKNOWN_CATEGORY",   "UNKNOWN_IMAGE"};
  return kCodes.contains(code);
}

class Filler {
 public:
  Filler(ApiClient& api, const AnnotationPlan& plan, const CocoDocument& coco, Progress& progress)
      : api_(api), plan_(plan), coco_(coco), progress_(progress) {}

  AnnotationReport run() {
    if (const auto listed = wait_for_tasks(); !listed) {
      return give_up("cannot list the tasks: " + listed.error().text());
    }
    std::error_code fault;
    const auto bytes = std::filesystem::file_size(plan_.document, fault);
    if (fault) return give_up(plan_.document.string() + ": " + fault.message());
    const auto sent = api_.post_file("/projects/" + std::to_string(plan_.project_id) +
                                         "/annotations/import?format=coco&shapes=" +
                                         (plan_.prefer_polygons ? "polygons" : "boxes"),
                                     plan_.document, bytes);
    if (!sent) return give_up("the annotations were not imported: " + sent.error().text());
    for (std::size_t i = 0; i < coco_.images.size(); ++i) progress_.done_one();
    return read(sent.value().body);
  }

 private:
  AnnotationReport give_up(const std::string& why) {
    progress_.note("error: " + why);
    AnnotationReport report;
    report.failed = static_cast<std::int64_t>(coco_.shape_count);
    return report;
  }

  Called<bool> list() {
    const std::string path = "/tasks?project_id=" + std::to_string(plan_.project_id);
    return api_.each(path, [this](const json& one) {
      const std::int64_t dataset = integer(one, "dataset_id");
      if (dataset != 0 && dataset != plan_.dataset_id) return true;
      items_.insert(integer(one, "dataset_item_id"));
      files_.insert(text(one, "file_name"));
      return true;
    });
  }

  // Only files that were uploaded can be expected to have a task.
  bool all_there() const {
    return std::ranges::all_of(coco_.images, [this](const auto& entry) {
      const auto item = plan_.item_of_file.find(entry.first);
      return entry.second == 0 || item == plan_.item_of_file.end() ||
             items_.contains(item->second) || files_.contains(entry.first);
    });
  }

  Called<bool> wait_for_tasks() {
    for (int listing = 1;; ++listing) {
      BOOST_OUTCOME_TRY(list());
      if (all_there() || listing == kListingsMax) return true;
      api_.session().wait(kFirstListingDelay * (1 << (listing - 1)));
    }
  }

  AnnotationReport read(const json& reply) {
    AnnotationReport report;
    if (!reply.is_object()) return give_up("the answer to the import is no object");
    report.shapes_added = integer(reply, "imported");
    report.already_there = integer(reply, "skipped");
    const auto by_code = reply.find("errors_by_code");
    if (by_code != reply.end() && by_code->is_object()) {
      for (const auto& [code, count] : by_code->items()) {
        if (told_before(code) || !count.is_number_integer()) continue;
        const bool past = code == "TASK_NOT_EDITABLE";
        (past ? report.left_alone : report.failed) += count.get<std::int64_t>();
      }
    }
    note_errors(reply);
    return report;
  }

  void note_errors(const json& reply) {
    const auto errors = reply.find("errors");
    if (errors == reply.end() || !errors->is_array()) return;
    for (const json& one : *errors) {
      if (!one.is_object()) continue;
      const std::string code = text(one, "code");
      if (told_before(code) || code == "TASK_NOT_EDITABLE") continue;
      progress_.note("error: " + plan_.document.string() + ": " + text(one, "place") + ": " + code +
                     ": " + text(one, "message"));
    }
  }

  ApiClient& api_;
  const AnnotationPlan& plan_;
  const CocoDocument& coco_;
  Progress& progress_;
  std::set<std::int64_t> items_;  // that have a task in this project, of this dataset only
  std::set<std::string> files_;
};

}  // namespace

AnnotationReport import_annotations(ApiClient& api, const AnnotationPlan& plan,
                                    const CocoDocument& coco, Progress& progress) {
  return Filler(api, plan, coco, progress).run();
}

}  // namespace annolog::client
