#include "eventstore/kafka/group_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "eventstore/errors.hpp"

namespace annolog::eventstore::kafka {
namespace {

using Groups =
    std::unique_ptr<const rd_kafka_group_list,
                    decltype([](const rd_kafka_group_list* g) { rd_kafka_group_list_destroy(g); })>;

// All brokers are asked, and one that isn't reached spoils what the coordinator has said, or keeps
// the call until its time is over: so it is asked for a moment, then again for a longer one.
constexpr int kFirstTryMs = 100;
constexpr int kLongestTryMs = 2'000;
constexpr std::chrono::milliseconds kMembersPause{20};

}  // namespace

// By the library's older call: the newer one ends the process when the coordinator is not heard
// (2.0.2).
std::vector<std::string> members_of(const Client& client, const std::string& group,
                                    Deadline deadline) {
  for (int try_ms = kFirstTryMs;; try_ms = std::min(2 * try_ms, kLongestTryMs)) {
    const rd_kafka_group_list* list = nullptr;
    auto error = rd_kafka_list_groups(client.get(), group.c_str(), &list,
                                      std::clamp(ms_until(deadline), 1, try_ms));
    const Groups groups(list);
    // Partial: a broker said nothing, but the coordinator did.
    if (error == RD_KAFKA_RESP_ERR__PARTIAL) error = RD_KAFKA_RESP_ERR_NO_ERROR;
    std::vector<std::string> ids;
    for (int i = 0; error == RD_KAFKA_RESP_ERR_NO_ERROR && i < groups->group_cnt; ++i) {
      const rd_kafka_group_info& info = groups->groups[i];
      error = info.err;
      for (int m = 0; m < info.member_cnt; ++m) ids.emplace_back(info.members[m].member_id);
    }
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return ids;
    if (ms_until(deadline) == 0)
      throw LogUnavailable(fmt::format("group {}: {}", group, rd_kafka_err2str(error)));
    std::this_thread::sleep_for(kMembersPause);  // a refused connection fails at once
  }
}

std::string own_id(const Client& client) {
  char* id = rd_kafka_memberid(client.get());
  std::string text = id != nullptr ? id : "";
  rd_kafka_mem_free(client.get(), id);
  return text;
}

}  // namespace annolog::eventstore::kafka
