#include "domain/project/classes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "domain/support/case_fold.hpp"
#include "domain/support/text.hpp"

namespace annolog {
namespace {

constexpr std::array<const char*, 12> kPalette{"#E6194B", "#3CB44B", "#FFE119", "#4363D8",
                                               "#F58231", "#911EB4", "#42D4F4", "#F032E6",
                                               "#BFEF45", "#FABED4", "#469990", "#9A6324"};

bool is_color(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

std::int64_t last_id(const ClassList& list) {
  std::int64_t last = 0;
  for (const auto& c : list.live) last = std::max(last, c.id.value);
  for (const auto& c : list.removed) last = std::max(last, c.id.value);
  return last;
}

// Collects every error of a class list; remembers which words are taken.
class SpecChecker {
 public:
  explicit SpecChecker(const Location& loc) : loc_(loc) {}

  void check(const ClassSpec& spec, std::int64_t index) {
    const std::string name = trimmed(spec.name);
    if (name.empty() || character_count(name) > kMaxClassNameLength) {
      add({index, "name"}, "A class name has 1 to 100 characters.", "length");
    } else {
      take(name, {index, "name"}, "is already a class or an alias of this project");
    }
    if (!spec.color.empty() && !is_color(spec.color)) {
      add({index, "color"}, "A colour is written #RRGGBB.", "pattern");
    }
    aliases_ += spec.aliases.size();
    if (spec.aliases.size() > kMaxAliasesOfClass) {
      add({index, "aliases"}, "A class has at most 100 aliases.", "too_many_items");
      return;
    }
    for (std::size_t i = 0; i < spec.aliases.size(); ++i) {
      const Location where{index, "aliases", static_cast<std::int64_t>(i)};
      const std::string alias = trimmed(spec.aliases[i]);
      if (alias.empty() || character_count(alias) > kMaxClassNameLength) {
        add(where, "An alias has 1 to 100 characters.", "length");
      } else {
        take(alias, where, "is already a class or an alias of this project");
      }
    }
  }

  void finish() {
    if (aliases_ > kMaxAliases) add({}, "A project has at most 10000 aliases.", "too_many_items");
  }

  void add(Location where, std::string msg, std::string type) {
    if (is_full(errors)) return;
    Location loc = loc_;
    loc.insert(loc.end(), where.begin(), where.end());
    errors.push_back({std::move(loc), std::move(msg), std::move(type)});
  }

  std::vector<FieldError> errors;

 private:
  void take(const std::string& word, Location where, const char* clash) {
    if (!taken_.insert(case_folded(word)).second) {
      add(std::move(where), "\"" + word + "\" " + clash + ".", "duplicate");
    }
  }

  const Location& loc_;
  std::set<std::string> taken_;
  std::size_t aliases_ = 0;
};

// The classes that names meant so far, without regard to case, live ones first. Lists from before
// names were compared in every script may hold two of one folding: then the one that is written so,
// as the other may be in use.
class KnownNames {
 public:
  explicit KnownNames(const ClassList& list)
      : live_(by_folding(list.live)), removed_(by_folding(list.removed)) {}

  const ProjectClass* find(const std::string& name) const {
    const std::string folded = case_folded(name);
    for (const auto* part : {&live_, &removed_}) {
      const auto [first, last] = part->equal_range(folded);
      if (first == last) continue;
      const auto exact =
          std::find_if(first, last, [&](const auto& known) { return known.second->name == name; });
      return exact != last ? exact->second : first->second;
    }
    return nullptr;
  }

 private:
  using ByFolding = std::multimap<std::string, const ProjectClass*>;  // equal ones in their order

  static ByFolding by_folding(const std::vector<ProjectClass>& classes) {
    ByFolding by;
    for (const auto& c : classes) by.emplace(case_folded(c.name), &c);
    return by;
  }

  const ByFolding live_;
  const ByFolding removed_;
};

// What is kept of a class that goes: its name may come back, with its id and colour.
ProjectClass remembered(const ProjectClass& c) { return {c.id, c.name, c.color, {}}; }

}  // namespace

const ProjectClass* ClassList::find(std::string_view name) const {
  for (const auto& c : live) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

const ProjectClass* ClassList::find(ClassId id) const {
  for (const auto* part : {&live, &removed}) {
    for (const auto& c : *part) {
      if (c.id == id) return &c;
    }
  }
  return nullptr;
}

Result<ClassList> replace_classes(const ClassList& current, const std::vector<ClassSpec>& wanted,
                                  const Location& loc) {
  SpecChecker checker(loc);
  if (wanted.size() > kMaxClasses) {
    checker.add({}, "A project has at most 1000 classes.", "too_many_items");
    return validation_error(std::move(checker.errors));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    checker.check(wanted[i], static_cast<std::int64_t>(i));
  }
  checker.finish();
  if (!checker.errors.empty()) return validation_error(std::move(checker.errors));

  ClassList next;
  const KnownNames known_names(current);
  std::int64_t next_id = last_id(current);
  for (const auto& spec : wanted) {
    const std::string name = trimmed(spec.name);
    const ProjectClass* known = known_names.find(name);
    ProjectClass c{known ? known->id : ClassId{++next_id}, name, spec.color, {}};
    if (c.color.empty()) {
      c.color = known ? known->color
                      : kPalette.at(static_cast<std::size_t>(c.id.value - 1) % kPalette.size());
    }
    for (const auto& alias : spec.aliases) c.aliases.push_back(trimmed(alias));
    next.live.push_back(std::move(c));
  }
  std::set<ClassId> live;
  for (const auto& c : next.live) live.insert(c.id);
  for (const auto* part : {&current.removed, &current.live}) {
    for (const auto& c : *part) {
      if (!live.contains(c.id)) next.removed.push_back(remembered(c));
    }
  }
  const std::size_t ever = current.live.size() + current.removed.size();
  if (next.live.size() + next.removed.size() > std::max(kMaxClassesEver, ever)) {
    return validation_error({{loc,
                              "A project has at most 10000 classes in its life, removed ones "
                              "among them.",
                              "too_many_items"}});
  }
  return next;
}

Result<ClassList> rename_class(const ClassList& current, std::string_view old_name,
                               const std::string& new_name) {
  const ProjectClass* target = current.find(old_name);
  if (target == nullptr) {
    return validation_error(
        {{{"old_name"}, "No class of this project has this name.", "unknown_class"}});
  }
  const std::string name = trimmed(new_name);
  if (name.empty() || character_count(name) > kMaxClassNameLength) {
    return validation_error({{{"new_name"}, "A class name has 1 to 100 characters.", "length"}});
  }
  const std::string folded = case_folded(name);
  for (const auto& c : current.live) {
    const bool alias_taken = std::any_of(c.aliases.begin(), c.aliases.end(),
                                         [&](const auto& a) { return case_folded(a) == folded; });
    if (alias_taken || (c.id != target->id && case_folded(c.name) == folded)) {
      return DomainError{DomainError::Kind::conflict,
                         "CLASS_NAME_TAKEN",
                         "\"" + name + "\" is already a class or an alias of this project.",
                         {{"class_name", c.name}},
                         {},
                         0};
    }
  }
  ClassList next = current;
  for (auto& c : next.live) {
    if (c.id == target->id) c.name = name;
  }
  return next;
}

}  // namespace annolog
