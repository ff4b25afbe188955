R"sql(
-- Indexes beside the keys; a rebuild makes them after the bulk of the rows.
CREATE UNIQUE INDEX users_username ON users (username_digest);
CREATE INDEX users_role ON users (role, id);
CREATE INDEX users_group ON users (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX api_keys_owner ON api_keys (owner_id, id);
CREATE UNIQUE INDEX invitations_token ON invitations (token_digest);
CREATE INDEX invitations_inviter ON invitations (inviter_id, id);
CREATE INDEX invitations_key ON invitations (key_id);
CREATE INDEX notifications_page ON notifications (user_id, type, unread, created_at_ms, id);
CREATE INDEX notifications_place ON notifications (shard, id, user_id);
CREATE INDEX notifications_age ON notifications (created_at_ms);
CREATE INDEX early_notification_reads_age ON early_notification_reads (at_ms);
CREATE INDEX notification_all_reads_age ON notification_all_reads (at_ms);
CREATE INDEX projects_owner ON projects (owner_id, id);
CREATE INDEX members_user ON members (user_id, project_id);
CREATE INDEX batches_page ON batches (project_id, id);
CREATE UNIQUE INDEX batches_number ON batches (project_id, number);
CREATE INDEX batches_annotator ON batches (annotator_id, id) WHERE annotator_id IS NOT NULL;
CREATE INDEX batches_reviewer ON batches (reviewer_id, id) WHERE reviewer_id IS NOT NULL;
CREATE INDEX datasets_creator ON datasets (creator_id, id);
CREATE INDEX dataset_links_project ON dataset_links (project_id, linked_at_ms, dataset_id);
CREATE INDEX items_page ON items (dataset_id, id);
CREATE INDEX items_status ON items (dataset_id, status, id);
CREATE INDEX items_content ON items (content_hash) WHERE content_hash IS NOT NULL;
CREATE INDEX items_unmeasured ON items (dataset_id, id)
  WHERE is_image AND status = 'ready' AND (width IS NULL OR height IS NULL);
CREATE INDEX items_without_thumbnail ON items (id)
  WHERE is_image AND status = 'ready' AND thumbnail_path IS NULL AND thumbnail_error IS NULL;
CREATE INDEX tasks_page ON tasks (project_id, id);
CREATE INDEX tasks_status ON tasks (project_id, status, id);
CREATE INDEX tasks_dataset ON tasks (project_id, dataset_id, id);
CREATE INDEX tasks_assignee ON tasks (project_id, assignee_id, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX tasks_reviewer ON tasks (project_id, reviewer_id, id) WHERE reviewer_id IS NOT NULL;
CREATE INDEX tasks_unclassified ON tasks (project_id, id) WHERE batch_id IS NULL;
CREATE INDEX tasks_updated ON tasks (project_id, updated_at_ms, id);
CREATE INDEX tasks_skipped ON tasks (project_id, id) WHERE skipped_at_ms IS NOT NULL;
CREATE INDEX batch_events_number ON batch_events (project_id, number) WHERE number IS NOT NULL;
-- Of tasks that joined or left a batch the batch tells, once for all of them; renewed locks nobody.
CREATE INDEX task_events_feed ON task_events (project_id, log_offset)
  WHERE batch_id IS NULL AND type <> 'task.lock_renewed';
CREATE INDEX project_events_task ON project_events (project_id, task_id) WHERE task_id IS NOT NULL;
CREATE INDEX work_counts_project ON work_counts (project_id, day);
CREATE INDEX annotations_page ON annotations (task_id, created_at_ms DESC, id DESC)
  WHERE deleted_at_ms IS NULL;
CREATE INDEX annotations_class ON annotations (project_id, class_id, task_id)
  WHERE deleted_at_ms IS NULL;
-- Deleted ones are found when their task is removed.
CREATE INDEX annotations_deleted ON annotations (task_id) WHERE deleted_at_ms IS NOT NULL;
CREATE INDEX comments_deleted ON comments (task_id) WHERE deleted_at_ms IS NOT NULL;
CREATE INDEX comments_page ON comments (task_id, id) WHERE deleted_at_ms IS NULL;
CREATE INDEX comments_annotation ON comments (annotation_id, id)
  WHERE deleted_at_ms IS NULL AND annotation_id IS NOT NULL;
CREATE INDEX audit_actor ON audit_rows (actor_id, at_ms, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_target ON audit_rows (target_id, target_type, at_ms, id)
  WHERE target_id IS NOT NULL;
CREATE INDEX audit_project ON audit_rows (project_id, at_ms, id) WHERE project_id IS NOT NULL;
-- All but what nearly all rows are of (projections/audit/page_statements.cpp names the same).
CREATE INDEX audit_seldom_action ON audit_rows (action, at_ms, id)
  WHERE action <> 'annotation.create';
CREATE INDEX audit_seldom_type ON audit_rows (target_type, at_ms, id)
  WHERE target_type <> 'task';
CREATE INDEX audit_seldom_status ON audit_rows (status, at_ms, id)
  WHERE status NOT IN (200, 201);
CREATE INDEX async_jobs_user ON async_jobs (user_id, id);
CREATE INDEX async_jobs_open ON async_jobs (kind, id) WHERE status IN ('pending', 'running');
CREATE INDEX webhooks_project ON webhooks (project_id, id);
-- For the search. A reader looks through what is not sorted in yet: that is kept short, or none.
CREATE INDEX users_text ON users USING gin (
  name extensions.gin_trgm_ops, username extensions.gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX projects_text ON projects USING gin (name extensions.gin_trgm_ops)
  WITH (fastupdate = off);
CREATE INDEX datasets_text ON datasets USING gin (name extensions.gin_trgm_ops)
  WITH (fastupdate = off);
CREATE INDEX task_names_number ON task_names (number, project_id);
-- Who makes that too long sorts all of it in, at one go: a thousand names keep a core from others
-- for many times as long as their rows do (docs/decisions, 0033). No less than 64 KiB can be set.
CREATE INDEX task_names_text ON task_names USING gin (
  project_id extensions.int8_ops, file_name extensions.gin_trgm_ops)
  WITH (gin_pending_list_limit = 64);
)sql"
