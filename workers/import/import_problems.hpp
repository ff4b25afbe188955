// What an import could not take, with its place in the document. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace annolog::workers {

struct ImportProblem {
  std::string place;  // a JSON pointer: /annotations/12
  std::string code;
  std::string message;
  bool operator==(const ImportProblem&) const = default;
};

class ImportProblems {
 public:
  static constexpr std::size_t kKept = 1000;  // the count stays exact

  void note(const char* list, std::int64_t index, std::string code, std::string message);

  std::int64_t count() const;
  std::map<std::string, std::int64_t> count_by_code() const;
  // Those that were kept, in the order of the document's lists and rows.
  std::vector<ImportProblem> in_order() const;

 private:
  struct Noted {
    std::string list;
    std::int64_t index = 0;
    std::string code;
    std::string message;
  };
  mutable std::mutex mutex_;
  std::int64_t count_ = 0;
  std::map<std::string, std::int64_t> by_code_;
  std::vector<Noted> noted_;
};

}  // namespace annolog::workers
