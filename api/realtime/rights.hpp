// May a user listen to a channel? Any thread.
#pragma once

#include <optional>

#include <boost/asio/awaitable.hpp>

#include "api/directory.hpp"
#include "api/http/gate.hpp"
#include "api/positions.hpp"
#include "api/realtime/channel.hpp"
#include "api/second_look.hpp"
#include "api/task_loader.hpp"
#include "domain/support/result.hpp"
#include "platform/thread_pool.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::api::realtime {

using boost::asio::awaitable;

class Rights {
 public:
  virtual ~Rights() = default;
  // The project that the channel is about; 0: none. Refused: NOT_FOUND, FORBIDDEN, or that it can't
  // be told now.
  virtual awaitable<Result<ProjectId>> admit(const http::Caller& caller,
                                             const Channel& channel) = 0;
  // Once admitted: still? From memory alone.
  virtual bool allows(const http::Caller& caller, const Channel& channel,
                      ProjectId project) const = 0;
};

// By the directory, and by the read models for what does not name its project.
class DirectoryRights final : public Rights {
 public:
  struct Parts {
    const Directory& directory;
    TaskLoader& tasks;
    projections::ReadPool& reads;
    platform::ThreadPool& read_threads;
    SecondLook& second_look;
    projections::ReadBarrier& barrier;
    std::uint16_t shards = 0;
  };
  explicit DirectoryRights(Parts parts) : parts_(std::move(parts)) {}

  awaitable<Result<ProjectId>> admit(const http::Caller& caller, const Channel& channel) override;
  bool allows(const http::Caller& caller, const Channel& channel, ProjectId project) const override;

 private:
  awaitable<Result<std::optional<ProjectId>>> project_of(const Channel& channel);
  awaitable<Result<std::optional<ProjectId>>> project_of_task(TaskId id);
  awaitable<Result<std::optional<ProjectId>>> project_of_tracker_job(JobId id);

  const Parts parts_;
};

}  // namespace annolog::api::realtime
