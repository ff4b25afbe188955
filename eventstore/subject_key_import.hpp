// Takes keys as they are, where a log's keys move to another store: apart from SubjectKeys, since a
// service never chooses a key. One thread.
#pragma once

#include <string_view>

#include "eventstore/subject_keys.hpp"

namespace annolog::eventstore {

class SubjectKeyImport {
 public:
  virtual ~SubjectKeyImport() = default;
  virtual bool has(std::string_view subject) const = 0;
  // Idempotent; durable when it returns. Throws LogRefused when the subject has another key: both
  // can't be right. Otherwise as SubjectKeys.
  virtual void put(std::string_view subject, const SubjectKey& key) = 0;
};

// What put() asks when the subject has a key.
void require_same_key(std::string_view subject, const SubjectKey& there, const SubjectKey& wanted);

}  // namespace annolog::eventstore
