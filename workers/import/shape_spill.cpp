#include "workers/import/shape_spill.hpp"

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "domain/codec/binary.hpp"

namespace annolog::workers {
namespace {

constexpr std::size_t kParts = 128;

struct Head {
  DocumentPlace place;
  std::uint32_t task = 0;
  std::uint32_t bytes = 0;
};

}  // namespace

ShapeSpill::ShapeSpill(std::filesystem::path folder, std::size_t tasks)
    : folder_(std::move(folder)), loads_(tasks), parts_(kParts) {}

std::filesystem::path ShapeSpill::file_of(std::size_t part) const {
  return folder_ / ("shapes-" + std::to_string(part));
}

bool ShapeSpill::add(std::uint32_t task, DocumentPlace place, const ImportedShape& shape) {
  auto& load = loads_[task];
  if (load.shapes > kMaxShapesPerCall || load.bytes > kTaskBytesMax) return false;
  const std::string bytes = codec::to_binary(shape);
  ++load.shapes;
  load.bytes += static_cast<std::uint32_t>(bytes.size());
  if (load.shapes > kMaxShapesPerCall || load.bytes > kTaskBytesMax) return false;
  const Head head{place, task, static_cast<std::uint32_t>(bytes.size())};
  std::array<char, sizeof(Head)> raw{};
  std::memcpy(raw.data(), &head, sizeof(Head));
  auto& part = parts_[task % kParts];
  if (!part.is_open()) {
    part.exceptions(std::ios::badbit | std::ios::failbit);
    part.open(file_of(task % kParts), std::ios::binary | std::ios::trunc);
  }
  part.write(raw.data(), static_cast<std::streamsize>(raw.size()));
  part.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return true;
}

void ShapeSpill::each_task(const Visit& visit) {
  for (std::size_t part = 0; part < kParts; ++part) {
    if (!parts_[part].is_open()) continue;
    parts_[part].close();
    std::map<std::uint32_t, std::vector<SpilledShape>> tasks;
    std::ifstream in(file_of(part), std::ios::binary);
    std::array<char, sizeof(Head)> raw{};
    std::string bytes;
    while (in.read(raw.data(), static_cast<std::streamsize>(raw.size()))) {
      Head head;
      std::memcpy(&head, raw.data(), sizeof(Head));
      bytes.resize(head.bytes);
      if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
        throw std::system_error(std::make_error_code(std::errc::io_error),
                                "an import's file was cut off");
      }
      tasks[head.task].push_back({head.place, codec::from_binary<ImportedShape>(bytes)});
    }
    std::filesystem::remove(file_of(part));
    for (auto& [task, shapes] : tasks) {
      const auto& load = loads_[task];
      const bool too_many = load.shapes > kMaxShapesPerCall || load.bytes > kTaskBytesMax;
      if (!visit(task, std::move(shapes), too_many)) return;
    }
  }
}

}  // namespace annolog::workers
