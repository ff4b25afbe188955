// What kinds of asynchronous jobs there are, and where one stands.
#pragma once

#include <cstdint>

#include <boost/describe/enum.hpp>

namespace annolog {

enum class JobKind : std::uint8_t {
  batch_predict,
  video_tracker,
  audit_archive,
  predictions_import,
};
BOOST_DESCRIBE_ENUM(JobKind, batch_predict, video_tracker, audit_archive, predictions_import)

// pending -> running -> completed | failed | cancelled; a pending one may be cancelled, too.
enum class JobStatus : std::uint8_t { pending, running, completed, failed, cancelled };
BOOST_DESCRIBE_ENUM(JobStatus, pending, running, completed, failed, cancelled)

inline bool is_final(JobStatus status) {
  return status != JobStatus::pending && status != JobStatus::running;
}

// The others have routes of their own that stop them.
inline bool is_cancellable(JobKind kind) {
  return kind == JobKind::audit_archive || kind == JobKind::predictions_import;
}

}  // namespace annolog
