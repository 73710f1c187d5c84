#include "session/warden.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "session/mark.h"
#include "session/parting.h"

#include <stdio.h>
#include <string.h>

#define MOST_STARTS 3
#define NOISE_LIMIT (64 * 1024)
#define LATELY_MS 1000

void sbi_warden_clear(struct sbi_warden *warden)
{
    sbi_process_free(SBI_STEAL(warden->process));
    sbi_str_clear(&warden->noise);
    warden->ready = false;
    warden->hears = false;
    warden->watched = 0;
}

static bool is_over(struct sbi_warden *warden)
{
    struct sbi_end end;

    return warden->process == NULL || sbi_process_end(warden->process, &end);
}

void sbi_warden_start(struct sbi_warden *warden, struct sbi_line *line)
{
    SBI_AUTOFREE char *command = NULL;
    struct sbi_process_spec spec = {0};
    char header[SBI_NONCE_SIZE + 16];

    if (!is_over(warden) || warden->starts >= MOST_STARTS)
        return;
    sbi_warden_clear(warden);
    warden->starts++;
    if (sbi_random_hex(warden->nonce, 8, NULL) < 0 ||
        sbi_shell_warden(&command, NULL) < 0)
        return;
    (void)snprintf(header, sizeof(header), "sbx_n=%s\n", warden->nonce);
    warden->noise.limit = NOISE_LIMIT;
    spec.aside = true;
    spec.command = command;
    spec.input = header;
    spec.input_length = strlen(header);
    (void)sbi_line_start(line, &spec, &warden->process, NULL);
}

static bool is_ready(struct sbi_warden *warden)
{
    struct sbi_mark mark;
    char piece[512];
    ssize_t got;

    if (is_over(warden))
        return false;
    while (!warden->ready && (got = sbi_process_read(warden->process, SBI_STDOUT, piece,
                                                     sizeof(piece))) > 0)
        sbi_str_add_bytes(&warden->noise, piece, (size_t)got);
    if (!warden->ready && sbi_mark_find(warden->noise.data, warden->noise.length,
                                        warden->nonce, &mark) == SBI_MARK_WHOLE)
        warden->ready = sbi_mark_is(&mark, "ready");
    return warden->ready;
}

/*
 * One that does not read, or got half a line, is told no more. It is not let go: it
 * would take that for the client's end.
 */
static bool tell(struct sbi_warden *warden, const char *words)
{
    ssize_t length = (ssize_t)strlen(words);

    bool heard = sbi_process_write(warden->process, words, (size_t)length) == length;

    if (!heard) {
        warden->ready = false;
        warden->hears = false;
    }
    warden->told_at = sbi_now_ms();
    return heard;
}

static bool add_run(struct sbi_warden *warden, const char *run_id, int64_t limit_s)
{
    char words[SBI_RUN_ID_SIZE + 32];

    (void)snprintf(words, sizeof(words), "+ %s %lld\n", run_id, (long long)limit_s);
    if (!tell(warden, words))
        return false;
    warden->watched++;
    return true;
}

bool sbi_warden_watch(struct sbi_warden *warden, const char *run_id, int64_t limit_s)
{
    return is_ready(warden) && add_run(warden, run_id, limit_s);
}

bool sbi_warden_tell(struct sbi_warden *warden, const char *run_id)
{
    if (is_over(warden))
        return false;
    warden->hears = true;
    return add_run(warden, run_id, 0);
}

bool sbi_warden_is_there(struct sbi_warden *warden)
{
    return !is_over(warden) || warden->starts >= MOST_STARTS;
}

void sbi_warden_name(struct sbi_warden *warden, const char *run_id, int64_t pid,
                     int64_t watchdog)
{
    char words[SBI_RUN_ID_SIZE + 64];

    if (!warden->ready && !warden->hears)
        return;
    (void)snprintf(words, sizeof(words), "= %s %lld %lld\n", run_id, (long long)pid,
                   (long long)watchdog);
    (void)tell(warden, words);
}

void sbi_warden_dismiss(struct sbi_warden *warden, const char *run_id)
{
    char words[SBI_RUN_ID_SIZE + 8];

    if (!warden->ready && !warden->hears)
        return;
    (void)snprintf(words, sizeof(words), "- %s\n", run_id);
    if (tell(warden, words))
        sbi_parting_await(warden->process, SBI_UNTIL_SENT);
    if (warden->watched > 0)
        warden->watched--;
}

void sbi_warden_part(struct sbi_warden *warden)
{
    if ((warden->ready || warden->hears) && !is_over(warden) &&
        sbi_now_ms() - warden->told_at < LATELY_MS) {
        sbi_process_close_input(warden->process);
        sbi_parting_await(warden->process, SBI_UNTIL_ENDED);
    }
    sbi_warden_clear(warden);
}
