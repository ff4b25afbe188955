// A statement with its signature, and the keys that make and check one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <boost/describe/class.hpp>

#include "platform/ed25519.hpp"
#include "platform/keyring.hpp"

namespace annolog::workers {

struct SignedStatement {
  std::string statement;  // JSON, byte for byte as signed
  std::string key_id;
  std::string signature;  // base64url
  bool operator==(const SignedStatement&) const = default;
};
BOOST_DESCRIBE_STRUCT(SignedStatement, (), (statement, key_id, signature))

// Signs with the keyring's newest key. Any thread; the keyring must outlive it.
class StatementSigner {
 public:
  explicit StatementSigner(const platform::Keyring& keyring) : keyring_(&keyring) {}

  SignedStatement sign(std::string statement) const;
  // The public half of the key that signs now.
  platform::Ed25519PublicKey public_key() const;

 private:
  const platform::Keyring* keyring_;
};

// What an auditor has. Plain values.
class PublicKeys {
 public:
  // PEM of one key, or JSON Web Keys ({"keys": [...]} or a single one). nullopt: neither.
  static std::optional<PublicKeys> parse(std::string_view text);

  void add(const platform::Ed25519PublicKey& key);
  bool know(std::string_view key_id) const { return keys_.contains(key_id); }
  // By the key that the statement names.
  bool hold_for(const SignedStatement& of) const;

 private:
  std::map<std::string, platform::Ed25519PublicKey, std::less<>> keys_;
};

// How a key is spoken of that an auditor does not have.
std::string unknown_key(std::string_view key_id);

// The statement that a JSON text holds; nullopt: not of that form.
std::optional<SignedStatement> parse_signed(std::string_view json);

}  // namespace annolog::workers
