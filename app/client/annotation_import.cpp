#include "app/client/annotation_import.hpp"

#include <algorithm>
#include <chrono>

#include "app/client/digest.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;

// Linking makes tasks step by step; so often, each time waiting longer, the list is read again.
constexpr int kListingsMax = 8;
constexpr std::chrono::milliseconds kFirstListingDelay{100};

struct Task {
  std::int64_t id = 0;
  std::int64_t annotation_count = 0;
  std::string status;
};

// Tasks by item id and by file name, those of this dataset only.
struct TaskIndex {
  std::map<std::int64_t, Task> by_item;
  std::map<std::string, Task> by_file;
};

std::int64_t integer(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

class Filler {
 public:
  Filler(ApiClient& api, const AnnotationPlan& plan, const CocoDocument& coco, Progress& progress)
      : api_(api), plan_(plan), coco_(coco), progress_(progress) {}

  AnnotationReport run() {
    if (const auto listed = wait_for_tasks(); !listed) {
      progress_.note("error: cannot list the tasks: " + listed.error().text());
      report_.failed = coco_.images.size();
      return report_;
    }
    for (const auto& [file_name, image] : coco_.images) {
      fill(image);
      progress_.done_one();
    }
    return report_;
  }

 private:
  const Task* task_of(const std::string& file_name) const {
    const auto item = plan_.item_of_file.find(file_name);
    if (item != plan_.item_of_file.end()) {
      const auto found = index_.by_item.find(item->second);
      if (found != index_.by_item.end()) return &found->second;
    }
    const auto found = index_.by_file.find(file_name);
    return found == index_.by_file.end() ? nullptr : &found->second;
  }

  Called<bool> list() {
    index_ = {};
    const std::string path = "/tasks?project_id=" + std::to_string(plan_.project_id);
    return api_.each(path, [this](const json& one) {
      const std::int64_t dataset = integer(one, "dataset_id");
      if (dataset != 0 && dataset != plan_.dataset_id) return true;
      const Task task{integer(one, "id"), integer(one, "annotation_count"), text(one, "status")};
      if (const auto item = integer(one, "dataset_item_id"); item != 0) {
        index_.by_item.emplace(item, task);
      }
      index_.by_file.emplace(text(one, "file_name"), task);
      return true;
    });
  }

  // Only files that were uploaded can be expected to have a task.
  bool all_there() const {
    return std::ranges::all_of(coco_.images, [this](const auto& entry) {
      return entry.second.shapes.empty() || !plan_.item_of_file.contains(entry.first) ||
             task_of(entry.first) != nullptr;
    });
  }

  Called<bool> wait_for_tasks() {
    for (int listing = 1;; ++listing) {
      BOOST_OUTCOME_TRY(list());
      if (all_there() || listing == kListingsMax) return true;
      api_.session().wait(kFirstListingDelay * (1 << (listing - 1)));
    }
  }

  void fail(const std::string& file_name, const std::string& why) {
    ++report_.failed;
    progress_.note("error: annotations of " + file_name + ": " + why);
  }

  void fill(const CocoImage& image) {
    if (image.shapes.empty()) return;
    const Task* task = task_of(image.file_name);
    if (task == nullptr) return fail(image.file_name, "no task has this file name");
    const json shapes = shapes_of(image, plan_.prefer_polygons);
    // A call is taken whole or not at all, so a count that is a multiple of a full call is one
    // that an earlier run left behind.
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(task->annotation_count, 0));
    const bool begun = count > 0 && count < shapes.size() && count % kShapesACallMax == 0;
    const bool open =
        task->status != "submitted" && task->status != "review" && task->status != "completed";
    if (!open || (count > 0 && !begun)) {
      ++report_.tasks_left_alone;
      return;
    }
    for (std::size_t from = count; from < shapes.size(); from += kShapesACallMax) {
      const auto first = shapes.begin() + static_cast<std::ptrdiff_t>(from);
      const auto size = std::min(kShapesACallMax, shapes.size() - from);
      const json part(std::vector<json>(first, first + static_cast<std::ptrdiff_t>(size)));
      if (const auto sent = submit(*task, part); !sent) {
        return fail(image.file_name, sent.error().text());
      }
      report_.shapes_added += size;
    }
    ++report_.tasks_filled;
  }

  Called<ApiReply> submit(const Task& task, const json& shapes) {
    const std::string path = "/tasks/" + std::to_string(task.id);
    const json body{{"shapes", shapes}};
    const std::string key = "import-" + sha256_of(path + "\n" + body.dump());
    if (task.status != "pending" && task.status != "assigned") {
      auto sent = api_.post(path + "/annotations?submit=false", body, key);
      const bool needs_lock =
          !sent && sent.error().status == 409 &&
          (sent.error().code == "TASK_NOT_EDITABLE" || sent.error().code == "TASK_NOT_HELD");
      if (!needs_lock) return sent;
    }
    // A lock begins a task that nobody has begun, or takes it over; it is left free afterwards.
    // The refused call's key may stand for its refusal: this one has its own.
    BOOST_OUTCOME_TRY(api_.post(path + "/lock", json::object(), fresh_key("lock")));
    auto sent = api_.post(path + "/annotations?submit=false", body, key + "-held");
    const auto freed = api_.erase(path + "/lock", fresh_key("unlock"));
    if (!freed) progress_.note("warning: " + path + " stays locked: " + freed.error().text());
    return sent;
  }

  ApiClient& api_;
  const AnnotationPlan& plan_;
  const CocoDocument& coco_;
  Progress& progress_;
  TaskIndex index_;
  AnnotationReport report_;
};

}  // namespace

AnnotationReport import_annotations(ApiClient& api, const AnnotationPlan& plan,
                                    const CocoDocument& coco, Progress& progress) {
  return Filler(api, plan, coco, progress).run();
}

}  // namespace annolog::client
