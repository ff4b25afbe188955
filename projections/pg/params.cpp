#include "projections/pg/params.hpp"

#include <bit>

#include "projections/pg/big_endian.hpp"

namespace annolog::projections {
namespace {

constexpr std::size_t kArrayHeader = 20;

}  // namespace

Params& Params::add_null() {
  spans_.push_back({buffer_.size(), 0, true});
  return *this;
}

Params& Params::add(std::int64_t value) {
  const std::size_t begin = buffer_.size();
  append_big_endian(buffer_, static_cast<std::uint64_t>(value));
  close(begin);
  return *this;
}

Params& Params::add(bool value) {
  const std::size_t begin = buffer_.size();
  buffer_ += value ? '\1' : '\0';
  close(begin);
  return *this;
}

Params& Params::add(double value) {
  const std::size_t begin = buffer_.size();
  append_big_endian(buffer_, std::bit_cast<std::uint64_t>(value));
  close(begin);
  return *this;
}

Params& Params::add(std::string_view value) {
  checked_length(value.size());
  const std::size_t begin = buffer_.size();
  buffer_ += value;
  close(begin);
  return *this;
}

Params::Raw Params::raw() const {
  Raw raw;
  raw.values.reserve(spans_.size());
  raw.lengths.reserve(spans_.size());
  raw.formats.assign(spans_.size(), 1);
  for (const Span& span : spans_) {
    raw.values.push_back(span.null ? nullptr : buffer_.data() + span.begin);
    raw.lengths.push_back(checked_length(span.length));
  }
  return raw;
}

ArrayParam::ArrayParam(Params& params, PgType type)
    : params_(params), begin_(params.buffer_.size()) {
  std::string& out = params_.buffer_;
  append_big_endian(out, std::uint32_t{1});  // dimensions
  append_big_endian(out, std::uint32_t{0});  // has nulls
  append_big_endian(out, static_cast<std::uint32_t>(type));
  append_big_endian(out, std::uint32_t{0});  // length
  append_big_endian(out, std::uint32_t{1});  // lower bound
}

ArrayParam::~ArrayParam() {
  char* header = params_.buffer_.data() + begin_;
  if (count_ == 0) {  // an empty array has no dimension
    put_big_endian(header, std::uint32_t{0});
    params_.buffer_.resize(begin_ + 12);
  } else {
    put_big_endian(header + 4, std::uint32_t{has_null_ ? 1U : 0U});
    put_big_endian(header + 12, static_cast<std::uint32_t>(count_));
    static_assert(kArrayHeader == 20);
  }
  params_.close(begin_);
}

}  // namespace annolog::projections
