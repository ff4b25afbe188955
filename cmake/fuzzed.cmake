# What the fuzz targets (tests/fuzz) look for mistakes in: instrumented, so that coverage guides the
# search. The rest of a layer need not pay for it. libFuzzer's, so clang only.
option(ANNOLOG_FUZZ "Build the fuzz targets and run each for a minute (clang only)" OFF)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(ANNOLOG_FUZZ OFF)
endif()

set(annolog_fuzz_options -fsanitize=fuzzer-no-link,float-cast-overflow)

# The sources that read what comes from outside.
set(annolog_fuzzed_sources
  api/http/client_address.cpp api/http/cursor.cpp api/http/etag.cpp api/http/json_parse.cpp
  api/http/query_string.cpp api/http/range.cpp api/http/request_head.cpp
  api/http/request_parser.cpp api/http/text.cpp api/http/tracing.cpp api/http/validate.cpp
  api/oidc/endpoint_url.cpp api/oidc/id_token.cpp api/oidc/json_object.cpp api/oidc/key_set.cpp
  api/oidc/metadata.cpp api/positions.cpp api/realtime/channel.cpp api/realtime/client_message.cpp
  api/realtime/frames.cpp api/views/shapes.cpp
  app/client/class_list.cpp app/client/coco_document.cpp
  domain/codec/domain_json.cpp domain/codec/events.cpp domain/codec/json/json_text.cpp
  domain/codec/upcasters.cpp domain/support/geometry.cpp domain/support/timestamp.cpp
  eventstore/record_codec.cpp
  platform/encoding.cpp platform/jwt.cpp platform/objects/object_key.cpp
  platform/objects/percent_encoding.cpp platform/objects/signed_url.cpp platform/signed_text.cpp
  platform/ed25519.cpp
  workers/audit/audit_check.cpp workers/audit/audit_file.cpp workers/audit/checkpoint_file.cpp
  workers/audit/signed_statement.cpp
  workers/import/archive_entries.cpp workers/import/coco_rows.cpp workers/import/entry_names.cpp
  workers/import/image_match.cpp workers/import/json_rows.cpp workers/import/native_rows.cpp
  workers/import/row_values.cpp workers/import/voc_attributes.cpp workers/import/voc_file.cpp
  workers/import/voc_rows.cpp workers/import/yolo_classes.cpp workers/import/yolo_rows.cpp
  workers/media/gif_bmp_size.cpp workers/media/image_size.cpp workers/media/jpeg_size.cpp
  workers/media/png_size.cpp workers/media/tiff_size.cpp workers/media/webp_size.cpp)
foreach(source ${annolog_fuzzed_sources})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${source})
    message(FATAL_ERROR "cmake/fuzzed.cmake: there is no ${source} any more")
  endif()
endforeach()
