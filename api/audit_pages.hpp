// Pages of the audit as JSON text. A row never changes, but for a person who is erased: a page of
// many things is put together from texts of the last time, for which PostgreSQL only says which
// rows it holds; else, and of one thing always, its rows are read and rendered. Any thread; blocks,
// throws what the queries throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "api/rendered_page.hpp"
#include "api/rendered_texts.hpp"
#include "api/services.hpp"
#include "domain/audit/proof.hpp"
#include "projections/audit/queries.hpp"

namespace annolog::api {

class AuditPages {
 public:
  static constexpr std::size_t kKeptBytes = 16U << 20U;
  static constexpr std::size_t kUsualTextBytes = 640;  // of a row: only for reserving

  explicit AuditPages(const Services& services) : services_(services), queries_(services.reads) {}

  RenderedPage list(const AuditScope& scope, std::optional<projections::TimeCursor> after,
                    std::int64_t limit);

 private:
  enum class Keep : std::uint8_t { no, yes };  // the rows' texts
  std::optional<projections::TimeCursor> render(const AuditScope& scope,
                                                std::optional<projections::TimeCursor> after,
                                                std::int64_t limit, std::uint64_t names, Keep keep,
                                                RenderedPage& page);

  const Services& services_;
  projections::AuditQueries queries_;
  RenderedTexts rendered_{kKeptBytes};
};

}  // namespace annolog::api
