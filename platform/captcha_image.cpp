#include "platform/captcha_image.hpp"

#include <cairo.h>
#include <freetype/freetype.h>
#include <freetype/ftoutln.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

namespace annolog::platform {
namespace {

// Debian's fonts-dejavu-core. Named by its path: fontconfig would put any other font in its place,
// with characters that nobody has looked at.
constexpr const char* kFontFile = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf";

// Lengths are in pixels, y grows downwards.
constexpr double kMargin = 5;         // stays free of text and curves
constexpr double kOutlineSize = 100;  // of the font, where its outlines are kept
constexpr double kTextSize = 46;      // of the font, where there is room for it
constexpr double kMaxTurn = 20 * std::numbers::pi / 180;
constexpr double kMaxShear = 0.18;
constexpr double kCurveWidth = 1.8;
constexpr int kDots = 260;

struct Destroy {
  void operator()(cairo_t* context) const noexcept { cairo_destroy(context); }
  void operator()(cairo_surface_t* surface) const noexcept { cairo_surface_destroy(surface); }
  void operator()(cairo_path_t* path) const noexcept { cairo_path_destroy(path); }
  void operator()(FT_Library library) const noexcept { FT_Done_FreeType(library); }
  void operator()(FT_Face face) const noexcept { FT_Done_Face(face); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

// A Cairo context keeps its first error and passes over all later calls: asking it once, at the
// end, is enough.
void require(cairo_status_t status, const char* what) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string("Cairo: ") + what + ": " + cairo_status_to_string(status));
}

void require_font(FT_Error error, const char* what) {
  if (error == FT_Err_Ok) return;
  throw std::runtime_error(std::string("FreeType: ") + what + " " + kFontFile + ": error " +
                           std::to_string(error));
}

struct Canvas {
  Owned<cairo_surface_t> surface{
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, kCaptchaWidth, kCaptchaHeight)};
  Owned<cairo_t> context{cairo_create(surface.get())};
};

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// Of the current path, which is gone afterwards, as is the matrix.
Box take_box(cairo_t* context) {
  Box box;
  cairo_identity_matrix(context);
  cairo_path_extents(context, &box.left, &box.top, &box.right, &box.bottom);
  cairo_new_path(context);
  return box;
}

cairo_t* canvas_of(void* user) { return static_cast<cairo_t*>(user); }

int move_to(const FT_Vector* to, void* user) {
  cairo_move_to(canvas_of(user), static_cast<double>(to->x), static_cast<double>(to->y));
  return FT_Err_Ok;
}

int line_to(const FT_Vector* to, void* user) {
  cairo_line_to(canvas_of(user), static_cast<double>(to->x), static_cast<double>(to->y));
  return FT_Err_Ok;
}

int cubic_to(const FT_Vector* a, const FT_Vector* b, const FT_Vector* to, void* user) {
  cairo_curve_to(canvas_of(user), static_cast<double>(a->x), static_cast<double>(a->y),
                 static_cast<double>(b->x), static_cast<double>(b->y), static_cast<double>(to->x),
                 static_cast<double>(to->y));
  return FT_Err_Ok;
}

// Cairo has cubic curves only: their two middle points lie two thirds of the way to this one's.
int conic_to(const FT_Vector* middle, const FT_Vector* to, void* user) {
  double x = 0;
  double y = 0;
  cairo_get_current_point(canvas_of(user), &x, &y);
  const auto from_x = static_cast<double>(middle->x);
  const auto from_y = static_cast<double>(middle->y);
  const auto to_x = static_cast<double>(to->x);
  const auto to_y = static_cast<double>(to->y);
  cairo_curve_to(canvas_of(user), x + (from_x - x) * 2 / 3, y + (from_y - y) * 2 / 3,
                 to_x + (from_x - to_x) * 2 / 3, to_y + (from_y - to_y) * 2 / 3, to_x, to_y);
  return FT_Err_Ok;
}

// Its middle lies at the origin.
Owned<cairo_path_t> read_outline(char character, FT_Face face, cairo_t* context) {
  if (FT_Get_Char_Index(face, static_cast<FT_ULong>(character)) == 0) {
    throw std::runtime_error(std::string("no ") + character + " in " + kFontFile);
  }
  require_font(FT_Load_Char(face, static_cast<FT_ULong>(character), FT_LOAD_NO_SCALE), "glyph of");
  const auto trace = [&] {
    constexpr FT_Outline_Funcs kSteps{move_to, line_to, conic_to, cubic_to, 0, 0};
    const double size = kOutlineSize / face->units_per_EM;
    cairo_scale(context, size, -size);  // FreeType's y grows upwards
    require_font(FT_Outline_Decompose(&face->glyph->outline, &kSteps, context), "outline of");
  };
  trace();
  const Box box = take_box(context);
  cairo_translate(context, -(box.left + box.right) / 2, -(box.top + box.bottom) / 2);
  trace();
  cairo_identity_matrix(context);
  Owned<cairo_path_t> path(cairo_copy_path(context));
  require(path->status, "outline");
  cairo_new_path(context);
  return path;
}

using Outlines = std::array<Owned<cairo_path_t>, kCaptchaAlphabet.size()>;

Outlines read_outlines() {
  FT_Library new_library = nullptr;
  require_font(FT_Init_FreeType(&new_library), "no room to read");
  const Owned<FT_LibraryRec_> library(new_library);
  FT_Face new_face = nullptr;
  require_font(FT_New_Face(library.get(), kFontFile, 0, &new_face), "no font in");
  const Owned<FT_FaceRec_> face(new_face);
  const Canvas canvas;
  Outlines outlines;
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    outlines[i] = read_outline(kCaptchaAlphabet[i], face.get(), canvas.context.get());
  }
  return outlines;
}

const cairo_path_t* outline_of(char character) {
  static const Outlines outlines = read_outlines();  // never changed, so threads share no font
  const std::size_t place = kCaptchaAlphabet.find(character);
  if (place == std::string_view::npos) {
    throw std::invalid_argument("captcha: a character outside its alphabet");
  }
  return outlines[place].get();
}

// Uniform numbers, the same with every standard library (their distributions differ).
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 0x1p32);
  }

 private:
  std::mt19937 engine_;
};

struct Glyph {
  const cairo_path_t* outline = nullptr;
  cairo_matrix_t shape{};  // from the outline to the picture
  Box box;                 // of the shaped outline
  double gap = 0;          // to the next one; below zero they touch
};

Glyph shape_glyph(char character, Dice& dice, cairo_t* context) {
  Glyph glyph;
  glyph.outline = outline_of(character);
  const double width = dice.between(0.9, 1.1) * kTextSize / kOutlineSize;
  const double height = dice.between(0.9, 1.1) * kTextSize / kOutlineSize;
  const double shear = dice.between(-kMaxShear, kMaxShear);
  cairo_matrix_t turn;
  cairo_matrix_init_rotate(&turn, dice.between(-kMaxTurn, kMaxTurn));
  cairo_matrix_init(&glyph.shape, width, 0, shear * height, height, 0, 0);
  cairo_matrix_multiply(&glyph.shape, &glyph.shape, &turn);
  cairo_set_matrix(context, &glyph.shape);
  cairo_append_path(context, glyph.outline);
  glyph.box = take_box(context);
  glyph.gap = dice.between(-1.5, 1);
  return glyph;
}

// Into a row between the margins, each at a height of its own; smaller when there is no room.
void lay_out(std::vector<Glyph>& glyphs, Dice& dice) {
  double width = -glyphs.back().gap;
  double height = 0;
  for (const Glyph& glyph : glyphs) {
    width += glyph.box.width() + glyph.gap;
    height = std::max(height, glyph.box.height());
  }
  constexpr double kRight = kCaptchaWidth - kMargin;
  constexpr double kBottom = kCaptchaHeight - kMargin;
  const double fit = std::min({1.0, (kRight - kMargin) / width, (kBottom - kMargin) / height});
  double left = dice.between(kMargin, kRight - width * fit);
  for (Glyph& glyph : glyphs) {
    const Box was = glyph.box;
    const double top = dice.between(kMargin, kBottom - was.height() * fit);
    glyph.box = {left, top, left + was.width() * fit, top + was.height() * fit};
    cairo_matrix_t move;
    cairo_matrix_init(&move, fit, 0, 0, fit, left - was.left * fit, top - was.top * fit);
    cairo_matrix_multiply(&glyph.shape, &glyph.shape, &move);
    left = glyph.box.right + glyph.gap * fit;
  }
}

struct Range {
  double low = 0;
  double high = 0;
};

void choose_colour(cairo_t* context, Range lightness, Dice& dice) {
  const double red = dice.between(lightness.low, lightness.high);
  const double green = dice.between(lightness.low, lightness.high);
  const double blue = dice.between(lightness.low, lightness.high);
  cairo_set_source_rgb(context, red, green, blue);
}

void draw_ground(cairo_t* context, Dice& dice) {
  choose_colour(context, {0.92, 1}, dice);
  cairo_paint(context);
  for (int i = 0; i < kDots; ++i) {
    choose_colour(context, {0.62, 0.86}, dice);
    const double x = dice.between(0, kCaptchaWidth);
    const double y = dice.between(0, kCaptchaHeight);
    cairo_arc(context, x, y, dice.between(0.5, 1.6), 0, 2 * std::numbers::pi);
    cairo_fill(context);
  }
}

void draw_glyphs(cairo_t* context, const std::vector<Glyph>& glyphs) {
  for (const Glyph& glyph : glyphs) {
    cairo_set_matrix(context, &glyph.shape);
    cairo_append_path(context, glyph.outline);
    cairo_fill(context);
  }
  cairo_identity_matrix(context);
}

// Two or three, each in a band of its own: a bundle of them would look like a stroke of the text.
// A curve keeps to the hull of its four points, and so within the margins.
void draw_curves(cairo_t* context, const std::vector<Glyph>& glyphs, Dice& dice) {
  const int count = dice.between(0, 1) < 0.5 ? 2 : 3;
  constexpr Box kInside{kMargin + 1, kMargin + 1, kCaptchaWidth - kMargin - 1,
                        kCaptchaHeight - kMargin - 1};
  cairo_set_line_width(context, kCurveWidth);
  for (int i = 0; i < count; ++i) {
    const auto height_in = [&](const Box& box) {
      const double band = box.height() / count;
      return dice.between(box.top + (i + 0.1) * band, box.top + (i + 0.9) * band);
    };
    const double left = kInside.left + dice.between(0, 10);
    const double right = kInside.right - dice.between(0, 10);
    const double begin = height_in(glyphs.front().box);
    const double left_bend = height_in(kInside);
    const double right_bend = height_in(kInside);
    const double end = height_in(glyphs.back().box);
    cairo_move_to(context, left, begin);
    cairo_curve_to(context, 70, left_bend, 130, right_bend, right, end);
    cairo_stroke(context);
  }
}

cairo_status_t append(void* png, const unsigned char* bytes, unsigned int count) noexcept {
  try {
    static_cast<std::string*>(png)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

}  // namespace

std::string captcha_png(std::string_view answer, std::uint32_t seed) {
  if (answer.empty() || answer.size() > kCaptchaMaxCharacters) {
    throw std::invalid_argument("captcha: too few or too many characters");
  }
  const Canvas canvas;
  cairo_t* const context = canvas.context.get();
  Dice dice(seed);
  std::vector<Glyph> glyphs;
  for (const char character : answer) glyphs.push_back(shape_glyph(character, dice, context));
  lay_out(glyphs, dice);
  draw_ground(context, dice);
  choose_colour(context, {0, 0.35}, dice);
  draw_glyphs(context, glyphs);
  draw_curves(context, glyphs, dice);
  require(cairo_status(context), "drawing");
  std::string png;
  require(cairo_surface_write_to_png_stream(canvas.surface.get(), append, &png), "PNG");
  return png;
}

}  // namespace annolog::platform
