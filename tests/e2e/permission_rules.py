"""Who may call which endpoint, written from the specification and the decisions alone.

One row for each method and path under /api/v1, in the order of the specification; the rows that
only the decisions name stand beside their resource. How to read a row:

- A project rule names the columns that may call by their role alone. The effective project role
  is the lower of the global role and the membership role. `owner` is the project's owner_id;
  `super_admin` may do what the owner may. Someone who may not see the project gets 404, someone
  who sees it and lacks the role gets 403. An archived project is invisible to annotators.
- A dataset rule works in the same way: 404 for whom it is invisible, else 403.
- A note starting with "also" widens the row by an assignment, one starting with "only" narrows it.
- A note starting with "open:" marks what the specification and the decisions leave open or
  say in two ways; the row then holds the safest reading.
"""

from typing import NamedTuple

from permission_columns import (
    ADMIN_ROLES, ANNOTATORS, ANYONE, Anyone, Callers, DATASET_CHANGERS, DATASET_READERS, Dataset,
    Globals, OWNERS, OWNER_OF_IT, PROJECT_ADMINS, Project, READERS, REVIEWERS, SIGNED_IN,
    SUPER_ADMIN, SUPER_ADMIN_OF_PROJECT, SignedIn, dataset, globals_, project)


class Rule(NamedTuple):
    method: str
    path: str
    callers: Callers
    note: str = ""


RULES: list[Rule] = [
    # Specification "Authentication and account"; "Authentication" 1-4 and 8; decisions 2.
    Rule("POST", "/auth/login", ANYONE, "a deactivated user gets the 401 of a wrong password"),
    Rule("GET", "/auth/captcha", ANYONE),
    Rule("POST", "/auth/refresh", SIGNED_IN, "the refresh cookie counts, not the bearer token"),
    Rule("POST", "/auth/logout", SIGNED_IN, "open: with the cookie alone, or with an API key"),
    Rule("POST", "/auth/logout-all", SIGNED_IN, "open: whether an API key suffices"),
    Rule("GET", "/me", SIGNED_IN),
    Rule("PATCH", "/auth/me", SIGNED_IN, "open: viewers have no write access; this is their own"),
    Rule("POST", "/auth/me/password", SIGNED_IN, "open: whether an API key suffices"),
    Rule("GET", "/auth/me/preferences", SIGNED_IN),
    Rule("PATCH", "/auth/me/preferences", SIGNED_IN, "open: viewers, as with PATCH /auth/me"),
    Rule("GET", "/auth/me/notifications", SIGNED_IN),
    Rule("POST", "/auth/register-open", ANYONE, "403 for everyone while the feature is off"),
    Rule("GET", "/auth/registration-status", ANYONE),
    Rule("GET", "/auth/invitations/{token}", ANYONE, "the token in the path is the credential"),
    Rule("POST", "/auth/register", ANYONE, "the invitation token is the credential"),

    # Specification "Authentication and account", API keys; "Authentication" 5.
    Rule("POST", "/api-keys", SIGNED_IN, "open: whether viewers, or a caller with an API key, may"),
    Rule("GET", "/api-keys", SIGNED_IN, "own keys only"),
    Rule("DELETE", "/api-keys/{id}", OWNER_OF_IT(also=("super_admin",)),
         "open: super_admin for the keys of others rests on \"everything\" alone"),

    # Specification "Users, groups, invitations"; decisions 2.
    Rule("GET", "/users", ADMIN_ROLES),
    Rule("POST", "/users", SUPER_ADMIN, "named in the decisions alone"),
    Rule("GET", "/users/export", SUPER_ADMIN, "open: nobody is named; GET /users has both admins"),
    Rule("POST", "/users/invite", ADMIN_ROLES,
         "project_admin only for the roles reviewer, annotator, viewer"),
    Rule("PATCH", "/users/{id}/role", SUPER_ADMIN),
    Rule("POST", "/users/{id}/deactivate", SUPER_ADMIN),
    Rule("POST", "/users/{id}/activate", SUPER_ADMIN, "mirrors deactivate"),
    Rule("PATCH", "/users/{id}/group", SUPER_ADMIN, "open: nobody is named"),
    Rule("POST", "/users/{id}/erase", SUPER_ADMIN),
    Rule("GET", "/groups", ADMIN_ROLES, "open: nobody is named; read as GET /users"),
    Rule("POST", "/groups", SUPER_ADMIN, "open: nobody is named"),
    Rule("PATCH", "/groups/{id}", SUPER_ADMIN, "open: nobody is named"),
    Rule("DELETE", "/groups/{id}", SUPER_ADMIN, "open: nobody is named"),
    Rule("GET", "/invitations", ADMIN_ROLES,
         "open: scope=me for those who may not invite; scope=all is super_admin only"),
    Rule("DELETE", "/invitations/{id}", OWNER_OF_IT(also=("super_admin",)),
         "open: nobody is named; read as the inviter's"),
    Rule("POST", "/invitations/{id}/resend", OWNER_OF_IT(also=("super_admin",)),
         "open: nobody is named; read as the inviter's"),

    # Specification "Projects"; decisions 2 and 3.
    Rule("POST", "/projects", ADMIN_ROLES,
         "open: what ml_backend_source_id asks of the caller in the other project"),
    Rule("GET", "/projects", SIGNED_IN,
         "open: visible projects; whether project_admin sees those where he is only a member"),
    Rule("GET", "/projects/stats", SIGNED_IN, "over the visible projects"),
    Rule("GET", "/projects/{id}", READERS, "archived: invisible to annotators"),
    Rule("PATCH", "/projects/{id}", PROJECT_ADMINS, "the field status only by the owner"),
    Rule("DELETE", "/projects/{id}", SUPER_ADMIN_OF_PROJECT, "tasks must be removed first"),
    Rule("POST", "/projects/{id}/classes/rename", PROJECT_ADMINS),
    Rule("POST", "/projects/{id}/transfer", SUPER_ADMIN_OF_PROJECT,
         "the new owner's global role is project_admin or super_admin"),
    Rule("GET", "/projects/{id}/datasets", READERS),
    Rule("GET", "/projects/{project_id}/events", READERS,
         "open: named in no table; what is told there can be read over REST"),
    Rule("GET", "/admin/projects/{id}/alias-frequency", PROJECT_ADMINS,
         "open: nobody is named; the path says admin"),

    # Specification "Projects", members; decisions 2 and 3.
    Rule("GET", "/projects/{id}/members", READERS, "open: taken as part of reading the project"),
    Rule("POST", "/projects/{id}/members", PROJECT_ADMINS),
    Rule("PATCH", "/projects/{id}/members/{uid}", PROJECT_ADMINS),
    Rule("DELETE", "/projects/{id}/members/{uid}", PROJECT_ADMINS,
         "open: whether a member may leave by himself"),

    # Specification "Projects", guide assets; decisions 2 ("guide") and 3.
    Rule("POST", "/projects/{id}/guide-assets/upload-init", PROJECT_ADMINS),
    Rule("POST", "/projects/{id}/guide-assets/upload-complete", PROJECT_ADMINS),
    Rule("POST", "/projects/{id}/guide-assets/delete", PROJECT_ADMINS),
    Rule("POST", "/projects/{id}/guide-assets/sign-url", READERS,
         "open: a POST that only reads; taken as part of reading the project"),

    # Specification "Projects", dashboards and search; decisions 10.
    Rule("GET", "/dashboard", SUPER_ADMIN,
         "open: view=projects gives \"all projects for a super_admin\"; others are not named"),
    Rule("GET", "/dashboard/admin", ADMIN_ROLES,
         "open: role-specific; read as both admins, project_admin over the own projects"),
    Rule("GET", "/dashboard/reviewer", globals_("reviewer", "project_admin", "super_admin"),
         "open: role-specific; read as the role and those above it"),
    Rule("GET", "/dashboard/annotator",
         globals_("annotator", "reviewer", "project_admin", "super_admin"),
         "open: role-specific; read as the role and those above it"),
    Rule("GET", "/search", SIGNED_IN, "filtered by visibility"),

    # Specification "Batches" and "States and transitions: Batch"; decisions 2 and 4.
    Rule("GET", "/projects/{id}/batches", READERS),
    Rule("POST", "/projects/{id}/batches", PROJECT_ADMINS),
    Rule("GET", "/projects/{id}/batches/{bid}", READERS),
    Rule("PATCH", "/projects/{id}/batches/{bid}", PROJECT_ADMINS),
    Rule("DELETE", "/projects/{id}/batches/{bid}", OWNERS),
    Rule("POST", "/projects/{id}/batches/{bid}/tasks", PROJECT_ADMINS, "draft and active only"),
    Rule("DELETE", "/projects/{id}/batches/{bid}/tasks", PROJECT_ADMINS, "draft and active only"),
    Rule("POST", "/projects/{id}/batches/{bid}/transition", PROJECT_ADMINS,
         "also its annotator (to reviewing) and its reviewer (approved, rejected); "
         "reverse moves and archiving by the owner only"),
    Rule("POST", "/projects/{id}/batches/{bid}/reset", OWNERS),
    Rule("GET", "/projects/{id}/batches/unclassified-count", READERS),
    Rule("GET", "/projects/{id}/batches/{bid}/audit-logs", SUPER_ADMIN_OF_PROJECT,
         "open: nobody is named; the decisions give \"audit log\" to super_admin"),
    Rule("POST", "/projects/{id}/batches/bulk-archive", OWNERS),
    Rule("POST", "/projects/{id}/batches/bulk-delete", OWNERS),
    Rule("POST", "/projects/{id}/batches/bulk-activate", OWNERS),
    Rule("POST", "/projects/{id}/batches/bulk-reassign", OWNERS),
    Rule("POST", "/projects/{id}/batches/distribute-batches", OWNERS),

    # Specification "Tasks and annotations", tasks and locks; decisions 2 and 5.
    Rule("GET", "/tasks", READERS,
         "open: without project_id, the tasks of the visible projects"),
    Rule("GET", "/tasks/{id}", READERS),
    Rule("POST", "/tasks/next", ANNOTATORS, "a batch with another annotator gives 403"),
    Rule("POST", "/tasks/{id}/lock", ANNOTATORS, "held by another gives 409"),
    Rule("DELETE", "/tasks/{id}/lock", ANNOTATORS, "only the holder, or the owner"),
    Rule("POST", "/tasks/{id}/skip", ANNOTATORS, "open: nobody is named; read as the assignee's"),
    Rule("GET", "/tasks/{id}/history", READERS),

    # Specification "Tasks and annotations", annotations; decisions 2 and 5.
    Rule("POST", "/tasks/{id}/annotations", ANNOTATORS,
         "state limits apply beyond the role: in submitted and review from reviewer upwards"),
    Rule("GET", "/tasks/{id}/annotations/page", READERS),
    Rule("PATCH", "/tasks/{id}/annotations/{annotation_id}", ANNOTATORS,
         "state limits apply beyond the role: in submitted and review from reviewer upwards"),
    Rule("DELETE", "/tasks/{id}/annotations/{annotation_id}", ANNOTATORS,
         "state limits apply beyond the role: in submitted and review from reviewer upwards"),
    Rule("POST", "/tasks/{id}/annotations/{annotation_id}/restore", ANNOTATORS, "as a deletion"),
    Rule("GET", "/annotations/{id}/history", READERS,
         "open: part of reading annotations, yet it carries audit rows (super_admin)"),
    Rule("POST", "/tasks/{id}/annotations/{annotation_id}/video/convert-to-bboxes", ANNOTATORS,
         "state limits apply beyond the role"),
    Rule("POST", "/tasks/{id}/annotations/video/track-compositions", ANNOTATORS,
         "state limits apply beyond the role"),

    # Specification "Tasks and annotations", comments; decisions 2 and 5.
    Rule("GET", "/tasks/{id}/comments", READERS),
    Rule("POST", "/tasks/{id}/comments", ANNOTATORS),
    Rule("DELETE", "/tasks/{id}/comments/{comment_id}", OWNER_OF_IT(also=("super_admin",)),
         "the author's; also the project's owner's"),

    # Specification "Tasks and annotations", predictions shape by shape; decisions 2 and 7.
    Rule("GET", "/tasks/{id}/predictions", READERS),
    Rule("POST", "/tasks/{id}/annotations/accept", ANNOTATORS,
         "state limits apply beyond the role"),
    Rule("POST", "/tasks/{id}/predictions/reject", ANNOTATORS),
    Rule("POST", "/projects/{pid}/ml-backends/{bid}/interactive-annotating", ANNOTATORS),

    # Specification "Tasks and annotations", review; "States and transitions: Task"; decisions 5.
    Rule("POST", "/tasks/{id}/review/approve", REVIEWERS,
         "one's own submission only as owner (403 SELF_REVIEW)"),
    Rule("POST", "/tasks/{id}/review/reject", REVIEWERS,
         "one's own submission only as owner (403 SELF_REVIEW)"),
    Rule("POST", "/tasks/{id}/reopen", REVIEWERS, "open: nobody is named; the assignee might too"),
    Rule("POST", "/tasks/{id}/submit-for-review", ANNOTATORS,
         "open: nobody is named; read as submitting; whether only the assignee"),
    Rule("POST", "/tasks/{id}/accept-rejection", ANNOTATORS, "only the task's assignee"),

    # Specification "Video", the task family; decisions 2 ("video assets") and 9.
    Rule("GET", "/tasks/{id}/video/manifest", READERS),
    Rule("GET", "/tasks/{id}/video/manifest-v2", READERS),
    Rule("GET", "/tasks/{id}/video/frame-timetable", READERS),
    Rule("GET", "/tasks/{id}/video/chunks", READERS),
    Rule("GET", "/tasks/{id}/video/chunks/{chunk_id}", READERS),
    Rule("GET", "/tasks/{id}/video/frames/{frame_index}", READERS),
    Rule("POST", "/tasks/{id}/video/frames:prefetch", ANNOTATORS,
         "open: reading video assets, or a write that viewers may not do"),
    Rule("POST", "/tasks/{id}/video/frames:retry", PROJECT_ADMINS,
         "open: nobody is named; force discards ready frames of everyone"),
    Rule("GET", "/tasks/{id}/video/segments", READERS),
    Rule("POST", "/tasks/{id}/video/segments/{segment_id}:claim", ANNOTATORS,
         "open: who counts as admin; others get 409 while another holds it"),
    Rule("POST", "/tasks/{id}/video/segments/{segment_id}:heartbeat", ANNOTATORS,
         "only the holder"),
    Rule("POST", "/tasks/{id}/video/segments/{segment_id}:release", ANNOTATORS,
         "only the holder"),
    Rule("POST", "/tasks/{id}/video/tracks/{annotation_id}:propagate", ANNOTATORS,
         "open: who counts as admin; others must hold the segment lock"),

    # Specification "Video", the item family: as above, by any video task the caller may see, else
    # 404. The manifest here is the manifest-v2 of the task family.
    Rule("GET", "/videos/{dataset_item_id}/manifest", READERS),
    Rule("GET", "/videos/{dataset_item_id}/frame-timetable", READERS),
    Rule("GET", "/videos/{dataset_item_id}/chunks", READERS),
    Rule("GET", "/videos/{dataset_item_id}/chunks/{chunk_id}", READERS),
    Rule("GET", "/videos/{dataset_item_id}/frames/{frame_index}", READERS),
    Rule("POST", "/videos/{dataset_item_id}/frames:prefetch", ANNOTATORS,
         "open: reading video assets, or a write that viewers may not do"),
    Rule("POST", "/videos/{dataset_item_id}/frames:retry", PROJECT_ADMINS,
         "open: nobody is named; force discards ready frames of everyone"),
    Rule("GET", "/videos/{dataset_item_id}/segments", READERS),
    Rule("POST", "/videos/{dataset_item_id}/segments/{segment_id}:claim", ANNOTATORS,
         "open: who counts as admin; others get 409 while another holds it"),
    Rule("POST", "/videos/{dataset_item_id}/segments/{segment_id}:heartbeat", ANNOTATORS,
         "only the holder"),
    Rule("POST", "/videos/{dataset_item_id}/segments/{segment_id}:release", ANNOTATORS,
         "only the holder"),
    Rule("POST", "/videos/{dataset_item_id}/tracks/{annotation_id}:propagate", ANNOTATORS,
         "open: who counts as admin; others must hold the segment lock"),

    # Specification "Video", tracker jobs; decisions 2 (jobs of others: super_admin).
    Rule("GET", "/video-tracker-jobs/{job_id}", OWNER_OF_IT(also=("super_admin",)),
         "open: nobody is named; the project's members might read it"),
    Rule("DELETE", "/video-tracker-jobs/{job_id}", OWNER_OF_IT(also=("super_admin",)),
         "open: nobody is named; the project's admins might cancel it"),

    # Specification "Video", storage administration; decisions 2 (`/storage/*`).
    Rule("GET", "/storage/video-assets/failures", SUPER_ADMIN),
    Rule("POST", "/storage/video-assets/retry", SUPER_ADMIN),
    Rule("GET", "/storage/buckets", SUPER_ADMIN),
    Rule("GET", "/storage/health", SUPER_ADMIN),

    # Specification "Datasets"; decisions 2 (below the table) and 6.
    Rule("GET", "/datasets", SIGNED_IN, "filtered to the visible datasets"),
    Rule("POST", "/datasets", ADMIN_ROLES),
    Rule("GET", "/datasets/{id}", DATASET_READERS),
    Rule("PATCH", "/datasets/{id}", DATASET_CHANGERS),
    Rule("DELETE", "/datasets/{id}", DATASET_CHANGERS),
    Rule("GET", "/datasets/{id}/items", DATASET_READERS),
    Rule("DELETE", "/datasets/{id}/items/{item_id}", DATASET_CHANGERS, "CRUD under items"),
    Rule("POST", "/datasets/{id}/items/upload-init", DATASET_CHANGERS),
    Rule("POST", "/datasets/{id}/items/upload-complete/{item_id}", DATASET_CHANGERS),
    Rule("POST", "/datasets/{id}/items/bulk", DATASET_CHANGERS),
    Rule("POST", "/datasets/{id}/link", PROJECT_ADMINS,
         "open: of the project linked; whether seeing the dataset is enough, or its creator only"),
    Rule("DELETE", "/datasets/{id}/link/{project_id}", PROJECT_ADMINS,
         "open: only \"link\" is named; it deletes batches, which else is the owner's"),
    Rule("POST", "/datasets/{id}/backfill-dimensions", DATASET_CHANGERS),
    Rule("GET", "/datasets/{id}/backfill-dimensions", DATASET_READERS),
    Rule("DELETE", "/datasets/{id}/backfill-dimensions", DATASET_CHANGERS),

    # Specification "Predictions, pre-annotation, jobs"; decisions 2 and 7.
    Rule("POST", "/admin/projects/{id}/preannotate", PROJECT_ADMINS),
    Rule("GET", "/admin/preannotate-jobs", ADMIN_ROLES,
         "open: nobody is named; project_admin sees those of the projects he administers"),
    Rule("GET", "/admin/preannotate-jobs/{job_id}", PROJECT_ADMINS,
         "open: nobody is named; the path says admin"),
    Rule("GET", "/admin/preannotate-queue", ADMIN_ROLES,
         "open: nobody is named; project_admin sees those of the projects he administers"),
    Rule("POST", "/admin/batches/{id}/reset", OWNERS,
         "open: the owner's \"reset\", or part of pre-annotating (project_admin)"),
    Rule("POST", "/projects/{id}/predictions/import", PROJECT_ADMINS),

    # Specification "ML backend administration", registrations; decisions 2.
    Rule("GET", "/admin/ml-integrations", ADMIN_ROLES,
         "open: nobody is named for reading; read as creating"),
    Rule("GET", "/admin/ml-integrations/all", SUPER_ADMIN,
         "open: nobody is named; how it differs from the plain list is not said"),
    Rule("GET", "/admin/ml-integrations/{id}", ADMIN_ROLES,
         "open: nobody is named for reading; read as creating"),
    Rule("POST", "/admin/ml-integrations", ADMIN_ROLES),
    Rule("PATCH", "/admin/ml-integrations/{id}", SUPER_ADMIN,
         "open: nobody is named; between creating (admins) and deleting (super_admin)"),
    Rule("DELETE", "/admin/ml-integrations/{id}", SUPER_ADMIN),

    # Specification "ML backend administration", bindings; decisions 2 ("bind ML backend") and 7.
    Rule("GET", "/projects/{pid}/ml-backends", PROJECT_ADMINS,
         "open: nobody is named for reading; annotators might need it"),
    Rule("POST", "/projects/{pid}/ml-backends", PROJECT_ADMINS),
    Rule("GET", "/projects/{pid}/ml-backends/{bid}", PROJECT_ADMINS,
         "open: nobody is named for reading; annotators might need it"),
    Rule("PATCH", "/projects/{pid}/ml-backends/{bid}", PROJECT_ADMINS),
    Rule("DELETE", "/projects/{pid}/ml-backends/{bid}", PROJECT_ADMINS),
    Rule("POST", "/projects/{pid}/ml-backends/{bid}/health", PROJECT_ADMINS,
         "open: nobody is named; it may change the backend's state"),
    Rule("GET", "/projects/{pid}/ml-backends/{bid}/setup", ANNOTATORS,
         "open: nobody is named; whoever may prompt needs it"),

    # Specification "Analytics, jobs list, health"; decisions 2 and 10.
    Rule("GET", "/admin/analytics/{panel_name}", SUPER_ADMIN),
    Rule("GET", "/async-jobs", SIGNED_IN, "own rows; super_admin sees all"),
    Rule("GET", "/async-jobs/{id}", OWNER_OF_IT(also=("super_admin",))),
    Rule("POST", "/async-jobs/{id}/cancel", OWNER_OF_IT(also=("super_admin",))),

    # Specification "Webhook envelope (reserved)", made real by docs/decisions/0030.
    Rule("POST", "/webhooks", PROJECT_ADMINS, "of the project named; without one, super_admin"),
    Rule("GET", "/webhooks", SIGNED_IN, "filtered to those that the caller may manage"),
    Rule("GET", "/webhooks/{id}", PROJECT_ADMINS, "a global one: super_admin"),
    Rule("PATCH", "/webhooks/{id}", PROJECT_ADMINS, "a global one: super_admin"),
    Rule("DELETE", "/webhooks/{id}", PROJECT_ADMINS, "a global one: super_admin"),
    Rule("POST", "/webhooks/{id}/rotate-secret", PROJECT_ADMINS, "a global one: super_admin"),
    Rule("POST", "/webhooks/{id}/test", PROJECT_ADMINS, "a global one: super_admin"),
    Rule("GET", "/webhooks/{id}/deliveries", PROJECT_ADMINS, "a global one: super_admin"),
    Rule("GET", "/webhooks/{id}/deliveries/{delivery_id}", PROJECT_ADMINS,
         "a global one: super_admin"),
    Rule("POST", "/webhooks/{id}/deliveries/{delivery_id}/replay", PROJECT_ADMINS,
         "a global one: super_admin"),

    # Specification "Analytics, jobs list, health", notifications; decisions 8.
    Rule("GET", "/notifications", SIGNED_IN, "own ones only"),
    Rule("POST", "/notifications/{id}/read", OWNER_OF_IT(also=()),
         "open: whether super_admin, who may do \"everything\", may for others"),
    Rule("POST", "/notifications/read-all", SIGNED_IN, "own ones only"),

    # Specification "Analytics, jobs list, health", health; decisions 10.
    Rule("GET", "/health", ANYONE, "open: no credentials are named; probes carry none"),
    Rule("GET", "/health/live", ANYONE, "open: no credentials are named; probes carry none"),
    Rule("GET", "/health/database", ANYONE, "open: no credentials are named; probes carry none"),
    Rule("GET", "/health/cache", ANYONE, "open: no credentials are named; probes carry none"),
    Rule("GET", "/health/object-store", ANYONE,
         "open: no credentials are named; GET /storage/health is super_admin only"),
    Rule("GET", "/health/workers", ANYONE, "open: no credentials are named; it lists workers"),
    Rule("GET", "/health/event-log", ANYONE, "open: no credentials are named; probes carry none"),

    # Decisions 2 ("audit log") and 7; the specification names the audit export in its limits.
    Rule("GET", "/audit-logs", SUPER_ADMIN),
    Rule("GET", "/audit-logs/export", SUPER_ADMIN),
    Rule("POST", "/audit-logs/archive", SUPER_ADMIN),
    Rule("GET", "/audit/checkpoints", SUPER_ADMIN),
    Rule("GET", "/audit/checkpoints/{number}", SUPER_ADMIN),
    Rule("GET", "/audit/public-key", ANYONE, "who checks an export may have no account"),

    # Specification "Export"; decisions 2.
    Rule("GET", "/projects/{project_id}/export", PROJECT_ADMINS,
         "open: \"own projects\" read as those he administers, not only those he owns"),
    Rule("GET", "/projects/{project_id}/batches/{batch_id}/export", PROJECT_ADMINS,
         "open: \"own projects\" read as those he administers, not only those he owns"),

    # Decisions 2, as "import predictions"; docs/decisions 0020.
    Rule("POST", "/projects/{project_id}/annotations/import", PROJECT_ADMINS),
]
