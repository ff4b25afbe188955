#include "tests/unit/client/fake_service.hpp"

#include <algorithm>

namespace annolog::client::testing {
namespace {

using nlohmann::json;

constexpr std::int64_t kCallerId = 1;

StubReply ok(int status, const json& body) { return {.status = status, .body = body.dump()}; }

StubReply refusal(int status, const std::string& code, json detail = json::object()) {
  detail["code"] = code;
  detail["message"] = "refused: " + code;
  return ok(status, {{"detail", detail}});
}

StubReply page(const json& items) { return ok(200, {{"items", items}, {"next_cursor", nullptr}}); }

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The number behind the name: 7 in "/api/v1/datasets/7/items".
std::int64_t id_behind(const std::string& name, const std::string& path) {
  return std::stoll(path.substr(std::string("/api/v1/" + name + "/").size()));
}

}  // namespace

StubReply FakeService::answer(const StubRequest& request) {
  if (fault) {
    if (auto reply = fault(request)) return *reply;
  }
  const std::string& path = request.path;
  if (path == "/api/v1/auth/login") return log_in(request);
  if (path.starts_with("/objects/")) {
    if (!request.header("authorization").empty()) return refusal(400, "CREDENTIALS_LEAKED");
    uploaded[last_part(path)] = request.body;
    return ok(200, json::object());
  }
  const std::string bearer = request.header("authorization");
  if (!bearer.starts_with("Bearer ") || !valid_tokens.contains(bearer.substr(7))) {
    return refusal(401, "TOKEN_EXPIRED");
  }
  if (path == "/api/v1/me") return ok(200, {{"id", kCallerId}});
  if (path.ends_with("/annotations/import")) return import(request);
  if (path.starts_with("/api/v1/projects")) return project(request);
  if (path.starts_with("/api/v1/datasets")) return dataset(request);
  if (path == "/api/v1/tasks") return page(tasks);
  return refusal(404, "NOT_FOUND");
}

StubReply FakeService::log_in(const StubRequest& request) {
  const json body = json::parse(request.body);
  if (body["username"] != "admin" || body["password"] != "secret") {
    return refusal(401, "INVALID_CREDENTIALS");
  }
  const std::string token = "token-" + std::to_string(++logins);
  valid_tokens.insert(token);
  return ok(200, {{"access_token", token}, {"token_type", "bearer"}});
}

StubReply FakeService::project(const StubRequest& request) {
  if (request.method == "POST") {
    json made = json::parse(request.body);
    for (const json& known : projects) {
      if (known["name"] == made["name"]) return refusal(409, "NAME_TAKEN");
    }
    made["id"] = projects.size() + 1;
    made["version"] = 1;
    projects.push_back(made);
    return ok(201, made);
  }
  if (request.path == "/api/v1/projects") return page(projects);
  if (request.path.ends_with("/datasets")) {
    return linked_datasets(id_behind("projects", request.path));
  }
  const auto id = std::stoul(last_part(request.path));
  if (id == 0 || id > projects.size()) return refusal(404, "NOT_FOUND");
  json& found = projects[id - 1];
  if (request.method == "PATCH") {
    if (request.header("if-match") != "\"" + found["version"].dump() + "\"") {
      return refusal(412, "VERSION_MISMATCH");
    }
    found.merge_patch(json::parse(request.body));
    found["version"] = found["version"].get<int>() + 1;
  }
  return ok(200, found);
}

StubReply FakeService::dataset(const StubRequest& request) {
  if (request.path == "/api/v1/datasets") {
    if (request.method == "GET") return dataset_list();
    json made = json::parse(request.body);
    made["id"] = datasets.size() + 1;
    made["creator_id"] = kCallerId;
    datasets.push_back(made);
    return ok(201, made);
  }
  const auto id = id_behind("datasets", request.path);
  if (request.path.ends_with("/items")) {
    json own = json::array();
    for (const json& item : items) {
      if (item["dataset_id"] == id) own.push_back(item);
    }
    return page(own);
  }
  if (request.path.ends_with("/upload-init")) return begin_upload(id, json::parse(request.body));
  if (request.path.ends_with("/link")) {
    return link(id, json::parse(request.body)["project_id"].get<std::int64_t>());
  }
  return complete_upload(last_part(request.path));
}

StubReply FakeService::dataset_list() const {
  json listed = datasets;
  for (json& one : listed) {
    one["linked_project_count"] =
        std::ranges::count_if(links, [&one](const auto& link) { return one["id"] == link.first; });
  }
  return page(listed);
}

StubReply FakeService::linked_datasets(std::int64_t project_id) const {
  json linked = json::array();
  for (const json& one : datasets) {
    if (links.contains({one["id"].get<std::int64_t>(), project_id})) linked.push_back(one);
  }
  return page(linked);
}

StubReply FakeService::link(std::int64_t dataset_id, std::int64_t project_id) {
  links.emplace(dataset_id, project_id);
  for (const json& item : items) {
    bool there = item["status"] != "ready" || item["dataset_id"] != dataset_id;
    for (const json& one : tasks) {
      there = there || (one["dataset_item_id"] == item["id"] && one["project_id"] == project_id);
    }
    if (there) continue;
    tasks.push_back({{"id", 100 + tasks.size()},
                     {"project_id", project_id},
                     {"dataset_id", dataset_id},
                     {"dataset_item_id", item["id"]},
                     {"file_name", item["file_name"]},
                     {"status", "pending"},
                     {"annotation_count", 0}});
  }
  return ok(200, {{"created_tasks", tasks.size()}, {"existing_tasks", 0}});
}

StubReply FakeService::begin_upload(std::int64_t dataset_id, const json& body) {
  for (const json& item : items) {
    if (item["dataset_id"] == dataset_id && item["content_hash"] == body["content_hash"]) {
      return refusal(409, "DUPLICATE", {{"duplicate_of", item["id"]}});
    }
  }
  const std::size_t id = items.size() + 1;
  items.push_back({{"id", id},
                   {"dataset_id", dataset_id},
                   {"status", "pending"},
                   {"file_name", body["file_name"]},
                   {"content_hash", body["content_hash"]}});
  return ok(201, {{"item_id", id},
                  {"upload_url", "/objects/" + std::to_string(id) + "?signature=abc"},
                  {"method", "PUT"},
                  {"headers", {{"Content-Type", body["content_type"]}}}});
}

StubReply FakeService::complete_upload(const std::string& item) {
  if (!uploaded.contains(item)) return refusal(422, "OBJECT_MISSING");
  json& found = items[std::stoul(item) - 1];
  found["status"] = "ready";
  return ok(200, found);
}

// Each row of the document once; what the task has by then is passed over.
StubReply FakeService::import(const StubRequest& request) {
  const json document = json::parse(request.body);
  std::map<int, json> files;
  for (const json& image : document["images"]) files[image["id"]] = image["file_name"];
  json errors = json::array();
  int imported = 0;
  int skipped = 0;
  for (std::size_t i = 0; i < document["annotations"].size(); ++i) {
    const json& row = document["annotations"][i];
    json* task = nullptr;
    for (json& one : tasks) task = one["file_name"] == files[row["image_id"]] ? &one : task;
    if (task == nullptr) {
      errors.push_back({{"place", "/annotations/" + std::to_string(i)},
                        {"code", "TASK_NOT_FOUND"},
                        {"message", "No task has this file."}});
      continue;
    }
    json& there = annotations[(*task)["id"]];
    if (there.is_null()) there = json::array();
    if (std::ranges::find(there, row) != there.end()) {
      ++skipped;
      continue;
    }
    ++imported;
    there.push_back(row);
    (*task)["annotation_count"] = there.size();
  }
  json by_code = json::object();
  if (!errors.empty()) by_code["TASK_NOT_FOUND"] = errors.size();
  return ok(200, {{"imported", imported},
                  {"skipped", skipped},
                  {"error_count", errors.size()},
                  {"errors_by_code", by_code},
                  {"errors", errors}});
}

}  // namespace annolog::client::testing
