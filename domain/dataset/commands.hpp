// Wishes about datasets and items, and what may come of them (decisions, section 6).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/dataset/state.hpp"
#include "domain/project/commands.hpp"

namespace annolog {

inline constexpr std::size_t kMaxBulkItems = 10'000;
inline constexpr std::int64_t kMaxImageBytes = std::int64_t{100} << 20;  // 100 MiB
inline constexpr std::int64_t kMaxVideoBytes = std::int64_t{20} << 30;   // 20 GiB

// The name is reserved for `dataset_id` before this is decided.
struct CreateDataset {
  DatasetId dataset_id;
  std::string name;
  std::string description;
  DataType data_type = DataType::image;
  UserId creator_id;
};
BOOST_DESCRIBE_STRUCT(CreateDataset, (), (dataset_id, name, description, data_type, creator_id))

// `file_name` is a checked relative path.
struct StartUpload {
  DatasetId dataset_id;
  std::string file_name;
  std::string content_type;
  std::int64_t file_size = 0;
  std::optional<std::string> content_hash;
};
BOOST_DESCRIBE_STRUCT(StartUpload, (),
                      (dataset_id, file_name, content_type, file_size, content_hash))

// What the service found in the object store; nothing of it is the client's word.
struct CompleteUpload {
  DatasetId dataset_id;
  ItemId item_id;
  std::int64_t stored_size = 0;
  std::string stored_md5;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
};
BOOST_DESCRIBE_STRUCT(CompleteUpload, (),
                      (dataset_id, item_id, stored_size, stored_md5, width, height))

struct BulkItem {
  std::int64_t index = 0;  // in the request
  std::string file_name;
  std::string file_path;
  std::string file_type;
  std::int64_t file_size = 0;
  std::optional<std::string> content_hash;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  JsonText metadata{"{}"};
};
BOOST_DESCRIBE_STRUCT(BulkItem, (),
                      (index, file_name, file_path, file_type, file_size, content_hash, width,
                       height, metadata))

struct RegisterItems {
  DatasetId dataset_id;
  std::vector<BulkItem> items;
};
BOOST_DESCRIBE_STRUCT(RegisterItems, (), (dataset_id, items))

struct LinkDataset {
  DatasetId dataset_id;
  ProjectId project_id;
};
BOOST_DESCRIBE_STRUCT(LinkDataset, (), (dataset_id, project_id))

// By the link process manager.
struct AdvanceLink {
  DatasetId dataset_id;
  ProjectId project_id;
  std::int64_t ready_number = 0;
};
BOOST_DESCRIBE_STRUCT(AdvanceLink, (), (dataset_id, project_id, ready_number))

// By the process managers: the project is gone.
struct ForgetLink {
  DatasetId dataset_id;
  ProjectId project_id;
};

struct BulkDuplicate {
  std::int64_t index = 0;
  ItemId duplicate_of;
};
BOOST_DESCRIBE_STRUCT(BulkDuplicate, (), (index, duplicate_of))

struct RegisterDecision {
  Events events;
  std::vector<BulkDuplicate> duplicates;
};

// Looks up what the dataset holds already, and gives ids.
class ItemIndex {
 public:
  virtual ~ItemIndex() = default;
  virtual std::optional<ItemId> by_hash(const std::string& md5) = 0;  // ready items only
  virtual std::optional<ItemId> by_path(const std::string& file_path) = 0;
  virtual ItemId next_id() = 0;
};

Result<void> check(const CreateDataset& command);

Result<Events> decide(const DatasetState& state, const CreateDataset& command,
                      const Context& context);
Result<Events> decide(const DatasetState& state, const StartUpload& command, const Context& context,
                      ItemIndex& index);
Result<Events> decide(const DatasetState& state, const ItemState& item,
                      const CompleteUpload& command, const Context& context, ItemIndex& index);
Result<RegisterDecision> decide(const DatasetState& state, const RegisterItems& command,
                                const Context& context, ItemIndex& index);
Result<Events> decide(const DatasetState& state, const LinkDataset& command,
                      const Context& context);
Result<Events> decide(const DatasetState& state, const AdvanceLink& command,
                      const Context& context);
Result<Events> decide(const DatasetState& state, const ForgetLink& command);

// 32 hexadecimal digits in lower case.
bool is_md5(const std::string& text);

// Key of an item's bytes in the object store.
std::string object_key_of(DatasetId dataset, ItemId item, const std::string& file_name);

}  // namespace annolog
