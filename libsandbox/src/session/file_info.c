/* file_info.c - copies of facts, and facts as JSON. */
#include "session/file_info.h"

#include <stdio.h>
#include <string.h>

const char *sbx_file_kind_name(int kind)
{
    static const char *const names[] = {
        [SBX_FILE_REGULAR] = "file",
        [SBX_FILE_FOLDER] = "folder",
        [SBX_FILE_LINK] = "link",
        [SBX_FILE_PIPE] = "pipe",
        [SBX_FILE_SOCKET] = "socket",
        [SBX_FILE_CHARACTER_DEVICE] = "character device",
        [SBX_FILE_BLOCK_DEVICE] = "block device",
        [SBX_FILE_OTHER] = "other",
    };

    return kind >= SBX_FILE_REGULAR && kind <= SBX_FILE_OTHER ? names[kind] : "unknown";
}

int sbi_file_info_copy(const sbx_file_info *info, const char *path, sbx_file_info **out,
                       sbx_error *err)
{
    sbx_file_info *copy = calloc(1, sizeof(*copy));
    bool failed = copy == NULL;

    if (!failed) {
        *copy = *info;
        copy->path = strdup(path == NULL ? info->path : path);
        copy->target = info->target == NULL ? NULL : strdup(info->target);
        failed = copy->path == NULL || (info->target != NULL && copy->target == NULL);
    }
    if (failed) {
        sbx_file_info_free(copy);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    *out = copy;
    return SBX_OK;
}

void sbx_file_info_free(sbx_file_info *info)
{
    if (info == NULL)
        return;
    free((void *)(uintptr_t)info->path);
    free((void *)(uintptr_t)info->target);
    free(info);
}

void sbi_file_add_names(cJSON *object, const char *const *keys, const char *const *names)
{
    bool text = true;
    size_t i;

    for (i = 0; keys[i] != NULL; i++)
        text = text && (names[i] == NULL || sbi_json_is_text(names[i], strlen(names[i])));
    for (i = 0; keys[i] != NULL; i++)
        (void)cJSON_AddItemToObject(
            object, keys[i],
            names[i] == NULL ? cJSON_CreateNull()
                             : sbi_json_bytes(names[i], strlen(names[i]), text));
    (void)cJSON_AddStringToObject(object, "encoding", text ? "utf-8" : "base64");
}

/* Seconds with nine decimals: a double would round them. */
static void add_time(cJSON *object, const sbx_file_info *info)
{
    int64_t second = info->mtime_ns / 1000000000, ns = info->mtime_ns % 1000000000;
    char text[40];

    if (info->mtime_ns == INT64_MIN) {
        (void)cJSON_AddNullToObject(object, "mtime");
        return;
    }
    if (ns < 0) {
        second--;
        ns += 1000000000;
    }
    if (second < 0 && ns > 0) {
        second++;
        ns = 1000000000 - ns;
        (void)snprintf(text, sizeof(text), "%s%lld.%09lld", second == 0 ? "-" : "",
                       (long long)second, (long long)ns);
    } else {
        (void)snprintf(text, sizeof(text), "%lld.%09lld", (long long)second,
                       (long long)ns);
    }
    if (info->mtime_step_ns >= 1000000000)
        text[strcspn(text, ".")] = '\0';
    (void)cJSON_AddRawToObject(object, "mtime", text);
}

cJSON *sbi_file_info_object(const sbx_file_info *info)
{
    static const char *const keys[] = {"path", "target", NULL};
    const char *const names[] = {info->path, info->target};
    cJSON *object = cJSON_CreateObject();
    char mode[8];

    sbi_file_add_names(object, keys, names);
    sbi_json_add_text(object, "kind", sbx_file_kind_name(info->kind));
    (void)cJSON_AddNumberToObject(object, "size", (double)info->size);
    (void)snprintf(mode, sizeof(mode), "%04o", info->mode & 07777u);
    sbi_json_add_text(object, "mode", mode);
    add_time(object, info);
    (void)cJSON_AddNumberToObject(object, "uid", (double)info->uid);
    (void)cJSON_AddNumberToObject(object, "gid", (double)info->gid);
    (void)cJSON_AddNumberToObject(object, "links", (double)info->links);
    return object;
}

char *sbx_file_info_json(const sbx_file_info *info)
{
    SBI_AUTO_JSON object = sbi_file_info_object(info);

    return sbi_json_print(object);
}
