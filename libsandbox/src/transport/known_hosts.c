/* known_hosts.c - asks known_hosts files for a host: this key, and which types. */
#include "transport/known_hosts.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/path.h"
#include "base/str.h"
#include "transport/known_hosts_line.h"

#include <string.h>
#include <sys/stat.h>

#define FILE_LIMIT (8 * 1024 * 1024)

typedef int (*line_fn)(const struct sbi_known_line *line, const char *file,
                       void *userdata, sbx_error *err);

static int each_line_of_text(const char *text, size_t length, const char *file,
                             const struct sbi_known_name *name, line_fn fn,
                             void *userdata, sbx_error *err)
{
    struct sbi_known_line line = {0};
    size_t offset = 0;
    int rc = SBX_OK;

    while (rc == SBX_OK && sbi_known_line_next(text, length, &offset, &line)) {
        bool covered = false;

        rc = sbi_known_line_covers(&line, name, &covered, err);
        if (rc == SBX_OK && covered)
            rc = fn(&line, file, userdata, err);
    }
    return rc;
}

/* A file that is there and too long to read is not one that says nothing. */
static int read_file(const char *file, char **text, size_t *length, sbx_error *err)
{
    sbx_error why = {0};
    struct stat info;
    int rc;

    if (stat(file, &info) != 0 || !S_ISREG(info.st_mode))
        return SBX_OK;
    rc = sbi_path_read(file, FILE_LIMIT, text, length, &why);
    if (rc != SBX_ERR_LIMIT && rc != SBX_ERR_NO_MEMORY)
        return SBX_OK;
    return sbi_fail(err, rc, "%s", why.text);
}

/* Every line of every file that names the host, in order. */
static int each_line(const char *const *files, const char *host, int port, line_fn fn,
                     void *userdata, sbx_error *err)
{
    SBI_CLEANUP(sbi_known_name_clear) struct sbi_known_name name = {0};
    int rc = sbi_known_name_set(&name, host, port, err);

    for (; rc == SBX_OK && files != NULL && *files != NULL; files++) {
        SBI_AUTOFREE char *text = NULL;
        size_t length = 0;

        rc = read_file(*files, &text, &length, err);
        if (rc == SBX_OK && text != NULL)
            rc = each_line_of_text(text, length, *files, &name, fn, userdata, err);
    }
    return rc;
}

struct question {
    const char *type;
    const void *blob;
    size_t length;
    struct sbi_known_match best;
};

static int answer_of(const struct sbi_known_line *line, const struct question *question,
                     const unsigned char *key, size_t length)
{
    bool same = length == question->length && memcmp(key, question->blob, length) == 0;

    if (line->marker == SBI_KNOWN_MARK_REVOKED)
        return same ? SBI_KNOWN_REVOKED : SBI_KNOWN_NOT;
    if (line->marker == SBI_KNOWN_MARK_CA)
        return SBI_KNOWN_CA;
    if (same)
        return SBI_KNOWN_OK;
    return line->type_length == strlen(question->type) &&
                   memcmp(line->type, question->type, line->type_length) == 0
               ? SBI_KNOWN_CHANGED
               : SBI_KNOWN_OTHER;
}

static bool outranks(int answer, int best)
{
    static const int ranks[] = {
        [SBI_KNOWN_NOT] = 0,     [SBI_KNOWN_CA] = 1, [SBI_KNOWN_OTHER] = 2,
        [SBI_KNOWN_CHANGED] = 3, [SBI_KNOWN_OK] = 4, [SBI_KNOWN_REVOKED] = 5,
    };

    return ranks[answer] > ranks[best];
}

/* The first line of the highest rank decides, so all of them must be read. */
static int ask_line(const struct sbi_known_line *line, const char *file, void *userdata,
                    sbx_error *err)
{
    struct question *question = userdata;
    SBI_CLEANUP(sbi_known_match_clear) struct sbi_known_match match = {0};
    SBI_AUTOFREE unsigned char *key = NULL;
    size_t length = 0;
    int rc = sbi_known_line_key(line, &key, &length, NULL);

    if (rc == SBX_ERR_INVALID)
        return SBX_OK;
    if (rc < 0)
        return sbi_fail(err, rc, "read line %lld of '%s'", (long long)line->number, file);
    match.known = answer_of(line, question, key, length);
    match.line = line->number;
    if (!outranks(match.known, question->best.known))
        return SBX_OK;

    match.file = strdup(file);
    if (match.file == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_key_fingerprint(key, length, &match.fingerprint, err);
    if (rc < 0)
        return rc;
    sbi_known_match_clear(&question->best);
    question->best = match;
    match = (struct sbi_known_match){0};
    return SBX_OK;
}

int sbi_known_hosts_check(const char *const *files, const char *host, int port,
                          const char *key_type, const void *blob, size_t length,
                          struct sbi_known_match *out, sbx_error *err)
{
    struct question question = {key_type, blob, length, {0}};
    int rc = each_line(files, host, port, ask_line, &question, err);

    if (rc < 0) {
        sbi_known_match_clear(&question.best);
        return sbi_wrap(err, rc, "look up the key of '%s'", host);
    }
    *out = question.best;
    return SBX_OK;
}

static int note_type(const struct sbi_known_line *line, const char *file, void *userdata,
                     sbx_error *err)
{
    char ***types = userdata;
    SBI_AUTOFREE unsigned char *key = NULL;
    SBI_AUTOFREE char *type = NULL;
    size_t length = 0;

    (void)file;
    if (line->marker != SBI_KNOWN_PLAIN ||
        sbi_known_line_key(line, &key, &length, NULL) < 0)
        return SBX_OK;
    type = strndup(line->type, line->type_length);
    if (type == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (sbi_strv_contains((const char *const *)*types, type))
        return SBX_OK;
    return sbi_strv_add(types, type, err);
}

/* Those that ssh prefers, in its order; what else there is comes behind. */
static int in_order(const char *const *found, char ***out, sbx_error *err)
{
    static const char *const preferred[] = {
        "ssh-ed25519",
        "ecdsa-sha2-nistp256",
        "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521",
        "ssh-rsa",
        NULL,
    };
    SBI_AUTO_STRV ordered = NULL;
    int rc = SBX_OK;
    size_t i;

    for (i = 0; rc == SBX_OK && preferred[i] != NULL; i++)
        if (sbi_strv_contains(found, preferred[i]))
            rc = sbi_strv_add(&ordered, preferred[i], err);
    for (; rc == SBX_OK && found != NULL && *found != NULL; found++)
        if (!sbi_strv_contains(preferred, *found))
            rc = sbi_strv_add(&ordered, *found, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(ordered);
    return rc;
}

int sbi_known_hosts_types(const char *const *files, const char *host, int port,
                          char ***out, sbx_error *err)
{
    SBI_AUTO_STRV found = NULL;
    int rc = each_line(files, host, port, note_type, &found, err);

    if (rc == SBX_OK)
        rc = in_order((const char *const *)found, out, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "look up the key types of '%s'", host);
    return SBX_OK;
}

int sbi_key_fingerprint(const void *blob, size_t length, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    SBI_AUTOFREE char *hash = NULL;
    unsigned char digest[32];
    int rc = sbi_sha256(blob, length, digest, err);

    if (rc == SBX_OK)
        rc = sbi_base64_encode(digest, sizeof(digest), &hash, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "fingerprint of a key");
    hash[strcspn(hash, "=")] = '\0';
    sbi_str_add(&text, "SHA256:");
    sbi_str_add(&text, hash);
    return sbi_str_take(&text, out, err);
}

void sbi_known_match_clear(struct sbi_known_match *match)
{
    free(match->file);
    free(match->fingerprint);
    *match = (struct sbi_known_match){0};
}
