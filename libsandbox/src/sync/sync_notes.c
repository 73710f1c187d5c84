#include "sync/sync_notes.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define KEPT 10000

static bool is_wanted(const struct sbi_sync_notes *notes, int kind)
{
    return notes->totals[kind] <= KEPT;
}

void sbi_sync_note(struct sbi_sync_notes *notes, int kind, const char *path,
                   const char *reason)
{
    struct sbi_sync_note note = {.kind = kind};

    notes->totals[kind]++;
    if (!is_wanted(notes, kind) ||
        sbi_array_reserve(&notes->items, sizeof(*notes->items), notes->count + 1,
                          &notes->capacity, NULL) < 0)
        return;
    note.path = strdup(path);
    note.reason = strdup(reason);
    if (note.path == NULL || note.reason == NULL) {
        free(note.path);
        free(note.reason);
        return;
    }
    notes->items[notes->count++] = note;
}

void sbi_sync_note_errno(struct sbi_sync_notes *notes, const char *path, int failed)
{
    const char *text = strerrordesc_np(failed);

    sbi_sync_note(notes, SBI_NOTE_FAIL, path, text == NULL ? "it failed" : text);
}

void sbi_sync_note_lines(struct sbi_sync_notes *notes, const char *lines)
{
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        char line[512];

        if (length > 0 && strncmp(lines, "sbx1 ", 5) != 0) {
            size_t kept = length < sizeof(line) ? length : sizeof(line) - 1;

            memcpy(line, lines, kept);
            line[kept] = '\0';
            sbi_sync_note(notes, SBI_NOTE_FAIL, "", line);
        }
        lines += length + (lines[length] == '\n');
    }
}

void sbi_sync_notes_clear(struct sbi_sync_notes *notes)
{
    size_t i;

    for (i = 0; i < notes->count; i++) {
        free(notes->items[i].path);
        free(notes->items[i].reason);
    }
    free(notes->items);
    *notes = (struct sbi_sync_notes){0};
}
