// Pages of the audit as JSON text. A row never changes, but for a person who is erased: a page that
// is seen again is put together from texts of the last time, for which PostgreSQL only says which
// rows it holds; else, and of one thing always, its rows are read and rendered. On the call's I/O
// thread; errors as of read().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "api/rendered_page.hpp"
#include "api/rendered_texts.hpp"
#include "api/work.hpp"
#include "domain/audit/proof.hpp"
#include "projections/audit/queries.hpp"

namespace annolog::api {

using AuditRows = projections::Page<projections::AuditRow, projections::TimeCursor>;

// The rows that answer the question. Their texts go to `kept`, too, unless it is null.
awaitable<Result<RenderedPage>> audit_page(Call& call, Services& services,
                                           projections::Question<AuditRows> question,
                                           RenderedTexts* kept = nullptr);

class AuditPages {
 public:
  static constexpr std::size_t kKeptBytes = 64U << 20U;  // the newest page of 1,000 projects

  explicit AuditPages(Services& services) : services_(services) {}

  awaitable<Result<RenderedPage>> list(Call& call, const AuditScope& scope,
                                       std::optional<projections::TimeCursor> after,
                                       std::int64_t limit);

 private:
  Services& services_;
  RenderedTexts rendered_{kKeptBytes};
};

}  // namespace annolog::api
