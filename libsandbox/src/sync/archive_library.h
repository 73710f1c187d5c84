/*
 * archive_library.h - libarchive itself, loaded when the first tree travels.
 *
 * It brings libraries with it (XML, ICU, C++) that nothing here calls and whose loading
 * would be half of what a start of the program costs.
 */
#ifndef SANDBOX_SYNC_ARCHIVE_LIBRARY_H
#define SANDBOX_SYNC_ARCHIVE_LIBRARY_H

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>

/* Every function of libarchive that ours calls. */
/* clang-format off */
#define SBI_LIBARCHIVE(one) \
    one(archive_entry_clear) \
    one(archive_entry_copy_hardlink) \
    one(archive_entry_copy_pathname) \
    one(archive_entry_copy_symlink) \
    one(archive_entry_filetype) \
    one(archive_entry_free) \
    one(archive_entry_hardlink) \
    one(archive_entry_mtime) \
    one(archive_entry_mtime_nsec) \
    one(archive_entry_new) \
    one(archive_entry_pathname) \
    one(archive_entry_perm) \
    one(archive_entry_set_filetype) \
    one(archive_entry_set_mtime) \
    one(archive_entry_set_perm) \
    one(archive_entry_set_size) \
    one(archive_entry_size) \
    one(archive_entry_sparse_add_entry) \
    one(archive_entry_symlink) \
    one(archive_error_string) \
    one(archive_read_data) \
    one(archive_read_free) \
    one(archive_read_new) \
    one(archive_read_next_header) \
    one(archive_read_open) \
    one(archive_read_support_filter_gzip) \
    one(archive_read_support_filter_zstd) \
    one(archive_read_support_format_empty) \
    one(archive_read_support_format_raw) \
    one(archive_read_support_format_tar) \
    one(archive_set_error) \
    one(archive_write_add_filter_gzip) \
    one(archive_write_add_filter_none) \
    one(archive_write_add_filter_zstd) \
    one(archive_write_close) \
    one(archive_write_data) \
    one(archive_write_free) \
    one(archive_write_header) \
    one(archive_write_new) \
    one(archive_write_open) \
    one(archive_write_set_bytes_in_last_block) \
    one(archive_write_set_bytes_per_block) \
    one(archive_write_set_filter_option) \
    one(archive_write_set_format_gnutar) \
    one(archive_write_set_format_option) \
    one(archive_write_set_format_pax)
/* clang-format on */

struct sbi_libarchive {
#define SBI_MEMBER(name) __typeof__(name) *name;
    SBI_LIBARCHIVE(SBI_MEMBER)
#undef SBI_MEMBER
};

/* The functions, for as long as the process lives; SBX_ERR_UNSUPPORTED where there are
 * none. */
int sbi_libarchive(const struct sbi_libarchive **out, sbx_error *err);

#endif
