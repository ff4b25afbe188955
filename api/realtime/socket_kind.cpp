#include "api/realtime/socket_kind.hpp"

#include <cstddef>

namespace annolog::api::realtime {
namespace {

using Kind = SocketKind;

// In the order of the enumeration.
constexpr SocketRule kRules[] = {
    {Kind::multiplexed, "multiplexed", true, true, false, kTokenMissing, kTokenInvalid},
    {Kind::notifications, "notifications", false, true, false, kPolicy, kPolicy},
    {Kind::preannotate, "preannotate", false, false, true, kPolicy, kPolicy},
    {Kind::tracker_job, "tracker_job", false, false, false, kPolicy, kPolicy},
    // Equals the multiplexed one with its channel subscribed.
    {Kind::prediction_jobs, "prediction_jobs", true, true, false, kTokenMissing, kTokenInvalid},
};

}  // namespace

const SocketRule& rule_of(SocketKind kind) { return kRules[static_cast<std::size_t>(kind)]; }

}  // namespace annolog::api::realtime
