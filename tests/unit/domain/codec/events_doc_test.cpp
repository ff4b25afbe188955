// docs/events.md is made from the catalogue; ANNOLOG_REWRITE_GOLDEN=1 writes it anew.
#include <gtest/gtest.h>

#include <map>

#include "domain/codec/domain_json.hpp"
#include "domain/codec/events.hpp"
#include "tests/unit/domain/codec/golden_files.hpp"

namespace annolog::testing {
namespace {

const std::map<std::string_view, const char*> kMeanings{
    {"user.created", "A person may use the service; personal fields are sealed with their key."},
    {"user.signed_in", "The person gave the right password."},
    {"name.reserved", "A unique name is held for a resource that is about to bear it."},
    {"name.confirmed", "The resource bears the name; the one it bore before is free."},
    {"name.released", "The wish behind the reservation was refused; the name is free."},
    {"project.created", "A project exists, with its classes and its owner."},
    {"project.updated", "Settings of a project changed; only the changed members are there."},
    {"project.classes_replaced", "The class list changed; it is given whole, as it is now."},
    {"project.class_renamed", "A class has a new name; annotations follow by the class id."},
    {"project.exported", "Someone exported the project; recorded before the first byte."},
    {"project.member_added", "A user works in the project with this role."},
    {"project.member_role_changed", "A member has another role."},
    {"project.member_removed", "A user is no longer a member."},
    {"dataset.created", "A dataset exists."},
    {"item.upload_started", "An upload was announced; the item is pending."},
    {"item.ready", "The item's bytes are there and as announced."},
    {"items.registered", "Items that lay in the object store already joined the dataset."},
    {"dataset.linked", "The dataset's items become tasks of the project, now and later."},
    {"dataset.link_advanced", "Items up to this number have become tasks of the project."},
    {"tasks.created", "Tasks were born of dataset items."},
    {"task.taken", "A user got the task: in progress, assigned to and locked by them."},
    {"task.locked", "A user holds the task until the given time."},
    {"task.lock_renewed", "The holder keeps the task until the given time."},
    {"task.unlocked", "The task was given back."},
    {"task.annotations_added", "All shapes of one call were added."},
    {"annotation.updated", "An annotation changed; its mutable part is given whole."},
    {"annotation.deleted", "An annotation was deleted; it stays in the history."},
    {"task.submitted", "Work was handed in; lock, reject reason and skip mark are cleared."},
    {"task.sent_to_review", "The task waits for a reviewer."},
    {"task.approved", "A reviewer accepted the work; the task is completed."},
    {"task.rejected", "A reviewer sent the work back, with the kind of fault."},
    {"task.rejection_accepted", "The assignee took the work up again."},
    {"task.reopened", "Completed work goes on."},
};

struct Field {
  std::string path, type;
};

// The JSON type of T and the fields below it, by the same rules as the writer.
class Describer {
 public:
  std::vector<Field> fields;

  template <class T>
  void members(const std::string& prefix) {
    boost::mp11::mp_for_each<codec::MembersOf<T>>([&](auto d) {
      using Member = std::remove_cvref_t<decltype(std::declval<T>().*d.pointer)>;
      field<Member>(prefix + std::string(codec::member_name(d.name)), "");
    });
  }

 private:
  template <class T>
  void field(const std::string& path, const std::string& suffix) {
    if constexpr (codec::is_optional<T>) {
      field<typename T::value_type>(path, suffix + " or null");
    } else if constexpr (codec::is_vector<T>) {
      list<typename T::value_type>(path, suffix);
    } else if constexpr (std::is_same_v<T, Geometry>) {
      fields.push_back({path, "object, one of the forms below" + suffix});
      alternatives(path, static_cast<T*>(nullptr));
    } else if constexpr (std::is_same_v<T, Attributes>) {
      fields.push_back(
          {path, "object of null, boolean, number, string or array of strings" + suffix});
    } else if constexpr (codec::DescribedStruct<T> && !codec::detail::HasFormat<T>) {
      fields.push_back({path, "object" + suffix});
      members<T>(path + ".");
    } else {
      fields.push_back({path, word<T>() + suffix});
    }
  }

  template <class T>
  void list(const std::string& path, const std::string& suffix) {
    if constexpr (codec::DescribedStruct<T> && !codec::detail::HasFormat<T>) {
      fields.push_back({path + "[]", "array of objects" + suffix});
      members<T>(path + "[].");
    } else {
      fields.push_back({path + "[]", "array of " + word<T>() + suffix});
    }
  }

  template <class... Ts>
  void alternatives(const std::string& path, std::variant<Ts...>*) {
    (alternative<Ts>(path), ...);
  }
  template <class T>
  void alternative(const std::string& path) {
    fields.push_back({path, "a " + std::string(Describer::form(static_cast<T*>(nullptr))) + ":"});
    members<T>(path + ".");
  }

  static const char* form(Bbox*) { return "box"; }
  static const char* form(Polygon*) { return "polygon"; }
  static const char* form(KeypointSet*) { return "set of keypoints"; }

  template <class T>
  static std::string word() {
    if constexpr (std::is_same_v<T, bool>) {
      return "boolean";
    } else if constexpr (std::is_integral_v<T> || codec::is_id<T>) {
      return "integer";
    } else if constexpr (std::is_same_v<T, double>) {
      return "number";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return "string";
    } else if constexpr (std::is_same_v<T, Timestamp>) {
      return "string, RFC 3339 time";
    } else if constexpr (std::is_same_v<T, JsonText>) {
      return "any JSON";
    } else if constexpr (std::is_same_v<T, Point>) {
      return "[number, number]";
    } else if constexpr (std::is_same_v<T, AppliesTo>) {
      return "`\"*\"` or array of strings";
    } else if constexpr (std::is_same_v<T, AttributeValue>) {
      return "null, boolean, number, string or array of strings";
    } else {
      static_assert(codec::DescribedEnum<T>, "say how this type is written");
      std::string words;
      codec::for_each_enumerator<T>([&](T, std::string_view text) {
        words += (words.empty() ? "" : ", ") + ("`" + std::string(text) + "`");
      });
      return words;
    }
  }
};

template <class E>
std::string section() {
  E event{};
  const std::string subject = codec::subject_of(event);
  std::string text = "\n## " + std::string(E::kType) + "\n\n";
  const auto meaning = kMeanings.find(E::kType);
  text += meaning == kMeanings.end() ? "" : std::string(meaning->second) + "\n";
  text += "\nVersion " + std::to_string(E::kVersion) + ", subject `" +
          subject.substr(0, subject.find('/')) + "/<id>`.\n\n| field | JSON |\n|---|---|\n";
  Describer describer;
  describer.members<E>("");
  for (const auto& field : describer.fields) {
    text += "| " + field.path + " | " + field.type + " |\n";
  }
  return text;
}

template <class... Es>
std::string page(const std::variant<Es...>*) {
  std::string text =
      "# Events\n\nEvery event type, its newest version and its data. Made from the program's own "
      "catalogue;\n`ANNOLOG_REWRITE_GOLDEN=1` and the test of this page write it anew. Headers: "
      "[log-format.md](log-format.md).\nA type is never changed: it gets a next version and an "
      "upcaster. Samples: `tests/golden/events/`.\n";
  ((text += section<Es>()), ...);
  return text;
}

TEST(EventsPage, every_event_has_a_meaning) {
  for (const auto& entry : codec::event_catalogue()) {
    EXPECT_TRUE(kMeanings.contains(entry.type)) << entry.type;
  }
  EXPECT_EQ(kMeanings.size(), codec::event_catalogue().size());
}

TEST(EventsPage, is_what_the_catalogue_says) {
  const std::string text = page(static_cast<const Event*>(nullptr));
  EXPECT_EQ(golden("docs/events.md", text), text);
}

}  // namespace
}  // namespace annolog::testing
