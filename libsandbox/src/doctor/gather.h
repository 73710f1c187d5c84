/*
 * gather.h - all that is asked of a place, asked once; the checks judge it later,
 * without a network.
 */
#ifndef SANDBOX_DOCTOR_GATHER_H
#define SANDBOX_DOCTOR_GATHER_H

#include "base/json.h"
#include "doctor/parse.h"

#include <sandbox/doctor.h>

/* Commands at once; all zero: it was not tried. */
struct sbi_crowd {
    int asked;
    int ran;
    int late;        /* had not begun, or not ended, in time */
    int connections; /* that they were on, once all had come */
};

/* Something asked for; its fault has no code where it was granted. */
struct sbi_tried {
    bool asked;
    sbx_error fault;
};

struct sbi_gathered {
    const char *place;
    bool local;
    bool prefixed;       /* behind a command on another place, whose way is its own */
    int source;          /* an sbx_host_source */
    const char *nearest; /* the known name that a word in no list may mean, or NULL */
    cJSON *settings;     /* sbx_host_json; NULL: the host could not be resolved */

    bool connected;
    sbx_error fault; /* why not; its check names the row that failed */
    int64_t connect_ms;
    char *facts_text; /* sbx_session_facts_json */
    cJSON *facts;

    int answers; /* to three signs of life asked for */
    int64_t answer_us;
    sbx_error answer_fault;

    struct sbi_told told;  /* by the script */
    sbx_error told_fault;  /* why it told nothing, or not all */
    int64_t told_before_s; /* our clock when it was sent, */
    int64_t told_after_s;  /* and when its first word came */

    int64_t first_word_ms; /* from sending it to that */

    struct sbi_crowd crowd;

    char rc_file[128]; /* of the noise: the one that has its first line, or "" */
    struct sbi_tried terminal;
    struct sbi_tried forwarding; /* of connections */
};

/* Fails only as sbx_doctor does. opts is checked. */
int sbi_gather(sbx_hosts *hosts, const char *place, const sbx_doctor_opts *opts,
               int64_t deadline, struct sbi_gathered *out, sbx_error *err);

void sbi_gathered_clear(struct sbi_gathered *gathered);

/* Whether a command gets a terminal, within so long. */
void sbi_try_terminal(sbx_session *session, int64_t timeout_ms, sbx_cancel *cancel,
                      struct sbi_tried *out);

/* Whether the server lets connections through, as a jump host has to. */
void sbi_try_forwarding(sbx_session *session, int64_t timeout_ms, sbx_cancel *cancel,
                        struct sbi_tried *out);

/* The start-up file over there that has this line in it; "" where none has. */
void sbi_find_rc_file(sbx_session *session, const char *line, int64_t timeout_ms,
                      sbx_cancel *cancel, char *out, size_t room);

/* The text under a key of settings or facts, or NULL. */
const char *sbi_gathered_text(const cJSON *object, const char *key);

/* Runs out->asked commands that are all there at once. */
void sbi_crowd(sbx_session *session, int64_t timeout_ms, sbx_cancel *cancel,
               struct sbi_crowd *out);

#endif
