#include "job/record_reading.h"

#include <stdlib.h>

void sbi_reading_text(struct sbi_reading *reading, struct sbi_token line, char **out)
{
    if (sbi_token_text(line, out) < 0)
        reading->no_memory = true;
}

void *sbi_reading_grown(struct sbi_reading *reading, void *array, size_t count,
                        size_t size)
{
    void *larger;

    if ((count & (count - 1)) != 0)
        return array;
    larger = realloc(array, (count == 0 ? 1 : count * 2) * size);
    if (larger == NULL)
        reading->no_memory = true;
    return larger;
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
