// A copy of a log into a memory log's store, for tests. One thread, no log open over the store.
#pragma once

#include <memory>

#include "eventstore/record_import.hpp"

namespace annolog::eventstore {

class MemoryStore;

std::shared_ptr<MemoryStore> make_memory_store(const LogInfo& info);
// Throws LogRefused when the store was not made for this log.
std::unique_ptr<RecordImport> open_memory_import(std::shared_ptr<MemoryStore> store,
                                                 const LogInfo& info);

}  // namespace annolog::eventstore
