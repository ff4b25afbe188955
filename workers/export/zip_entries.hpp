// A zip whose entries are written piece by piece, as the formats with a file per image do. Internal
// to workers/export; one thread per export. Errors: see zip_writer.hpp.
#pragma once

#include <string>

#include "workers/export/formats.hpp"
#include "workers/export/image_names.hpp"
#include "workers/export/left_out.hpp"
#include "workers/export/zip_writer.hpp"

namespace annolog::workers {

class ZipEntries {
 public:
  explicit ZipEntries(ByteSink& sink) : zip_(sink), entry_(zip_), output_(entry_) {}

  // Starts an entry, ending the one before.
  void begin(const std::string& name) {
    output_.flush();
    zip_.begin(name);
  }
  // The entry's contents: append here, then call settle().
  std::string& text() { return output_.text(); }
  void settle() { output_.settle(); }

  // The same; what was written before, and the entry's head, leave at once.
  void begin_now(const std::string& name) {
    begin(name);
    zip_.flush();
  }
  // What `append(text, image, name)` says of each image goes into the entry.
  template <class Append>
  void list_images(ExportSource& source, ImageNames names, Append append) {
    source.rewind(ExportSource::Pass::images);
    ExportImage image;
    while (source.next_image(image)) {
      append(text(), image, names.next(image));
      settle();
    }
  }

  // An entry of its own, when there is something to tell.
  void add_warnings(const LeftOut& left_out) {
    if (left_out.empty()) return;
    begin("warnings.json");
    left_out.append_json(text());
    text() += '\n';
  }

  // Ends the archive.
  void finish() {
    output_.flush();
    zip_.finish();
  }

 private:
  struct Entry final : ByteSink {
    explicit Entry(ZipWriter& zip_of_entry) : zip(zip_of_entry) {}
    void write(std::string_view bytes) override { zip.add(bytes); }
    ZipWriter& zip;
  };

  ZipWriter zip_;
  Entry entry_;
  BufferedOutput output_;
};

}  // namespace annolog::workers
