#include "eventstore/kafka/group_members.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "eventstore/errors.hpp"

namespace annolog::eventstore::kafka {

using Groups =
    std::unique_ptr<const rd_kafka_group_list,
                    decltype([](const rd_kafka_group_list* g) { rd_kafka_group_list_destroy(g); })>;

// By the library's older call, which asks all brokers: the newer one ends the process when the
// coordinator is not heard (2.0.2).
std::vector<std::string> members_of(const Client& client, const std::string& group,
                                    Deadline deadline) {
  const rd_kafka_group_list* list = nullptr;
  const auto error =
      rd_kafka_list_groups(client.get(), group.c_str(), &list, std::max(1, ms_until(deadline)));
  const Groups groups(list);
  // Partial: a broker said nothing, but the coordinator did.
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR && error != RD_KAFKA_RESP_ERR__PARTIAL)
    throw LogUnavailable(fmt::format("group {}: {}", group, rd_kafka_err2str(error)));
  std::vector<std::string> ids;
  for (int i = 0; i < groups->group_cnt; ++i) {
    const rd_kafka_group_info& info = groups->groups[i];
    if (info.err != RD_KAFKA_RESP_ERR_NO_ERROR)
      throw LogUnavailable(fmt::format("group {}: {}", group, rd_kafka_err2str(info.err)));
    for (int m = 0; m < info.member_cnt; ++m) ids.emplace_back(info.members[m].member_id);
  }
  return ids;
}

std::string own_id(const Client& client) {
  char* id = rd_kafka_memberid(client.get());
  std::string text = id != nullptr ? id : "";
  rd_kafka_mem_free(client.get(), id);
  return text;
}

}  // namespace annolog::eventstore::kafka
