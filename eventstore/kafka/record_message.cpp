#include "eventstore/kafka/record_message.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>
#include <stdexcept>

#include "eventstore/chain.hpp"
#include "eventstore/kafka/message_headers.hpp"
#include "eventstore/record_id.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::string_view kContentType = "content-type";
constexpr std::string_view kSpecVersion = "ce_specversion";
constexpr std::string_view kSource = "ce_source";
constexpr std::string_view kTime = "ce_time";
constexpr std::string_view kSchemaVersion = "ce_schemaversion";
constexpr std::string_view kSequence = "ce_sequence";
constexpr std::string_view kChain = "ce_chain";
constexpr std::string_view kId = "ce_id";
constexpr std::string_view kCommandContinues = "ce_commandcontinues";
constexpr std::string_view kWriter = "annolog-writer";

constexpr int kFirstVersion = 1;
constexpr std::int64_t kDayMs = 86'400'000;
// What four digits of a year can say. Beyond it the standard library's year wraps round.
constexpr std::int64_t kFirstMs = -62'167'219'200'000;  // 0000-01-01T00:00:00.000Z
constexpr std::int64_t kLastMs = 253'402'300'799'999;   // 9999-12-31T23:59:59.999Z

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr auto kHexDigits = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 16; ++i) values["0123456789abcdef"[i]] = static_cast<std::int8_t>(i);
  return values;
}();

int hex_digit(char c) { return kHexDigits[static_cast<unsigned char>(c)]; }

std::optional<Hash> from_hex(std::string_view text) {
  Hash hash{};
  if (text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const int high = hex_digit(text[2 * i]);
    const int low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    hash[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return hash;
}

// As it would be written: without leading zeros.
template <class T>
std::optional<T> written_number(std::string_view text) {
  return text.size() > 1 && text.front() == '0' ? std::nullopt : number<T>(text);
}

// Of a record that is named after its place (record_id.hpp): then the sequence needn't be said.
std::optional<std::uint64_t> offset_in_id(std::string_view id, std::int32_t partition) {
  const auto dash = id.find('-');
  if (dash == std::string_view::npos ||
      written_number<std::uint16_t>(id.substr(0, dash)) != partition)
    return std::nullopt;
  return written_number<std::uint64_t>(id.substr(dash + 1));
}

// What a message says, as far as it was understood.
struct Parts {
  Record& record;
  std::int32_t partition;
  std::optional<std::uint64_t> sequence = {};
  bool has_time = false;
  bool has_chain = false;
  bool good = true;
};

struct Attribute {
  std::string_view header;
  std::string RecordHeaders::* text = nullptr;  // taken as it stands; absent when empty
  void (*read)(Parts& parts, std::string_view value) = nullptr;
};

void read_time(Parts& parts, std::string_view value) {
  const auto ms = from_rfc3339(value);
  parts.has_time = ms.has_value();
  parts.record.headers.time_ms = ms.value_or(0);
}

void read_schema_version(Parts& parts, std::string_view value) {
  const auto version = number<int>(value);
  parts.good = parts.good && version && *version >= 1;
  parts.record.headers.schema_version = version.value_or(1);
}

void read_sequence(Parts& parts, std::string_view value) {
  parts.sequence = number<std::uint64_t>(value);
  parts.good = parts.good && parts.sequence;
}

void read_id(Parts& parts, std::string_view value) {
  if (!parts.sequence) parts.sequence = offset_in_id(value, parts.partition);
}

void read_chain(Parts& parts, std::string_view value) {
  const auto chain = from_hex(value);
  parts.has_chain = chain.has_value();
  parts.record.chain = chain.value_or(Hash{});
}

void read_command_continues(Parts& parts, std::string_view value) {
  parts.record.last_of_command = value != "true";
}

// In the order in which they are written.
constexpr Attribute kAttributes[] = {
    {kContentType},
    {kSpecVersion},
    {kSource},
    {.header = kTime, .read = read_time},
    {.header = kSchemaVersion, .read = read_schema_version},
    {.header = kSequence, .read = read_sequence},
    {.header = kChain, .read = read_chain},
    {.header = kCommandContinues, .read = read_command_continues},
    {kId, &RecordHeaders::id, read_id},
    {"ce_type", &RecordHeaders::type},
    {"ce_subject", &RecordHeaders::subject},
    {"ce_actor", &RecordHeaders::actor},
    {"ce_requestid", &RecordHeaders::request_id},
    {"ce_causationid", &RecordHeaders::causation_id},
    {"ce_traceparent", &RecordHeaders::traceparent},
    {"ce_idempotency", &RecordHeaders::idempotency},
    {kWriter},
};

// Looked for behind the one that was found last: most often it is there.
const Attribute* find_attribute(std::string_view header, std::size_t& next) {
  for (std::size_t i = 0; i < std::size(kAttributes); ++i) {
    const std::size_t at = (next + i) % std::size(kAttributes);
    if (kAttributes[at].header != header) continue;
    next = at + 1;
    return &kAttributes[at];
  }
  return nullptr;
}

// `count` digits at `at`, as a number; -1 when others are among them.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  unsigned value = 0;
  for (const char c : text.substr(at, count)) {
    const unsigned digit = static_cast<unsigned char>(c) - static_cast<unsigned char>('0');
    if (digit > 9) return -1;
    value = value * 10 + digit;
  }
  return static_cast<int>(value);
}

}  // namespace

std::string to_rfc3339(std::int64_t ms) {
  if (ms < kFirstMs || ms > kLastMs) throw std::invalid_argument("a time beyond the year 9999");
  const auto point =
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms));
  const auto day = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(point - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

std::optional<std::int64_t> from_rfc3339(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (const std::size_t at : {4, 7, 10, 13, 16, 19, 23})
    if (text[at] != kForm[at]) return std::nullopt;
  const int year = digits(text, 0, 4);
  const int hour = digits(text, 11, 2);
  const int minute = digits(text, 14, 2);
  const int second = digits(text, 17, 2);
  const int milliseconds = digits(text, 20, 3);
  const std::chrono::year_month_day date(
      std::chrono::year(year), std::chrono::month(static_cast<unsigned>(digits(text, 5, 2))),
      std::chrono::day(static_cast<unsigned>(digits(text, 8, 2))));
  if (std::min({year, hour, minute, second, milliseconds}) < 0 || !date.ok() || hour > 23 ||
      minute > 59 || second > 59)
    return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * kDayMs + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
}

Message to_message(const Record& record, const std::string& topic, const RecordOrigin& origin) {
  const RecordHeaders& from = record.headers;
  Message message;
  message.topic = topic;
  message.partition = record.position.shard.value;
  message.key = fmt::format("shard/{}", record.position.shard.value);
  message.value = record.data;
  // Kafka knows no time before 1970; ce_time is the one that counts.
  message.time_ms = std::max<std::int64_t>(0, from.time_ms);
  auto& headers = message.headers;
  headers.reserve(std::size(kAttributes));
  headers.emplace_back(kContentType, "application/json");
  headers.emplace_back(kSpecVersion, "1.0");
  headers.emplace_back(kSource, origin.source);
  headers.emplace_back(kTime, to_rfc3339(from.time_ms));
  if (from.schema_version != kFirstVersion)
    headers.emplace_back(kSchemaVersion, std::to_string(from.schema_version));
  if (from.id != record_id(record.position))
    headers.emplace_back(kSequence, std::to_string(record.position.offset.value));
  headers.emplace_back(kChain, to_hex(as_bytes(record.chain)));
  if (!record.last_of_command) headers.emplace_back(kCommandContinues, "true");
  for (const Attribute& attribute : kAttributes) {
    if (attribute.text == nullptr) continue;
    const std::string& text = from.*attribute.text;
    if (!text.empty()) headers.emplace_back(attribute.header, text);
  }
  if (!origin.writer.empty()) headers.emplace_back(kWriter, origin.writer);
  return message;
}

void add_messages(std::span<const Record> records, const std::string& topic,
                  const RecordOrigin& origin, std::vector<Message>& to) {
  const RecordOrigin of_the_rest{origin.source, {}};
  std::set<ShardId> begun;
  for (const Record& record : records) {
    const bool first = begun.insert(record.position.shard).second;
    to.push_back(to_message(record, topic, first ? origin : of_the_rest));
  }
}

bool read_record(const rd_kafka_message_t& message, Record& into) {
  Parts parts{into, message.partition};
  into.last_of_command = true;
  std::size_t next = 0;
  each_header(message, [&](std::string_view name, std::string_view value) {
    const Attribute* attribute = find_attribute(name, next);
    if (attribute == nullptr) return;
    if (attribute->text != nullptr) (into.headers.*attribute->text).assign(value);
    if (attribute->read != nullptr) attribute->read(parts, value);
  });
  if (!parts.good || !parts.sequence || !parts.has_time || !parts.has_chain) return false;
  into.position = {ShardId(static_cast<std::uint16_t>(message.partition)), Offset{*parts.sequence}};
  into.data.assign(value_of(message));
  return true;
}

std::optional<Record> to_record(const rd_kafka_message_t& message) {
  std::optional<Record> record(std::in_place);
  if (!read_record(message, *record)) record.reset();
  return record;
}

std::string writer_of(const rd_kafka_message_t& message) {
  std::string writer;
  each_header(message, [&](std::string_view name, std::string_view value) {
    if (name == kWriter) writer = value;
  });
  return writer;
}

}  // namespace annolog::eventstore::kafka
