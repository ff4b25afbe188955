#include "app/client/upload.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "app/client/digest.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;

// A signed URL may run out while a file waits: so often a new one is asked for.
constexpr int kSignedUrlsMax = 3;

// The dataset's items by content hash.
struct Known {
  std::int64_t item_id = 0;
  bool ready = false;
};
using KnownItems = std::map<std::string, Known>;

std::string items_path(std::int64_t dataset_id) {
  return "/datasets/" + std::to_string(dataset_id) + "/items";
}

Called<KnownItems> known_items(ApiClient& api, std::int64_t dataset_id) {
  KnownItems known;
  if (dataset_id == 0) return known;
  BOOST_OUTCOME_TRY(api.each(items_path(dataset_id), [&known](const json& item) {
    const auto hash = item.find("content_hash");
    const auto id = item.find("id");
    if (hash == item.end() || !hash->is_string() || id == item.end() || !id->is_number_integer()) {
      return true;
    }
    const bool ready = item.value("status", "ready") == "ready";
    Known& entry = known[hash->get<std::string>()];
    if (!entry.ready) entry = {id->get<std::int64_t>(), ready};
    return true;
  }));
  return known;
}

struct Stored {
  std::int64_t item_id = 0;
  bool present = false;  // it was there before
};

bool is_duplicate(const CallError& error) {
  return error.status == 409 && error.code == "DUPLICATE";
}

Stored duplicate(const CallError& error) {
  const auto of = error.detail.find("duplicate_of");
  const bool named = of != error.detail.end() && of->is_number_integer();
  return {named ? of->get<std::int64_t>() : 0, true};
}

// One file's way into the dataset. Belongs to one worker thread.
class FileUpload {
 public:
  FileUpload(ApiClient& api, std::int64_t dataset_id, Progress& progress)
      : api_(api), dataset_id_(dataset_id), progress_(progress) {}

  Called<Stored> run(const FolderImage& image, const std::string& md5, const KnownItems& known) {
    // An earlier run may have been stopped between the upload and its completion.
    if (const auto found = known.find(md5); found != known.end() && !found->second.ready) {
      if (complete(found->second.item_id)) return Stored{found->second.item_id, true};
    }
    for (int round = 1;; ++round) {
      auto begun = api_.post(items_path(dataset_id_) + "/upload-init",
                             {{"file_name", image.file_name},
                              {"file_size", image.bytes},
                              {"content_type", image.content_type},
                              {"content_hash", md5}},
                             fresh_key(md5));
      if (!begun) {
        if (is_duplicate(begun.error())) return duplicate(begun.error());
        return begun.error();
      }
      auto sent = send(image, begun.value().body);
      // The same bytes under another name may have been completed first.
      if (!sent && is_duplicate(sent.error())) return duplicate(sent.error());
      // 410: the URL's time ran out, e.g. after long waits for a busy service.
      const bool expired = !sent && sent.error().status == 410 && round < kSignedUrlsMax;
      if (!expired) return sent;
    }
  }

 private:
  Called<Stored> send(const FolderImage& image, const json& begun) {
    const auto id = begun.find("item_id");
    const auto url = begun.find("upload_url");
    if (id == begun.end() || !id->is_number_integer() || url == begun.end() || !url->is_string()) {
      return CallError{201, "", "upload-init answered without item_id or upload_url", {}};
    }
    const auto item_id = id->get<std::int64_t>();
    BOOST_OUTCOME_TRY(api_.put_file(url->get<std::string>(), begun.value("headers", json::object()),
                                    image.path, image.bytes,
                                    [this](std::uint64_t bytes) { progress_.add_bytes(bytes); }));
    BOOST_OUTCOME_TRY(complete(item_id));
    return Stored{item_id, false};
  }

  Called<ApiReply> complete(std::int64_t item_id) {
    const std::string id = std::to_string(item_id);
    return api_.post(items_path(dataset_id_) + "/upload-complete/" + id, json::object(),
                     fresh_key("complete-" + id));
  }

  ApiClient& api_;
  const std::int64_t dataset_id_;
  Progress& progress_;
};

// What the worker threads share.
class Crew {
 public:
  Crew(const std::shared_ptr<Session>& session, const UploadPlan& plan,
       const std::vector<FolderImage>& images, const KnownItems& known, Progress& progress)
      : session_(session), plan_(plan), images_(images), known_(known), progress_(progress) {}

  UploadReport run() {
    {
      std::vector<std::unique_ptr<ApiClient>> clients;
      std::vector<std::jthread> threads;
      const auto count = std::min<std::size_t>(
          static_cast<std::size_t>(std::clamp(plan_.parallel, 1, 32)), images_.size());
      for (std::size_t i = 0; i < count; ++i) {
        clients.push_back(std::make_unique<ApiClient>(session_));
        threads.emplace_back([this, api = clients.back().get()] { work(*api); });
      }
    }
    return std::move(report_);
  }

 private:
  void work(ApiClient& api) {
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= images_.size() || given_up_.load()) return;
      const FolderImage& image = images_[index];
      try {
        settle(image, one(api, image));
      } catch (const std::exception& fault) {
        settle(image, CallError{0, "", fault.what(), {}});
      }
      progress_.done_one();
    }
  }

  Called<Stored> one(ApiClient& api, const FolderImage& image) {
    const std::string md5 = md5_of_file(image.path);
    const auto found = known_.find(md5);
    if (found != known_.end() && found->second.ready) return Stored{found->second.item_id, true};
    if (plan_.dry_run) return Stored{0, !is_new(md5)};
    return FileUpload(api, plan_.dataset_id, progress_).run(image, md5, known_);
  }

  // Of a dry run: the same bytes are uploaded once.
  bool is_new(const std::string& md5) {
    const std::lock_guard lock(mutex_);
    return looked_at_.insert(md5).second;
  }

  void settle(const FolderImage& image, const Called<Stored>& outcome) {
    const std::lock_guard lock(mutex_);
    if (outcome) {
      ++(outcome.value().present ? report_.present : report_.uploaded);
      if (!outcome.value().present) report_.bytes += image.bytes;
      report_.item_of_file[image.file_name] = outcome.value().item_id;
      return;
    }
    ++report_.failed;
    const CallError& error = outcome.error();
    progress_.note("error: " + image.file_name + ": " + error.text());
    // Without credentials, rights or a service no other file would fare better.
    const bool hopeless = error.code == "NO_REPLY" || error.status == 401 ||
                          (error.status == 403 && error.code == "FORBIDDEN");
    if (hopeless && !given_up_.exchange(true)) report_.fatal = error.text();
  }

  const std::shared_ptr<Session>& session_;
  const UploadPlan& plan_;
  const std::vector<FolderImage>& images_;
  const KnownItems& known_;
  Progress& progress_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> given_up_{false};
  std::mutex mutex_;
  std::set<std::string> looked_at_;
  UploadReport report_;
};

}  // namespace

UploadReport upload_images(const std::shared_ptr<Session>& session, const UploadPlan& plan,
                           const std::vector<FolderImage>& images, Progress& progress) {
  ApiClient api(session);
  const auto known = known_items(api, plan.dataset_id);
  if (!known) {
    UploadReport report;
    report.failed = images.size();
    report.fatal = "cannot list the dataset's items: " + known.error().text();
    return report;
  }
  return Crew(session, plan, images, known.value(), progress).run();
}

}  // namespace annolog::client
