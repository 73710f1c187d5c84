/*
 * engine_serve.c - the thread that serves one container: it takes up new execs, brings
 * each on as far as it goes, and sleeps until a wire, a bell or a clock wants it.
 */
#include "transport/engine_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/wake.h"

#define FDS_EACH 16

/* What it sleeps on. */
struct sleep {
    struct pollfd *fds;
    size_t count;
    size_t room;
    int64_t until;
};

static void take_incoming(struct sbi_engine *engine)
{
    struct sbi_engine_process *process, *next;

    for (process = SBI_STEAL(engine->incoming); process != NULL; process = next) {
        next = process->next;
        process->next = engine->processes;
        engine->processes = process;
    }
}

/* A process that is let go of closes its connections, and with them its input. */
static void step_all(struct sbi_engine *engine)
{
    struct sbi_engine_process **at = &engine->processes;
    struct sbi_engine_process *process;

    while ((process = *at) != NULL) {
        if (!process->abandoned)
            sbi_engine_process_step(process);
        if (process->abandoned) {
            *at = process->next;
            sbi_engine_process_destroy(process);
        } else {
            at = &process->next;
        }
    }
}

static bool make_room(struct sleep *sleep, size_t count)
{
    struct pollfd *grown;

    if (count <= sleep->room)
        return true;
    grown = reallocarray(sleep->fds, count, sizeof(*grown));
    if (grown == NULL)
        return false;
    sleep->fds = grown;
    sleep->room = count;
    return true;
}

/* Without memory it looks at what fits; the rest waits for the next turn. */
static void prepare(struct sbi_engine *engine, struct sleep *sleep)
{
    struct sbi_engine_process *process;
    int64_t due;

    sleep->fds[0] = (struct pollfd){engine->wake, POLLIN, 0};
    sleep->count = 1;
    sleep->until = SBI_NEVER;
    for (process = engine->processes; process != NULL; process = process->next) {
        if (!make_room(sleep, sleep->count + FDS_EACH)) {
            sleep->until = sbi_deadline(100);
            return;
        }
        sleep->count +=
            sbi_engine_process_poll(process, sleep->fds + sleep->count, FDS_EACH);
        due = sbi_engine_process_due(process);
        if (due < sleep->until)
            sleep->until = due;
    }
}

static void detach_all(struct sbi_engine *engine)
{
    struct sbi_engine_process *process, *next;

    engine->stopped = true;
    for (process = SBI_STEAL(engine->processes); process != NULL; process = next) {
        next = process->next;
        sbi_engine_process_detach(process);
    }
    sbi_engine_call_clear(&engine->idle);
}

void *sbi_engine_serve(void *userdata)
{
    struct sbi_engine *engine = userdata;
    struct sleep sleep = {.fds = NULL};
    bool stopping = !make_room(&sleep, 1 + FDS_EACH);

    while (!stopping) {
        sbi_wake_hush(engine->wake);
        sbi_engine_lock(engine);
        take_incoming(engine);
        step_all(engine);
        stopping = engine->stopping;
        prepare(engine, &sleep);
        sbi_engine_unlock(engine);
        if (!stopping)
            (void)poll(sleep.fds, sleep.count, sbi_left_ms(sleep.until));
    }
    sbi_engine_lock(engine);
    take_incoming(engine);
    detach_all(engine);
    sbi_engine_unlock(engine);
    free(sleep.fds);
    sbi_engine_release(engine);
    return NULL;
}
