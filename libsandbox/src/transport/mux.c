/* mux.c - the line over another's connection: its opening, its signs of life. */
#include "transport/mux.h"

#include "base/clock.h"
#include "base/wait.h"
#include "transport/mux_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct mux_line {
    struct sbi_line base;
    struct sbi_mux_master *master;
    struct sbi_line_facts facts;
};

void sbi_mux_master_release(struct sbi_mux_master *master)
{
    if (atomic_fetch_sub(&master->holders, 1) > 1)
        return;
    sbi_mux_talk_clear(&master->greeting);
    free(master);
}

int sbi_mux_knock_start(struct sbi_mux_knock *knock, const struct sbi_mux_master *master,
                        sbx_error *err)
{
    knock->asked = false;
    return sbi_mux_talk_open(&knock->talk, master->path, err);
}

static void ask_for_nothing(struct sbi_mux_knock *knock)
{
    const struct sbi_mux_session session = {.term = "", .command = "exec /bin/sh -c :"};
    int fds[3], i;

    for (i = 0; i < 3; i++)
        fds[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
    knock->asked = true;
    if (fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0) {
        sbi_mux_talk_ask_session(&knock->talk, &session, fds);
        return;
    }
    knock->talk.over = true;
    for (i = 0; i < 3; i++)
        sbi_close_fd(&fds[i]);
}

int sbi_mux_knock_step(struct sbi_mux_knock *knock)
{
    struct sbi_mux_message message;
    bool said = sbi_mux_talk_read(&knock->talk, &message);

    if (!said && knock->talk.greeted && !knock->asked)
        ask_for_nothing(knock);
    sbi_mux_talk_flush(&knock->talk);
    if (!said && !knock->talk.over)
        return SBI_MUX_WAITS;
    sbi_mux_talk_clear(&knock->talk);
    return said ? SBI_MUX_ANSWERED : SBI_MUX_GONE;
}

static int mux_start(struct sbi_line *base, const struct sbi_process_spec *spec,
                     struct sbi_process **out, sbx_error *err)
{
    return sbi_mux_start(((struct mux_line *)base)->master, spec, out, err);
}

static bool mux_alive(struct sbi_line *base)
{
    return !atomic_load(&((struct mux_line *)base)->master->dead);
}

static int mux_ping(struct sbi_line *base, int64_t deadline, sbx_cancel *cancel,
                    sbx_error *err)
{
    const struct sbi_mux_master *master = ((struct mux_line *)base)->master;
    struct sbi_mux_knock knock;
    struct pollfd one;
    int answer = SBI_MUX_WAITS;
    int rc = sbi_mux_knock_start(&knock, master, NULL);

    if (rc < 0)
        return sbi_fail(err, SBX_ERR_DISCONNECTED, "the connection is gone");
    while (rc == SBX_OK && (answer = sbi_mux_knock_step(&knock)) == SBI_MUX_WAITS) {
        one = (struct pollfd){knock.talk.fd, sbi_mux_talk_events(&knock.talk), 0};
        rc = sbi_wait_any(&one, 1, deadline, cancel);
    }
    sbi_mux_talk_clear(&knock.talk);
    if (rc == SBX_OK && answer == SBI_MUX_GONE)
        return sbi_fail(err, SBX_ERR_DISCONNECTED, "the connection is gone");
    return rc == SBX_OK
               ? rc
               : sbi_fail(err, rc, "ask for a sign of life: %s",
                          rc == SBX_ERR_CANCELLED ? "cancelled" : "no answer in time");
}

static const struct sbi_line_facts *mux_facts(struct sbi_line *base)
{
    return &((struct mux_line *)base)->facts;
}

static void mux_free(struct sbi_line *base)
{
    sbi_mux_master_release(((struct mux_line *)base)->master);
    free(base);
}

static const struct sbi_line_ops line_ops = {
    .start = mux_start,
    .alive = mux_alive,
    .ping = mux_ping,
    .facts = mux_facts,
    .free = mux_free,
};

/* The first answer: a master that is frozen takes connections, and says nothing. */
static int greet(const char *path, int64_t deadline, sbx_cancel *cancel,
                 struct sbi_mux_talk *out, sbx_error *err)
{
    SBI_CLEANUP(sbi_mux_talk_clear) struct sbi_mux_talk talk = SBI_MUX_NO_TALK;
    struct sbi_mux_message message;
    struct pollfd one;
    int rc = sbi_mux_talk_open(&talk, path, err);

    if (rc < 0)
        return rc;
    sbi_mux_talk_ask_alive(&talk);
    while (rc == SBX_OK && !sbi_mux_talk_read(&talk, &message) && !talk.over) {
        sbi_mux_talk_flush(&talk);
        one = (struct pollfd){talk.fd, sbi_mux_talk_events(&talk), 0};
        rc = sbi_wait_any(&one, 1, deadline, cancel);
    }
    if (rc < 0)
        return sbi_fail(err, rc, "control socket '%s': %s", path,
                        rc == SBX_ERR_CANCELLED ? "cancelled" : "no answer in time");
    if (talk.over || message.type != SBI_MUX_ALIVE)
        return sbi_fail(err, SBX_ERR_CONNECT, "control socket '%s': no master answers",
                        path);
    *out = talk;
    talk = (struct sbi_mux_talk)SBI_MUX_NO_TALK;
    return SBX_OK;
}

/* Takes greeting where it does not fail. */
static int new_line(const char *path, bool keeper, const struct sbi_mux_talk *greeting,
                    struct sbi_line **out, sbx_error *err)
{
    SBI_AUTOFREE struct mux_line *line = calloc(1, sizeof(*line));
    SBI_AUTOFREE struct sbi_mux_master *master = calloc(1, sizeof(*master));

    if (line == NULL || master == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a session: out of memory");
    atomic_init(&master->holders, 1);
    atomic_init(&master->dead, false);
    atomic_init(&master->lent, false);
    master->pid = greeting->pid;
    master->greeting = *greeting;
    (void)snprintf(master->path, sizeof(master->path), "%s", path);
    (void)snprintf(line->facts.via, sizeof(line->facts.via), "%s", path);
    line->facts.kept = keeper;
    line->base.ops = &line_ops;
    line->master = SBI_STEAL(master);
    *out = &SBI_STEAL(line)->base;
    return SBX_OK;
}

int sbi_mux_open(const char *path, bool keeper, int64_t deadline, sbx_cancel *cancel,
                 struct sbi_line **out, sbx_error *err)
{
    struct sbi_mux_talk greeting = SBI_MUX_NO_TALK;
    int64_t hello = sbi_deadline(SBI_MUX_HELLO_MS);
    int rc = greet(path, hello < deadline ? hello : deadline, cancel, &greeting, err);

    if (rc == SBX_OK)
        rc = new_line(path, keeper, &greeting, out, err);
    if (rc < 0)
        sbi_mux_talk_clear(&greeting);
    return rc;
}
