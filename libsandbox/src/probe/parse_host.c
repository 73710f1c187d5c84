/* parse_host.c - the machine itself: CPUs, memory, load, users; Linux and the BSDs. */
#include "probe/parse.h"

#include "probe/value.h"

#include <string.h>

#define LINE 512
#define MOST_USERS 64

/* The value behind KEY and one of ": ", "=" and " = ", or NULL. */
static const char *find(const char *body, const char *key, char line[LINE])
{
    size_t length = strlen(key);

    while (body != NULL && sbi_next_line(&body, line, LINE))
        if (strncmp(line, key, length) == 0 && strchr(":= ", line[length]) != NULL &&
            line[length] != '\0')
            return line + length + strspn(line + length, ":= ");
    return NULL;
}

static const char *body_of(const struct sbi_sections *sections, const char *name)
{
    size_t i;

    for (i = 0; i < sections->count; i++)
        if (strcmp(sections->list[i].name, name) == 0)
            return sections->list[i].body;
    return NULL;
}

static int64_t number_at(const char *text, int unit)
{
    int64_t number;

    return text != NULL && sbi_value(text, unit, &number) ? number : SBX_UNKNOWN;
}

static int64_t sum(const int64_t *numbers, size_t count)
{
    int64_t total = 0;

    while (count > 0)
        total += numbers[--count];
    return total;
}

bool sbi_parse_clock(const struct sbi_sections *sections, int64_t *out)
{
    const char *text = sbi_section_value(sections, "clock");
    int64_t numbers[2] = {0};

    if (text == NULL || sbi_parse_numbers(text, numbers, 2) == 0 || numbers[0] < 1)
        return false;
    *out = numbers[0] * 1000 + (numbers[1] < 1000000000 ? numbers[1] / 1000000 : 0);
    return true;
}

size_t sbi_parse_numbers(const char *text, int64_t *out, size_t most)
{
    size_t count = 0;

    for (text += strcspn(text, "0123456789"); *text != '\0' && count < most;
         text += strcspn(text, "0123456789")) {
        int64_t number = 0;

        for (; *text >= '0' && *text <= '9'; text++)
            if (number < (int64_t)1 << 53)
                number = number * 10 + (*text - '0');
        out[count++] = number;
    }
    return count;
}

int64_t sbi_parse_cpu_list(const char *text)
{
    int64_t count = 0, range[2];
    size_t length;
    char part[64];

    for (; *text != '\0'; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        if (length == 0 || length >= sizeof(part))
            return 0;
        memcpy(part, text, length);
        part[length] = '\0';
        switch (sbi_parse_numbers(part, range, 2)) {
        case 1:
            count++;
            break;
        case 2:
            if (range[1] < range[0] || range[1] > 1 << 20)
                return 0;
            count += range[1] - range[0] + 1;
            break;
        default:
            return 0;
        }
    }
    return count;
}

/*
 * The busy and all ticks of "cpu  user nice system idle iowait ...", where guest time
 * is in user's already, or of kern.cp_time, where what comes last is idle.
 */
static bool read_ticks(const char *text, int64_t *busy, int64_t *all)
{
    int64_t numbers[10];
    size_t count = sbi_parse_numbers(text, numbers, 10);
    bool linux_like = strncmp(text, "cpu", 3) == 0;

    if (count < 4)
        return false;
    *all = sum(numbers, count < 8 ? count : 8);
    *busy = *all - numbers[linux_like ? 3 : count - 1];
    if (linux_like && count > 4)
        *busy -= numbers[4];
    return true;
}

static void read_busy(struct sbi_report *report, const struct sbi_sections *sections)
{
    int64_t busy[2], all[2], columns[3];
    const char *iostat = sbi_section_value(sections, "iostat");
    size_t i, seen = 0;

    for (i = 0; i < sections->count && seen < 2; i++)
        if (strcmp(sections->list[i].name, "cpu") == 0 &&
            read_ticks(sections->list[i].value, &busy[seen], &all[seen]))
            seen++;
    if (seen == 2 && all[1] > all[0] && busy[1] >= busy[0] &&
        busy[1] - busy[0] <= all[1] - all[0])
        report->public.cpu_busy_milli = (busy[1] - busy[0]) * 1000 / (all[1] - all[0]);
    else if (iostat != NULL && sbi_parse_numbers(iostat, columns, 3) == 3 &&
             columns[2] <= 100)
        report->public.cpu_busy_milli = (100 - columns[2]) * 10;
    else
        sbi_report_note(report, "", "cpu_busy", "nothing there counts what CPUs do");
}

static void read_names(struct sbi_report *report, const struct sbi_sections *sections)
{
    sbx_probe_report *public = &report->public;
    const char *uname = sbi_section_value(sections, "uname");
    char line[LINE], *words[3] = {NULL}, *rest = line;
    size_t i;

    public->system = sbi_report_text(report, sbi_section_value(sections, "system"));
    public->kernel = sbi_report_text(report, sbi_section_value(sections, "kernel"));
    public->machine = sbi_report_text(report, sbi_section_value(sections, "machine"));
    public->hostname = sbi_report_text(report, sbi_section_value(sections, "hostname"));
    public->scheduler = sbi_report_text(report, sbi_section_value(sections, "scheduler"));
    public->boot_id = sbi_report_text(report, sbi_section_value(sections, "boot"));
    if (uname == NULL || !sbi_next_line(&uname, line, sizeof(line)))
        return;
    for (i = 0; i < 3; i++)
        words[i] = strsep(&rest, " ");
    public->hostname = sbi_report_text(report, words[0]);
    public->kernel = sbi_report_text(report, words[1]);
    public->machine = sbi_report_text(report, words[2]);
}

/* "1.05 0.98 0.90 2/345 6789", or "{ 1.05 0.98 0.90 }". */
static void read_load(struct sbi_report *report, const char *text)
{
    int64_t *const loads[] = {&report->public.load1_milli, &report->public.load5_milli,
                              &report->public.load15_milli};
    char copy[LINE], *rest = copy, *word;
    size_t i = 0;

    if (text == NULL || !sbi_next_line(&text, copy, sizeof(copy)))
        return;
    while (i < 3 && (word = strsep(&rest, " {}")) != NULL)
        if (word[0] != '\0' && sbi_value(word, SBI_UNIT_MILLI, loads[i]))
            i++;
}

static void read_users(struct sbi_report *report, const char *who)
{
    char users[MOST_USERS][64];
    char line[LINE];
    size_t count = 0, i;

    if (who == NULL) {
        sbi_report_note(report, "", "users", "no who(1) there");
        return;
    }
    while (sbi_next_line(&who, line, sizeof(line)) && count < MOST_USERS) {
        line[strcspn(line, " ")] = '\0';
        line[sizeof(users[0]) - 1] = '\0';
        for (i = 0; i < count && strcmp(users[i], line) != 0;)
            i++;
        if (i == count && line[0] != '\0')
            memcpy(users[count++], line, strlen(line) + 1);
    }
    report->public.users = (int64_t)count;
}

static int64_t kibibytes(const char *meminfo, const char *key)
{
    char line[LINE];
    int64_t number = number_at(find(meminfo, key, line), SBI_UNIT_COUNT);

    return number == SBX_UNKNOWN || number > (int64_t)1 << 42 ? SBX_UNKNOWN
                                                              : number * 1024;
}

static void read_meminfo(sbx_probe_report *public, const char *body)
{
    static const char *const parts[] = {"MemFree", "Buffers", "Cached"};
    int64_t part, whole = 0;
    size_t i;

    public->memory_total = kibibytes(body, "MemTotal");
    public->memory_available = kibibytes(body, "MemAvailable");
    public->swap_total = kibibytes(body, "SwapTotal");
    public->swap_free = kibibytes(body, "SwapFree");
    for (i = 0; i < 3; i++) { /* kernels before 3.14 do not tell what is available */
        part = kibibytes(body, parts[i]);
        whole = part == SBX_UNKNOWN || whole == SBX_UNKNOWN ? SBX_UNKNOWN : whole + part;
    }
    if (public->memory_available == SBX_UNKNOWN)
    public->memory_available = whole;
}

/* The sum of a counter of pages under several names; unknown where none is there. */
static int64_t pages(const char *body, const char *const *keys)
{
    int64_t total = SBX_UNKNOWN, number;
    char line[LINE];
    const char *text;

    for (; *keys != NULL; keys++) {
        text = find(body, *keys, line);
        if (text == NULL || sbi_parse_numbers(text, &number, 1) == 0)
            continue;
        total = (total == SBX_UNKNOWN ? 0 : total) + number;
    }
    return total;
}

static void read_bsd_memory(sbx_probe_report *public, const char *sysctl,
                            const char *vm_stat)
{
    static const char *const totals[] = {"hw.memsize", "hw.physmem64", "hw.physmem"};
    static const char *const mac[] = {"Pages free", "Pages inactive", "Pages speculative",
                                      NULL};
    static const char *const free_bsd[] = {"vm.stats.vm.v_free_count",
                                           "vm.stats.vm.v_inactive_count",
                                           "vm.stats.vm.v_cache_count", NULL};
    int64_t count, size;
    char line[LINE];
    const char *text;
    size_t i;

    for (i = 0; i < 3 && public->memory_total == SBX_UNKNOWN; i++)
    public->memory_total = number_at(find(sysctl, totals[i], line), SBI_UNIT_BYTES);
    size = number_at(find(sysctl, "hw.pagesize", line), SBI_UNIT_COUNT);
    text = vm_stat == NULL ? NULL : strstr(vm_stat, "page size of ");
    if (text != NULL)
        (void)sbi_parse_numbers(text, &size, 1);
    count = pages(sysctl, free_bsd);
    if (count == SBX_UNKNOWN)
        count = pages(vm_stat, mac);
    if (count != SBX_UNKNOWN && size > 0 && size <= 1 << 20 && count < (int64_t)1 << 32)
    public->memory_available = count * size;
}

static void read_bsd(struct sbi_report *report, const char *sysctl, const char *vm_stat,
                     int64_t now_s)
{
    sbx_probe_report *public = &report->public;
    char line[LINE], *at;
    const char *text;
    int64_t boot;

    read_bsd_memory(public, sysctl, vm_stat);
    read_load(report, find(sysctl, "vm.loadavg", line));
    if (public->boot_id == NULL)
    public->boot_id = sbi_report_text(report, find(sysctl, "kern.bootsessionuuid", line));
    text = find(sysctl, "kern.boottime", line);
    if (text != NULL && sbi_parse_numbers(text, &boot, 1) == 1 && boot <= now_s &&
        boot > 1000000000)
    public->uptime_s = now_s - boot;
    text = find(sysctl, "vm.swapusage", line);
    at = text == NULL ? NULL : strstr(line, "total = ");
    if (at != NULL)
    public->swap_total = number_at(strsep((char *[]){at + 8}, " "), SBI_UNIT_BYTES);
    text = find(sysctl, "vm.swapusage", line);
    at = text == NULL ? NULL : strstr(line, "free = ");
    if (at != NULL)
    public->swap_free = number_at(strsep((char *[]){at + 7}, " "), SBI_UNIT_BYTES);
}

static void read_cpus(struct sbi_report *report, const struct sbi_sections *sections)
{
    const char *online = sbi_section_value(sections, "online");
    const char *cpus = sbi_section_value(sections, "cpus");
    const char *allowed = sbi_section_value(sections, "allowed");
    int64_t count = online != NULL ? sbi_parse_cpu_list(online) : 0;

    if (count == 0)
        count = number_at(cpus, SBI_UNIT_COUNT);
    if (count < 1 || count > 1 << 20) {
        sbi_report_note(report, "", "cpu_count",
                        "neither /sys, getconf nor nproc tells it");
        sbi_report_note(report, "", "cpu_limit", "the number of CPUs is not known");
        return;
    }
    report->public.cpu_count = count;
    report->public.cpu_limit_milli = count * 1000;
    count = allowed == NULL ? 0 : sbi_parse_cpu_list(allowed);
    if (count > 0 && count < report->public.cpu_count)
        report->public.cpu_limit_milli = count * 1000;
}

void sbi_parse_host(struct sbi_report *report, const struct sbi_sections *sections)
{
    sbx_probe_report *public = &report->public;
    const char *uptime = sbi_section_value(sections, "uptime");
    const char *meminfo = body_of(sections, "meminfo");
    const char *sysctl = body_of(sections, "sysctl");
    int64_t clock_ms = 0, uptime_s;

    (void)sbi_parse_clock(sections, &clock_ms);
    read_names(report, sections);
    read_cpus(report, sections);
    read_busy(report, sections);
    read_load(report, sbi_section_value(sections, "load"));
    read_users(report, body_of(sections, "who"));
    if (uptime != NULL && sbi_parse_numbers(uptime, &uptime_s, 1) == 1)
    public->uptime_s = uptime_s;
    if (meminfo != NULL)
        read_meminfo(public, meminfo);
    else if (sysctl != NULL)
        read_bsd(report, sysctl, body_of(sections, "vm_stat"), clock_ms / 1000);
    if (public->memory_total == SBX_UNKNOWN)
        sbi_report_note(report, "", "memory_total",
                        "neither /proc/meminfo nor sysctl tells it");
    if (public->memory_available == SBX_UNKNOWN)
        sbi_report_note(report, "", "memory_available",
                        "neither /proc/meminfo, sysctl nor vm_stat tells it");
    public->memory_limit = public->memory_total;
}
