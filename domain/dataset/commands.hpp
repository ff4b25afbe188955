// Wishes about datasets and items, and what may come of them (decisions, section 6).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/dataset/objects.hpp"
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

// By the link process manager. Nothing comes of it when that link has ended, though a later one of
// the two may be there.
struct AdvanceLink {
  DatasetId dataset_id;
  ProjectId project_id;
  std::int64_t ready_number = 0;
  std::int64_t link = 0;  // Link::number
};
BOOST_DESCRIBE_STRUCT(AdvanceLink, (), (dataset_id, project_id, ready_number, link))

// By the process managers: the project is gone.
struct ForgetLink {
  DatasetId dataset_id;
  ProjectId project_id;
};

// By the process managers: the project has no task of the link any more. A later link stays.
struct DropLink {
  DatasetId dataset_id;
  ProjectId project_id;
  std::int64_t link = 0;
};
BOOST_DESCRIBE_STRUCT(DropLink, (), (dataset_id, project_id, link))

// Absent members stay as they are. A new name is reserved before this is decided.
struct UpdateDataset {
  DatasetId dataset_id;
  UserId creator_id;  // the name is unique among theirs
  ExpectedVersion expected_version;
  std::optional<std::string> name;
  std::optional<std::string> description;
};
BOOST_DESCRIBE_STRUCT(UpdateDataset, (),
                      (dataset_id, creator_id, expected_version, name, description))

struct DeleteDataset {
  DatasetId dataset_id;
  ExpectedVersion expected_version;
};
BOOST_DESCRIBE_STRUCT(DeleteDataset, (), (dataset_id, expected_version))

struct DeleteItem {
  DatasetId dataset_id;
  ItemId item_id;
};
BOOST_DESCRIBE_STRUCT(DeleteItem, (), (dataset_id, item_id))

// By the process manager of chores, once the items' objects are gone.
struct RemoveItems {
  DatasetId dataset_id;
  std::vector<ItemId> item_ids;  // at most kMaxItemsPerEvent
};
BOOST_DESCRIBE_STRUCT(RemoveItems, (), (dataset_id, item_ids))

// By the same, once nothing is left of a deleted dataset.
struct EmptyDataset {
  DatasetId dataset_id;
};
BOOST_DESCRIBE_STRUCT(EmptyDataset, (), (dataset_id))

struct ItemSize {
  ItemId item_id;
  std::int64_t width = 0;
  std::int64_t height = 0;
};
BOOST_DESCRIBE_STRUCT(ItemSize, (), (item_id, width, height))

// What the service read from the items' bytes. What could not be read, and how far it looked, goes
// back as it came: a retry with the same idempotency key is told the same.
struct MeasureItems {
  DatasetId dataset_id;
  std::vector<ItemSize> sizes;  // at most kMaxItemsPerEvent
  std::vector<MeasureFailure> failed;
  std::optional<ItemId> reached;  // absent: nothing is left behind these
};
BOOST_DESCRIBE_STRUCT(MeasureItems, (), (dataset_id, sizes, failed, reached))

// By the process manager of chores, once the project's tasks know the sizes.
struct NoteSizesPassedOn {
  DatasetId dataset_id;
  ProjectId project_id;
  std::vector<ItemId> item_ids;
};
BOOST_DESCRIBE_STRUCT(NoteSizesPassedOn, (), (dataset_id, project_id, item_ids))

// By the worker that makes thumbnails.
struct RecordThumbnail {
  DatasetId dataset_id;
  ItemId item_id;
  std::string thumbnail_path;
};
BOOST_DESCRIBE_STRUCT(RecordThumbnail, (), (dataset_id, item_id, thumbnail_path))

struct RecordThumbnailFailure {
  DatasetId dataset_id;
  ItemId item_id;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(RecordThumbnailFailure, (), (dataset_id, item_id, reason))

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

// The items of a dataset, as decisions about many need them.
class ItemLookup {
 public:
  virtual ~ItemLookup() = default;
  virtual ItemState find(ItemId id) = 0;  // id 0: there is none
};

// The static part of a wish, also asked before a name is reserved.
Result<void> check_dataset_texts(const std::optional<std::string>& name,
                                 const std::optional<std::string>& description);
Result<void> check(const CreateDataset& command);
Result<void> check(const UpdateDataset& command);

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
Result<Events> decide(const DatasetState& state, const DropLink& command);
Result<Events> decide(const DatasetState& state, const UpdateDataset& command,
                      const Context& context);
// Refused while it is linked: DATASET_LINKED.
Result<Events> decide(const DatasetState& state, const DeleteDataset& command,
                      const Context& context);
// A ready item of a linked dataset stays: ITEM_IN_USE.
Result<Events> decide(const DatasetState& state, const ItemState& item, const DeleteItem& command,
                      const Context& context);
Result<Events> decide(const DatasetState& state, const RemoveItems& command, ItemLookup& items);
Result<Events> decide(const DatasetState& state, const EmptyDataset& command,
                      const Context& context);
Result<Events> decide(const DatasetState& state, const MeasureItems& command,
                      const Context& context, ItemLookup& items);
Result<Events> decide(const DatasetState& state, const NoteSizesPassedOn& command,
                      const Context& context);
Result<Events> decide(const DatasetState& state, const ItemState& item,
                      const RecordThumbnail& command, const Context& context);
Result<Events> decide(const DatasetState& state, const ItemState& item,
                      const RecordThumbnailFailure& command, const Context& context);

// 32 hexadecimal digits in lower case.
bool is_md5(const std::string& text);

}  // namespace annolog
