#include "workers/media/thumbnail.hpp"

#include <webp/encode.h>

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "workers/media/decoders.hpp"
#include "workers/media/image_size.hpp"
#include "workers/media/refused_image.hpp"

namespace annolog::workers {
namespace {

constexpr float kQuality = 80;

media::Decoded decode(ImageFormat format, media::Decoding& on) {
  switch (format) {
    case ImageFormat::png: return media::decode_png(on);
    case ImageFormat::jpeg: return media::decode_jpeg(on);
    case ImageFormat::webp: return media::decode_webp(on);
    case ImageFormat::gif: return media::decode_gif(on);
    case ImageFormat::bmp: return media::decode_bmp(on);
    case ImageFormat::tiff: return media::decode_tiff(on);
  }
  return media::Decoded::unsupported;
}

Result<void> judge(media::Decoded outcome) {
  switch (outcome) {
    case media::Decoded::whole: return success();
    case media::Decoded::damaged:
      return refused_image("DAMAGED_IMAGE", "The image is damaged or cut short.");
    case media::Decoded::unsupported:
      return refused_image("UNSUPPORTED_IMAGE", "The image is of a kind that is not read.");
    case media::Decoded::too_big:
      return refused_image("IMAGE_TOO_LARGE",
                           "The image takes more memory than a thumbnail may cost.");
    case media::Decoded::late:
      return refused_image("DECODING_TOO_SLOW",
                           "The image takes longer than a thumbnail may cost.");
  }
  return refused_image("UNSUPPORTED_IMAGE", "The image is of a kind that is not read.");
}

struct FreePicture {
  void operator()(WebPPicture* picture) const { ::WebPPictureFree(picture); }
};
struct ClearWriter {
  void operator()(WebPMemoryWriter* writer) const { ::WebPMemoryWriterClear(writer); }
};

Result<std::vector<std::uint8_t>> encode(const media::Pixels& pixels) {
  WebPConfig config;
  WebPPicture picture;
  if (::WebPConfigPreset(&config, WEBP_PRESET_PHOTO, kQuality) == 0 ||
      ::WebPPictureInit(&picture) == 0)
    return refused_image("UNSUPPORTED_IMAGE", "The WebP library is of another version.");
  WebPMemoryWriter writer;
  ::WebPMemoryWriterInit(&writer);
  const std::unique_ptr<WebPPicture, FreePicture> owned_picture(&picture);
  const std::unique_ptr<WebPMemoryWriter, ClearWriter> owned_writer(&writer);
  picture.width = static_cast<int>(pixels.width);
  picture.height = static_cast<int>(pixels.height);
  picture.writer = ::WebPMemoryWrite;
  picture.custom_ptr = &writer;
  const bool encoded = ::WebPPictureImportRGBA(&picture, pixels.rgba.data(),
                                               static_cast<int>(pixels.width) * 4) != 0 &&
                       ::WebPEncode(&config, &picture) != 0;
  if (!encoded) throw std::bad_alloc();  // these sizes have no other way to fail
  return std::vector<std::uint8_t>(writer.mem, writer.mem + writer.size);
}

}  // namespace

Result<std::vector<std::uint8_t>> make_thumbnail(platform::ByteSource& source,
                                                 const ThumbnailLimits& limits) {
  if (source.size_bytes() > limits.file_bytes)
    return refused_image("IMAGE_TOO_LARGE",
                         "The file has more than " + std::to_string(limits.file_bytes) + " bytes.");
  BOOST_OUTCOME_TRY(const auto size, probe_image(source));
  if (std::uint64_t{size.width} * size.height > limits.pixels)
    return refused_image("IMAGE_TOO_LARGE",
                         "The image has more than " + std::to_string(limits.pixels) + " pixels.");
  // Some formats are read in more than one go; none needs more than this.
  media::BudgetedSource budgeted(source, 4 * limits.file_bytes);
  media::RowScaler rows(kThumbnailSide, media::RowScaler::Clock::now() + limits.time,
                        limits.given_up);
  media::Decoding decoding{budgeted, limits.memory_bytes, rows};
  BOOST_OUTCOME_TRY(judge(decode(size.format, decoding)));
  return encode(media::turned(rows.take(), decoding.orientation));
}

}  // namespace annolog::workers
