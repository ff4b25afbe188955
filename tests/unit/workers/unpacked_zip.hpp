// A zip in memory, read with libarchive.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace annolog::workers::test {

struct Unpacked {
  std::vector<std::string> names;
  std::map<std::string, std::string> contents;
};

// The reader, too, turns names into the locale's character set.
struct Utf8Locale {
  locale_t own = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  locale_t before = ::uselocale(own);
  ~Utf8Locale() {
    ::uselocale(before);
    ::freelocale(own);
  }
};

inline Unpacked unpack(const std::string& zip) {
  const Utf8Locale locale;
  const std::unique_ptr<archive, decltype(&::archive_read_free)> reader(::archive_read_new(),
                                                                        ::archive_read_free);
  ::archive_read_support_format_zip(reader.get());
  if (::archive_read_open_memory(reader.get(), zip.data(), zip.size()) != ARCHIVE_OK)
    throw std::runtime_error("not an archive");
  Unpacked all;
  archive_entry* entry = nullptr;
  for (;;) {
    const int result = ::archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) return all;
    if (result < ARCHIVE_WARN) throw std::runtime_error(::archive_error_string(reader.get()));
    const std::string name = ::archive_entry_pathname(entry);
    all.names.push_back(name);
    std::string& contents = all.contents[name];
    char piece[4096];
    for (la_ssize_t count = 0;
         (count = ::archive_read_data(reader.get(), piece, sizeof(piece))) > 0;)
      contents.append(piece, static_cast<std::size_t>(count));
  }
}

}  // namespace annolog::workers::test
