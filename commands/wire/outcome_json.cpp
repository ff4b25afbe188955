#include "commands/wire/outcome_json.hpp"

#include <unordered_map>

#include <nlohmann/json.hpp>

#include "commands/wire/names.hpp"
#include "domain/codec/domain_json.hpp"
#include "domain/support/overloaded.hpp"

namespace annolog::commands {
namespace {

using Json = nlohmann::json;
using ReplyNames = WireNames<AnyReply>;
using ReadReply = Reply (*)(const Json& value);

template <class R>
Reply read_reply(const Json& value) {
  if constexpr (std::is_same_v<R, std::monostate>) {
    return std::monostate{};
  } else {
    return codec::from_json<R>(value);
  }
}

template <class... Rs>
std::unordered_map<std::string, ReadReply> make_reply_readers(const std::variant<Rs...>*) {
  return {{wire_name<Rs>(), &read_reply<Rs>}...};
}

Json to_json(const DomainError::Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

DomainError::Value value_from(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object()) return json.get<std::map<std::string, std::int64_t>>();
  if (!json.is_array()) return nullptr;
  const bool numbers = !json.empty() && json.front().is_number_integer();
  if (numbers) return json.get<std::vector<std::int64_t>>();
  return json.get<std::vector<std::string>>();
}

Json to_json(const FieldError& error) {
  Json loc = Json::array();
  for (const auto& step : error.loc) std::visit([&](const auto& s) { loc.push_back(s); }, step);
  return {{"loc", std::move(loc)}, {"msg", error.msg}, {"type", error.type}};
}

std::optional<eventstore::Position> position_from(const Json& json, const char* shard,
                                                  const char* offset) {
  if (!json.contains(shard)) return std::nullopt;
  return eventstore::Position{eventstore::ShardId(codec::from_json<std::uint16_t>(json.at(shard))),
                              eventstore::Offset(codec::from_json<std::uint64_t>(json.at(offset)))};
}

FieldError field_error_from(const Json& json) {
  FieldError error{{}, json.at("msg"), json.at("type")};
  for (const Json& step : json.at("loc")) {
    if (step.is_string()) {
      error.loc.emplace_back(step.get<std::string>());
    } else {
      error.loc.emplace_back(step.get<std::int64_t>());
    }
  }
  return error;
}

Json to_json(const DomainError& error) {
  Json detail = Json::array();
  for (const auto& [name, value] : error.detail) detail.push_back({name, to_json(value)});
  Json errors = Json::array();
  for (const FieldError& each : error.errors) errors.push_back(to_json(each));
  return {{"kind", static_cast<int>(error.kind)},
          {"code", error.code},
          {"message", error.message},
          {"detail", std::move(detail)},
          {"errors", std::move(errors)},
          {"retry_after_s", error.retry_after_s}};
}

DomainError error_from(const Json& json) {
  const int kind = json.at("kind");
  if (kind < 0 || kind > static_cast<int>(DomainError::Kind::unavailable))
    throw codec::CodecError("error", "no such kind");
  DomainError error{static_cast<DomainError::Kind>(kind),
                    json.at("code"),
                    json.at("message"),
                    {},
                    {},
                    json.at("retry_after_s")};
  for (const Json& pair : json.at("detail"))
    error.detail.emplace_back(pair.at(0).get<std::string>(), value_from(pair.at(1)));
  for (const Json& each : json.at("errors")) error.errors.push_back(field_error_from(each));
  return error;
}

Reply reply_from(const std::string& name, const Json& value) {
  static const auto readers = make_reply_readers(static_cast<const Reply*>(nullptr));
  const auto found = readers.find(name);
  if (found == readers.end()) throw codec::CodecError("name", "no reply is called " + name);
  return found->second(value);
}

// A refusal may quote bytes that are no text: its caller waits for it all the same.
std::string error_text(const DomainError& error) {
  return to_json(error).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string result_text(const Result<Reply>& result) {
  if (!result) return "\"error\":" + error_text(result.error());
  std::string text = "\"name\":\"" + ReplyNames::all()[result.value().index()] + "\",\"reply\":";
  std::visit(overloaded{[&](std::monostate) { text += "null"; },
                        [&](const auto& reply) { codec::write_json(text, reply); }},
             result.value());
  return text;
}

}  // namespace

std::string to_json(const Outcome& outcome) {
  std::string text = "{";
  if (outcome.position) {
    text += "\"shard\":" + std::to_string(outcome.position->shard.value);
    text += ",\"offset\":" + std::to_string(outcome.position->offset.value) + ',';
  }
  text += std::string("\"replayed\":") + (outcome.replayed ? "true" : "false") + ',';
  if (outcome.recorded) text += "\"recorded\":true,";
  if (outcome.row) {
    text += "\"row_shard\":" + std::to_string(outcome.row->shard.value);
    text += ",\"row\":" + std::to_string(outcome.row->offset.value) + ',';
  }
  return text + result_text(outcome.reply) + '}';
}

Outcome outcome_from_json(std::string_view text) {
  const Json json = codec::parse_json(text);
  try {
    const auto position = position_from(json, "shard", "offset");
    const auto row = position_from(json, "row_shard", "row");
    const bool replayed = json.at("replayed");
    const bool recorded = json.value("recorded", false);
    if (json.contains("error"))
      return {error_from(json.at("error")), position, replayed, recorded, row};
    return {reply_from(json.at("name"), json.at("reply")), position, replayed, recorded, row};
  } catch (const Json::exception& error) {
    throw codec::CodecError("", error.what());
  }
}

}  // namespace annolog::commands
