/* hosts_json.c - any bytes as a list of hosts: read, asked and printed, or refused. */
#include "base/json.h"
#include "session/host_edit.h"
#include "session/host_list.h"

#include <sandbox/host.h>

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Whatever the list says, what is printed of it is JSON. */
static void print_all(sbx_hosts *hosts)
{
    size_t count = sbx_hosts_count(hosts), i;

    for (i = 0; i < count && i < 3; i++) {
        SBI_AUTOFREE char *text = sbx_host_json(hosts, sbx_hosts_at(hosts, i));
        SBI_AUTO_JSON json = NULL;

        require(text != NULL);
        require(sbi_json_parse(text, strlen(text), &json, NULL) == SBX_OK);
    }
}

static size_t count_of(const char *text)
{
    SBI_AUTO_HOST_LIST list = {0};

    require(sbi_host_list_parse(text, strlen(text), SBX_HOST_LIST, NULL, &list, NULL) ==
            SBX_OK);
    return list.count;
}

/* An edit of a list makes a list: of one more, or of one less. */
static void edit(const char *text)
{
    static const char entry[] = "{\"name\":\"a-name-that-no-corpus-has\"}";
    size_t count = count_of(text), place;
    SBI_AUTOFREE char *more = NULL;

    require(sbi_host_edit_add(text, entry, &more, NULL) == SBX_OK);
    require(count_of(more) == count + 1);
    for (place = 0; place < count && place < 4; place++) {
        SBI_AUTOFREE char *less = NULL;

        require(sbi_host_edit_remove(text, place, &less, NULL) == SBX_OK);
        require(count_of(less) == count - 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    SBI_AUTOFREE char *text = NULL;
    sbx_hosts *hosts = NULL;
    sbx_error err;

    if (sbx_hosts_parse((const char *)data, size, &opts, &hosts, &err) < 0) {
        require(err.code < 0 && err.text[0] != '\0');
        return 0;
    }
    print_all(hosts);
    sbx_hosts_free(hosts);
    text = calloc(1, size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    edit(text);
    return 0;
}
