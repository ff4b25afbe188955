R"sql(
-- The read models, made in an empty schema that search_path names. Times are milliseconds since
-- 1970. Words are the enumerators of the domain. JSON that is only carried through is text.

CREATE TABLE users (
  id               bigint PRIMARY KEY,
  role             text NOT NULL,
  key_id           text NOT NULL,      -- under which the log keeps what is personal
  username         text,               -- null: erased
  username_digest  text,               -- keyed; by it a sign-in finds its user
  name             text,
  email            text,
  password_hash    text,
  is_active        boolean NOT NULL,
  is_erased        boolean NOT NULL DEFAULT false,
  group_id         bigint,
  preferences      text NOT NULL,      -- JSON object
  generation       bigint NOT NULL,    -- of tokens and sessions: older ones are void
  version          bigint NOT NULL,    -- rises with all but sign-ins
  last_login_at_ms bigint,
  created_at_ms    bigint NOT NULL
);

-- Sessions whose access tokens may not have expired yet; the newest only.
CREATE TABLE ended_sessions (
  id          bigint PRIMARY KEY,
  ended_at_ms bigint NOT NULL
);

CREATE TABLE api_keys (
  id              bigint PRIMARY KEY,
  owner_id        bigint NOT NULL,
  name            text NOT NULL,
  prefix          text NOT NULL,
  secret_digest   text NOT NULL,
  created_at_ms   bigint NOT NULL,
  expires_at_ms   bigint,
  revoked_at_ms   bigint,
  last_used_at_ms bigint
);

CREATE TABLE groups (
  id            bigint PRIMARY KEY,
  name          text NOT NULL,
  description   text NOT NULL,
  member_count  bigint NOT NULL,
  version       bigint NOT NULL,
  created_at_ms bigint NOT NULL,
  updated_at_ms bigint NOT NULL
);

CREATE TABLE invitations (
  id             bigint PRIMARY KEY,
  email          text,                 -- null: erased
  key_id         text NOT NULL,        -- under which the log keeps the address
  role           text NOT NULL,
  group_id       bigint,
  token_digest   text NOT NULL,
  inviter_id     bigint NOT NULL,
  created_at_ms  bigint NOT NULL,
  expires_at_ms  bigint NOT NULL,
  accepted_at_ms bigint,
  revoked_at_ms  bigint
);

-- What happened to people's accounts, for them to see.
CREATE TABLE account_events (
  person_id   bigint NOT NULL,         -- whom it concerns
  at_ms       bigint NOT NULL,
  id          bigint NOT NULL,         -- from the event's place in the log
  actor_id    bigint NOT NULL,         -- 0: the service itself
  action      text NOT NULL,
  target_type text NOT NULL,
  target_id   bigint NOT NULL,
  detail      text NOT NULL,           -- JSON object
  PRIMARY KEY (person_id, at_ms, id)
);

CREATE TABLE projects (
  id               bigint PRIMARY KEY,
  name             text NOT NULL,
  description      text NOT NULL,
  type_key         text NOT NULL,
  status           text NOT NULL,
  attribute_schema text NOT NULL,
  ai_enabled       boolean NOT NULL,
  review_required  boolean NOT NULL,
  annotation_guide text NOT NULL,
  rendering_config text NOT NULL,
  owner_id         bigint NOT NULL,
  member_count     bigint NOT NULL,
  version          bigint NOT NULL,
  created_at_ms    bigint NOT NULL,
  updated_at_ms    bigint NOT NULL
);

-- Annotations carry the class id only, so that a rename touches one row here.
CREATE TABLE project_classes (
  project_id bigint NOT NULL,
  class_id   bigint NOT NULL,
  name       text NOT NULL,
  color      text NOT NULL,
  aliases    text NOT NULL,            -- JSON array
  place      bigint NOT NULL,          -- order among the live ones, or among the removed ones
  removed    boolean NOT NULL,
  PRIMARY KEY (project_id, class_id)
);

CREATE TABLE members (
  project_id  bigint NOT NULL,
  user_id     bigint NOT NULL,
  role        text NOT NULL,
  added_at_ms bigint NOT NULL,
  PRIMARY KEY (project_id, user_id)
);

-- With its tasks by status, kept as they move.
CREATE TABLE batches (
  id              bigint PRIMARY KEY,
  project_id      bigint NOT NULL,
  number          bigint NOT NULL,
  name            text NOT NULL,
  status          text NOT NULL,
  annotator_id    bigint,
  reviewer_id     bigint,
  review_feedback text,
  reviewed_at_ms  bigint,
  reviewed_by     bigint,
  pending         bigint NOT NULL DEFAULT 0,
  assigned        bigint NOT NULL DEFAULT 0,
  in_progress     bigint NOT NULL DEFAULT 0,
  submitted       bigint NOT NULL DEFAULT 0,
  review          bigint NOT NULL DEFAULT 0,
  rejected        bigint NOT NULL DEFAULT 0,
  completed       bigint NOT NULL DEFAULT 0,
  created_by      bigint NOT NULL,
  version         bigint NOT NULL,
  created_at_ms   bigint NOT NULL,
  updated_at_ms   bigint NOT NULL
) WITH (fillfactor = 50);
-- Changes of a batch's people that its tasks have not taken in yet: the latest people, how many
-- changes, and up to which task they have (docs/decisions, 0024).
CREATE TABLE unsettled_batches (
  batch_id          bigint PRIMARY KEY,
  shard             bigint NOT NULL,     -- of the project's events
  project_id        bigint NOT NULL,
  annotator_id      bigint,
  reviewer_id       bigint,
  annotator_changed boolean NOT NULL,
  reviewer_changed  boolean NOT NULL,
  changes           bigint NOT NULL,
  changed_at_ms     bigint NOT NULL,
  settled_to        bigint NOT NULL DEFAULT 0
);
CREATE INDEX unsettled_project ON unsettled_batches (project_id);
CREATE TABLE guide_assets (
  project_id    bigint NOT NULL,
  id            bigint NOT NULL,
  file_name     text NOT NULL,
  content_type  text NOT NULL,
  size          bigint NOT NULL,
  status        text NOT NULL,
  created_at_ms bigint NOT NULL,
  PRIMARY KEY (project_id, id)
);

CREATE TABLE datasets (
  id                   bigint PRIMARY KEY,
  name                 text NOT NULL,
  description          text NOT NULL,
  data_type            text NOT NULL,
  items_count          bigint NOT NULL,
  total_size           bigint NOT NULL,
  linked_project_count bigint NOT NULL,
  creator_id           bigint NOT NULL,
  version              bigint NOT NULL,
  created_at_ms        bigint NOT NULL,
  updated_at_ms        bigint NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE dataset_links (
  dataset_id   bigint NOT NULL,
  project_id   bigint NOT NULL,
  linked_at_ms bigint NOT NULL,
  PRIMARY KEY (dataset_id, project_id)
);

CREATE TABLE items (
  id            bigint PRIMARY KEY,
  dataset_id    bigint NOT NULL,
  status        text NOT NULL,
  file_name     text NOT NULL,
  file_path     text NOT NULL,
  file_type     text NOT NULL,
  file_size     bigint NOT NULL,
  content_hash  text,
  width         bigint,
  height        bigint,
  metadata      text NOT NULL,
  created_at_ms bigint NOT NULL,
  updated_at_ms bigint NOT NULL,
  is_image      boolean NOT NULL,      -- by its media type, or because its dataset is one of images
  thumbnail_path  text,
  thumbnail_error text
);

CREATE TABLE tasks (
  id                 bigint PRIMARY KEY,
  project_id         bigint NOT NULL,
  number             bigint NOT NULL,
  dataset_id         bigint,
  dataset_item_id    bigint,
  batch_id           bigint,
  file_name          text NOT NULL,
  file_path          text NOT NULL,
  image_width        bigint,
  image_height       bigint,
  status             text NOT NULL,
  assignee_id        bigint,
  reviewer_id        bigint,
  lock_user_id       bigint,
  lock_expires_at_ms bigint,
  reject_reason_type text,
  reject_reason      text,
  submitted_at_ms    bigint,
  reviewed_at_ms     bigint,
  skipped_at_ms      bigint,
  reopened_count     bigint NOT NULL,
  annotation_count   bigint NOT NULL,
  version            bigint NOT NULL,
  created_at_ms      bigint NOT NULL,
  updated_at_ms      bigint NOT NULL
) WITH (fillfactor = 80);
-- A rebuild needs it, too: what happens to a batch concerns its tasks.
CREATE INDEX tasks_batch ON tasks (batch_id, id) WHERE batch_id IS NOT NULL;

CREATE TABLE annotations (
  id                   bigint PRIMARY KEY,
  task_id              bigint NOT NULL,
  project_id           bigint NOT NULL,
  kind                 text NOT NULL,
  class_id             bigint NOT NULL,
  geometry             text NOT NULL,
  attributes           text NOT NULL,
  source               text NOT NULL,
  parent_prediction_id bigint,
  confidence           double precision,
  group_id             bigint,
  version              bigint NOT NULL,
  created_by           bigint NOT NULL,
  updated_by           bigint NOT NULL,
  created_at_ms        bigint NOT NULL,
  updated_at_ms        bigint NOT NULL,
  deleted_at_ms        bigint
);

CREATE TABLE comments (
  id            bigint PRIMARY KEY,
  task_id       bigint NOT NULL,
  project_id    bigint NOT NULL,
  annotation_id bigint,
  author_id     bigint NOT NULL,
  body          text NOT NULL,
  mentions      text NOT NULL,     -- JSON array of user ids
  created_at_ms bigint NOT NULL,
  deleted_at_ms bigint
);

-- What is kept of the past: events as the log has them, by what they happened to. Births of tasks
-- are told by one record for many, whose ids follow one another.
CREATE TABLE task_births (
  project_id    bigint NOT NULL,
  first_task_id bigint NOT NULL,
  log_offset    bigint NOT NULL,       -- the record's place in the project's shard
  at_ms         bigint NOT NULL,
  actor_id      bigint NOT NULL,
  PRIMARY KEY (project_id, first_task_id)
);

CREATE TABLE task_events (
  project_id     bigint NOT NULL,
  task_id        bigint NOT NULL,
  log_offset     bigint NOT NULL,
  batch_id       bigint,               -- that it joined or left
  at_ms          bigint NOT NULL,
  actor_id       bigint NOT NULL,
  type           text NOT NULL,
  schema_version bigint NOT NULL,
  data           text COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (project_id, task_id, log_offset)
);

CREATE TABLE batch_events (
  project_id     bigint NOT NULL,
  batch_id       bigint NOT NULL,
  log_offset     bigint NOT NULL,
  at_ms          bigint NOT NULL,
  actor_id       bigint NOT NULL,
  type           text NOT NULL,
  schema_version bigint NOT NULL,
  request_id     text NOT NULL,        -- empty: no request carried it
  tasks          bigint,               -- how many it names; they are not in the data
  number         bigint,               -- the batch's, with the event by which it was created
  data           text COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (project_id, batch_id, log_offset)
);

-- What else happened in a project that its members are told, an event a row; together with the
-- events of its tasks it is the change feed, in the order of the log.
CREATE TABLE project_events (
  project_id     bigint NOT NULL,
  log_offset     bigint NOT NULL,      -- the record's place in the project's shard
  task_id        bigint,               -- that it goes with
  at_ms          bigint NOT NULL,
  actor_id       bigint NOT NULL,
  type           text NOT NULL,
  schema_version bigint NOT NULL,
  data           text COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (project_id, log_offset)
);

-- What classes were called, and from when on.
CREATE TABLE class_namings (
  project_id bigint NOT NULL,
  class_id   bigint NOT NULL,
  log_offset bigint NOT NULL,          -- the record's place in the project's shard
  at_ms      bigint NOT NULL,
  name       text NOT NULL,
  PRIMARY KEY (project_id, class_id, log_offset)
);

-- What a search for tasks looks through, beside the tasks: rows that never change, so that the work
-- on a task does not touch the indexes of its name.
CREATE TABLE task_names (
  task_id    bigint PRIMARY KEY,
  project_id bigint NOT NULL,
  number     bigint NOT NULL,
  file_name  text NOT NULL
);

-- Counters, so that no request counts rows.
CREATE TABLE task_counts (
  project_id bigint NOT NULL,
  status     text NOT NULL,
  tasks      bigint NOT NULL,
  PRIMARY KEY (project_id, status)
) WITH (fillfactor = 50);

-- Tasks in no batch.
CREATE TABLE unclassified_counts (
  project_id bigint PRIMARY KEY,
  tasks      bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE dataset_task_counts (
  project_id bigint NOT NULL,
  dataset_id bigint NOT NULL,
  tasks      bigint NOT NULL,
  PRIMARY KEY (project_id, dataset_id)
) WITH (fillfactor = 50);

CREATE TABLE assignee_task_counts (
  assignee_id bigint NOT NULL,
  project_id  bigint NOT NULL,
  status      text NOT NULL,
  tasks       bigint NOT NULL,
  PRIMARY KEY (assignee_id, project_id, status)
) WITH (fillfactor = 50);

-- Live ones; ai_derived: those of a prediction that somebody accepted.
CREATE TABLE annotation_counts (
  project_id  bigint PRIMARY KEY,
  annotations bigint NOT NULL,
  ai_derived  bigint NOT NULL
) WITH (fillfactor = 50);

-- What people did on a day of UTC (its number since 1970): submitted, approved, rejected.
CREATE TABLE work_counts (
  user_id    bigint NOT NULL,
  day        bigint NOT NULL,
  project_id bigint NOT NULL,
  action     text NOT NULL,
  times      bigint NOT NULL,
  PRIMARY KEY (user_id, day, project_id, action)
) WITH (fillfactor = 50);
)sql"
