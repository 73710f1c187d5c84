/*
 * ssh_library.h - libssh itself, loaded when the first connection of our own is made.
 *
 * It brings OpenSSL and Kerberos with it: most of what a start of the program costs, and
 * of no use to one that goes over another's connection, or stays on this machine.
 */
#ifndef SANDBOX_TRANSPORT_SSH_LIBRARY_H
#define SANDBOX_TRANSPORT_SSH_LIBRARY_H

#include "base/error.h"

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

/* Every function of libssh that ours calls. */
/* clang-format off */
#define SBI_LIBSSH(one) \
    one(ssh_blocking_flush) \
    one(ssh_channel_cancel_forward) \
    one(ssh_channel_change_pty_size) \
    one(ssh_channel_close) \
    one(ssh_channel_free) \
    one(ssh_channel_is_open) \
    one(ssh_channel_listen_forward) \
    one(ssh_channel_new) \
    one(ssh_channel_open_forward) \
    one(ssh_channel_open_forward_unix) \
    one(ssh_channel_open_session) \
    one(ssh_channel_read_nonblocking) \
    one(ssh_channel_read_timeout) \
    one(ssh_channel_request_auth_agent) \
    one(ssh_channel_request_exec) \
    one(ssh_channel_request_pty_size) \
    one(ssh_channel_request_shell) \
    one(ssh_channel_send_eof) \
    one(ssh_channel_window_size) \
    one(ssh_channel_write) \
    one(ssh_clean_pubkey_hash) \
    one(ssh_connect) \
    one(ssh_disconnect) \
    one(ssh_event_add_fd) \
    one(ssh_event_add_session) \
    one(ssh_event_dopoll) \
    one(ssh_event_free) \
    one(ssh_event_new) \
    one(ssh_event_remove_fd) \
    one(ssh_event_remove_session) \
    one(ssh_free) \
    one(ssh_get_cipher_out) \
    one(ssh_get_error) \
    one(ssh_get_fd) \
    one(ssh_get_fingerprint_hash) \
    one(ssh_get_hmac_out) \
    one(ssh_get_kex_algo) \
    one(ssh_get_log_callback) \
    one(ssh_get_log_level) \
    one(ssh_get_log_userdata) \
    one(ssh_get_poll_flags) \
    one(ssh_get_publickey_hash) \
    one(ssh_get_server_publickey) \
    one(ssh_get_serverbanner) \
    one(ssh_is_connected) \
    one(ssh_key_dup) \
    one(ssh_key_free) \
    one(ssh_key_type) \
    one(ssh_key_type_from_name) \
    one(ssh_key_type_to_char) \
    one(ssh_message_channel_request_open_destination) \
    one(ssh_message_channel_request_open_destination_port) \
    one(ssh_message_channel_request_open_reply_accept) \
    one(ssh_message_subtype) \
    one(ssh_message_type) \
    one(ssh_new) \
    one(ssh_options_set) \
    one(ssh_pki_copy_cert_to_privkey) \
    one(ssh_pki_export_privkey_to_pubkey) \
    one(ssh_pki_export_pubkey_base64) \
    one(ssh_pki_import_cert_base64) \
    one(ssh_pki_import_cert_file) \
    one(ssh_pki_import_privkey_file) \
    one(ssh_pki_import_pubkey_base64) \
    one(ssh_pki_import_pubkey_file) \
    one(ssh_remove_channel_callbacks) \
    one(ssh_set_agent_socket) \
    one(ssh_set_blocking) \
    one(ssh_set_channel_callbacks) \
    one(ssh_set_counters) \
    one(ssh_set_log_callback) \
    one(ssh_set_log_level) \
    one(ssh_set_log_userdata) \
    one(ssh_set_message_callback) \
    one(ssh_string_free_char) \
    one(ssh_userauth_agent) \
    one(ssh_userauth_kbdint) \
    one(ssh_userauth_kbdint_getinstruction) \
    one(ssh_userauth_kbdint_getname) \
    one(ssh_userauth_kbdint_getnprompts) \
    one(ssh_userauth_kbdint_getprompt) \
    one(ssh_userauth_kbdint_setanswer) \
    one(ssh_userauth_list) \
    one(ssh_userauth_none) \
    one(ssh_userauth_password) \
    one(ssh_userauth_publickey) \
    one(ssh_userauth_try_publickey)
/* clang-format on */

struct sbi_libssh {
#define SBI_MEMBER(name) __typeof__(name) *name;
    SBI_LIBSSH(SBI_MEMBER)
#undef SBI_MEMBER
};

/* Filled in by sbi_libssh_need, for as long as the process lives. */
extern struct sbi_libssh sbi_libssh;

/* SBX_ERR_UNSUPPORTED where it cannot be loaded. */
int sbi_libssh_need(sbx_error *err);

#endif
