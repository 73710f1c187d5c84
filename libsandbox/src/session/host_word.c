/* host_word.c - what is wrong with a word as a name, in a few words. */
#include "session/host_word.h"

#include "base/cleanup.h"

#include <stdbool.h>
#include <string.h>

#define NAME_LIMIT 255
#define LONGEST_NAME 63 /* of a computer */

/* What a shell or ssh_config's tokens would take for more than a letter. */
static const char unsafe[] = "'`\";&<>|(){}";

static bool is_blank_or_control(char c)
{
    return (unsigned char)c <= 0x20 || c == 0x7f;
}

static const char *common_fault(const char *word)
{
    if (word[0] == '\0')
        return "is empty";
    if (word[0] == '-')
        return "starts with '-'";
    if (strlen(word) > NAME_LIMIT)
        return "is too long";
    if (strpbrk(word, unsafe) != NULL)
        return "has a character that a shell takes for more than a letter";
    return NULL;
}

const char *sbi_host_word_fault(const char *word)
{
    const char *fault = common_fault(word);

    for (; fault == NULL && *word != '\0'; word++)
        if (is_blank_or_control(*word))
            fault = "has a blank or a control character";
        else if (*word == '/' || *word == ',')
            fault = "has a '/' or a ','";
        else if (*word == '$' || *word == '\\')
            fault = "has a character that a shell takes for more than a letter";
    return fault;
}

const char *sbi_host_word_user_fault(const char *user)
{
    const char *fault = common_fault(user);

    for (; fault == NULL && *user != '\0'; user++)
        if (is_blank_or_control(*user))
            fault = "has a blank or a control character";
        else if (*user == '\\' && user[1] == '\0')
            fault = "ends in a backslash";
    return fault;
}

static const char *computer_fault(const char *name)
{
    size_t length = strlen(name);

    if (length < 1 || length > LONGEST_NAME)
        return "has not 1 to 63 characters";
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
        return "has what is not a to z, 0 to 9 or '-'";
    return name[0] == '-' ? "starts with '-'" : NULL;
}

static int fail_word(const char *word, const char *fault, sbx_error *err)
{
    return sbi_fail(err, SBX_ERR_INVALID, "place '%.64s' %s", word, fault);
}

static int check_plain(const char *word, const char *fault, sbx_error *err)
{
    const char *at = strrchr(word, '@');

    if (fault == NULL && at != NULL && (at == word || at[1] == '\0' || at[1] == '-'))
        fault = "is no user@host";
    return fault == NULL ? SBX_OK : fail_word(word, fault, err);
}

int sbi_host_word_check(const char *word, sbx_error *err)
{
    SBI_AUTOFREE char *on = NULL;
    const char *slash = word == NULL ? NULL : strrchr(word, '/'), *fault;

    if (word == NULL)
        return fail_word("", "is NULL", err);
    if (slash == NULL)
        return check_plain(word, sbi_host_word_fault(word), err);
    on = strndup(word, (size_t)(slash - word));
    if (on == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "place '%.64s': out of memory", word);
    fault = computer_fault(slash + 1);
    if (fault != NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "place '%.64s': the name of a computer %s",
                        word, fault);
    return sbi_host_word_check(on, err);
}
