/*
 * host_value.h - the values that the keys of an entry take: each is checked, and kept in
 * the field of the entry that it is for. What is wrong with one comes back as static
 * text, "is empty"; NULL: it is kept.
 */
#ifndef SANDBOX_SESSION_HOST_VALUE_H
#define SANDBOX_SESSION_HOST_VALUE_H

#include "base/json.h"

enum sbi_host_transport { SBI_TRANSPORT_LIBSSH = 1, SBI_TRANSPORT_OPENSSH = 2 };

/* This fault is told apart by its address. */
extern const char sbi_host_value_no_memory[];

const char *sbi_host_value_env(const cJSON *value, void *field);
const char *sbi_host_value_flag(const cJSON *value, void *field);
const char *sbi_host_value_host(const cJSON *value, void *field);
const char *sbi_host_value_host_key(const cJSON *value, void *field);
const char *sbi_host_value_jump(const cJSON *value, void *field);
const char *sbi_host_value_line(const cJSON *value, void *field);
const char *sbi_host_value_name(const cJSON *value, void *field);
const char *sbi_host_value_place(const cJSON *value, void *field);
const char *sbi_host_value_policy(const cJSON *value, void *field);
const char *sbi_host_value_port(const cJSON *value, void *field);
const char *sbi_host_value_seconds(const cJSON *value, void *field);
const char *sbi_host_value_tags(const cJSON *value, void *field);
const char *sbi_host_value_text(const cJSON *value, void *field);
const char *sbi_host_value_transport(const cJSON *value, void *field);
const char *sbi_host_value_user(const cJSON *value, void *field);
const char *sbi_host_value_words(const cJSON *value, void *field);

#endif
