#include "computer/order.h"

#include "base/computer.h"
#include "base/str.h"
#include "computer/spec.h"

static const char *const always[] = {"--init",
                                     "--security-opt",
                                     "no-new-privileges",
                                     "--cap-drop",
                                     "ALL",
                                     "--cap-add",
                                     "CHOWN",
                                     "--cap-add",
                                     "DAC_OVERRIDE",
                                     "--cap-add",
                                     "FOWNER",
                                     "--cap-add",
                                     "FSETID",
                                     "--cap-add",
                                     "KILL",
                                     "--cap-add",
                                     "SETGID",
                                     "--cap-add",
                                     "SETUID",
                                     "--cap-add",
                                     "NET_BIND_SERVICE",
                                     "--cap-add",
                                     "SYS_CHROOT",
                                     "--stop-timeout",
                                     "1",
                                     "--entrypoint",
                                     "/bin/sh",
                                     "--label",
                                     "sbx.version=1",
                                     NULL};

static int add_pair(const char *word, const char *key, const char *value, char ***list,
                    sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    int rc = sbi_strv_add(list, word, err);

    sbi_str_addf(&text, "%s=%s", key, value);
    if (rc == SBX_OK && text.status < 0)
        return sbi_fail(err, text.status, "out of memory");
    return rc < 0 ? rc : sbi_strv_add(list, text.data, err);
}

int sbi_order_words(const struct sbi_order *order, char ***out, sbx_error *err)
{
    SBI_AUTOFREE char *settings = NULL;
    SBI_AUTO_STRV words = NULL;
    int rc = sbi_strv_copy(always, &words, err);
    size_t i;

    if (rc == SBX_OK)
        rc = sbi_spec_print(order->opts, &settings, err);
    if (rc == SBX_OK) {
        const char *const pairs[][3] = {{"--env", SBI_COMPUTER_MARK, order->name},
                                        {"--label", "sbx.computer", order->name},
                                        {"--label", "sbx.owner", order->opts->owner},
                                        {"--label", "sbx.instance", order->instance},
                                        {"--label", "sbx.life", order->life},
                                        {"--label", "sbx.holder", order->holder},
                                        {"--label", "sbx.settings", settings}};

        for (i = 0; rc == SBX_OK && i < sizeof(pairs) / sizeof(pairs[0]); i++)
            rc = add_pair(pairs[i][0], pairs[i][1], pairs[i][2], &words, err);
    }
    if (rc == SBX_OK)
        rc = sbi_strv_add(&words, "--hostname", err);
    if (rc == SBX_OK)
        rc = sbi_strv_add(&words, order->name, err);
    if (rc == SBX_OK)
        rc = sbi_spec_words(order->opts, &words, err);
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(words);
    return SBX_OK;
}
