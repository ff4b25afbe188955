// The history of one annotation, page by page: what happened to it and its task's work, and what
// was said about it. history_of() blocks: for the read threads; merged() is pure.
#pragma once

#include <cstdint>
#include <vector>

#include "api/services.hpp"
#include "api/views/history.hpp"

namespace annolog::api {

// How much was shown: so many entries of what happened, and the comments up to one.
struct Shown {
  std::int64_t entries = 0;
  CommentId comment;
};

struct HistoryPart {
  std::vector<AnnotationHistoryItem> items;
  bool more = false;  // than fitted
};

struct PageStart {
  Shown shown;
  std::int64_t limit = 0;
};

using AnnotationHistoryItems = projections::Page<AnnotationHistoryItem, Shown>;

// Of an annotation of `task`, oldest first.
AnnotationHistoryItems history_of(const Services& services, const TaskView& task, AnnotationId id,
                                  const PageStart& start);

// Both begin behind what was shown. What happened comes before what was said at the same time.
AnnotationHistoryItems merged(HistoryPart happened, HistoryPart said, const PageStart& start);

void name_actor(const Services& services, std::optional<UserBrief>& actor);

// Of an item of a history, about.
template <class Item>
std::size_t bytes_of(const Item& item) {
  return item.before.text.size() + item.after.text.size();
}

}  // namespace annolog::api
