// libarchive knows entry names as UTF-8 only in a UTF-8 locale; this gives the calling thread one
// for the length of a scope, whatever the process runs in.
#pragma once

#include <locale.h>

#include <stdexcept>

namespace annolog::workers {

class Utf8Locale {
 public:
  Utf8Locale() : own_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (own_ == nullptr) throw std::runtime_error("zip: the system has no locale C.UTF-8");
    before_ = ::uselocale(own_);
  }
  ~Utf8Locale() {
    ::uselocale(before_);
    ::freelocale(own_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t own_;
  locale_t before_ = nullptr;
};

}  // namespace annolog::workers
