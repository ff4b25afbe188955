#include "platform/name_text.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uspoof.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

namespace annolog::platform {
namespace {

void require(UErrorCode status, const char* what) {
  if (U_FAILURE(status) != 0)
    throw std::runtime_error(std::string(what) + ": " + u_errorName(status));
}

icu::StringPiece piece(std::string_view utf8) {
  return {utf8.data(), static_cast<std::int32_t>(utf8.size())};
}

std::string normalized(const icu::Normalizer2& form, std::string_view utf8) {
  std::string text;
  icu::StringByteSink<std::string> sink(&text);
  UErrorCode status = U_ZERO_ERROR;
  form.normalizeUTF8(0, piece(utf8), sink, nullptr, status);
  require(status, "normalizing a name");
  return text;
}

const icu::Normalizer2& nfc() {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* form = icu::Normalizer2::getNFCInstance(status);
  require(status, "NFC");
  return *form;
}

bool has_unseen(std::string_view utf8) {
  constexpr UChar32 kInsteadOfBrokenBytes = 0xFFFD;
  const auto text = icu::UnicodeString::fromUTF8(piece(utf8));
  for (std::int32_t at = 0; at < text.length(); at = text.moveIndex32(at, 1)) {
    const UChar32 c = text.char32At(at);
    if (c == kInsteadOfBrokenBytes || u_iscntrl(c) != 0 ||
        u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0)
      return true;
  }
  return false;
}

struct CloseChecker {
  void operator()(USpoofChecker* checker) const { uspoof_close(checker); }
};

}  // namespace

std::string composed(std::string_view utf8) { return normalized(nfc(), utf8); }

bool begins_with_word_character(std::string_view utf8) {
  constexpr std::size_t kLongestCharacter = 4;  // bytes, RFC 3629; what follows it does not matter
  if (utf8.empty()) return false;
  const UChar32 c =
      icu::UnicodeString::fromUTF8(piece(utf8.substr(0, kLongestCharacter))).char32At(0);
  constexpr std::uint32_t kInWords = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_isUAlphabetic(c) != 0 || (U_GET_GC_MASK(c) & kInWords) != 0;
}

bool is_one_persons_writing(std::string_view utf8) {
  if (has_unseen(utf8)) return false;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<USpoofChecker, CloseChecker> checker(uspoof_open(&status));
  require(status, "the checks for look-alikes");
  uspoof_setRestrictionLevel(checker.get(), USPOOF_HIGHLY_RESTRICTIVE);
  uspoof_setChecks(checker.get(), USPOOF_RESTRICTION_LEVEL, &status);
  const std::int32_t found = uspoof_check2UTF8(
      checker.get(), utf8.data(), static_cast<std::int32_t>(utf8.size()), nullptr, &status);
  require(status, "looking for look-alikes");
  return found == 0;
}

}  // namespace annolog::platform
