/* fuzz_main.c - feeds a corpus, and what lies near it, to a fuzz target. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)1 << 20)
#define MUTATIONS 300
#define CUTS 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An exact copy on the heap, so that a byte read past its end is seen. */
static void feed(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* The same row of numbers in every run: a failure comes again. */
static uint32_t next_number(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void feed_cuts(const uint8_t *data, size_t size)
{
    size_t step = size / CUTS + 1;
    size_t length;

    for (length = 0; length < size; length += step)
        feed(data, length);
}

static void feed_mutations(uint8_t *data, size_t size)
{
    static const uint8_t hard[] = {0, '\n', '\r', '"', '\\', '\'', '%', 0x7f, 0x80, 0xff};
    uint32_t state = 2463534242u;
    int i;

    for (i = 0; i < MUTATIONS && size > 0; i++) {
        uint8_t *at = &data[next_number(&state) % size];
        uint8_t was = *at;
        uint32_t pick = next_number(&state);

        *at = i % 2 == 0 ? hard[pick % sizeof(hard)] : (uint8_t)pick;
        feed(data, size);
        *at = was;
    }
}

static int feed_file(const char *path)
{
    static uint8_t data[FILE_LIMIT];
    FILE *file = fopen(path, "rbe");
    size_t size;

    if (file == NULL)
        return -1;
    size = fread(data, 1, sizeof(data), file);
    fclose(file);
    feed(data, size);
    feed_cuts(data, size);
    feed_mutations(data, size);
    return 0;
}

static int feed_folder(DIR *folder, const char *name)
{
    char path[4096];
    struct dirent *entry;
    int count = 0;

    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", name, entry->d_name);
        if (feed_file(path) < 0) {
            fprintf(stderr, "cannot read '%s'\n", path);
            return -1;
        }
        count++;
    }
    return count;
}

int main(int argc, char **argv)
{
    DIR *folder;
    int count;

    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    folder = opendir(argv[1]);
    if (folder == NULL) {
        fprintf(stderr, "cannot open '%s': errno %d\n", argv[1], errno);
        return 1;
    }
    count = feed_folder(folder, argv[1]);
    closedir(folder);
    printf("%d files of the corpus\n", count);
    return count > 0 ? 0 : 1;
}
