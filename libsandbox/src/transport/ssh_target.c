#include "transport/ssh_target.h"

#include <string.h>

static void wipe(char *secret)
{
    if (secret == NULL)
        return;
    explicit_bzero(secret, strlen(secret));
    free(secret);
}

void sbi_ssh_target_free(struct sbi_ssh_target *target)
{
    if (target == NULL)
        return;
    free(target->place);
    sbi_ssh_options_free(target->options);
    wipe(target->password);
    free(target->password_command);
    free(target->password_file);
    free(target->key_file);
    wipe(target->key_passphrase);
    free(target->host_key);
    free(target->hosts_file);
    free(target->ssh_config);
    wipe(target->proxy);
    sbi_ssh_target_free(target->jump);
    free(target);
}
