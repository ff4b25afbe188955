// Zips for the tests of imports.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workers/fake_export_source.hpp"
#include "workers/export/zip_writer.hpp"

namespace annolog::workers::test {

using Files = std::vector<std::pair<std::string, std::string>>;

inline std::string zip_of(const Files& files) {
  StringSink sink;
  ZipWriter zip(sink);
  for (const auto& [name, contents] : files) {
    zip.begin(name);
    zip.add(contents);
  }
  zip.finish();
  return sink.text;
}

}  // namespace annolog::workers::test
