// Pages of one project's tasks as JSON text. Lists are read again and again while little of them
// changes: a page is put together from texts of the last time, for which PostgreSQL only says which
// tasks it holds and in which version; else its rows are read and rendered
// (docs/decisions/0011-rendered-tasks.md). On the call's I/O thread; errors as of read().
#pragma once

#include <cstdint>
#include <optional>

#include "api/directory.hpp"
#include "api/rendered_page.hpp"
#include "api/rendered_texts.hpp"
#include "api/work.hpp"
#include "projections/tasks/queries.hpp"

namespace annolog::api {

class TaskPages {
 public:
  static constexpr std::size_t kKeptBytes = 32U << 20U;
  static constexpr std::size_t kUsualTextBytes = 768;  // of a task: only for reserving

  TaskPages(projections::ReadPool& reads, const Directory& directory)
      : queries_(reads), directory_(directory) {}

  awaitable<Result<RenderedPage>> list(Call& call, Services& services,
                                       const projections::TaskFilter& filter,
                                       std::optional<projections::TimeCursor> after,
                                       std::int64_t limit);

 private:
  RenderedPage render(const projections::TaskFilter& filter,
                      std::optional<projections::TimeCursor> after, std::int64_t limit,
                      Timestamp now);

  projections::TaskQueries queries_;
  const Directory& directory_;
  RenderedTexts rendered_{kKeptBytes};
};

}  // namespace annolog::api
