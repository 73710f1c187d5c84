#include "job/order.h"

#include "base/digest.h"
#include "base/opts.h"
#include "base/strv.h"
#include "job/call.h"
#include "job/owner.h"
#include "job/token.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 30000
#define DEFAULT_LOG_LIMIT (INT64_C(1) << 30)
#define LEAST_LOG_LIMIT (64 * 1024)
#define MOST_SCRIPT ((size_t)1 << 20)
#define MOST_NAME 4096
#define SHOWN_COMMAND 200
#define SHOWN_NAME 60
#define SLUG 24
#define MOST_LABELS 64
#define MOST_LABEL_NAME 64
#define MOST_LABEL 4096

/* Adds at most SLUG of the letters and digits of a name, with one '-' for all between. */
static void add_slug(struct sbi_str *id, const char *name)
{
    size_t start = id->length;
    bool gap = false;

    for (; *name != '\0' && id->length - start < SLUG; name++) {
        char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;

        if ((c < 'a' || c > 'z') && (c < '0' || c > '9')) {
            gap = id->length > start;
            continue;
        }
        if (gap)
            sbi_str_add(id, "-");
        gap = false;
        sbi_str_add_bytes(id, &c, 1);
    }
    if (id->length == start)
        sbi_str_add(id, "job");
}

int sbx_job_make_id(const char *name, char **out, sbx_error *err)
{
    SBI_AUTO_STR id = {0};
    char chance[9];
    int rc = sbi_random_hex(chance, 4, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "make an id");
    add_slug(&id, name == NULL ? "" : name);
    sbi_str_addf(&id, "-%s", chance);
    return sbi_str_take(&id, out, err);
}

/* What is shown of the command: the text, or the words with blanks between. */
static void add_shown(struct sbi_str *shown, const struct sbi_order *order, size_t limit)
{
    const char *const *word = order->argv;
    size_t length = strlen(order->command);

    sbi_str_add(shown, "");
    if (word == NULL) {
        sbi_str_add_bytes(shown, order->command, length < limit ? length : limit);
        return;
    }
    for (; *word != NULL && shown->length < limit; word++) {
        size_t room = limit - shown->length;

        if (word != order->argv)
            sbi_str_add(shown, " ");
        length = strlen(*word);
        sbi_str_add_bytes(shown, *word, length < room ? length : room);
    }
}

static int make_name(struct sbi_order *order, sbx_error *err)
{
    SBI_AUTO_STR name = {0};

    if (order->opts.name != NULL)
        sbi_str_add(&name, order->opts.name);
    else
        add_shown(&name, order, SHOWN_NAME);
    return sbi_str_take(&name, &order->name, err);
}

static void hash_text(struct sbi_sha256 *hash, const char *text)
{
    if (text == NULL)
        sbi_sha256_add(hash, "-", 1);
    else
        sbi_sha256_add(hash, text, strlen(text) + 1);
}

static void hash_list(struct sbi_sha256 *hash, const char *const *list)
{
    for (; list != NULL && *list != NULL; list++)
        hash_text(hash, *list);
    hash_text(hash, NULL);
}

/* Two starts of one id must ask for the same: that is seen by this. */
static int make_digest(struct sbi_order *order, sbx_error *err)
{
    SBI_AUTO_SHA256 hash = NULL;
    unsigned char digest[32];
    SBI_AUTO_STR policy = {0};
    char limits[80];
    int rc = sbi_sha256_new(&hash, err);

    if (rc < 0)
        return rc;
    sbi_policy_add(&order->policy, &policy);
    (void)snprintf(limits, sizeof(limits), "%lld %lld %llu",
                   (long long)order->opts.limit_ms, (long long)order->opts.log_limit,
                   (unsigned long long)order->opts.flags);
    hash_text(hash, order->name);
    hash_text(hash, order->opts.cwd);
    hash_text(hash, limits);
    hash_text(hash, policy.data);
    hash_text(hash, order->policy.command);
    hash_text(hash, order->policy.checkpoint_command);
    hash_text(hash, order->command);
    hash_list(hash, order->argv);
    hash_list(hash, order->opts.env);
    if (order->opts.labels != NULL && order->opts.labels[0] != NULL)
        hash_list(hash, order->opts.labels);
    rc = sbi_sha256_end(hash, digest, err);
    if (rc == SBX_OK)
        sbi_hex(digest, sizeof(digest), order->digest);
    return rc;
}

static int check_label(const char *label, sbx_error *err)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t length = strspn(label, letters);

    if (length == 0 || length > MOST_LABEL_NAME || label[length] != '=')
        return sbi_fail(
            err, SBX_ERR_INVALID,
            "label '%.80s' is not NAME=VALUE, with a name of letters, digits, "
            "'_', '.' and '-'",
            label);
    if (strlen(label + length + 1) > MOST_LABEL)
        return sbi_fail(err, SBX_ERR_INVALID, "label '%.*s': a value over %d bytes",
                        (int)length, label, MOST_LABEL);
    return SBX_OK;
}

static int check_labels(const char *const *labels, sbx_error *err)
{
    size_t count = sbi_strv_count(labels), i;
    int rc = SBX_OK;

    if (count > MOST_LABELS)
        return sbi_fail(err, SBX_ERR_INVALID, "%zu labels, over %d", count, MOST_LABELS);
    for (i = 0; i < count && rc == SBX_OK; i++)
        rc = check_label(labels[i], err);
    return rc;
}

static int check(const struct sbi_order *order, sbx_error *err)
{
    const sbx_job_start_opts *opts = &order->opts;

    if (order->argv != NULL ? order->argv[0] == NULL : order->command[0] == '\0')
        return sbi_fail(err, SBX_ERR_INVALID, "no command is given");
    if (strlen(order->command) > MOST_SCRIPT)
        return sbi_fail(err, SBX_ERR_INVALID, "a script over 1 MiB");
    if (opts->name != NULL && strlen(opts->name) > MOST_NAME)
        return sbi_fail(err, SBX_ERR_INVALID, "a name over %d bytes", MOST_NAME);
    if (opts->limit_ms < 0 || opts->limit_ms > INT64_C(315360000000))
        return sbi_fail(err, SBX_ERR_INVALID, "limit_ms %lld is not from 0 to ten years",
                        (long long)opts->limit_ms);
    if (opts->log_limit > 0 && opts->log_limit < LEAST_LOG_LIMIT)
        return sbi_fail(err, SBX_ERR_INVALID, "log_limit %lld is below %d",
                        (long long)opts->log_limit, LEAST_LOG_LIMIT);
    if ((opts->flags & ~(uint64_t)(SBX_JOB_NO_TERMINAL | SBX_JOB_RESUME_ON_FAILURE)) != 0)
        return sbi_fail(err, SBX_ERR_INVALID, "flags 0x%llx: some are not of it",
                        (unsigned long long)opts->flags);
    return check_labels(opts->labels, err);
}

static void set_defaults(sbx_job_start_opts *opts)
{
    if (opts->timeout_ms == 0)
        opts->timeout_ms = DEFAULT_TIMEOUT_MS;
    if (opts->timeout_ms < 0)
        opts->timeout_ms = 0;
    if (opts->log_limit == 0)
        opts->log_limit = DEFAULT_LOG_LIMIT;
    if (opts->log_limit < 0)
        opts->log_limit = 0;
}

int sbi_order_make(const char *command, const char *const *argv,
                   const sbx_job_start_opts *theirs, struct sbi_order *out,
                   sbx_error *err)
{
    SBI_AUTO_ORDER order = {.command = command == NULL ? "" : command, .argv = argv};
    int rc = sbi_opts_read(&order.opts, sizeof(order.opts), theirs, err);

    if (rc == SBX_OK)
        rc = check(&order, err);
    if (rc < 0)
        return rc;
    set_defaults(&order.opts);
    rc = sbi_policy_make(&order.opts, &order.policy, err);
    if (rc == SBX_OK)
        rc = make_name(&order, err);
    if (rc == SBX_OK)
        rc = make_digest(&order, err);
    if (rc == SBX_OK && order.opts.id == NULL)
        rc = sbx_job_make_id(order.name, &order.id, err);
    if (rc == SBX_OK && order.opts.id != NULL) {
        order.id = strdup(order.opts.id);
        if (order.id == NULL)
            rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    if (rc < 0)
        return rc;
    *out = order;
    order = (struct sbi_order){0};
    return SBX_OK;
}

int sbi_order_input(const struct sbi_order *order, struct sbi_str *input, sbx_error *err)
{
    const char *const *label;
    SBI_AUTO_STR shown = {0};
    SBI_AUTOFREE char *owner = NULL;
    int rc = sbi_owner_text(NULL, &owner, err);

    if (rc < 0)
        return rc;
    add_shown(&shown, order, SHOWN_COMMAND);
    if (shown.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    sbi_str_addf(input, "job %s\n", order->id);
    sbi_token_add(input, "name", order->name, strlen(order->name));
    sbi_token_add(input, "command", shown.data, shown.length);
    if (order->session != NULL) {
        sbi_token_add(input, "socket", order->socket, strlen(order->socket));
        sbi_token_add(input, "session", order->session, strlen(order->session));
    }
    if (order->opts.cwd != NULL)
        sbi_token_add(input, "cwd", order->opts.cwd, strlen(order->opts.cwd));
    for (label = order->opts.labels; label != NULL && *label != NULL; label++)
        sbi_token_add(input, "label", *label, strlen(*label));
    sbi_policy_add(&order->policy, input);
    sbi_str_addf(input, "owner %s\ndigest %s\nlimit %lld\ncap %lld\nwords %zu\nend\n",
                 owner, order->digest, (long long)((order->opts.limit_ms + 999) / 1000),
                 (long long)order->opts.log_limit, sbi_strv_count(order->argv));
    sbi_str_add(input, order->command);
    if (input->status != SBX_OK)
        return sbi_fail(err, input->status, "the script does not fit");
    return SBX_OK;
}

void sbi_order_clear(struct sbi_order *order)
{
    free(order->id);
    free(order->name);
    sbi_policy_clear(&order->policy);
    *order = (struct sbi_order){0};
}
