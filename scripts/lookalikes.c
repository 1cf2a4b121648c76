/*
 * Writes the table of src/spec/lookalike.ts from ICU's data of UTS #39 (confusables.txt): every character whose skeleton is one ASCII
 * letter, digit or mark of punctuation, of the scripts named below, and what ASCII character it is taken for.
 *
 *     cc scripts/lookalikes.c -o lookalikes $(pkg-config --cflags --libs icu-i18n icu-uc) && ./lookalikes > table.txt
 *
 * UTS #39 maps I, l and 1 to one prototype and O and 0 to another. Identity must tell those apart, so a capital is taken for a capital
 * and a decimal digit for its value; the same holds for "rn", the prototype of m.
 */
#include <stdio.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>

static int known_script(UChar32 c) {
  static const UScriptCode scripts[] = {
      USCRIPT_COMMON,   USCRIPT_INHERITED, USCRIPT_LATIN,    USCRIPT_GREEK,   USCRIPT_CYRILLIC,
      USCRIPT_ARMENIAN, USCRIPT_COPTIC,    USCRIPT_CHEROKEE, USCRIPT_LISU,    USCRIPT_GEORGIAN,
      USCRIPT_DESERET,  USCRIPT_OSAGE,     USCRIPT_WARANG_CITI, USCRIPT_CARIAN, USCRIPT_LYCIAN,
      USCRIPT_OLD_ITALIC, USCRIPT_GOTHIC,  USCRIPT_RUNIC,    USCRIPT_CANADIAN_ABORIGINAL};
  UErrorCode status = U_ZERO_ERROR;
  UScriptCode script = uscript_getScript(c, &status);
  for (size_t at = 0; at < sizeof scripts / sizeof *scripts; at += 1)
    if (scripts[at] == script) return 1;
  return 0;
}

int main(void) {
  UErrorCode status = U_ZERO_ERROR;
  USpoofChecker *checker = uspoof_open(&status);
  const UNormalizer2 *nfkd = unorm2_getNFKDInstance(&status);
  for (UChar32 c = 0x80; c <= 0x10ffff; c += 1) {
    UChar from[3], to[32], plain[32];
    int32_t length = 0, skeleton, normal;
    int8_t type = u_charType(c);
    if (type == U_UNASSIGNED || type == U_SURROGATE || type == U_PRIVATE_USE_CHAR || type == U_CONTROL_CHAR ||
        type == U_FORMAT_CHAR || type == U_SPACE_SEPARATOR || type == U_NON_SPACING_MARK ||
        type == U_COMBINING_SPACING_MARK || type == U_ENCLOSING_MARK)
      continue;
    U16_APPEND_UNSAFE(from, length, c);
    normal = unorm2_normalize(nfkd, from, length, plain, 32, &status);
    if (normal != length || u_memcmp(plain, from, length) != 0) continue; /* folded before the table is asked */
    int digit = type == U_DECIMAL_DIGIT_NUMBER;
    if (digit) {
      printf("%c %04X\n", '0' + u_charDigitValue(c), c);
      continue;
    }
    if (!known_script(c)) continue;
    skeleton = uspoof_getSkeleton(checker, 0, from, length, to, 32, &status);
    if (U_FAILURE(status)) return 1;
    if (skeleton == 2 && to[0] == 'r' && to[1] == 'n') { to[0] = 'm'; skeleton = 1; }
    if (skeleton != 1 || to[0] <= 0x20 || to[0] >= 0x7f) continue;
    char ascii = (char)to[0];
    if (ascii == 'l' && u_isUUppercase(c)) ascii = 'I';
    if (ascii >= 'A' && ascii <= 'Z') ascii = (char)(ascii - 'A' + 'a');
    printf("%c %04X\n", ascii, c);
  }
  return 0;
}
