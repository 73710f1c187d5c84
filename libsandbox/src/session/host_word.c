/* host_word.c - what is wrong with a word as a name, in a few words. */
#include "session/host_word.h"

#include <stdbool.h>
#include <string.h>

#define NAME_LIMIT 255

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
