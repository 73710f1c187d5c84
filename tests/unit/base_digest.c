/* base_digest.c - tests of random bytes, hashes and base64. */
#include "support/unit.h"

#include "base/cleanup.h"
#include "base/digest.h"

#include <stdio.h>
#include <string.h>

static void assert_hex(const unsigned char *bytes, size_t count, const char *hex)
{
    char text[65];
    size_t i;

    for (i = 0; i < count; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    ck_assert_str_eq(text, hex);
}

START_TEST(random_hex_has_its_length_and_never_comes_twice)
{
    char one[33], two[33], none[1] = "x";

    ck_assert_int_eq(sbi_random_hex(one, 16, NULL), SBX_OK);
    ck_assert_int_eq(sbi_random_hex(two, 16, NULL), SBX_OK);
    ck_assert_uint_eq(strspn(one, "0123456789abcdef"), 32);
    ck_assert_uint_eq(strlen(one), 32);
    ck_assert_str_ne(one, two);
    ck_assert_int_eq(sbi_random_hex(none, 0, NULL), SBX_OK);
    ck_assert_str_eq(none, "");
}
END_TEST

START_TEST(hashes_are_those_of_the_standards)
{
    unsigned char sha256[32], sha1[20];

    ck_assert_int_eq(sbi_sha256("abc", 3, sha256, NULL), SBX_OK);
    assert_hex(sha256, 32,
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_assert_int_eq(sbi_sha256("", 0, sha256, NULL), SBX_OK);
    assert_hex(sha256, 32,
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ck_assert_int_eq(sbi_sha256(NULL, 0, sha256, NULL), SBX_OK);
    assert_hex(sha256, 32,
               "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ck_assert_int_eq(
        sbi_hmac_sha1("Jefe", 4, "what do ya want for nothing?", 28, sha1, NULL), SBX_OK);
    assert_hex(sha1, 20, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
}
END_TEST

/* What comes in pieces is hashed by OpenSSL, however short. */
START_TEST(a_text_of_any_length_has_the_hash_that_openssl_gives_it)
{
    static const size_t around[] = {0, 128, 16384, 65536};
    static char text[65536 + 130];
    unsigned char ours[32], theirs[32];
    size_t length, i, j;

    for (i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * 7 + i / 256);
    for (i = 0; i < sizeof(around) / sizeof(around[0]); i++)
        for (j = 0; j < 130; j++) {
            SBI_AUTO_SHA256 hash = NULL;

            length = around[i] + j;
            ck_assert_int_eq(sbi_sha256(text, length, ours, NULL), SBX_OK);
            ck_assert_int_eq(sbi_sha256_new(&hash, NULL), SBX_OK);
            sbi_sha256_add(hash, text, length);
            ck_assert_int_eq(sbi_sha256_end(hash, theirs, NULL), SBX_OK);
            ck_assert_mem_eq(ours, theirs, sizeof(ours));
        }
}
END_TEST

START_TEST(sha1_is_that_of_the_standard_whether_short_or_long)
{
    static const struct {
        size_t count; /* of the letter */
        char letter;
        const char *hex;
    } rows[] = {
        {0, 'a', "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {1, 'a', "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"},
        {55, 'a', "c1c8bbdc22796e28c0e15163d20899b65621d65a"},
        {56, 'a', "c2db330f6083854c99d4b5bfb6e8f29f201be699"},
        {64, 'a', "0098ba824b5c16427bd7a1122a5a442a25ec644d"},
        {1000000, 'a', "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
    };
    unsigned char sha1[20];
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        SBI_AUTOFREE char *text = malloc(rows[i].count + 1);

        ck_assert_ptr_nonnull(text);
        memset(text, rows[i].letter, rows[i].count);
        ck_assert_int_eq(sbi_sha1(text, rows[i].count, sha1, NULL), SBX_OK);
        assert_hex(sha1, 20, rows[i].hex);
    }
}
END_TEST

START_TEST(base64_goes_there_and_back_at_every_length)
{
    static const char *const texts[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                        "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        SBI_AUTOFREE char *text = NULL;
        SBI_AUTOFREE unsigned char *bytes = NULL;
        size_t length;

        ck_assert_int_eq(sbi_base64_encode("foobar", i, &text, NULL), SBX_OK);
        ck_assert_str_eq(text, texts[i]);
        ck_assert_int_eq(sbi_base64_decode(text, strlen(text), &bytes, &length, NULL),
                         SBX_OK);
        ck_assert_uint_eq(length, i);
        ck_assert_mem_eq(bytes, "foobar", i);
    }
}
END_TEST

START_TEST(what_is_not_whole_base64_is_refused)
{
    static const char *const bad[] = {"Z",        "Zg",       "Zg=",  "Z===",
                                      "====",     "Zh==",     "Zm9=", "Zm 9",
                                      "Zg==Zg==", "Zm9vYg=A", "=Zg=", "Zm9v\n\n\n\n"};
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        unsigned char *bytes = NULL;
        size_t length = 7;

        ck_assert_int_eq(sbi_base64_decode(bad[i], strlen(bad[i]), &bytes, &length, NULL),
                         SBX_ERR_INVALID);
        ck_assert_ptr_null(bytes);
        ck_assert_uint_eq(length, 7);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, random_hex_has_its_length_and_never_comes_twice);
    tcase_add_test(tests, hashes_are_those_of_the_standards);
    tcase_add_test(tests, a_text_of_any_length_has_the_hash_that_openssl_gives_it);
    tcase_add_test(tests, sha1_is_that_of_the_standard_whether_short_or_long);
    tcase_add_test(tests, base64_goes_there_and_back_at_every_length);
    tcase_add_test(tests, what_is_not_whole_base64_is_refused);
}
