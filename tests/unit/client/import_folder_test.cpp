#include "app/client/import_folder.hpp"

#include <gtest/gtest.h>

#include "app/client/class_list.hpp"
#include "app/client/digest.hpp"
#include "tests/unit/client/temp_folder.hpp"

namespace annolog::client::import_folder_test {
namespace {

using testing::TempFolder;

std::vector<std::string> names(const FolderListing& listing) {
  std::vector<std::string> result;
  for (const FolderImage& image : listing.images) result.push_back(image.file_name);
  return result;
}

TEST(ImportFolder, images_come_sorted_with_their_folders) {
  const TempFolder folder;
  folder.put("z.JPG", "1");
  folder.put("b/two.png", "22");
  folder.put("b/a/one.tiff", "333");
  folder.put("notes.txt", "x");
  const auto listing = list_images(folder.path());
  EXPECT_EQ(names(listing), (std::vector<std::string>{"b/a/one.tiff", "b/two.png", "z.JPG"}));
  EXPECT_EQ(listing.images[0].bytes, 3u);
  EXPECT_EQ(listing.images[0].content_type, "image/tiff");
  EXPECT_EQ(listing.images[2].content_type, "image/jpeg");
  EXPECT_TRUE(listing.problems.empty());
}

TEST(ImportFolder, hidden_things_and_links_to_folders_are_left_out) {
  const TempFolder folder;
  folder.put(".hidden.png", "1");
  folder.put(".cache/a.png", "1");
  folder.put("real/a.png", "1");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() / "loop");
  EXPECT_EQ(names(list_images(folder.path())), std::vector<std::string>{"real/a.png"});
}

TEST(ImportFolder, an_empty_image_is_a_problem) {
  const TempFolder folder;
  folder.put("a.png", "");
  const auto listing = list_images(folder.path());
  EXPECT_TRUE(listing.images.empty());
  EXPECT_EQ(listing.problems, std::vector<std::string>{"a.png: the file is empty"});
}

TEST(ImportFolder, a_missing_folder_is_said) {
  const TempFolder folder;
  EXPECT_THROW(list_images(folder.path() / "none"), std::filesystem::filesystem_error);
}

TEST(Digest, known_values) {
  const TempFolder folder;
  EXPECT_EQ(md5_of_file(folder.put("a", "abc")), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(md5_of_file(folder.path() / "none"), std::system_error);
}

TEST(ClassList, lines_without_blanks_comments_and_repetitions) {
  const auto classes = parse_classes("\xEF\xBB\xBF# mine\ncat \r\n\n dog\nCat");
  ASSERT_TRUE(classes);
  EXPECT_EQ(classes.value(), nlohmann::json::parse(R"([{"name":"cat"},{"name":"dog"}])"));
}

TEST(ClassList, json_of_names_and_objects) {
  const auto classes = parse_classes(R"(["cat", {"name": "dog", "color": "#112233"}])");
  ASSERT_TRUE(classes);
  EXPECT_EQ(classes.value(),
            nlohmann::json::parse(R"([{"name":"cat"},{"name":"dog","color":"#112233"}])"));
}

TEST(ClassList, useless_files_are_refused) {
  EXPECT_FALSE(parse_classes("[1]"));
  EXPECT_FALSE(parse_classes("[\"a\""));
  EXPECT_FALSE(parse_classes("\n# nothing\n"));
}

TEST(ClassList, only_what_is_missing_is_added) {
  nlohmann::json have = nlohmann::json::parse(R"([{"name":"Cat","color":"#000000"}])");
  EXPECT_FALSE(add_missing_classes(have, classes_of_names({"cat"})));
  EXPECT_TRUE(add_missing_classes(have, classes_of_names({"cat", "dog"})));
  EXPECT_EQ(have.size(), 2u);
  EXPECT_EQ(have[1]["name"], "dog");
}

}  // namespace
}  // namespace annolog::client::import_folder_test
