#include "prompt.h"

#include "interrupt.h"
#include "out.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* One byte: 1, 0 at the end, -1 on an error or after a Ctrl-C. */
static int read_byte(int fd, char *byte)
{
    struct pollfd ready[] = {
        {.fd = fd, .events = POLLIN},
        {.fd = interrupt_fd(), .events = POLLIN},
    };
    ssize_t n;

    do {
        if (poll(ready, 2, -1) < 0 && errno != EINTR)
            return -1;
        if (interrupt_came())
            return -1;
    } while (ready[0].revents == 0);
    do
        n = read(fd, byte, 1);
    while (n < 0 && errno == EINTR && !interrupt_came());
    return (int)n;
}

/* A line without its end. -1: none came, or it has no room. */
static int read_line(int fd, char *line, size_t room)
{
    size_t length = 0;
    char byte = '\0';
    int rc;

    while ((rc = read_byte(fd, &byte)) > 0 && byte != '\n') {
        if (length + 1 >= room)
            return -1;
        line[length++] = byte;
    }
    if (rc < 0 || (rc == 0 && length == 0))
        return -1;
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    return 0;
}

/* The question comes from a server: only its text reaches the terminal. */
static void add_question(struct text *line, const char *question)
{
    size_t length = strlen(question);
    size_t i;

    for (i = 0; i < length; i++)
        text_addf(line, "%c", (unsigned char)question[i] < 0x20 ? ' ' : question[i]);
    if (length > 0 && question[length - 1] != ' ')
        text_add(line, strchr(":?", question[length - 1]) != NULL ? " " : ": ");
}

static int ask_terminal(int fd, const char *question, int echo, char *answer, size_t room)
{
    AUTO_TEXT line = {0};
    bool silent;
    int rc;

    add_question(&line, question);
    silent = !echo && terminal_set_silent(fd);
    if (!echo && !silent)
        return -1;
    rc = out_write(fd, line.data, line.length) == 0 ? read_line(fd, answer, room) : -1;
    if (silent) {
        terminal_restore();
        (void)out_write(fd, "\n", 1);
    }
    return rc;
}

static int start_program(const char *path, const char *question, int output, pid_t *pid)
{
    char *argv[] = {own_copy(path, strlen(path)), own_copy(question, strlen(question)),
                    NULL};
    posix_spawn_file_actions_t files;
    int rc = posix_spawn_file_actions_init(&files);

    if (rc == 0) {
        rc = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
        if (rc == 0)
            rc = posix_spawnp(pid, path, &files, NULL, argv, environ);
        (void)posix_spawn_file_actions_destroy(&files);
    }
    free(argv[0]);
    free(argv[1]);
    return rc == 0 ? 0 : -1;
}

static int ask_program(const char *path, const char *question, char *answer, size_t room)
{
    int ends[2];
    int status = -1;
    int rc;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    rc = start_program(path, question, ends[1], &pid);
    (void)close(ends[1]);
    if (rc == 0) {
        rc = read_line(ends[0], answer, room);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    (void)close(ends[0]);
    return rc == 0 && status == 0 ? 0 : -1;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

/* As ssh(1) reads SSH_ASKPASS_REQUIRE: "never", "prefer", "force". */
static bool program_wanted(bool have_terminal)
{
    const char *require = getenv("SSH_ASKPASS_REQUIRE");

    if (require == NULL)
        require = "";
    if (!is_set("SSH_ASKPASS") || strcmp(require, "never") == 0)
        return false;
    if (strcmp(require, "force") == 0)
        return true;
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
        return false;
    return !have_terminal || strcmp(require, "prefer") == 0;
}

static int ask(const char *question, int echo, char *answer, size_t room)
{
    AUTOCLOSE int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

    if (program_wanted(terminal >= 0))
        return ask_program(getenv("SSH_ASKPASS"), question, answer, room);
    return terminal < 0 ? -1 : ask_terminal(terminal, question, echo, answer, room);
}

int prompt_ask(const char *question, int echo, char *answer, size_t room, void *userdata)
{
    int rc;

    (void)userdata;
    if (room == 0)
        return -1;
    (void)pthread_mutex_lock(&one_at_a_time);
    rc = interrupt_came() ? -1 : ask(question, echo, answer, room);
    (void)pthread_mutex_unlock(&one_at_a_time);
    return rc;
}
