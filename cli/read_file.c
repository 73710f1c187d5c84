#include "read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int read_file(const char *name, size_t most, struct text *text, sbx_error *err)
{
    AUTOCLOSE int fd = open(name, O_RDONLY | O_CLOEXEC);
    char piece[16384];
    ssize_t got = fd < 0 ? -1 : 1;

    while (got > 0 && text->length <= most) {
        got = read(fd, piece, sizeof(piece));
        if (got > 0)
            text_add_bytes(text, piece, (size_t)got);
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    if (got < 0)
        return fault_errno(err, SBX_ERR_INVALID, "read '%s'", name);
    if (text->length > most)
        return fault(err, SBX_ERR_INVALID, "read '%s': over %zu KiB", name, most / 1024);
    return SBX_OK;
}
