/* ssh_config_take.h - a keyword of ssh_config, and what takes its value. */
#ifndef SANDBOX_TRANSPORT_SSH_CONFIG_TAKE_H
#define SANDBOX_TRANSPORT_SSH_CONFIG_TAKE_H

#include "transport/ssh_config_reading.h"

#include <stddef.h>

/* A list of them ends in a word of NULL; case does not matter. */
struct sbi_ssh_choice {
    const char *word;
    int value;
};

enum sbi_ssh_how_many {
    SBI_SSH_ONE = 1,
    SBI_SSH_UP_TO_TWO = 2,
    SBI_SSH_SOME = 3,
    SBI_SSH_RAW = 4 /* the rest of the line as it stands */
};

struct sbi_ssh_keyword;

/* The number of words has been checked. Fills the field if nothing did before. */
typedef int (*sbi_ssh_take_fn)(struct sbi_ssh_reading *reading,
                               const struct sbi_ssh_keyword *keyword,
                               const struct sbi_ssh_line *line, sbx_error *err);

struct sbi_ssh_keyword {
    const char *name; /* in lower case */
    sbi_ssh_take_fn take;
    enum sbi_ssh_how_many words;
    size_t field; /* its offset in sbi_ssh_said */
    const struct sbi_ssh_choice *choices;
};

#define SBI_SSH_SAID(field) offsetof(struct sbi_ssh_said, field)
#define SBI_SSH_OPTION(field) offsetof(struct sbi_ssh_said, options.field)

int sbi_ssh_take_flag(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_choice(struct sbi_ssh_reading *reading,
                        const struct sbi_ssh_keyword *keyword,
                        const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_forward_agent(struct sbi_ssh_reading *reading,
                               const struct sbi_ssh_keyword *keyword,
                               const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_number(struct sbi_ssh_reading *reading,
                        const struct sbi_ssh_keyword *keyword,
                        const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_port(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_time(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_rekey(struct sbi_ssh_reading *reading,
                       const struct sbi_ssh_keyword *keyword,
                       const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_text(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_command(struct sbi_ssh_reading *reading,
                         const struct sbi_ssh_keyword *keyword,
                         const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_proxy_command(struct sbi_ssh_reading *reading,
                               const struct sbi_ssh_keyword *keyword,
                               const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_proxy_jump(struct sbi_ssh_reading *reading,
                            const struct sbi_ssh_keyword *keyword,
                            const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_key_file(struct sbi_ssh_reading *reading,
                          const struct sbi_ssh_keyword *keyword,
                          const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_files(struct sbi_ssh_reading *reading,
                       const struct sbi_ssh_keyword *keyword,
                       const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_domains(struct sbi_ssh_reading *reading,
                         const struct sbi_ssh_keyword *keyword,
                         const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_cnames(struct sbi_ssh_reading *reading,
                        const struct sbi_ssh_keyword *keyword,
                        const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_send_env(struct sbi_ssh_reading *reading,
                          const struct sbi_ssh_keyword *keyword,
                          const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_set_env(struct sbi_ssh_reading *reading,
                         const struct sbi_ssh_keyword *keyword,
                         const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_host(struct sbi_ssh_reading *reading,
                      const struct sbi_ssh_keyword *keyword,
                      const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_match(struct sbi_ssh_reading *reading,
                       const struct sbi_ssh_keyword *keyword,
                       const struct sbi_ssh_line *line, sbx_error *err);
int sbi_ssh_take_include(struct sbi_ssh_reading *reading,
                         const struct sbi_ssh_keyword *keyword,
                         const struct sbi_ssh_line *line, sbx_error *err);

#endif
