#include "session/kept.h"

#include "base/digest.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define NAME_LENGTH 24
#define DIGEST_BYTES 8
#define SALT_BYTES 32
#define USUAL_LENGTH ((size_t)16 * 1024)
#define SALT_LENGTH ((size_t)2 * SALT_BYTES)

int sbi_kept_folder(char **out, sbx_error *err)
{
    return sbi_path_user(SBI_PATH_RUNTIME, "keeper", out, err);
}

static void add(struct sbi_str *all, const char *text)
{
    sbi_str_add(all, text == NULL ? "" : text);
    sbi_str_add_bytes(all, text == NULL ? "-" : "=", 2);
}

static void add_list(struct sbi_str *all, char *const *list)
{
    for (; list != NULL && *list != NULL; list++)
        add(all, *list);
    add(all, NULL);
}

static void add_number(struct sbi_str *all, int64_t number)
{
    sbi_str_add_bytes(all, &number, sizeof(number));
}

static void add_options(struct sbi_str *all, const struct sbi_ssh_options *options)
{
    const char *const texts[] = {options->hostname,
                                 options->user,
                                 options->host_key_alias,
                                 options->identity_agent,
                                 options->proxy_command,
                                 options->host_key_algorithms,
                                 options->kex_algorithms,
                                 options->ciphers,
                                 options->macs,
                                 options->pubkey_algorithms,
                                 options->preferred_authentications,
                                 options->bind_address,
                                 options->rekey_limit};
    char *const *const lists[] = {options->identity_files,   options->certificate_files,
                                  options->user_known_hosts, options->global_known_hosts,
                                  options->send_env,         options->set_env};
    const int64_t numbers[] = {options->port,
                               options->strict_host_key,
                               options->identities_only,
                               options->password_authentication,
                               options->kbd_interactive_authentication,
                               options->pubkey_authentication,
                               options->forward_agent,
                               options->address_family,
                               options->compression};
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        add(all, texts[i]);
    for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        add_list(all, lists[i]);
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        add_number(all, numbers[i]);
}

static void add_target(struct sbi_str *all, const struct sbi_ssh_target *target)
{
    for (; target != NULL; target = target->jump) {
        add_options(all, target->options);
        add(all, target->password);
        add(all, target->password_command);
        add(all, target->password_file);
        add(all, target->key_file);
        add(all, target->key_passphrase);
        add(all, target->host_key);
        add(all, target->proxy);
        add_number(all, target->openssh);
    }
}

static int make_salt(const char *folder, const char *path, sbx_error *err)
{
    char salt[SALT_LENGTH + 1];
    SBI_AUTO_STR aside = {0};
    int rc = sbi_random_hex(salt, SALT_BYTES, err);

    if (rc == SBX_OK)
        rc = sbi_path_make_folders(folder, err);
    if (rc < 0)
        return rc;
    sbi_str_addf(&aside, "%s.%ld", path, (long)getpid());
    if (aside.status != SBX_OK)
        return sbi_fail(err, aside.status, "out of memory");
    rc = sbi_path_write(aside.data, salt, SALT_LENGTH, 0600, err);
    /* Of two who make one at once the first is right. */
    if (rc == SBX_OK && link(aside.data, path) < 0 && errno != EEXIST)
        rc = sbi_fail_errno(err, SBX_ERR_IO, "make '%s'", path);
    (void)unlink(aside.data);
    return rc;
}

static int take_salt(const char *folder, bool make, char **out, sbx_error *err)
{
    SBI_AUTO_STR path = {0};
    size_t length;
    int rc;

    sbi_str_addf(&path, "%s/.salt", folder);
    if (path.status != SBX_OK)
        return sbi_fail(err, path.status, "out of memory");
    rc = sbi_path_read(path.data, SALT_LENGTH, out, &length, err);
    if (rc != SBX_ERR_NOT_FOUND || !make)
        return rc;
    rc = make_salt(folder, path.data, err);
    return rc < 0 ? rc : sbi_path_read(path.data, SALT_LENGTH, out, &length, err);
}

/* Passwords are in it: it has its room from the start, and is wiped. */
static int digest(const struct sbi_ssh_target *target, const char *salt, char *out,
                  sbx_error *err)
{
    SBI_AUTO_STR all = {0};
    unsigned char bytes[32];
    int rc = sbi_str_reserve(&all, USUAL_LENGTH);

    if (rc == SBX_OK) {
        add(&all, salt);
        add_target(&all, target);
        rc = all.status;
    }
    if (rc < 0)
        return sbi_fail(err, rc, "out of memory");
    rc = sbi_sha256(all.data, all.length, bytes, err);
    explicit_bzero(all.data, all.length);
    if (rc == SBX_OK)
        sbi_hex(bytes, DIGEST_BYTES, out);
    return rc;
}

/* What may stand in a file's name stays; it is there for people. */
static void add_name(struct sbi_str *path, const char *place)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789._@-";
    size_t i;

    for (i = 0; i < NAME_LENGTH && place[i] != '\0'; i++)
        sbi_str_add_bytes(path, strchr(plain, place[i]) == NULL ? "_" : place + i, 1);
}

int sbi_kept_path(const struct sbi_ssh_target *target, bool salts, char **out,
                  sbx_error *err)
{
    char hex[2 * DIGEST_BYTES + 1];
    SBI_AUTOFREE char *folder = NULL;
    SBI_AUTOFREE char *salt = NULL;
    SBI_AUTO_STR path = {0};
    int rc = sbi_kept_folder(&folder, err);

    if (rc == SBX_OK)
        rc = take_salt(folder, salts, &salt, err);
    if (rc == SBX_OK)
        rc = digest(target, salt, hex, err);
    if (rc < 0)
        return rc;
    sbi_str_addf(&path, "%s/", folder);
    add_name(&path, target->place);
    sbi_str_addf(&path, "-%s", hex);
    return sbi_str_take(&path, out, err);
}
