/* record_alive.c - which processes were alive over there. */
#include "job/record_reading.h"

#include <string.h>

#define MOST_PROCESSES (4 * SBI_RECORD_MOST)
#define STAT_SINCE 19 /* fields between the state and the start, in /proc/PID/stat */

static void add_alive(struct sbi_reading *reading, int64_t pid, struct sbi_token since)
{
    struct sbi_records *records = reading->records;

    if (records->alive_count == MOST_PROCESSES || pid <= 0)
        return;
    if (!sbi_reading_room(reading, &records->alive, sizeof(records->alive[0]),
                          records->alive_count, &records->alive_room))
        return;
    records->alive[records->alive_count].pid = pid;
    sbi_token_copy(since, records->alive[records->alive_count].since, SBI_RECORD_WORD);
    records->alive_count++;
}

/* A line of /proc/PID/stat: the command's name is in parentheses and may hold any. */
void sbi_reading_stat(struct sbi_reading *reading, struct sbi_token line)
{
    const char *last = line.end;
    int64_t pid = sbi_token_number(&line, 0);
    struct sbi_token word;
    int i;

    while (last > line.at && last[-1] != ')')
        last--;
    if (last == line.at)
        return;
    line.at = last;
    word = sbi_token_word(&line);
    if (sbi_token_is(word, "Z") || sbi_token_is(word, "X"))
        return;
    for (i = 0; i < STAT_SINCE; i++)
        word = sbi_token_word(&line);
    add_alive(reading, pid, word);
}

/* "ps PID STATE Sun Nov 29 22:00:00 2026": the start is one word, with '_' between. */
void sbi_reading_ps(struct sbi_reading *reading, struct sbi_token line)
{
    int64_t pid = sbi_token_number(&line, 0);
    struct sbi_token state = sbi_token_word(&line), word;
    char since[SBI_RECORD_WORD];
    size_t length = 0;

    if (state.at == state.end || *state.at == 'Z')
        return;
    for (word = sbi_token_word(&line); word.at < word.end; word = sbi_token_word(&line)) {
        size_t more = (size_t)(word.end - word.at);

        if (length + more + 1 >= sizeof(since))
            return;
        if (length > 0)
            since[length++] = '_';
        memcpy(since + length, word.at, more);
        length += more;
    }
    add_alive(reading, pid, (struct sbi_token){since, since + length});
}

void sbi_reading_end(struct sbi_reading *reading)
{
    struct sbi_records *records = reading->records;

    if (records->alive_count > 0)
        qsort(records->alive, records->alive_count, sizeof(records->alive[0]),
              sbi_record_by_pid);
}
