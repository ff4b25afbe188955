#include "workers/import/entry_names.hpp"

#include "platform/json_text.hpp"

namespace annolog::workers {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string shown_name(std::string_view name, std::size_t max_bytes) {
  std::string shown;
  while (!name.empty() && shown.size() < max_bytes) {
    const std::size_t length = platform::utf8_character_bytes(name);
    const bool control = static_cast<unsigned char>(name.front()) < 0x20 || name.front() == 0x7F;
    if (length == 0 || control) shown += kReplacement;
    else shown += name.substr(0, length);
    name.remove_prefix(length == 0 ? 1 : length);
  }
  if (!name.empty()) shown += "...";
  return shown;
}

std::int64_t EntryNames::add(std::string_view name) {
  if (!file_.is_open()) {
    file_.exceptions(std::ios::badbit | std::ios::failbit);
    file_.open(path_, std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc);
  }
  const std::string line = shown_name(name) + '\n';
  file_.seekp(end_);
  file_.write(line.data(), static_cast<std::streamsize>(line.size()));
  const std::int64_t place = end_;
  end_ += static_cast<std::int64_t>(line.size());
  return place;
}

std::string EntryNames::name_at(std::int64_t place) {
  std::string name;
  file_.seekg(place);
  std::getline(file_, name);
  return name;
}

}  // namespace annolog::workers
