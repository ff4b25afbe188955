// Bytes of known length that can be read anywhere: an object, a file, a buffer in a test.
// One thread at a time per source. A broken medium throws std::system_error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace annolog::platform {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size_bytes() const = 0;
  // Fills `into` from `offset` and answers how many bytes it got: all of `into`, or fewer only
  // because the source ends there (0 at or past the end).
  virtual std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) = 0;
};

// A source over memory that the caller keeps alive.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t size_bytes() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset >= bytes_.size()) return 0;
    const auto rest = bytes_.subspan(static_cast<std::size_t>(offset));
    const std::size_t count = std::min(rest.size(), into.size());
    if (count > 0) std::memcpy(into.data(), rest.data(), count);
    return count;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace annolog::platform
