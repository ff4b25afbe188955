// Why an image is not taken.
#pragma once

#include <string>
#include <utility>

#include "domain/support/error.hpp"

namespace annolog::workers {

inline DomainError refused_image(std::string code, std::string message) {
  return {DomainError::Kind::invalid, std::move(code), std::move(message), {}, {}, 0};
}

}  // namespace annolog::workers
