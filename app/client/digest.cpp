#include "app/client/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace annolog::client {

struct Digest::State {
  struct Free {
    void operator()(EVP_MD_CTX* used) const { EVP_MD_CTX_free(used); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

Digest::Digest(Kind kind) : state_(std::make_unique<State>()), kind_(kind) { restart(); }
Digest::~Digest() = default;

void Digest::restart() {
  const EVP_MD* algorithm = kind_ == Kind::md5 ? EVP_md5() : EVP_sha256();
  if (EVP_DigestInit_ex(state_->context.get(), algorithm, nullptr) != 1) {
    throw std::runtime_error("OpenSSL has no such digest");
  }
}

void Digest::update(std::string_view bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) {
    throw std::runtime_error("OpenSSL cannot digest");
  }
}

std::string Digest::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), value.data(), &size) != 1) {
    throw std::runtime_error("OpenSSL cannot digest");
  }
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kHex[value[i] >> 4];
    text += kHex[value[i] & 15];
  }
  return text;
}

std::string md5_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const auto fail = [&file] {
    throw std::system_error(errno, std::generic_category(), "cannot read " + file.string());
  };
  if (!in) fail();
  Digest digest(Digest::Kind::md5);
  std::vector<char> buffer(std::size_t{256} << 10);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.update({buffer.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad()) fail();
  return digest.hex();
}

std::string sha256_of(std::string_view text) {
  Digest digest(Digest::Kind::sha256);
  digest.update(text);
  return digest.hex();
}

}  // namespace annolog::client
