/* places.h - from what the user wrote (gpu1,gpu2,@lab) to the names of places. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include "app.h"

struct places {
    struct words names; /* each once, in the order given */
    struct words owned; /* what names point to */
};

#define AUTO_PLACES CLEANUP(places_clear) struct places

/*
 * Adds the places of one word. Fails with SBX_ERR_INVALID on what can be no place
 * and with SBX_ERR_NOT_FOUND on a tag that no host carries. Opens app's hosts.
 */
int places_add(struct places *places, struct app *app, const char *word, sbx_error *err);

/* Adds all that are known by name but, where local is false, this machine. */
int places_add_all(struct places *places, struct app *app, bool local, sbx_error *err);

/*
 * Adds the places of all words and, with all, every one that is known (places_add_all);
 * gets ready to open them.
 */
int places_prepare(struct places *places, struct app *app, const struct words *words,
                   bool all, bool local, sbx_error *err);

/* Opens the session of a word that names one place. */
int places_open(struct app *app, const char *place, sbx_session **session,
                sbx_error *err);

/* Takes those of others out. */
void places_leave_out(struct places *places, const struct places *others);

void places_clear(struct places *places);

/* Adds the tags of all hosts, each once; borrowed from hosts. */
void places_tags(const sbx_hosts *hosts, struct words *tags);

#endif
