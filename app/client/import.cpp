#include "app/client/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <stdexcept>

#include "app/client/annotation_import.hpp"
#include "app/client/class_list.hpp"
#include "app/client/coco_document.hpp"
#include "app/client/import_folder.hpp"
#include "app/client/project_lookup.hpp"
#include "app/client/upload.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t kClassesGibMax = 1;
constexpr std::uintmax_t kCocoGibMax = 4;  // what the service takes

struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Unusable unreadable(const fs::path& file) { return Unusable("cannot read " + file.string()); }

std::ifstream open_document(const fs::path& file, std::uintmax_t gib_max) {
  std::error_code fault;
  if (const auto bytes = fs::file_size(file, fault); fault || bytes > gib_max << 30) {
    throw Unusable(file.string() + ": " +
                   (fault ? fault.message() : fmt::format("larger than {} GiB", gib_max)));
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw unreadable(file);
  return in;
}

json read_classes(const fs::path& file) {
  std::ifstream in = open_document(file, kClassesGibMax);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw unreadable(file);
  auto classes = parse_classes(text);
  if (!classes) throw Unusable(file.string() + ": " + classes.error().message);
  return std::move(classes).value();
}

CocoDocument read_coco_file(const fs::path& file) {
  std::ifstream in = open_document(file, kCocoGibMax);
  auto coco = read_coco(in);
  if (in.bad()) throw unreadable(file);
  if (!coco) throw Unusable(file.string() + ": " + coco.error().message);
  return std::move(coco).value();
}

// What the import works from, read before the service is asked anything.
struct Source {
  FolderListing listing;
  std::optional<CocoDocument> coco;
  json classes = json::array();
};

Source read_source(const ImportOptions& options) {
  if (options.project.empty()) throw Unusable("no project given");
  if (options.parallel < 1 || options.parallel > 32) throw Unusable("parallel must be 1 to 32");
  Source source;
  try {
    source.listing = list_images(options.folder);
  } catch (const fs::filesystem_error& fault) {
    throw Unusable(fault.what());
  }
  if (!options.classes.empty()) source.classes = read_classes(options.classes);
  if (!options.coco.empty()) {
    source.coco = read_coco_file(options.coco);
    add_missing_classes(source.classes, classes_of_names(source.coco->class_names));
  }
  return source;
}

class Import {
 public:
  Import(const ImportOptions& options, std::ostream& out, std::ostream& err)
      : options_(options),
        out_(out),
        err_(err),
        source_(read_source(options)),
        session_(std::make_shared<Session>(options.connection)),
        api_(session_) {}

  int run() {
    note_problems();
    if (const auto ready = prepare(); !ready) return give_up(ready.error());
    const UploadReport uploads = upload();
    if (!uploads.fatal.empty()) return give_up({0, "", uploads.fatal, {}}, &uploads);
    AnnotationReport annotations;
    if (!options_.dry_run) {
      if (const auto linked = link(); !linked) return give_up(linked.error(), &uploads);
      annotations = annotate(uploads);
    }
    report(uploads, annotations);
    const bool clean = uploads.failed == 0 && annotations.failed == 0 &&
                       source_.listing.problems.empty() &&
                       (!source_.coco || source_.coco->problem_count == 0);
    return clean ? 0 : 1;
  }

 private:
  void note_problems() {
    for (const auto& line : source_.listing.problems) err_ << "error: " << line << '\n';
    if (!source_.coco) return;
    for (const auto& line : source_.coco->problems) {
      err_ << "error: " << options_.coco.string() << ": " << line << '\n';
    }
    const std::size_t untold = source_.coco->problem_count - source_.coco->problems.size();
    if (untold == 0) return;
    err_ << "error: " << options_.coco.string() << ": " << untold << " more entries are unusable\n";
  }

  int give_up(const CallError& error, const UploadReport* uploads = nullptr) {
    err_ << "error: " << error.text() << '\n';
    if (uploads != nullptr) report(*uploads, {});
    return 1;
  }

  Called<bool> prepare() {
    BOOST_OUTCOME_TRY(auto project, find_project(api_, options_.project));
    BOOST_OUTCOME_TRY(auto dataset, choose_dataset(project));
    if (dataset && options_.dataset.empty()) {
      BOOST_OUTCOME_TRY(refuse_shared(*dataset, project ? id_in(*project) : 0));
    }
    if (project) {
      BOOST_OUTCOME_TRY(extend_classes(id_in(*project)));
    }
    if (!project && !options_.dry_run) {
      auto made = create_project();
      if (made) {
        project = std::move(made.value().body);
      } else {
        // Another import may have made it in the meantime.
        if (made.error().code != "NAME_TAKEN") return made.error();
        BOOST_OUTCOME_TRY(project, find_project(api_, options_.project));
        if (!project) return made.error();
        BOOST_OUTCOME_TRY(extend_classes(id_in(*project)));
      }
    }
    if (!dataset && !options_.dry_run) {
      BOOST_OUTCOME_TRY(auto made,
                        api_.post("/datasets", {{"name", dataset_name_}, {"data_type", "image"}},
                                  fresh_key("dataset")));
      dataset = std::move(made.body);
    }
    project_id_ = project ? id_in(*project) : 0;
    dataset_id_ = dataset ? id_in(*dataset) : 0;
    type_key_ = project ? project->value("type_key", options_.type_key) : options_.type_key;
    return true;
  }

  // The one that is named; else the one that fills the project already, so that a repetition goes
  // on where the last one ended, whatever both are called by now; else one of the project's name.
  // Sets `dataset_name_`.
  Called<std::optional<json>> choose_dataset(const std::optional<json>& project) {
    dataset_name_ = !options_.dataset.empty() ? options_.dataset
                    : project                 ? project->value("name", options_.project)
                                              : options_.project;
    if (!options_.dataset.empty() || !project) return find_own_dataset(api_, dataset_name_);
    BOOST_OUTCOME_TRY(auto own, own_datasets_of(api_, id_in(*project)));
    if (own.empty()) return find_own_dataset(api_, dataset_name_);
    const auto namesake = std::ranges::find_if(
        own, [&](const json& one) { return one.value("name", "") == dataset_name_; });
    if (namesake == own.end() && own.size() > 1) {
      return CallError{
          0, "", "the project has several datasets of yours: name one with --dataset", {}};
    }
    json found = namesake == own.end() ? own.front() : *namesake;
    dataset_name_ = found.value("name", "");
    return std::optional(std::move(found));
  }

  // A dataset that nobody named is not to mix the images of two projects.
  Called<bool> refuse_shared(const json& dataset, std::int64_t project_id) {
    BOOST_OUTCOME_TRY(const bool shared, serves_other_projects(api_, dataset, project_id));
    if (!shared) return true;
    const std::string why = fmt::format(
        "your dataset {} ({}) is linked to other projects, which would get these images too: "
        "name this one, or another, with --dataset",
        dataset_name_, id_in(dataset));
    return CallError{0, "", why, {}};
  }

  Called<ApiReply> create_project() {
    json body{{"name", options_.project},
              {"type_key", options_.type_key},
              {"classes_config", source_.classes},
              {"review_required", options_.review_required}};
    if (!options_.description.empty()) body["description"] = options_.description;
    return api_.post("/projects", body, fresh_key("project"));
  }

  // Reads the project again: a list need not carry its classes. Someone else may change them at
  // the same time, so the version that was read must still be the one that is changed.
  Called<bool> extend_classes(std::int64_t project_id) {
    if (source_.classes.empty() || options_.dry_run) return true;
    const std::string path = "/projects/" + std::to_string(project_id);
    for (int attempt = 1;; ++attempt) {
      BOOST_OUTCOME_TRY(const auto reply, api_.get(path));
      json classes = reply.body.value("classes_config", json::array());
      if (!add_missing_classes(classes, source_.classes)) return true;
      const auto version = reply.body.find("version");
      const std::string match =
          version != reply.body.end() ? "\"" + version->dump() + "\"" : std::string{};
      const auto changed =
          api_.patch(path, {{"classes_config", classes}}, fresh_key("classes"), match);
      if (changed) return true;
      if (changed.error().status != 412 || attempt == 5) return changed.error();
    }
  }

  UploadReport upload() {
    const char* what = options_.dry_run ? "looked at" : "images";
    Progress progress(err_, options_.terminal, what, source_.listing.images.size());
    return upload_images(session_, {dataset_id_, options_.parallel, options_.dry_run},
                         source_.listing.images, progress);
  }

  Called<ApiReply> link() {
    const std::string path = "/datasets/" + std::to_string(dataset_id_) + "/link";
    return api_.post(path, {{"project_id", project_id_}}, fresh_key("link"));
  }

  AnnotationReport annotate(const UploadReport& uploads) {
    if (!source_.coco || source_.coco->shape_count == 0) return {};
    const bool polygons = options_.shapes == ShapeChoice::polygons ||
                          (options_.shapes == ShapeChoice::automatic && type_key_ == "image-seg");
    Progress progress(err_, options_.terminal, "annotations of images",
                      source_.coco->images.size());
    return import_annotations(
        api_, {project_id_, dataset_id_, polygons, options_.coco, uploads.item_of_file},
        *source_.coco, progress);
  }

  void report(const UploadReport& uploads, const AnnotationReport& annotations) {
    out_ << fmt::format("{}project {} ({}), dataset {} ({})\n", options_.dry_run ? "dry run: " : "",
                        options_.project, project_id_ == 0 ? "new" : std::to_string(project_id_),
                        dataset_name_, dataset_id_ == 0 ? "new" : std::to_string(dataset_id_));
    out_ << fmt::format("images: {} found, {} {}, {} already there, {} failed ({:.1f} MB)\n",
                        source_.listing.images.size(), uploads.uploaded,
                        options_.dry_run ? "to upload" : "uploaded", uploads.present,
                        uploads.failed + source_.listing.problems.size(),
                        static_cast<double>(uploads.bytes) / 1e6);
    if (!source_.coco) return;
    if (options_.dry_run) {
      out_ << fmt::format("annotations: {} in the COCO file, {} entries unusable\n",
                          source_.coco->shape_count, source_.coco->problem_count);
      return;
    }
    out_ << fmt::format(
        "annotations: {} added, {} already there, {} of tasks past editing left out, {} failed, "
        "{} entries unusable\n",
        annotations.shapes_added, annotations.already_there, annotations.left_alone,
        annotations.failed, source_.coco->problem_count);
  }

  const ImportOptions& options_;
  std::ostream& out_;
  std::ostream& err_;
  Source source_;
  std::shared_ptr<Session> session_;
  ApiClient api_;
  std::string dataset_name_;
  std::int64_t project_id_ = 0;
  std::int64_t dataset_id_ = 0;
  std::string type_key_;
};

}  // namespace

int run_import(const ImportOptions& options, std::ostream& out, std::ostream& err) {
  try {
    return Import(options, out, err).run();
  } catch (const Unusable& reason) {
    err << "error: " << reason.what() << '\n';
    return 2;
  } catch (const std::exception& fault) {
    err << "error: " << fault.what() << '\n';
    return 1;
  }
}

}  // namespace annolog::client
