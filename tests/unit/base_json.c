/* base_json.c - tests of reading and printing JSON. */
#include "support/unit.h"

#include "base/json.h"

#include <string.h>

static int parse(const char *text, cJSON **out, sbx_error *err)
{
    return sbi_json_parse(text, strlen(text), out, err);
}

START_TEST(comments_are_blanks_but_not_within_a_string)
{
    SBI_AUTO_JSON json = NULL;
    SBI_AUTOFREE char *text = NULL;

    ck_assert_int_eq(
        parse("// one\n{/* two\n */\"a\": \"// \\\"/* x\", // three\n\"b\":1}//", &json,
              NULL),
        SBX_OK);
    text = sbi_json_print(json);
    ck_assert_str_eq(text, "{\"a\":\"// \\\"/* x\",\"b\":1}");
}
END_TEST

START_TEST(a_bad_text_is_refused_where_it_is_bad)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "line 1, column 1: not JSON"},
        {"{\n  \"a\": x}", "line 2, column 8: not JSON"},
        {"{\"a\": 1} 2", "line 1, column 10: more text behind the value"},
        {"[1,\n /* never", "line 2, column 2: a comment without its end"},
        {"/*/", "line 1, column 1: a comment without its end"},
        {"[\"\xC3\xA9\", \"\xFF\"]", "line 1, column 8: not UTF-8"},
        {"[\"\xC0\x80\"]", "line 1, column 3: not UTF-8"},
        {"[\"\xED\xA0\x80\"]", "line 1, column 3: not UTF-8"},
        {"[\"\xF4\x90\x80\x80\"]", "line 1, column 3: not UTF-8"},
        {"[\"a\\u0000b\"]", "line 1, column 4: a NUL in a string"},
        {"[\"a", "not JSON"},
        {"[\"a\\", "not JSON"},
    };
    sbx_error err;
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        cJSON *json = NULL;

        ck_assert_int_eq(parse(bad[i].text, &json, &err), SBX_ERR_CONFIG);
        ck_assert_msg(strstr(err.text, bad[i].says) != NULL, "%s", err.text);
        ck_assert_ptr_null(json);
    }
}
END_TEST

START_TEST(a_nul_byte_in_the_text_is_refused)
{
    cJSON *json = NULL;
    sbx_error err;

    ck_assert_int_eq(sbi_json_parse("[1]\0", 4, &json, &err), SBX_ERR_CONFIG);
    ck_assert_str_eq(err.text, "line 1, column 4: a NUL byte");
}
END_TEST

START_TEST(an_escaped_backslash_before_u0000_is_no_nul)
{
    SBI_AUTO_JSON json = NULL;

    ck_assert_int_eq(parse("[\"\\\\u0000\"]", &json, NULL), SBX_OK);
    ck_assert_str_eq(cJSON_GetArrayItem(json, 0)->valuestring, "\\u0000");
}
END_TEST

START_TEST(a_nest_too_deep_is_refused_and_not_a_crash)
{
    char deep[4001];
    cJSON *json = NULL;

    memset(deep, '[', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    ck_assert_int_eq(parse(deep, &json, NULL), SBX_ERR_CONFIG);
}
END_TEST

START_TEST(bytes_are_text_only_where_they_are_utf8_without_nul)
{
    ck_assert(sbi_json_is_text("", 0));
    ck_assert(sbi_json_is_text("\xF0\x9F\x98\x80 a\n", 7));
    ck_assert(!sbi_json_is_text("a\0b", 3));
    ck_assert(!sbi_json_is_text("\xE2\x82", 2));
    ck_assert(!sbi_json_is_text("\x80", 1));
    ck_assert(!sbi_json_is_text("\xF8\x88\x80\x80\x80", 5));
}
END_TEST

START_TEST(what_is_printed_is_json_whatever_the_strings_hold)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();
    SBI_AUTO_JSON again = NULL;
    SBI_AUTOFREE char *text = NULL;

    sbi_json_add_text(json, "bad", "a\xFF\xC3z");
    sbi_json_add_text(json, "none", NULL);
    (void)cJSON_AddItemToObject(json, "raw", sbi_json_bytes("x\0\xFFy", 4, true));
    (void)cJSON_AddItemToObject(json, "base64", sbi_json_bytes("x\0\xFFy", 4, false));
    text = sbi_json_print(json);
    ck_assert_str_eq(text,
                     "{\"bad\":\"a\xEF\xBF\xBD\xEF\xBF\xBDz\",\"none\":null,"
                     "\"raw\":\"x\xEF\xBF\xBD\xEF\xBF\xBDy\",\"base64\":\"eAD/eQ==\"}");
    ck_assert_int_eq(parse(text, &again, NULL), SBX_OK);
}
END_TEST

START_TEST(an_error_is_json_with_its_facts)
{
    SBI_AUTOFREE char *text = NULL;
    SBI_AUTOFREE char *nothing = sbx_error_json(NULL);
    sbx_error err;

    sbi_fail(&err, SBX_ERR_CONNECT, "reach '%s'", "gpu\"1");
    sbi_fix(&err, SBX_ERR_CONNECT, "port", "try again");
    sbi_executed(&err, SBX_ERR_CONNECT, SBX_EXECUTED_UNKNOWN);
    text = sbx_error_json(&err);
    ck_assert_str_eq(text,
                     "{\"code\":\"SBX_ERR_CONNECT\",\"text\":\"reach 'gpu\\\"1'\","
                     "\"retryable\":true,\"executed\":\"unknown\",\"fix\":\"try again\","
                     "\"check\":\"port\"}");
    ck_assert_str_eq(nothing, "{\"code\":\"SBX_OK\",\"text\":\"\",\"retryable\":false,"
                              "\"executed\":\"no\",\"fix\":null,\"check\":null}");
}
END_TEST

START_TEST(a_text_cut_within_a_character_still_is_json)
{
    SBI_AUTO_JSON json = NULL;
    SBI_AUTOFREE char *text = NULL;
    char longer[1001];
    sbx_error err;
    size_t i;

    for (i = 0; i + 2 < sizeof(longer); i += 2)
        memcpy(longer + i, "\xC3\xA9", 3);
    sbi_fail(&err, SBX_ERR_IO, "open '%s'", longer);
    text = sbx_error_json(&err);
    ck_assert_int_eq(parse(text, &json, NULL), SBX_OK);
}
END_TEST

START_TEST(the_version_is_three_numbers)
{
    ck_assert_str_eq(sbx_version(), "0.1.0");
    sbx_free(NULL);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, comments_are_blanks_but_not_within_a_string);
    tcase_add_test(tests, a_bad_text_is_refused_where_it_is_bad);
    tcase_add_test(tests, a_nul_byte_in_the_text_is_refused);
    tcase_add_test(tests, an_escaped_backslash_before_u0000_is_no_nul);
    tcase_add_test(tests, a_nest_too_deep_is_refused_and_not_a_crash);
    tcase_add_test(tests, bytes_are_text_only_where_they_are_utf8_without_nul);
    tcase_add_test(tests, what_is_printed_is_json_whatever_the_strings_hold);
    tcase_add_test(tests, an_error_is_json_with_its_facts);
    tcase_add_test(tests, a_text_cut_within_a_character_still_is_json);
    tcase_add_test(tests, the_version_is_three_numbers);
}
