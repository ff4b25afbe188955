// What an import could not take, with its place in the document. Any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace annolog::workers {

struct ImportProblem {
  std::string place;  // /annotations/12, labels/a.txt:3, Annotations/a.xml#object/2
  std::string code;
  std::string message;
  bool operator==(const ImportProblem&) const = default;
};

// In the document's order: a list of a JSON document or an entry of an archive, and what of it.
struct DocumentPlace {
  std::int64_t part = 0;
  std::int64_t row = 0;
  auto operator<=>(const DocumentPlace&) const = default;
};

class ImportProblems {
 public:
  static constexpr std::size_t kKept = 1000;  // the count stays exact

  void note(DocumentPlace place, std::string code, std::string message);

  std::int64_t count() const;
  std::map<std::string, std::int64_t> count_by_code() const;
  // Those that were kept, in the document's order, with the names of their places.
  using PlaceName = std::function<std::string(DocumentPlace)>;
  std::vector<ImportProblem> in_order(const PlaceName& name_of) const;

 private:
  struct Noted {
    DocumentPlace place;
    std::string code;
    std::string message;
  };
  mutable std::mutex mutex_;
  std::int64_t count_ = 0;
  std::map<std::string, std::int64_t> by_code_;
  std::vector<Noted> noted_;
};

}  // namespace annolog::workers
