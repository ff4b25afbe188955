// docs/events.md is made from the catalogue; ANNOLOG_REWRITE_GOLDEN=1 writes it anew.
#include <gtest/gtest.h>

#include "domain/codec/domain_json.hpp"
#include "domain/codec/event_meanings.hpp"
#include "domain/codec/events.hpp"
#include "tests/unit/domain/codec/golden_files.hpp"

namespace annolog::testing::events_doc_test {
namespace {

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
    } else if constexpr (std::is_same_v<T, Preferences>) {
      fields.push_back({path, "object of any JSON" + suffix});
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
  static const char* form(VideoBbox*) { return "box of a video's frame"; }
  static const char* form(VideoTrack*) { return "track"; }

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
  text += std::string(codec::event_meaning(E::kType)) + "\n";
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
      "upcaster. Samples: `tests/golden/events/`.\nFor programs: the AsyncAPI document that the "
      "service serves as `/asyncapi.json`.\n";
  ((text += section<Es>()), ...);
  return text;
}

TEST(EventsPage, every_event_has_a_meaning) {
  for (const auto& entry : codec::event_catalogue()) {
    EXPECT_FALSE(codec::event_meaning(entry.type).empty()) << entry.type;
  }
}

TEST(EventsPage, is_what_the_catalogue_says) {
  const std::string text = page(static_cast<const Event*>(nullptr));
  EXPECT_EQ(golden("docs/events.md", text), text);
}

}  // namespace
}  // namespace annolog::testing::events_doc_test
