#include "domain/codec/events.hpp"

#include <unordered_map>

#include <nlohmann/json.hpp>

#include "domain/codec/domain_json.hpp"

namespace annolog::codec {
namespace {

constexpr std::size_t kUsualBytes = 1024;  // few events are longer

using Decode = Event (*)(const JsonValue&);

struct Decoder {
  int version;
  Decode decode;
};

template <class E>
Event decode_as(const JsonValue& data) {
  return from_json<E>(data);
}

using Decoders = std::unordered_map<std::string_view, Decoder>;

template <class... Es>
Decoders make_decoders(const std::variant<Es...>*) {
  return {{Es::kType, Decoder{Es::kVersion, &decode_as<Es>}}...};
}

template <class... Es>
std::vector<CatalogueEntry> make_catalogue(const std::variant<Es...>*) {
  return {CatalogueEntry{Es::kType, Es::kVersion}...};
}

const Decoders& decoders() {
  static const Decoders table = make_decoders(static_cast<const Event*>(nullptr));
  return table;
}

template <class E>
std::string subject_of_one(const E& event) {
  if constexpr (std::same_as<E, RequestRecorded>) {
    return "request/" + event.request_id;
  } else if constexpr (requires { event.job_id; }) {
    return "job/" + std::to_string(event.job_id.value);
  } else if constexpr (requires { event.webhook_id; }) {
    return "webhook/" + std::to_string(event.webhook_id.value);
  } else if constexpr (requires { event.comment_id; }) {
    return "comment/" + std::to_string(event.comment_id.value);
  } else if constexpr (requires { event.annotation_id; }) {
    return "annotation/" + std::to_string(event.annotation_id.value);
  } else if constexpr (requires { event.task_id; }) {
    return "task/" + std::to_string(event.task_id.value);
  } else if constexpr (requires { event.batch_id; }) {
    return "batch/" + std::to_string(event.batch_id.value);
  } else if constexpr (requires { event.holder_id; }) {
    return "name/" + std::to_string(event.holder_id);
  } else if constexpr (requires { event.item_id; }) {
    return "item/" + std::to_string(event.item_id.value);
  } else if constexpr (requires {
                         event.dataset_id;
                         event.project_id;
                         event.tasks;
                       }) {
    return "project/" + std::to_string(event.project_id.value);
  } else if constexpr (requires { event.dataset_id; }) {
    return "dataset/" + std::to_string(event.dataset_id.value);
  } else if constexpr (requires { event.project_id; }) {
    return "project/" + std::to_string(event.project_id.value);
  } else if constexpr (requires { event.key_id; }) {
    return "api_key/" + std::to_string(event.key_id.value);
  } else if constexpr (requires { event.invitation_id; }) {
    return "invitation/" + std::to_string(event.invitation_id.value);
  } else if constexpr (requires { event.session_id; }) {
    return "session/" + std::to_string(event.session_id.value);
  } else if constexpr (requires { event.user_id; }) {
    return "user/" + std::to_string(event.user_id.value);
  } else {
    return "group/" + std::to_string(event.group_id.value);
  }
}

template <class T>
void canonicalise_part(T& value) {
  if constexpr (std::same_as<T, JsonText>) {
    value.text = parse_json(value.text).dump();
  } else if constexpr (is_optional<T>) {
    if (value) canonicalise_part(*value);
  } else if constexpr (is_vector<T>) {
    for (auto& element : value) canonicalise_part(element);
  } else if constexpr (is_string_map<T>) {
    for (auto& [name, element] : value) canonicalise_part(element);
  } else if constexpr (DescribedStruct<T>) {
    boost::mp11::mp_for_each<MembersOf<T>>([&](auto d) { canonicalise_part(value.*d.pointer); });
  }
}

}  // namespace

void canonicalise(Event& event) {
  std::visit([](auto& e) { canonicalise_part(e); }, event);
}

std::string subject_of(const Event& event) {
  return std::visit([](const auto& e) { return subject_of_one(e); }, event);
}

EncodedEvent encode_event(const Event& event) {
  return std::visit(
      [&](const auto& e) {
        using E = std::remove_cvref_t<decltype(e)>;
        std::string data;
        data.reserve(kUsualBytes);
        write_json(data, e);
        return EncodedEvent{E::kType, E::kVersion, subject_of_one(e), std::move(data)};
      },
      event);
}

Event decode_event(std::string_view type, int version, std::string_view data) {
  const auto found = decoders().find(type);
  if (found == decoders().end()) throw UnknownEvent("unknown event type " + std::string(type));
  if (version == found->second.version) {
    const JsonDocument document(data);
    return found->second.decode(document.root());
  }
  auto json = parse_json(data);
  const int reached = upcast(upcasters(), type, version, json);
  if (reached != found->second.version) {
    throw UnknownEvent(std::string(type) + " version " + std::to_string(version) +
                       " is not known to this program");
  }
  return found->second.decode(json);
}

std::vector<CatalogueEntry> event_catalogue() {
  return make_catalogue(static_cast<const Event*>(nullptr));
}

}  // namespace annolog::codec
