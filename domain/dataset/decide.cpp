#include <algorithm>
#include <unordered_map>

#include "domain/dataset/commands.hpp"
#include "domain/dataset/objects.hpp"
#include "domain/dataset/ownership.hpp"
#include "domain/support/text.hpp"

namespace annolog {
namespace {

DomainError duplicate_of(ItemId item) {
  return conflict("DUPLICATE", "The dataset holds these bytes already.",
                  {{"duplicate_of", item.value}});
}

FieldError md5_error() {
  return {{"content_hash"}, "Must be an MD5 in 32 hexadecimal digits.", "pattern"};
}

Result<void> check_upload(const DatasetState& dataset, const StartUpload& command) {
  std::vector<FieldError> errors;
  const bool video = lower_ascii(command.content_type).starts_with("video/");
  if (video && dataset.data_type == DataType::image) {
    errors.push_back({{"content_type"}, "The dataset holds images, not videos.", "not_allowed"});
  }
  const std::int64_t most = video ? kMaxVideoBytes : kMaxImageBytes;
  if (command.file_size < 1 || command.file_size > most) {
    errors.push_back(
        {{"file_size"}, "Must be 1 to " + std::to_string(most) + " bytes.", "out_of_range"});
  }
  if (command.content_hash && !is_md5(lower_ascii(*command.content_hash))) {
    errors.push_back(md5_error());
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

}  // namespace

bool is_md5(const std::string& text) {
  return text.size() == 32 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<void> check(const CreateDataset& command) {
  return check_dataset_texts(command.name, command.description);
}

Result<Events> decide(const DatasetState& state, const CreateDataset& command, const Context&) {
  if (state.version != 0) return Events{};  // the steps of a creation may be repeated
  BOOST_OUTCOME_TRY(check(command));
  return Events{DatasetCreated{command.dataset_id, trimmed(command.name), command.description,
                               command.data_type, command.creator_id}};
}

Result<Events> decide(const DatasetState& state, const StartUpload& command, const Context& context,
                      ItemIndex& index) {
  BOOST_OUTCOME_TRY(require_owner(state, context));
  BOOST_OUTCOME_TRY(check_upload(state, command));
  std::optional<std::string> hash;
  if (command.content_hash) {
    hash = lower_ascii(*command.content_hash);
    if (const auto known = index.by_hash(*hash)) return duplicate_of(*known);
  }
  const ItemId item = index.next_id();
  return Events{ItemUploadStarted{.dataset_id = state.id,
                                  .item_id = item,
                                  .file_name = command.file_name,
                                  .file_path = object_key_of(state.id, item, command.file_name),
                                  .content_type = command.content_type,
                                  .file_size = command.file_size,
                                  .content_hash = std::move(hash)}};
}

Result<Events> decide(const DatasetState& state, const ItemState& item,
                      const CompleteUpload& command, const Context& context, ItemIndex& index) {
  BOOST_OUTCOME_TRY(require_owner(state, context));
  if (!item.is_in(state.id)) return not_found("item");
  if (item.status == ItemStatus::ready) return Events{};  // idempotent
  std::vector<FieldError> errors;
  if (command.stored_size != item.file_size) {
    errors.push_back({{"file_size"},
                      "The stored object has " + std::to_string(command.stored_size) +
                          " bytes, announced were " + std::to_string(item.file_size) + ".",
                      "size_mismatch"});
  }
  if (item.content_hash && *item.content_hash != command.stored_md5) {
    errors.push_back({{"content_hash"},
                      "The stored object's MD5 is " + command.stored_md5 + ", announced was " +
                          *item.content_hash + ".",
                      "hash_mismatch"});
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  if (const auto known = index.by_hash(command.stored_md5)) return duplicate_of(*known);
  return Events{ItemReady{.dataset_id = state.id,
                          .item_id = item.id,
                          .ready_number = state.ready_count + 1,
                          .file_size = command.stored_size,
                          .content_hash = command.stored_md5,
                          .width = command.width,
                          .height = command.height}};
}

Result<RegisterDecision> decide(const DatasetState& state, const RegisterItems& command,
                                const Context& context, ItemIndex& index) {
  BOOST_OUTCOME_TRY(require_owner(state, context));
  RegisterDecision decision;
  std::unordered_map<std::string, ItemId> hashes, paths;  // of this very call
  ItemsRegistered chunk{state.id, {}};
  std::int64_t ready = state.ready_count;
  const auto known = [&](const BulkItem& item) -> std::optional<ItemId> {
    if (item.content_hash) {
      if (const auto it = hashes.find(*item.content_hash); it != hashes.end()) return it->second;
      if (auto found = index.by_hash(*item.content_hash)) return found;
    }
    if (const auto it = paths.find(item.file_path); it != paths.end()) return it->second;
    return index.by_path(item.file_path);
  };
  for (const auto& item : command.items) {
    if (const auto found = known(item)) {
      decision.duplicates.push_back({item.index, *found});
      continue;
    }
    const ItemId id = index.next_id();
    if (item.content_hash) hashes.emplace(*item.content_hash, id);
    paths.emplace(item.file_path, id);
    chunk.items.push_back({id, ++ready, item.file_name, item.file_path, item.file_type,
                           item.file_size, item.content_hash, item.width, item.height,
                           item.metadata});
    if (chunk.items.size() == kMaxItemsPerEvent) {
      decision.events.emplace_back(std::exchange(chunk, ItemsRegistered{state.id, {}}));
    }
  }
  if (!chunk.items.empty()) decision.events.emplace_back(std::move(chunk));
  return decision;
}

Result<Events> decide(const DatasetState& state, const LinkDataset& command, const Context&) {
  if (!state.exists()) return not_found("dataset");
  if (state.links.contains(command.project_id)) return Events{};
  return Events{DatasetLinked{state.id, command.project_id}};
}

Result<Events> decide(const DatasetState& state, const AdvanceLink& command, const Context&) {
  const auto link = state.links.find(command.project_id);
  if (link == state.links.end() || link->second.number != command.link) return Events{};
  if (link->second.done_number >= command.ready_number) return Events{};
  return Events{DatasetLinkAdvanced{state.id, command.project_id, command.ready_number}};
}

Result<Events> decide(const DatasetState& state, const ForgetLink& command) {
  if (!state.links.contains(command.project_id)) return Events{};
  return Events{DatasetUnlinked{state.id, command.project_id}};
}

Result<Events> decide(const DatasetState& state, const DropLink& command) {
  const auto link = state.links.find(command.project_id);
  if (link == state.links.end() || link->second.number > command.link) return Events{};
  return Events{DatasetUnlinked{state.id, command.project_id}};
}

}  // namespace annolog
