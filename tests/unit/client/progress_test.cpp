#include "app/client/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "app/client/connection.hpp"
#include "app/client/http_session.hpp"

namespace annolog::client::progress_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Progress, a_file_gets_a_line_every_twentieth_of_the_way) {
  std::ostringstream out;
  {
    Progress progress(out, false, "images", 1000);
    for (int i = 0; i < 1000; ++i) progress.done_one();
  }
  const std::string text = out.str();
  EXPECT_EQ(std::ranges::count(text, '\n'), 20);
  EXPECT_THAT(text, EndsWith("images 1000/1000\n"));
}

TEST(Progress, a_terminal_gets_one_line_redrawn) {
  std::ostringstream out;
  {
    Progress progress(out, true, "images", 3);
    progress.add_bytes(2'500'000);
    for (int i = 0; i < 3; ++i) progress.done_one();
  }
  const std::string text = out.str();
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_THAT(text, HasSubstr("\rimages 3/3, 2.5 MB, "));
}

TEST(Progress, a_note_stands_on_a_line_of_its_own) {
  std::ostringstream out;
  {
    Progress progress(out, true, "images", 1);
    progress.done_one();
    progress.note("error: a.png");
  }
  EXPECT_THAT(out.str(), HasSubstr("\rerror: a.png\n"));
}

TEST(Url, all_but_unreserved_characters_are_encoded) {
  EXPECT_EQ(url_encode("aZ9-._~ /&=+\xC3\xA9"), "aZ9-._~%20%2F%26%3D%2B%C3%A9");
}

TEST(HttpSession, other_schemes_and_malformed_urls_are_not_tried_again) {
  HttpSession session;
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/", "http://"}) {
    HttpRequest request;
    request.url = url;
    const auto outcome = session.perform(request);
    ASSERT_TRUE(std::holds_alternative<TransportError>(outcome)) << url;
    EXPECT_FALSE(std::get<TransportError>(outcome).retriable) << url;
  }
}

}  // namespace
}  // namespace annolog::client::progress_test
