#include "app/export_job.hpp"

#include <algorithm>

#include "commands/command.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/task/transitions.hpp"
#include "projections/exports/export_rows.hpp"
#include "workers/export/export.hpp"
#include "workers/media/image_size.hpp"
#include "workers/media/measure_items.hpp"

namespace annolog::app {
namespace {

std::string type_key_text(ProjectType type) {
  std::string json = codec::to_json_text(type);
  return json.substr(1, json.size() - 2);  // without the quotes
}

}  // namespace

workers::ExportProject exported_project(const ProjectView& view, const ClassList& classes,
                                        const std::optional<std::string>& batch_display_id) {
  workers::ExportProject project{.id = view.id,
                                 .display_id = view.display_id,
                                 .name = view.name,
                                 .type_key = type_key_text(view.type_key),
                                 .classes = {},
                                 .attribute_schema = {codec::to_json_text(view.attribute_schema)},
                                 .batch_display_id = batch_display_id};
  for (const auto& c : classes.live) project.classes.push_back({c.id, c.name, c.color, false});
  for (const auto& c : classes.removed) project.classes.push_back({c.id, c.name, c.color, true});
  std::sort(project.classes.begin(), project.classes.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return project;
}

namespace {

class RowsSource final : public workers::ExportSource {
 public:
  RowsSource(projections::ExportRows& rows, const std::optional<api::ExportedBatch>& batch)
      : rows_(rows), project_(exported_project(*rows.project(), rows.classes(), name_of(batch))) {}

  const workers::ExportProject& project() override { return project_; }
  void rewind(Pass pass) override { rows_.rewind(pass == Pass::annotations); }
  bool next_image(workers::ExportImage& image) override {
    if (!rows_.next_task(row_)) return false;
    image.task_id = row_.id;
    image.display_id = "T-" + std::to_string(row_.number);
    image.dataset_item_id = row_.dataset_item_id;
    image.file_name = row_.file_name;
    image.file_path = row_.file_name;  // the client's own name, with its folders
    image.width = row_.image_width;
    image.height = row_.image_height;
    image.status = to_string(row_.status);
    return true;
  }
  bool next_annotation(AnnotationView& annotation) override {
    return rows_.next_annotation(annotation);
  }

 private:
  static std::optional<std::string> name_of(const std::optional<api::ExportedBatch>& batch) {
    return batch ? std::optional(batch->display_id) : std::nullopt;
  }

  projections::ExportRows& rows_;
  workers::ExportProject project_;
  projections::ExportTaskRow row_;
};

class Sink final : public workers::ByteSink {
 public:
  explicit Sink(const std::function<void(std::string_view)>& write) : write_(write) {}
  void write(std::string_view bytes) override { write_(bytes); }

 private:
  const std::function<void(std::string_view)>& write_;
};

projections::ExportScope scope_of(const api::ExportRequest& request) {
  projections::ExportScope scope{.project_id = request.project_id,
                                 .batch_id = std::nullopt,
                                 .statuses = request.statuses,
                                 .class_ids = request.class_ids};
  if (request.batch) scope.batch_id = request.batch->id;
  return scope;
}

class RowsJob final : public api::ExportJob {
 public:
  RowsJob(projections::ReadPool& reads, const api::ExportRequest& request,
          workers::ExportFormat format, std::uint16_t shards)
      : rows_(reads, scope_of(request)),
        project_id_(request.project_id),
        shards_(shards),
        format_(format),
        options_{request.include_attributes, ANNOLOG_VERSION} {
    if (rows_.project()) source_.emplace(rows_, request.batch);
  }

  bool found() const { return source_.has_value(); }
  bool is_settled() const { return rows_.is_settled(); }
  // Of the project's shard alone: the export shows nothing else.
  std::vector<eventstore::Position> positions() const override {
    std::vector<eventstore::Position> own = rows_.positions();
    const auto shard = commands::shard_of(project_id_.value, shards_);
    std::erase_if(own, [&](const auto& p) { return p.shard != shard; });
    return own;
  }
  std::string content_type() const override {
    return std::string(workers::export_content_type(format_));
  }
  std::string file_name() const override {
    return workers::export_file_name(source_->project(), format_);
  }
  void write(const std::function<void(std::string_view)>& write_bytes) override {
    Sink sink(write_bytes);
    workers::write_export(format_, *source_, options_, sink);
  }

 private:
  projections::ExportRows rows_;
  ProjectId project_id_;
  std::uint16_t shards_;
  workers::ExportFormat format_;
  workers::ExportOptions options_;
  mutable std::optional<RowsSource> source_;
};

}  // namespace

api::OpenExport open_export_with(projections::ReadPool& reads, std::uint16_t shards) {
  return [&reads,
          shards](const api::ExportRequest& request) -> Result<std::unique_ptr<api::ExportJob>> {
    BOOST_OUTCOME_TRY(auto format, workers::parse_export_format(request.format));
    auto job = std::make_unique<RowsJob>(reads, request, format, shards);
    if (!job->found()) return not_found("project");
    if (!job->is_settled()) return std::unique_ptr<api::ExportJob>();
    return std::unique_ptr<api::ExportJob>(std::move(job));
  };
}

Result<void> check_export(const api::ExportRequest& request, ProjectType type) {
  BOOST_OUTCOME_TRY(auto format, workers::parse_export_format(request.format));
  return workers::check_exportable(type_key_text(type), format);
}

api::MeasureItemsOf measure_items_with(platform::ObjectStore& objects, platform::Logger& logger) {
  return [&](std::span<const ItemView> items, std::vector<ItemSize>& sizes,
             std::vector<MeasureFailure>& failed) {
    auto measured = workers::measure_items(objects, logger, items);
    std::ranges::move(measured.sizes, std::back_inserter(sizes));
    std::ranges::move(measured.failed, std::back_inserter(failed));
  };
}

Result<api::ImageFacts> probe_image(platform::ByteSource& bytes, std::string_view) {
  BOOST_OUTCOME_TRY(auto size, workers::probe_image(bytes));
  return api::ImageFacts{size.width, size.height, std::string(workers::media_type(size.format))};
}

}  // namespace annolog::app
