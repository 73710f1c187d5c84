/* file_info.h - facts of one file, owned. */
#ifndef SANDBOX_SESSION_FILE_INFO_H
#define SANDBOX_SESSION_FILE_INFO_H

#include "base/json.h"

#include <sandbox/file.h>

/* A copy with all its strings; path instead of its own one, if that is not NULL. */
int sbi_file_info_copy(const sbx_file_info *info, const char *path, sbx_file_info **out,
                       sbx_error *err);

cJSON *sbi_file_info_object(const sbx_file_info *info);

/* Adds names as they are, or all in base64 where one is not text; and "encoding". */
void sbi_file_add_names(cJSON *object, const char *const *keys, const char *const *names);

#endif
