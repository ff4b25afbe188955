#include "workers/import/yolo_classes.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "domain/support/number.hpp"
#include "workers/export/line_text.hpp"
#include "workers/import/entry_names.hpp"

namespace annolog::workers {
namespace {

void add(YoloClasses& classes, std::int64_t index, std::string_view name) {
  if (classes.names.size() == kYoloClassesMax) classes.too_many = true;
  else classes.names.emplace(index, shown_name(trimmed(name)));
}

// Takes the names from the parser's events: a tree of all nodes would cost some hundred bytes each,
// and an alias is never followed.
class NameEvents final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { scalar("null"); }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { scalar(""); }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    scalar(value);
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(true);
  }
  void OnMapEnd() override { close(); }

  YoloClasses classes;
  bool any = false;  // there is a list of names, empty or not

 private:
  static constexpr int kRoot = 1;
  static constexpr int kMembers = 2;

  void open(bool map) {
    ++depth_;
    if (depth_ == kRoot) root_is_map_ = map;
    if (depth_ != kMembers) return;
    in_names_ = root_is_map_ && !at_key_ && key_ == "names";
    any = any || in_names_;
    if (key_ == "kpt_shape" && !at_key_) classes.poses = true;
    members_are_mapped_ = map;
    index_known_ = false;
    next_ = 0;
  }

  void close() {
    if (depth_ == kMembers) in_names_ = false;
    --depth_;
    if (depth_ == kRoot) at_key_ = !at_key_;
    if (depth_ == kMembers) member("");
  }

  void scalar(std::string_view value) {
    if (depth_ == kRoot && root_is_map_) {
      if (at_key_) key_ = value;
      at_key_ = !at_key_;
    } else if (depth_ == kMembers) {
      member(value);
    }
  }

  // Of `names`: a name, or in a map an index and then its name.
  void member(std::string_view value) {
    if (!in_names_) return;
    if (!members_are_mapped_) return add(classes, next_++, value);
    if (!index_known_) {
      next_ = number_from<std::int64_t>(value).value_or(-1);
    } else if (next_ >= 0) {
      add(classes, next_, value);
    }
    index_known_ = !index_known_;
  }

  int depth_ = 0;
  bool root_is_map_ = false;
  bool at_key_ = true;
  std::string key_;
  bool in_names_ = false;
  bool members_are_mapped_ = false;
  bool index_known_ = false;
  std::int64_t next_ = 0;
};

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

YoloClasses classes_of_lines(std::string_view text) {
  text = without_byte_order_mark(text);
  YoloClasses classes;
  std::int64_t index = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto name = trimmed(text.substr(0, end));
    if (!name.empty()) add(classes, index, name);
    ++index;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return classes;
}

std::optional<YoloClasses> classes_of_yaml(const std::string& text) {
  NameEvents events;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(events)) return std::nullopt;
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
  if (!events.any) return std::nullopt;
  return std::move(events.classes);
}

}  // namespace annolog::workers
