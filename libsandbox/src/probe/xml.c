#include "probe/xml.h"

#include <string.h>

static const struct {
    const char *name;
    char is;
} entities[] = {
    {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''},
};

/* How many bytes an entity takes there, and what it is; 1 and itself where it is none. */
static size_t read_character(const char *at, char *is)
{
    size_t i;

    *is = *at;
    for (i = 0; *at == '&' && i < sizeof(entities) / sizeof(entities[0]); i++)
        if (strncmp(at, entities[i].name, strlen(entities[i].name)) == 0) {
            *is = entities[i].is;
            return strlen(entities[i].name);
        }
    return 1;
}

/* The text up to the next '<', without blanks around it. */
static void take_text(struct sbi_xml *xml)
{
    size_t length = 0;
    char is;

    xml->at += strspn(xml->at, " \t\r\n");
    while (*xml->at != '\0' && *xml->at != '<') {
        xml->at += read_character(xml->at, &is);
        if (length + 1 < sizeof(xml->text))
            xml->text[length++] = is;
    }
    while (length > 0 && strchr(" \t\r\n", xml->text[length - 1]) != NULL)
        length--;
    xml->text[length] = '\0';
}

static bool push(struct sbi_xml *xml, const char *name, size_t length)
{
    size_t used = strlen(xml->path);

    if (length == 0 || used + length + 2 > sizeof(xml->path))
        return false;
    if (used > 0)
        xml->path[used++] = '/';
    memcpy(xml->path + used, name, length);
    xml->path[used + length] = '\0';
    return true;
}

/* Takes the last name off the path, once its CLOSE has been told. */
static void pop(struct sbi_xml *xml)
{
    char *slash = strrchr(xml->path, '/');

    xml->closed = false;
    xml->path[slash == NULL ? 0 : (size_t)(slash - xml->path)] = '\0';
}

static bool is_last(const struct sbi_xml *xml, const char *name, size_t length)
{
    size_t used = strlen(xml->path);

    return used >= length && strncmp(xml->path + used - length, name, length) == 0 &&
           (used == length || xml->path[used - length - 1] == '/');
}

/* "<?...>" and "<!...>": what is no element. */
static bool skip_other(struct sbi_xml *xml)
{
    const char *close = strchr(xml->at, '>');

    if (xml->at[1] != '?' && xml->at[1] != '!')
        return false;
    xml->at = close == NULL ? xml->at + strlen(xml->at) : close + 1;
    return true;
}

/* A closing name that is not the open one is the end: nothing behind it can be placed. */
static int read_tag(struct sbi_xml *xml)
{
    const char *name = xml->at + 1 + (xml->at[1] == '/');
    const char *close = strchr(xml->at, '>');
    size_t length = strcspn(name, " \t\r\n/>");
    bool closing = xml->at[1] == '/';

    if (close == NULL || name + length > close || length == 0)
        return SBI_XML_END;
    xml->at = close + 1;
    if (closing)
        return is_last(xml, name, length) ? SBI_XML_CLOSE : SBI_XML_END;
    if (!push(xml, name, length))
        return SBI_XML_END;
    xml->self_closed = close[-1] == '/';
    return SBI_XML_OPEN;
}

int sbi_xml_next(struct sbi_xml *xml)
{
    if (xml->closed)
        pop(xml);
    xml->closed = true;
    if (xml->self_closed) {
        xml->self_closed = false;
        xml->text[0] = '\0';
        return SBI_XML_CLOSE;
    }
    do
        take_text(xml);
    while (*xml->at != '\0' && skip_other(xml));
    if (*xml->at == '\0')
        return SBI_XML_END;
    switch (read_tag(xml)) {
    case SBI_XML_CLOSE:
        return SBI_XML_CLOSE;
    case SBI_XML_OPEN:
        xml->closed = false;
        return SBI_XML_OPEN;
    default:
        xml->at += strlen(xml->at);
        return SBI_XML_END;
    }
}
