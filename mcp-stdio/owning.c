#include "owning.h"

#include "fault.h"
#include "fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    HANDLE_BYTES = 16,
    HANDLE_LENGTH = 2 * HANDLE_BYTES,
    MOST_HANDLES = 256, /* that a session is remembered with */
    KNOWN_MS = 30000
};

#define AGENTS "agent-"

/* A handle of the session's client. */
struct handle {
    struct handle *next;
    char *word;
    char *owner;
};

/* A computer as it was seen last. */
struct seen {
    struct seen *next;
    char *address;
    char *owner;
    char *held; /* the instance that ends with this server, or NULL */
    bool permanent;
    int64_t at_ms;
};

struct owning {
    pthread_mutex_t lock;
    struct handle *handles; /* the first one is the session's own */
    struct seen *seen;
};

struct owning *owning_new(void)
{
    struct owning *owning = own_zeroed(1, sizeof(*owning));

    (void)pthread_mutex_init(&owning->lock, NULL);
    return owning;
}

static char *copy_of(const char *text)
{
    return own_copy(text, strlen(text));
}

static bool is_handle(const char *word)
{
    return strlen(word) == HANDLE_LENGTH &&
           strspn(word, "0123456789abcdef") == HANDLE_LENGTH;
}

static int owner_of(const char *handle, char **out, sbx_error *err)
{
    char *owner = NULL;
    int rc = sbx_computer_owner(handle, &owner, err);

    if (rc < 0)
        return rc;
    *out = copy_of(owner);
    sbx_free(owner);
    return SBX_OK;
}

static bool is_session(const struct call *call)
{
    return (call->era->has & ERA_STATELESS) == 0;
}

static int remember(struct owning *owning, const char *word, sbx_error *err)
{
    struct handle **at = &owning->handles;
    char *owner = NULL;
    size_t count = 0;
    int rc = owner_of(word, &owner, err);

    if (rc < 0)
        return rc;
    (void)pthread_mutex_lock(&owning->lock);
    for (; *at != NULL && strcmp((*at)->word, word) != 0; count++)
        at = &(*at)->next;
    if (*at == NULL && count < MOST_HANDLES) {
        *at = own_zeroed(1, sizeof(**at));
        **at = (struct handle){.word = copy_of(word), .owner = copy_of(owner)};
    }
    (void)pthread_mutex_unlock(&owning->lock);
    free(owner);
    return SBX_OK;
}

static int take_word(struct call *call, const char *word, sbx_error *err)
{
    if (!is_handle(word))
        return fault_fix(
            err, fault(err, SBX_ERR_INVALID, "'%.8s...' is no sandbox_handle", word),
            "pass it as it was told, or leave it out for a computer of your own");
    words_add(&call->handles, word);
    return is_session(call) ? remember(call->server->owning, word, err) : SBX_OK;
}

/* The arguments are the call's own, so a name may end where its handle begins. */
static int split(struct call *call, const tree *value, sbx_error *err)
{
    char *hash = cJSON_IsString(value) ? strchr(value->valuestring, '#') : NULL;

    if (hash == NULL)
        return SBX_OK;
    *hash = '\0';
    return take_word(call, hash + 1, err);
}

int owning_read(struct call *call, const tree *args, sbx_error *err)
{
    const char *handle = tree_text(args, "sandbox_handle");
    const tree *item;
    int rc = handle == NULL ? SBX_OK : take_word(call, handle, err);

    if (rc == SBX_OK)
        rc = split(call, tree_at(args, "sandbox"), err);
    cJSON_ArrayForEach(item, tree_at(args, "sandboxes"))
    {
        if (rc == SBX_OK)
            rc = split(call, item, err);
    }
    return rc;
}

static int draw(char word[HANDLE_LENGTH + 1], sbx_error *err)
{
    unsigned char bytes[HANDLE_BYTES];
    size_t i;

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return fault_errno(err, SBX_ERR_IO, "draw a sandbox_handle");
    for (i = 0; i < sizeof(bytes); i++)
        (void)snprintf(word + 2 * i, 3, "%02x", bytes[i]);
    return SBX_OK;
}

/* Two calls that begin at once have the same. */
static int session_handle(struct owning *owning, char **out, sbx_error *err)
{
    char word[HANDLE_LENGTH + 1];
    int rc = draw(word, err);

    if (rc < 0)
        return rc;
    (void)pthread_mutex_lock(&owning->lock);
    if (owning->handles == NULL) {
        owning->handles = own_zeroed(1, sizeof(*owning->handles));
        owning->handles->word = copy_of(word);
        rc = owner_of(word, &owning->handles->owner, err);
    }
    *out = copy_of(owning->handles->word);
    (void)pthread_mutex_unlock(&owning->lock);
    return rc;
}

int owning_for_new(struct call *call, char **handle, char **owner, sbx_error *err)
{
    char word[HANDLE_LENGTH + 1];
    AUTOFREE char *own = NULL;
    int rc = SBX_OK;

    if (call->handles.count > 0) {
        own = copy_of(call->handles.items[0]);
    } else if (is_session(call)) {
        rc = session_handle(call->server->owning, &own, err);
    } else {
        rc = draw(word, err);
        if (rc < 0)
            return rc;
        own = copy_of(word);
        call->handle = copy_of(word);
        words_add(&call->handles, call->handle);
    }
    if (rc == SBX_OK)
        rc = owner_of(own, owner, err);
    if (rc < 0)
        return rc;
    *handle = own;
    own = NULL;
    return SBX_OK;
}

static char *session_handle_of(struct owning *owning, const char *owner)
{
    struct handle *one;
    char *found = NULL;

    (void)pthread_mutex_lock(&owning->lock);
    for (one = owning->handles; one != NULL && found == NULL; one = one->next)
        if (one->owner != NULL && strcmp(one->owner, owner) == 0)
            found = copy_of(one->word);
    (void)pthread_mutex_unlock(&owning->lock);
    return found;
}

char *owning_handle_of(struct call *call, const char *owner)
{
    size_t i;

    for (i = 0; i < call->handles.count; i++) {
        AUTOFREE char *its = NULL;

        if (owner_of(call->handles.items[i], &its, NULL) == SBX_OK &&
            strcmp(its, owner) == 0)
            return copy_of(call->handles.items[i]);
    }
    return is_session(call) ? session_handle_of(call->server->owning, owner) : NULL;
}

bool owning_is_agents(const char *owner)
{
    return strncmp(owner, AGENTS, strlen(AGENTS)) == 0 && strchr(owner, '@') == NULL;
}

/* A person's on this machine may show it all of that, by a mount. */
static bool is_offered(struct call *call, const char *address)
{
    const char *slash = strrchr(address, '/');
    AUTOFREE char *place = own_copy(address, (size_t)(slash - address));
    const sbx_host *host = NULL;
    sbx_error err = {0};

    return fleet_any(call->server->fleet, place, &host, &err) == SBX_OK &&
           fleet_offers(call->server->fleet, host);
}

static int check(struct call *call, const char *address, const char *owner, bool changes,
                 sbx_error *err)
{
    AUTOFREE char *handle = owning_handle_of(call, owner);

    if (handle != NULL)
        return SBX_OK;
    if (owning_is_agents(owner))
        return fault_fix(
            err,
            fault(err, SBX_ERR_CONFLICT, "computer '%s' belongs to another agent",
                  address),
            "pass its sandbox_handle, as who made it was told, or make one of your own");
    if (changes || !is_offered(call, address))
        return fault_fix(err,
                         fault(err, SBX_ERR_CONFLICT, "computer '%s' belongs to %.80s",
                               address, owner),
                         "make one of your own");
    return SBX_OK;
}

int owning_check(struct call *call, const sbx_computer *computer, bool changes,
                 sbx_error *err)
{
    return check(call, computer->address, computer->owner, changes, err);
}

static struct seen **seen_locked(struct owning *owning, const char *address)
{
    struct seen **at = &owning->seen;

    while (*at != NULL && strcmp((*at)->address, address) != 0)
        at = &(*at)->next;
    return at;
}

char *owning_seen(struct call *call, const char *address, bool *permanent)
{
    struct owning *owning = call->server->owning;
    struct seen *one;
    char *owner = NULL;

    (void)pthread_mutex_lock(&owning->lock);
    one = *seen_locked(owning, address);
    if (one != NULL && now_ms() - one->at_ms < KNOWN_MS) {
        owner = copy_of(one->owner);
        *permanent = one->permanent;
    }
    (void)pthread_mutex_unlock(&owning->lock);
    return owner;
}

void owning_note(struct call *call, const sbx_computer *computer, bool held)
{
    struct owning *owning = call->server->owning;
    struct seen **at;

    (void)pthread_mutex_lock(&owning->lock);
    at = seen_locked(owning, computer->address);
    if (*at == NULL) {
        *at = own_zeroed(1, sizeof(**at));
        (*at)->address = copy_of(computer->address);
    }
    free((*at)->owner);
    (*at)->owner = copy_of(computer->owner);
    (*at)->permanent = computer->permanent != 0;
    (*at)->at_ms = now_ms();
    if (held) {
        free((*at)->held);
        (*at)->held = copy_of(computer->instance);
    }
    (void)pthread_mutex_unlock(&owning->lock);
}

bool owning_is_held(struct call *call, const sbx_computer *computer)
{
    struct owning *owning = call->server->owning;
    struct seen *one;
    bool held;

    (void)pthread_mutex_lock(&owning->lock);
    one = *seen_locked(owning, computer->address);
    held = one != NULL && one->held != NULL && strcmp(one->held, computer->instance) == 0;
    (void)pthread_mutex_unlock(&owning->lock);
    return held;
}

void owning_forget(struct call *call, const char *address)
{
    struct owning *owning = call->server->owning;
    struct seen **at;
    struct seen *one;

    (void)pthread_mutex_lock(&owning->lock);
    at = seen_locked(owning, address);
    one = *at;
    if (one != NULL)
        *at = one->next;
    (void)pthread_mutex_unlock(&owning->lock);
    if (one == NULL)
        return;
    free(one->address);
    free(one->owner);
    free(one->held);
    free(one);
}

/* Asks its place. */
static int look(struct call *call, const char *address, char **owner, sbx_error *err)
{
    const sbx_computer_opts opts = {.size = sizeof(opts), .cancel = call->cancel};
    const char *slash = strrchr(address, '/');
    AUTOFREE char *place = own_copy(address, (size_t)(slash - address));
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    sbx_computer *computer = NULL;
    int rc = fleet_any(call->server->fleet, place, &host, err);

    if (rc == SBX_OK)
        rc = fleet_session(call, host, &session, err);
    if (rc == SBX_OK)
        rc = sbx_computer_show(session, slash + 1, &opts, &computer, err);
    if (rc < 0)
        return rc;
    owning_note(call, computer, false);
    *owner = copy_of(computer->owner);
    sbx_computer_free(computer);
    return SBX_OK;
}

int owning_enter(struct call *call, const char *address, sbx_error *err)
{
    bool permanent = false;
    AUTOFREE char *owner = owning_seen(call, address, &permanent);
    int rc = owner != NULL ? SBX_OK : look(call, address, &owner, err);

    return rc < 0 ? rc : check(call, address, owner, false, err);
}
