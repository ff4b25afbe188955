#include "workers/import/voc_file.hpp"

#include <expat.h>

#include <memory>
#include <new>
#include <type_traits>

#include "domain/task/plain_values.hpp"
#include "workers/export/line_text.hpp"

namespace annolog::workers {
namespace {

constexpr std::size_t kDepthMax = 32;
constexpr std::size_t kTextBytesMax = 64 * 1024;  // of one element
constexpr std::size_t kNameBytesMax = 256;        // of one tag

std::optional<double> pixels_in(std::string_view text) { return plain_number(trimmed(text)); }

std::optional<bool> flag_of(std::string_view text) {
  text = trimmed(text);
  if (text == "1" || text == "true" || text == "True") return true;
  if (text == "0" || text == "false" || text == "False") return false;
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(VocFile& file) : file_(file), parser_(::XML_ParserCreate(nullptr)) {
    if (parser_ == nullptr) throw std::bad_alloc();
    ::XML_SetUserData(parser_.get(), this);
    ::XML_SetElementHandler(parser_.get(), &on_start, &on_end);
    ::XML_SetCharacterDataHandler(parser_.get(), &on_text);
    ::XML_SetStartDoctypeDeclHandler(parser_.get(), &on_doctype);
  }

  // What is wrong; empty: nothing.
  std::string read(std::string_view xml) {
    const auto status =
        ::XML_Parse(parser_.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (thrown_) throw std::bad_alloc();
    if (refusal_.empty() && status == XML_STATUS_OK) return {};
    const std::string reason =
        refusal_.empty() ? ::XML_ErrorString(::XML_GetErrorCode(parser_.get())) : refusal_;
    return "line " + std::to_string(::XML_GetCurrentLineNumber(parser_.get())) + ": " + reason;
  }

 private:
  struct FreeParser {
    void operator()(XML_Parser parser) const { ::XML_ParserFree(parser); }
  };
  using Owned = std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser>;

  // Nothing may be thrown through the parser, which is C.
  template <class Act>
  static void guarded(void* self, Act act) {
    auto& reader = *static_cast<Reader*>(self);
    if (reader.thrown_ || !reader.refusal_.empty()) return;
    try {
      act(reader);
    } catch (const std::exception&) {
      reader.thrown_ = true;
      ::XML_StopParser(reader.parser_.get(), XML_FALSE);
    }
  }
  static void on_start(void* self, const char* name, const char**) {
    guarded(self, [name](Reader& reader) { reader.start(name); });
  }
  static void on_end(void* self, const char*) {
    guarded(self, [](Reader& reader) { reader.end(); });
  }
  static void on_text(void* self, const char* text, int length) {
    guarded(self, [=](Reader& reader) { reader.add({text, static_cast<std::size_t>(length)}); });
  }
  static void on_doctype(void* self, const char*, const char*, const char*, int) {
    guarded(self, [](Reader& reader) { reader.refuse("a document type is not taken"); });
  }

  void refuse(std::string reason) {
    refusal_ = std::move(reason);
    ::XML_StopParser(parser_.get(), XML_FALSE);
  }

  void start(std::string_view name) {
    if (starts_.empty() && name != "annotation") return refuse("the root is no <annotation>");
    if (starts_.size() == kDepthMax) return refuse("elements stand too deep in each other");
    if (name.size() > kNameBytesMax) return refuse("a tag's name is too long");
    starts_.push_back(path_.size());
    if (!path_.empty()) path_ += '/';
    path_ += name;
    text_.clear();
    if (path_ == "annotation/object") file_.objects.emplace_back();
    if (path_ == "annotation/object/attributes/attribute") key_.clear(), value_.clear();
  }

  void add(std::string_view text) {
    if (text_.size() + text.size() > kTextBytesMax) return refuse("a text is too long");
    text_ += text;
  }

  void end() {
    constexpr std::string_view kObject = "annotation/object/";
    const std::string_view path = path_;
    if (path.starts_with(kObject)) of_object(path.substr(kObject.size()), file_.objects.back());
    else of_image(path);
    path_.resize(starts_.back());
    starts_.pop_back();
    text_.clear();
  }

  void of_image(std::string_view path) {
    // The first of each counts, as readers by path have it.
    const auto once = [&](std::string& member) {
      if (member.empty()) member = text_;
    };
    if (path == "annotation/filename") once(file_.filename);
    else if (path == "annotation/folder") once(file_.folder);
    else if (path == "annotation/path") once(file_.path);
    else if (path == "annotation/source/image") once(file_.image);
    else if (path == "annotation/size/width") file_.width = pixels_in(text_);
    else if (path == "annotation/size/height") file_.height = pixels_in(text_);
  }

  void of_object(std::string_view path, VocObject& object) {
    if (path == "name") object.name = text_;
    else if (path == "pose") object.pose = text_;
    else if (path == "bndbox/xmin") object.left = pixels_in(text_);
    else if (path == "bndbox/ymin") object.top = pixels_in(text_);
    else if (path == "bndbox/xmax") object.right = pixels_in(text_);
    else if (path == "bndbox/ymax") object.bottom = pixels_in(text_);
    else if (path == "attributes/attribute/name") key_ = text_;
    else if (path == "attributes/attribute/value") value_ = text_;
    else if (path == "attributes/attribute") object.attributes.emplace_back(key_, value_);
    else if (path == "truncated" || path == "occluded" || path == "difficult") {
      if (const auto flag = flag_of(text_)) object.flags.emplace_back(path, *flag);
    }
  }

  VocFile& file_;
  Owned parser_;
  std::vector<std::size_t> starts_;  // of the open elements' names in path_
  std::string path_;
  std::string text_;
  std::string key_;
  std::string value_;
  std::string refusal_;
  bool thrown_ = false;
};

}  // namespace

std::optional<VocFile> read_voc_file(std::string_view xml, VocFault& fault) {
  VocFile file;
  fault.message = Reader(file).read(xml);
  if (!fault.message.empty()) return std::nullopt;
  return file;
}

}  // namespace annolog::workers
