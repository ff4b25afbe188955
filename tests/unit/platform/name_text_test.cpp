#include "platform/name_text.hpp"

#include <gtest/gtest.h>

namespace annolog::platform::name_text_test {
namespace {

TEST(NameText, is_composed) {
  EXPECT_EQ(composed("Zoe\u0308"), "Zo\u00EB");
  EXPECT_EQ(composed("Zo\u00EB"), "Zo\u00EB");
  EXPECT_EQ(composed("ada"), "ada");
  EXPECT_EQ(composed(""), "");
}

TEST(NameText, ascii_folds_to_lower_case) {
  EXPECT_EQ(case_folded("Ada.Lovelace-1815@Example.ORG"), "ada.lovelace-1815@example.org");
}

struct Same {
  const char* a;
  const char* b;
};

TEST(NameText, the_same_name_folds_to_the_same) {
  for (const auto& [a, b] : {Same{"ZO\u00CB", "zoe\u0308"},   // composed or not
                             Same{"STRASSE", "stra\u00DFe"},  // sharp s
                             Same{"\u0391\u0394\u0391\u03A3", "\u03B1\u03B4\u03B1\u03C2"},
                             Same{"\uFF21\uFF24\uFF21", "ada"},  // full width
                             Same{"o\uFB03ce", "OFFICE"},        // a ligature
                             Same{"a\u00ADda\u200B", "ada"}})    // what nobody sees
    EXPECT_EQ(case_folded(a), case_folded(b)) << a;
}

TEST(NameText, other_names_do_not) {
  for (const auto& [a, b] :
       {Same{"ada", "adb"}, Same{"zoe", "zo\u00EB"}, Same{"i", "\u0131"},  // Turkish dotless i
        Same{"admin", "\u0430dmin"}})
    EXPECT_NE(case_folded(a), case_folded(b)) << a;
}

TEST(NameText, a_persons_writing_keeps_to_its_script) {
  for (const char* name : {"ada", "Ada Lovelace", "ada.lovelace-1815@example.org", "Zo\u00EB",
                           "\u0410\u0434\u0430", "\u0391\u03B4\u03B1", "\u5F20\u4F1F", "\u5F20wei",
                           "\u30C6\u30B9\u30C8\u6F22\u5B57test", "\u0639\u0644\u064A", "123", "_"})
    EXPECT_TRUE(is_one_persons_writing(name)) << name;
}

TEST(NameText, look_alikes_and_what_nobody_sees_are_found) {
  for (const char* name : {"\u0430dmin",     // Cyrillic a
                           "adm\u0456n",     // Ukrainian i
                           "\u03BFperator",  // Greek omicron
                           "ad\u200Dmin",    // zero width joiner
                           "ad\u200Bmin"})
    EXPECT_FALSE(is_one_persons_writing(name)) << name;
}

TEST(NameText, words_are_of_letters_marks_and_digits) {
  for (const char* text : {"a", "Z ", "7", "_", "\u00E9", "\u4E2D", "\u093F" /* a mark */})
    EXPECT_TRUE(begins_with_word_character(text)) << text;
  for (const char* text : {"", " a", ".", "@", "-", "'", "\u3002", "\u2026", "\U0001F600"})
    EXPECT_FALSE(begins_with_word_character(text)) << text;
}

}  // namespace
}  // namespace annolog::platform::name_text_test
