/*
 * xml.h - reads XML of the kind that nvidia-smi prints: elements and text. It is told
 * piece by piece; attributes, comments and declarations are passed over.
 */
#ifndef SANDBOX_PROBE_XML_H
#define SANDBOX_PROBE_XML_H

#include <stdbool.h>
#include <stddef.h>

enum sbi_xml_event {
    SBI_XML_END = 0, /* nothing more, or nothing that can be understood */
    SBI_XML_OPEN,
    SBI_XML_CLOSE /* text is what stood directly before it */
};

/* Set at to the text, NUL-terminated, the rest zero. */
struct sbi_xml {
    const char *at;
    char path[256];   /* of the element: "nvidia_smi_log/gpu/uuid" */
    char text[512];   /* cut to this */
    bool self_closed; /* its CLOSE comes next */
    bool closed;      /* its CLOSE was told */
};

int sbi_xml_next(struct sbi_xml *xml);

#endif
