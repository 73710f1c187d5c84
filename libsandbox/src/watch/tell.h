/* tell.h - the ways of telling; each does it once, or says why not. */
#ifndef SANDBOX_WATCH_TELL_H
#define SANDBOX_WATCH_TELL_H

#include <sandbox/session.h>
#include <sandbox/watch.h>

struct sbi_teller {
    sbx_ledger *ledger;
    sbx_session *local; /* this machine */
    int64_t command_ms;
    sbx_cancel *cancel;
};

typedef int (*sbi_tell_fn)(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                           const sbx_watch_event *event, sbx_error *err);

int sbi_tell_desktop(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                     const sbx_watch_event *event, sbx_error *err);
int sbi_tell_webhook(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                     const sbx_watch_event *event, sbx_error *err);
int sbi_tell_command(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                     const sbx_watch_event *event, sbx_error *err);
int sbi_tell_agent(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                   const sbx_watch_event *event, sbx_error *err);
int sbi_tell_folder(const struct sbi_teller *teller, const sbx_watch_opts *opts,
                    const sbx_watch_event *event, sbx_error *err);

#endif
