// One function a resource: its part of the route table. `services` must outlive the server.
#pragma once

#include "api/http/route.hpp"
#include "api/services.hpp"

namespace annolog::api {

http::RouteTable auth_routes(Services& services);
http::RouteTable oidc_routes(Services& services);
http::RouteTable account_routes(Services& services);
http::RouteTable account_event_routes(Services& services);
http::RouteTable notification_routes(Services& services);
http::RouteTable audit_proof_routes(Services& services);
http::RouteTable job_routes(Services& services);
http::RouteTable api_key_routes(Services& services);
http::RouteTable group_routes(Services& services);
http::RouteTable user_routes(Services& services);
http::RouteTable user_administration_routes(Services& services);
http::RouteTable user_export_routes(Services& services);
http::RouteTable invitation_routes(Services& services);
http::RouteTable registration_routes(Services& services);
http::RouteTable project_routes(Services& services);
http::RouteTable project_ownership_routes(Services& services);
http::RouteTable guide_asset_routes(Services& services);
http::RouteTable project_stats_routes(Services& services);
http::RouteTable dashboard_routes(Services& services);
http::RouteTable search_routes(Services& services);
http::RouteTable member_routes(Services& services);
http::RouteTable batch_routes(Services& services);
http::RouteTable batch_step_routes(Services& services);
http::RouteTable bulk_batch_routes(Services& services);
http::RouteTable dataset_routes(Services& services);
http::RouteTable dataset_change_routes(Services& services);
http::RouteTable item_routes(Services& services);
http::RouteTable object_routes(Services& services);
http::RouteTable task_routes(Services& services);
http::RouteTable lock_routes(Services& services);
http::RouteTable annotation_routes(Services& services);
http::RouteTable comment_routes(Services& services);
http::RouteTable history_routes(Services& services);
http::RouteTable audit_routes(Services& services);
http::RouteTable event_routes(Services& services);
http::RouteTable review_routes(Services& services);
http::RouteTable export_routes(Services& services);
http::RouteTable import_routes(Services& services);
http::RouteTable socket_routes(Services& services);
http::RouteTable webhook_routes(Services& services);
http::RouteTable webhook_delivery_routes(Services& services);
http::RouteTable system_routes(Services& services);

// All of the above, in this order, /openapi.json and /docs made from them, and /asyncapi.json.
http::RouteTable all_routes(Services& services);

}  // namespace annolog::api
