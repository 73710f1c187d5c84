/* ssh_config_options.c - gives back what the options of a host own. */
#include "transport/ssh_config_options.h"

void sbi_ssh_options_clear(struct sbi_ssh_options *options)
{
    free(options->original_host);
    free(options->hostname);
    free(options->user);
    free(options->host_key_alias);
    sbi_strv_clear(&options->identity_files);
    sbi_strv_clear(&options->certificate_files);
    free(options->identity_agent);
    free(options->forward_agent_path);
    free(options->proxy_jump);
    free(options->proxy_command);
    sbi_strv_clear(&options->user_known_hosts);
    sbi_strv_clear(&options->global_known_hosts);
    free(options->host_key_algorithms);
    free(options->kex_algorithms);
    free(options->ciphers);
    free(options->macs);
    free(options->pubkey_algorithms);
    free(options->preferred_authentications);
    free(options->bind_address);
    sbi_strv_clear(&options->send_env);
    sbi_strv_clear(&options->set_env);
    free(options->control_path);
    free(options->rekey_limit);
    free(options->remote_command);
    free(options->tag);
    sbi_strv_clear(&options->warnings);
    *options = (struct sbi_ssh_options){0};
}

void sbi_ssh_options_free(struct sbi_ssh_options *options)
{
    if (options != NULL)
        sbi_ssh_options_clear(options);
    free(options);
}
