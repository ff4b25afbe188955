// Where requests of a person come from, sealed with their key for the audit: address and user
// agent. What was sealed is kept and used again while a person comes from the same place, since
// the key lies in a file. Any thread.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/personal_data.hpp"
#include "domain/audit/request.hpp"
#include "platform/metrics.hpp"

namespace annolog::api {

// The service's own, for callers who are nobody.
inline constexpr const char* kKeyOfNobody = "nobody";

class AuditOrigins {
 public:
  struct Place {
    std::string key_id;  // the person's
    std::string_view address;
    std::string_view user_agent;  // may be longer than what is kept of it
  };

  // `lost` counts rows that could not say where their request came from.
  AuditOrigins(const PersonalData& personal_data, std::size_t kept_max, platform::Counter lost)
      : personal_data_(personal_data), kept_max_(kept_max), lost_(lost) {}

  std::optional<RequestOrigin> find(const Place& place);  // what was sealed before
  // Blocking. Nothing of them when the person's key is gone or can't be read.
  RequestOrigin seal(const Place& place);
  void count_lost() { lost_.add(); }

 private:
  struct Kept {
    std::string place;
    RequestOrigin origin;
  };

  const PersonalData& personal_data_;
  const std::size_t kept_max_;
  platform::Counter lost_;
  std::mutex mutex_;
  std::list<Kept> newest_first_;
  std::unordered_map<std::string_view, std::list<Kept>::iterator> by_place_;
};

// The JSON that is sealed.
struct PlainOrigin {
  std::string ip;
  std::string user_agent;
};
BOOST_DESCRIBE_STRUCT(PlainOrigin, (), (ip, user_agent))

// What was sealed of an origin, of a person or of nobody; null when the person was erased.
// Blocking.
std::optional<std::string> open_origin_text(const PersonalData& personal_data,
                                            const Sealed& sealed);
// The same, read, or what stands in the clear; null where there is neither, too.
std::optional<PlainOrigin> open_origin(const PersonalData& personal_data,
                                       const RequestOrigin& origin);

}  // namespace annolog::api
