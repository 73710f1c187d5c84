#include "job/record_reading.h"

#include "base/array.h"

void sbi_reading_text(struct sbi_reading *reading, struct sbi_token line, char **out)
{
    if (sbi_token_text(line, out) < 0)
        reading->no_memory = true;
}

bool sbi_reading_room(struct sbi_reading *reading, void *items, size_t size, size_t count,
                      size_t *room)
{
    if (sbi_array_reserve(items, size, count + 1, room, NULL) < 0)
        reading->no_memory = true;
    return !reading->no_memory;
}

struct sbi_record *sbi_reading_job(struct sbi_reading *reading, struct sbi_token id)
{
    struct sbi_records *records = reading->records;
    size_t first = reading->open == NULL ? 0 : (size_t)(reading->open - records->items);
    size_t i;

    for (i = 0; i < records->count; i++) {
        struct sbi_record *job = &records->items[(first + i) % records->count];

        if (job->id != NULL && sbi_token_is(id, job->id)) {
            reading->open = job;
            return job;
        }
    }
    return NULL;
}
