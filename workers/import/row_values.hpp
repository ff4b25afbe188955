// Values out of one row of a document: absent where they are not what is asked for. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "domain/support/attributes.hpp"

namespace annolog::workers {

std::optional<double> finite(const nlohmann::json& value);
std::optional<double> finite(const nlohmann::json& object, const char* key);
std::optional<std::int64_t> whole(const nlohmann::json& object, const char* key);
std::optional<std::string> text(const nlohmann::json& object, const char* key);
// Null when the object has no such member.
const nlohmann::json* member(const nlohmann::json& object, const char* key);
bool has_nul(std::string_view text);
// Absent for what no attribute can be: `fault` says why.
std::optional<Attributes> attributes_of(const nlohmann::json& object, std::string& fault);

// The number q for which q * size is `pixels` to the last bit, when there is one near the quotient.
double quotient(double pixels, double size);
// The number d for which start + d is `end` to the last bit, when there is one.
double distance(double start, double end);
// A place in the image as part of its size; one outside is moved to the edge.
double fraction(double pixels, double size);
// What of a span lies inside the image, as parts of its size; a span that does comes through to the
// last bit. False: nothing does.
bool place(double start, double length, double size, double& from, double& extent);

}  // namespace annolog::workers
