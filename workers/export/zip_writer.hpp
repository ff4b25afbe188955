// A zip archive that leaves while it is written: entries of unknown length, zip64 where needed, no
// timestamps, so the same entries give the same bytes. One thread. An exception of the sink passes
// through; a failure of the archive library throws std::runtime_error. Memory: the directory of the
// entries, about 100 bytes and the name for each. APPNOTE.TXT 6.3.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "workers/export/export.hpp"

namespace annolog::workers {

class ZipWriter {
 public:
  explicit ZipWriter(ByteSink& sink);
  ~ZipWriter();  // without finish() the archive is left as cut off
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  // Starts an entry, ending the one before. `name` is a relative path in UTF-8, used once.
  void begin(const std::string& name);
  // More of the entry's contents.
  void add(std::string_view contents);
  // Hands everything written so far to the sink.
  void flush();
  // Ends the archive and flushes.
  void finish();

 private:
  struct State;
  void check(long result, const char* what);
  std::unique_ptr<State> state_;
};

}  // namespace annolog::workers
