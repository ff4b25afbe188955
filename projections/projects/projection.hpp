// The rows that a batch of events makes of projects, their classes, members and guides. These
// events are rare, so each is a statement of its own, in order. One thread; see
// engine/row_batch.hpp.
#pragma once

#include "domain/identity/context.hpp"
#include "domain/project/events.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class ProjectRows {
 public:
  void apply(const ProjectCreated& event, const Happened& how);
  void apply(const ProjectUpdated& event, const Happened& how);
  void apply(const ProjectClassesReplaced& event, const Happened& how);
  void apply(const ProjectClassRenamed& event, const Happened& how);
  void apply(const ProjectMemberAdded& event, const Happened& how);
  void apply(const ProjectMemberRoleChanged& event, const Happened& how);
  void apply(const ProjectMemberRemoved& event, const Happened& how);

  void apply(const ProjectTransferred& event, const Happened& how);
  void apply(const ProjectDeleted& event, const Happened& how);
  void apply(const GuideAssetUploadStarted& event, const Happened& how);
  void apply(const GuideAssetReady& event, const Happened& how);
  void apply(const GuideAssetDeleted& event, const Happened& how);

  void take(StatementQueue& out) { out.append(std::move(queue_)); }
  // The rows of deleted projects: after all that other read models still write for them.
  void take_deleted(StatementQueue& out) { out.append(std::move(deleted_)); }

 private:
  void replace_classes(ProjectId id, const ClassList& classes);
  void touch(ProjectId id, const Happened& how);

  StatementQueue queue_;
  StatementQueue deleted_;
};

}  // namespace annolog::projections
