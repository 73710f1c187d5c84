/* opt_value.c - the text of an option's value, checked and stored. */
#include "opt.h"

#include <errno.h>
#include <string.h>

/* Numbers are read here and not by strtod, which follows the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const int64_t most_seconds = 1000000000;

/* Digits up to limit; false where there is none, or more. */
static bool read_digits(const char **at, int64_t limit, int64_t *out)
{
    int64_t number = 0;

    if (!is_digit(**at))
        return false;
    for (; is_digit(**at); (*at)++) {
        number = number * 10 + (**at - '0');
        if (number > limit)
            return false;
    }
    *out = number;
    return true;
}

/* "0.25" is 250; what is finer than a millisecond is rounded up. */
static bool read_milliseconds(const char *at, int64_t *out)
{
    int64_t whole = 0;
    int64_t part = 0;
    int64_t worth = 100;
    bool finer = false;

    if (*at != '.' && !read_digits(&at, most_seconds, &whole))
        return false;
    if (*at == '.') {
        if (!is_digit(at[1]))
            return false;
        for (at++; is_digit(*at); at++, worth /= 10) {
            part += (*at - '0') * worth;
            finer = finer || (worth == 0 && *at != '0');
        }
    }
    *out = whole * 1000 + part + (finer ? 1 : 0);
    return *at == '\0' && *out > 0 && *out <= most_seconds * 1000;
}

static int store_seconds(const struct opt *opt, const char *shown, const char *value,
                         void *place, sbx_error *err)
{
    (void)opt;
    if (!read_milliseconds(value, place))
        return fault(err, SBX_ERR_INVALID,
                     "%s '%s': not a positive number of seconds, at most 1000000000",
                     shown, value);
    return SBX_OK;
}

static int store_bytes(const struct opt *opt, const char *shown, const char *value,
                       void *place, sbx_error *err)
{
    static const char units[] = "KMG";
    const int64_t most = (int64_t)1 << 40;
    const char *at = value;
    const char *unit = NULL;
    int64_t number = 0;
    bool good = read_digits(&at, most, &number) && number > 0;

    (void)opt;
    if (good && *at != '\0') {
        unit = strchr(units, *at >= 'a' ? *at - 'a' + 'A' : *at);
        good = unit != NULL && at[1] == '\0';
    }
    if (good && unit != NULL)
        number = number > most >> 30 ? most + 1 : number << (10 * (unit - units + 1));
    if (!good || number > most)
        return fault(err, SBX_ERR_INVALID,
                     "%s '%s': not a number of bytes from 1 to 1024G (K, M and G may "
                     "follow it)",
                     shown, value);
    *(int64_t *)place = number;
    return SBX_OK;
}

static int store_int(const struct opt *opt, const char *shown, const char *value,
                     void *place, sbx_error *err)
{
    const char *at = value;
    int64_t number = 0;

    if (!read_digits(&at, opt->most, &number) || *at != '\0' || number < opt->least)
        return fault(err, SBX_ERR_INVALID, "%s '%s': not a number from %lld to %lld",
                     shown, value, (long long)opt->least, (long long)opt->most);
    *(int64_t *)place = number;
    return SBX_OK;
}

static int store_text(const struct opt *opt, const char *shown, const char *value,
                      void *place, sbx_error *err)
{
    sbx_error why = {0};

    if (opt->check != NULL && opt->check(value, &why) < 0) {
        (void)fault(err, SBX_ERR_INVALID, "%s '%s': %s", shown, value, why.text);
        return why.fix[0] == '\0' ? SBX_ERR_INVALID
                                  : fault_fix(err, SBX_ERR_INVALID, "%s", why.fix);
    }
    if (opt->kind == OPT_LIST)
        words_add(place, value);
    else
        *(const char **)place = value;
    return SBX_OK;
}

int opt_store(const struct opt *opt, const char *shown, const char *value, void *values,
              sbx_error *err)
{
    static int (*const store[])(const struct opt *, const char *, const char *, void *,
                                sbx_error *) = {
        [OPT_TEXT] = store_text,   [OPT_LIST] = store_text, [OPT_SECONDS] = store_seconds,
        [OPT_BYTES] = store_bytes, [OPT_INT] = store_int,
    };

    return store[opt->kind](opt, shown, value, (char *)values + opt->at, err);
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int opt_check_variable(const char *value, sbx_error *err)
{
    const char *at = value;

    if (strchr(value, '=') == NULL)
        return fault(err, SBX_ERR_INVALID, "no '=' in it (NAME=VALUE)");
    if (starts_name(*at))
        while (starts_name(*at) || is_digit(*at))
            at++;
    if (at == value || *at != '=')
        return fault(err, SBX_ERR_INVALID, "not the name of a variable");
    return SBX_OK;
}

int opt_check_filled(const char *value, sbx_error *err)
{
    if (value[0] == '\0')
        return fault(err, SBX_ERR_INVALID, "empty");
    return SBX_OK;
}
