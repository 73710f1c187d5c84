/*
 * ssh_arrive.c - a server that has too many at its door closes it before it has said
 * who it is. Some say why (MaxStartups, PerSourcePenalties); others just close, and so
 * does what is no SSH server at all: those are not asked for long.
 */
#include "transport/ssh_arrive.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/wait.h"

#include <string.h>

#define FIRST_PAUSE_MS 250
#define LONGEST_PAUSE_MS 3000
#define SILENT_TRIES 3

bool sbi_ssh_says_busy(const char *words)
{
    static const char *const known[] = {"Exceeded MaxStartups",
                                        "Not allowed at this time"};
    size_t i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strncmp(words, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* A ProxyCommand that ends without a word has failed by itself, as a rule. */
static bool is_worth_a_try(const struct sbi_ssh_way *way,
                           const struct sbi_greeting *greeting, int tries)
{
    if (!greeting->missing)
        return false;
    if (greeting->words[0] != '\0')
        return sbi_ssh_says_busy(greeting->words);
    return way->proxy <= 0 && tries < SILENT_TRIES;
}

/* Between half of it and one and a half: those who were turned away together part. */
static int64_t vary(int64_t pause)
{
    char hex[5] = "8000";

    (void)sbi_random_hex(hex, 2, NULL);
    return pause / 2 + pause * strtol(hex, NULL, 16) / 0x10000;
}

static int64_t pause_after(int tries)
{
    int64_t pause = FIRST_PAUSE_MS;

    while (--tries > 0 && pause < LONGEST_PAUSE_MS)
        pause *= 2;
    return vary(pause < LONGEST_PAUSE_MS ? pause : LONGEST_PAUSE_MS);
}

static int explain(const struct sbi_greeting *greeting, int tries, int rc, sbx_error *err)
{
    if (!greeting->missing)
        return rc;
    if (sbi_ssh_says_busy(greeting->words)) {
        (void)sbi_fail(
            err, rc,
            "exchange keys: the server throttles logins: tried %d times, and it "
            "says '%s'",
            tries, greeting->words);
        return sbi_fix(
            err, rc, "banner",
            "wait, or open fewer connections at once; over there: MaxStartups, "
            "PerSourcePenalties in sshd_config");
    }
    if (greeting->words[0] != '\0') {
        (void)sbi_fail(err, rc,
                       "exchange keys: instead of an SSH server's banner came '%s'",
                       greeting->words);
        return sbi_fix(err, rc, "banner",
                       "check the port: what answers is no SSH server");
    }
    (void)sbi_fail(
        err, rc,
        "exchange keys: the server closed the connection without a word, tried "
        "%d times",
        tries);
    return sbi_fix(
        err, rc, "banner",
        "it may throttle or ban logins (MaxStartups, fail2ban): wait; or it is "
        "no SSH server: check the port");
}

static int try_once(const struct sbi_ssh_target *target, int64_t deadline,
                    sbx_cancel *cancel, struct sbi_ssh_way *way, int *fd,
                    struct sbi_greeting *greeting, ssh_session *session, sbx_error *err)
{
    int rc = sbi_ssh_way_open(target, deadline, cancel, way, fd, err);

    return rc < 0 ? rc
                  : sbi_ssh_login(target, *fd, deadline, cancel, greeting, session, err);
}

int sbi_ssh_arrive(const struct sbi_ssh_target *target, int64_t deadline,
                   sbx_cancel *cancel, struct sbi_ssh_way *way, int *fd,
                   ssh_session *session, sbx_error *err)
{
    struct pollfd none = {.fd = -1};
    struct sbi_greeting greeting;
    int64_t until;
    int tries = 0, rc;

    for (;;) {
        greeting = (struct sbi_greeting){0};
        rc = try_once(target, deadline, cancel, way, fd, &greeting, session, err);
        until = sbi_deadline(pause_after(++tries));
        if (rc != SBX_ERR_CONNECT || !is_worth_a_try(way, &greeting, tries) ||
            until >= deadline)
            break;
        sbi_log(SBX_LOG_INFO, "'%s': turned away at the door, try %d: %s", target->place,
                tries, greeting.words);
        sbi_ssh_way_rewind(way);
        if (sbi_wait_any(&none, 1, until, cancel) == SBX_ERR_CANCELLED)
            return sbi_fail(err, SBX_ERR_CANCELLED, "exchange keys: cancelled");
    }
    if (rc == SBX_ERR_CONNECT)
        rc = explain(&greeting, tries, rc, err);
    return rc < 0 ? sbi_ssh_way_explain(way, target, rc, err) : rc;
}
