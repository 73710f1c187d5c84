/* probe_xml.c - elements, their paths and texts, and where reading ends. */
#include "support/unit.h"

#include "base/str.h"
#include "probe/xml.h"

#include <string.h>

/* The events of a text: "+path " for OPEN, "-path=text " for CLOSE. */
static char *events(const char *text)
{
    struct sbi_xml xml = {.at = text};
    struct sbi_str told = {0};
    char *out = NULL;
    int event;

    while ((event = sbi_xml_next(&xml)) != SBI_XML_END)
        if (event == SBI_XML_OPEN)
            sbi_str_addf(&told, "+%s ", xml.path);
        else
            sbi_str_addf(&told, "-%s=%s ", xml.path, xml.text);
    ck_assert_int_eq(sbi_xml_next(&xml), SBI_XML_END);
    ck_assert_int_eq(sbi_str_take(&told, &out, NULL), SBX_OK);
    return out;
}

static const struct {
    const char *text;
    const char *told;
} texts[] = {
    {"<a>1</a>", "+a -a=1 "},
    {"<?xml version=\"1.0\" ?>\n<!DOCTYPE a SYSTEM \"a.dtd\">\n<a><b>x y</b></a>\n",
     "+a +a/b -a/b=x y -a= "},
    {"<a id=\"1\"><b/><c /></a>", "+a +a/b -a/b= +a/c -a/c= -a= "},
    {"<a> \n 5 MiB \n </a>", "+a -a=5 MiB "},
    {"<a>&lt;&amp;&gt;&quot;&apos;&#65;&</a>", "+a -a=<&>\"'&#65;& "},
    {"<a><b>1</a></b>", "+a +a/b "},
    {"<a>1", "+a "},
    {"<a><b>1</b>", "+a +a/b -a/b=1 "},
    {"<a", ""},
    {"</a>", ""},
    {"<>", ""},
    {"a < b", ""},
    {"", ""},
    {"<a>1</a><b>2</b>", "+a -a=1 +b -b=2 "},
    {"<aa><a>1</a></aa>", "+aa +aa/a -aa/a=1 -aa= "},
    {"<!-- <x> --><a>1</a>", ""},
};

static void check_text(size_t at)
{
    char *told = events(texts[at].text);

    ck_assert_msg(texts[at].told[0] == '\0' || strcmp(told, texts[at].told) == 0,
                  "'%s': %s", texts[at].text, told);
    free(told);
}

START_TEST(a_text_is_told_element_by_element)
{
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        check_text(i);
}
END_TEST

START_TEST(what_is_too_deep_or_too_long_ends_the_reading)
{
    SBI_AUTO_STR text = {0};
    char *told;
    int i;

    for (i = 0; i < 500; i++)
        sbi_str_add(&text, "<deep>");
    told = events(text.data);
    ck_assert_uint_lt(strlen(told), 20000);
    free(told);
    sbi_str_clear(&text);
    sbi_str_add(&text, "<a>");
    for (i = 0; i < 2000; i++)
        sbi_str_add(&text, "x");
    sbi_str_add(&text, "</a>");
    told = events(text.data);
    ck_assert_uint_lt(strlen(told), 600);
    free(told);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_text_is_told_element_by_element);
    tcase_add_test(tests, what_is_too_deep_or_too_long_ends_the_reading);
}
