"""Real, tiny images of every format the service must measure, built byte by byte.

Each builder takes width, height and a seed; another seed gives other bytes (another md5), so that
no test meets another test's duplicate. All of them decode with common libraries.
"""

import struct
import zlib


def _chunk(kind, data):
    crc = zlib.crc32(kind + data) & 0xFFFFFFFF
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)


def _rgb(seed):
    return bytes(((seed >> 16) & 255, (seed >> 8) & 255, seed & 255))


def png(width=64, height=48, seed=0):
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    row = b"\0" + _rgb(seed) * width
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"tEXt", b"Comment\0seed %d" % seed)
        + _chunk(b"IDAT", zlib.compress(row * height))
        + _chunk(b"IEND", b"")
    )


def png_header_only(width, height, seed=0):
    """A PNG that claims any size at all: what an image bomb looks like to a header reader."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"tEXt", b"Comment\0seed %d" % seed)
        + _chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + _chunk(b"IEND", b"")
    )


def bmp(width=64, height=48, seed=0):
    row = (_rgb(seed) * width).ljust((width * 3 + 3) // 4 * 4, b"\0")
    pixels = row * height
    head = b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54)
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
    return head + info + pixels


def tiff(width=64, height=48, seed=0):
    pixels = _rgb(seed) * (width * height)
    bits_at = 8 + 2 + 10 * 12 + 4
    data_at = bits_at + 6
    entries = [
        (256, 4, 1, width),
        (257, 4, 1, height),
        (258, 3, 3, bits_at),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (273, 4, 1, data_at),
        (277, 3, 1, 3),
        (278, 4, 1, height),
        (279, 4, 1, len(pixels)),
        (284, 3, 1, 1),
    ]
    ifd = struct.pack("<H", len(entries))
    for tag, kind, count, value in entries:
        ifd += struct.pack("<HHII", tag, kind, count, value)
    ifd += struct.pack("<I", 0)
    return b"II*\0" + struct.pack("<I", 8) + ifd + struct.pack("<HHH", 8, 8, 8) + pixels


def gif(width=64, height=48, seed=0):
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0)
    palette = _rgb(seed) + b"\xff\xff\xff"
    comment = b"seed %d" % seed
    extension = b"\x21\xfe" + bytes([len(comment)]) + comment + b"\0"
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0)
    # A clear code before every two pixels keeps all LZW codes at their first width of 3 bits.
    bits, length, out = 0, 0, bytearray()

    def put(code):
        nonlocal bits, length
        bits |= code << length
        length += 3
        while length >= 8:
            out.append(bits & 255)
            bits >>= 8
            length -= 8

    for at in range(width * height):
        if at % 2 == 0:
            put(4)
        put(0)
    put(5)
    if length:
        out.append(bits & 255)
    blocks = b"".join(
        bytes([len(out[at : at + 255])]) + bytes(out[at : at + 255])
        for at in range(0, len(out), 255)
    )
    return head + palette + extension + image + b"\x02" + blocks + b"\0" + b"\x3b"


def webp(width=64, height=48, seed=0):
    """VP8L (lossless): five prefix codes of one symbol each, so a pixel costs no bit at all."""
    bits, length = 0, 0

    def put(value, count):
        nonlocal bits, length
        bits |= value << length
        length += count

    put(width - 1, 14)
    put(height - 1, 14)
    put(0, 1)  # no alpha
    put(0, 3)  # version
    put(0, 1)  # no transform
    put(0, 1)  # no colour cache
    put(0, 1)  # one prefix code group
    red, green, blue = _rgb(seed)
    for symbol in (green, red, blue, 255):
        put(1, 1)  # simple code
        put(0, 1)  # one symbol
        put(1, 1)  # of 8 bits
        put(symbol, 8)
    put(1, 1)
    put(0, 1)
    put(0, 1)  # distance code: one symbol of 1 bit
    put(0, 1)
    payload = b"\x2f" + bits.to_bytes((length + 7) // 8, "little")
    if len(payload) % 2:
        payload += b"\0"
    body = b"WEBPVP8L" + struct.pack("<I", len(payload)) + payload
    return b"RIFF" + struct.pack("<I", len(body)) + body


def jpeg(width=64, height=48, seed=0):
    """Baseline grey: the first block carries the level, every other block is 'as before'."""
    level = (seed % 255) - 127
    out = bytearray(b"\xff\xd8")
    comment = b"seed %d" % seed
    out += b"\xff\xfe" + struct.pack(">H", 2 + len(comment)) + comment
    out += b"\xff\xdb" + struct.pack(">HB", 67, 0) + bytes([8] * 64)
    out += b"\xff\xc0" + struct.pack(">HBHHBBBB", 11, 8, height, width, 1, 1, 0x11, 0)
    dc_counts = bytes([0, 0, 0, 9] + [0] * 12)
    out += b"\xff\xc4" + struct.pack(">HB", 19 + 9, 0x00) + dc_counts + bytes(range(9))
    ac_counts = bytes([1] + [0] * 15)
    out += b"\xff\xc4" + struct.pack(">HB", 19 + 1, 0x10) + ac_counts + b"\0"
    out += b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, 1, 0x00, 0, 63, 0)
    category = abs(level).bit_length()
    coded = level if level >= 0 else level + (1 << category) - 1
    bits = format(category, "04b")
    if category:
        bits += format(coded, "0%db" % category)
    bits += "0"
    blocks = ((width + 7) // 8) * ((height + 7) // 8)
    bits += "00000" * (blocks - 1)
    bits += "1" * (-len(bits) % 8)
    scan = int(bits, 2).to_bytes(len(bits) // 8, "big")
    return bytes(out) + scan.replace(b"\xff", b"\xff\x00") + b"\xff\xd9"


# name, builder, content type, file extension
FORMATS = [
    ("png", png, "image/png", "png"),
    ("jpeg", jpeg, "image/jpeg", "jpg"),
    ("webp", webp, "image/webp", "webp"),
    ("gif", gif, "image/gif", "gif"),
    ("bmp", bmp, "image/bmp", "bmp"),
    ("tiff", tiff, "image/tiff", "tiff"),
]
