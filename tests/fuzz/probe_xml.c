/* probe_xml.c - any bytes as XML: reading ends, and its path never gets out of step. */
#include "probe/xml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);
    struct sbi_xml xml = {.at = text};
    size_t open = 0, events = 0;
    int event;

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    while ((event = sbi_xml_next(&xml)) != SBI_XML_END) {
        if (event == SBI_XML_CLOSE && open-- == 0)
            abort();
        open += event == SBI_XML_OPEN;
        if (xml.path[0] == '\0' || ++events > 2 * size + 2 ||
            strlen(xml.path) >= sizeof(xml.path) || strlen(xml.text) >= sizeof(xml.text))
            abort();
    }
    free(text);
    return 0;
}
