// libarchive's handles, freed by themselves.
#pragma once

#include <archive.h>
#include <archive_entry.h>

namespace annolog::workers {

struct FreeArchiveWriter {
  void operator()(archive* writer) const { ::archive_write_free(writer); }
};
struct FreeArchiveReader {
  void operator()(archive* reader) const { ::archive_read_free(reader); }
};
struct FreeArchiveEntry {
  void operator()(archive_entry* entry) const { ::archive_entry_free(entry); }
};

}  // namespace annolog::workers
