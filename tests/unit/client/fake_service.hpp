// The part of the service's behaviour that an import meets, kept in memory: login, projects,
// datasets and their links, items with signed URLs, tasks and their annotations. The caller is user
// 1. Tests put faults before it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/unit/client/stub_server.hpp"

namespace annolog::client::testing {

class FakeService {
 public:
  // Answers instead of the service when it returns a reply.
  std::function<std::optional<StubReply>(const StubRequest&)> fault;

  StubReply answer(const StubRequest& request);

  nlohmann::json projects = nlohmann::json::array();
  nlohmann::json datasets = nlohmann::json::array();
  nlohmann::json items = nlohmann::json::array();
  nlohmann::json tasks = nlohmann::json::array();
  std::set<std::pair<std::int64_t, std::int64_t>> links;  // of dataset and project
  std::map<std::int64_t, nlohmann::json> annotations;     // by task
  std::map<std::string, std::string> uploaded;            // bytes by item id
  std::set<std::string> valid_tokens;
  int logins = 0;

 private:
  StubReply log_in(const StubRequest& request);
  StubReply project(const StubRequest& request);
  StubReply dataset(const StubRequest& request);
  StubReply dataset_list() const;
  StubReply linked_datasets(std::int64_t project_id) const;
  StubReply link(std::int64_t dataset_id, std::int64_t project_id);
  StubReply begin_upload(std::int64_t dataset_id, const nlohmann::json& body);
  StubReply complete_upload(const std::string& item);
  StubReply import(const StubRequest& request);
};

}  // namespace annolog::client::testing
