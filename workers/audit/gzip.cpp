#include "workers/audit/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace annolog::workers {
namespace {

constexpr std::size_t kBlockBytes = 1U << 16U;
constexpr int kGzipWindow = 15 + 16;  // the largest window, and gzip's frame around it
constexpr int kUsualMemory = 8;
constexpr std::string_view kMagic = "\x1f\x8b";

using Block = std::array<char, kBlockBytes>;

void give(z_stream& stream, std::string_view bytes) {
  stream.next_in = static_cast<const Bytef*>(static_cast<const void*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

void make_room(z_stream& stream, Block& block) {
  stream.next_out = static_cast<Bytef*>(static_cast<void*>(block.data()));
  stream.avail_out = kBlockBytes;
}

std::string_view made(const z_stream& stream, const Block& block) {
  return {block.data(), kBlockBytes - stream.avail_out};
}

}  // namespace

struct GzipWriter::State {
  explicit State(Sink to) : sink(std::move(to)) {
    if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kUsualMemory,
                       Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~State() { ::deflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void pack(std::string_view bytes, int flush) {
    give(stream, bytes);
    do {
      make_room(stream, block);
      if (::deflate(&stream, flush) == Z_STREAM_ERROR)
        throw std::runtime_error("gzip: written to after its end");
      if (const auto packed = made(stream, block); !packed.empty()) sink(packed);
    } while (stream.avail_out == 0);
  }

  Sink sink;
  z_stream stream{};
  Block block;
};

GzipWriter::GzipWriter(Sink sink) : state_(std::make_unique<State>(std::move(sink))) {}

GzipWriter::~GzipWriter() = default;

void GzipWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {  // in pieces that zlib can count
    state_->pack(bytes.substr(0, kBlockBytes), Z_NO_FLUSH);
    bytes.remove_prefix(std::min(bytes.size(), kBlockBytes));
  }
}

void GzipWriter::finish() { state_->pack({}, Z_FINISH); }

namespace {

using Take = std::function<bool(std::string_view)>;  // false: enough

// What members (RFC 1952, section 2.2) hold. zlib compares length and CRC at each one's end.
class Unpacked {
 public:
  Unpacked() {
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Unpacked() { ::inflateEnd(&stream_); }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;

  bool add(std::string_view bytes, const Take& take) {
    give(stream_, bytes);
    do {
      if (std::exchange(ended_, false)) ::inflateReset(&stream_);
      make_room(stream_, block_);
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        throw DamagedGzip(std::string("the gzip stream is damaged: ") +
                          (stream_.msg != nullptr ? stream_.msg : "zlib can't go on"));
      ended_ = result == Z_STREAM_END;
      const std::string_view held = made(stream_, block_);
      if (!held.empty() && !take(held)) return false;
    } while (stream_.avail_in > 0 || (stream_.avail_out == 0 && !ended_));
    return true;
  }

  void finish() const {
    if (!ended_) throw DamagedGzip("the gzip stream is cut off");
  }

 private:
  z_stream stream_{};
  bool ended_ = false;  // at the end of a member
  Block block_;
};

// Hands out what is between line breaks, however the bytes come.
class Lines {
 public:
  Lines(std::size_t max_bytes, const Take& take) : max_bytes_(max_bytes), take_(take) {}

  bool add(std::string_view bytes) {
    for (;;) {
      const std::size_t end = bytes.find('\n');
      gathered_ += bytes.substr(0, end);
      if (gathered_.size() > max_bytes_) throw std::runtime_error("a line is too long");
      if (end == std::string_view::npos) return true;
      const bool go_on = take_(gathered_);
      gathered_.clear();
      if (!go_on) return false;
      bytes.remove_prefix(end + 1);
    }
  }
  void finish() {
    if (!gathered_.empty()) take_(gathered_);
  }

 private:
  const std::size_t max_bytes_;
  const Take& take_;
  std::string gathered_;
};

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string());
}

bool each_block(const std::filesystem::path& file, const Take& take) {
  std::ifstream from(file, std::ios::binary);
  if (!from) fail(file);
  Block block;
  while (from) {
    from.read(block.data(), kBlockBytes);
    const auto count = static_cast<std::size_t>(from.gcount());
    if (from.bad()) fail(file);
    if (count > 0 && !take({block.data(), count})) return false;
  }
  return true;
}

}  // namespace

void each_line(const std::filesystem::path& file, std::size_t max_line_bytes, const Take& take) {
  Lines lines(max_line_bytes, take);
  std::unique_ptr<Unpacked> packed;
  const Take add_lines = [&](std::string_view bytes) { return lines.add(bytes); };
  bool is_first = true;
  const bool whole = each_block(file, [&](std::string_view bytes) {
    if (std::exchange(is_first, false) && bytes.starts_with(kMagic))
      packed = std::make_unique<Unpacked>();
    return packed ? packed->add(bytes, add_lines) : lines.add(bytes);
  });
  if (!whole) return;
  lines.finish();
  if (packed) packed->finish();
}

}  // namespace annolog::workers
