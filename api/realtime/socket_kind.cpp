#include "api/realtime/socket_kind.hpp"

#include <cstddef>

namespace annolog::api::realtime {
namespace {

// In the order of the enumeration.
constexpr SocketRule kSocketRules[] = {
    {SocketKind::multiplexed, "multiplexed", true, true, false, kTokenMissing, kTokenInvalid},
    {SocketKind::notifications, "notifications", false, true, false, kPolicy, kPolicy},
    {SocketKind::preannotate, "preannotate", false, false, true, kPolicy, kPolicy},
    {SocketKind::tracker_job, "tracker_job", false, false, false, kPolicy, kPolicy},
    // Equals the multiplexed one with its channel subscribed.
    {SocketKind::prediction_jobs, "prediction_jobs", true, true, false, kTokenMissing,
     kTokenInvalid},
};

}  // namespace

const SocketRule& rule_of(SocketKind kind) { return kSocketRules[static_cast<std::size_t>(kind)]; }

}  // namespace annolog::api::realtime
