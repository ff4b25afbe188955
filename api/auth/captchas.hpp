// Captchas: a signed id, from which the answer follows for whoever has the service's key, so that
// any node can check what another one drew; and the memory, in PostgreSQL, of those that were
// answered (decisions, section 2: each can be answered once, without regard to case). Blocking; any
// thread. Throws ReadUnavailable.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "domain/support/timestamp.hpp"
#include "platform/signed_text.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::api {

class Captchas {
 public:
  static constexpr std::chrono::seconds kLifetime{300};
  static constexpr std::size_t kLetters = 5;

  // Both outlive this.
  Captchas(projections::ReadPool& store, const platform::Keyring& keyring)
      : store_(&store), keyring_(&keyring), signer_(keyring) {}

  std::string new_id(Timestamp now) const;
  // PNG; the same for the same id.
  std::string image(std::string_view id) const;
  // Whether it is the right answer to a captcha that has not expired. The captcha is used up by
  // it, also when the answer is wrong.
  bool answer(std::string_view id, std::string_view answer, Timestamp now);

 private:
  std::string letters(std::string_view id) const;

  projections::ReadPool* store_;
  const platform::Keyring* keyring_;
  platform::TextSigner signer_;
};

}  // namespace annolog::api
