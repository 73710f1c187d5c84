/* file.c - the files of a place; not there yet. */
#include <sandbox/file.h>

#include "base/error.h"

const char *sbx_file_kind_name(int kind)
{
    (void)kind;
    return "";
}

int sbx_file_stat(sbx_session *session, const char *path, const sbx_file_opts *opts,
                  sbx_file_info **out, sbx_error *err)
{
    (void)session;
    (void)path;
    (void)opts;
    (void)out;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

char *sbx_file_info_json(const sbx_file_info *info)
{
    (void)info;
    return NULL;
}

void sbx_file_info_free(sbx_file_info *info)
{
    (void)info;
}

int sbx_file_list(sbx_session *session, const char *path, const sbx_file_list_opts *opts,
                  sbx_file_listing **out, sbx_error *err)
{
    (void)session;
    (void)path;
    (void)opts;
    (void)out;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

char *sbx_file_listing_json(const sbx_file_listing *listing)
{
    (void)listing;
    return NULL;
}

void sbx_file_listing_free(sbx_file_listing *listing)
{
    (void)listing;
}

int sbx_file_read(sbx_session *session, const char *path, const sbx_file_read_opts *opts,
                  sbx_file_content **out, sbx_error *err)
{
    (void)session;
    (void)path;
    (void)opts;
    (void)out;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

char *sbx_file_content_json(const sbx_file_content *content)
{
    (void)content;
    return NULL;
}

void sbx_file_content_free(sbx_file_content *content)
{
    (void)content;
}

int sbx_file_write(sbx_session *session, const char *path, const void *data,
                   size_t length, const sbx_file_write_opts *opts, sbx_file_written **out,
                   sbx_error *err)
{
    (void)session;
    (void)path;
    (void)data;
    (void)length;
    (void)opts;
    (void)out;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

int sbx_file_append(sbx_session *session, const char *path, const void *data,
                    size_t length, const sbx_file_write_opts *opts,
                    sbx_file_written **out, sbx_error *err)
{
    (void)session;
    (void)path;
    (void)data;
    (void)length;
    (void)opts;
    (void)out;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

int sbx_file_edit(sbx_session *session, const char *path, const void *old_text,
                  size_t old_length, const void *new_text, size_t new_length,
                  const sbx_file_edit_opts *opts, sbx_file_written **out, sbx_error *err)
{
    (void)session;
    (void)path;
    (void)old_text;
    (void)old_length;
    (void)new_text;
    (void)new_length;
    (void)opts;
    (void)out;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

char *sbx_file_written_json(const sbx_file_written *written)
{
    (void)written;
    return NULL;
}

void sbx_file_written_free(sbx_file_written *written)
{
    (void)written;
}

int sbx_file_make_folder(sbx_session *session, const char *path,
                         const sbx_file_opts *opts, sbx_error *err)
{
    (void)session;
    (void)path;
    (void)opts;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

int sbx_file_copy(sbx_session *session, const char *from, const char *to,
                  const sbx_file_opts *opts, sbx_error *err)
{
    (void)session;
    (void)from;
    (void)to;
    (void)opts;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

int sbx_file_move(sbx_session *session, const char *from, const char *to,
                  const sbx_file_opts *opts, sbx_error *err)
{
    (void)session;
    (void)from;
    (void)to;
    (void)opts;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

int sbx_file_remove(sbx_session *session, const char *path, const sbx_file_opts *opts,
                    sbx_error *err)
{
    (void)session;
    (void)path;
    (void)opts;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

int sbx_file_checksum(sbx_session *session, const char *path, const sbx_file_opts *opts,
                      sbx_file_sum **out, sbx_error *err)
{
    (void)session;
    (void)path;
    (void)opts;
    (void)out;
    return sbi_fail(err, SBX_ERR_UNSUPPORTED, "files: not there yet");
}

char *sbx_file_sum_json(const sbx_file_sum *sum)
{
    (void)sum;
    return NULL;
}

void sbx_file_sum_free(sbx_file_sum *sum)
{
    (void)sum;
}
