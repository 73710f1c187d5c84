#include "probe/fields.h"

#include <sandbox/probe.h>

#define ROW(type, key, member, kind)                                                     \
    {                                                                                    \
        key, offsetof(type, member), SBI_FIELD_##kind                                    \
    }
#define END                                                                              \
    {                                                                                    \
        .key = NULL                                                                      \
    }

const struct sbi_field sbi_report_fields[] = {
    ROW(sbx_probe_report, "place", place, TEXT),
    ROW(sbx_probe_report, "taken_at", taken_at_s, NUMBER),
    ROW(sbx_probe_report, "duration_ms", duration_ms, NUMBER),
    ROW(sbx_probe_report, "hostname", hostname, TEXT),
    ROW(sbx_probe_report, "system", system, TEXT),
    ROW(sbx_probe_report, "kernel", kernel, TEXT),
    ROW(sbx_probe_report, "machine", machine, TEXT),
    ROW(sbx_probe_report, "boot_id", boot_id, TEXT),
    ROW(sbx_probe_report, "uptime_s", uptime_s, NUMBER),
    ROW(sbx_probe_report, "clock_skew_ms", clock_skew_ms, NUMBER),
    ROW(sbx_probe_report, "users", users, NUMBER),
    ROW(sbx_probe_report, "scheduler", scheduler, TEXT),
    ROW(sbx_probe_report, "cpu_count", cpu_count, NUMBER),
    ROW(sbx_probe_report, "cpu_limit", cpu_limit_milli, MILLI),
    ROW(sbx_probe_report, "cpu_busy", cpu_busy_milli, MILLI),
    ROW(sbx_probe_report, "load1", load1_milli, MILLI),
    ROW(sbx_probe_report, "load5", load5_milli, MILLI),
    ROW(sbx_probe_report, "load15", load15_milli, MILLI),
    ROW(sbx_probe_report, "memory_total", memory_total, NUMBER),
    ROW(sbx_probe_report, "memory_available", memory_available, NUMBER),
    ROW(sbx_probe_report, "memory_limit", memory_limit, NUMBER),
    ROW(sbx_probe_report, "swap_total", swap_total, NUMBER),
    ROW(sbx_probe_report, "swap_free", swap_free, NUMBER),
    ROW(sbx_probe_report, "cuda", cuda, TEXT),
    END,
};

const struct sbi_field sbi_disk_fields[] = {
    ROW(sbx_probe_disk, "name", name, TEXT),
    ROW(sbx_probe_disk, "path", path, TEXT),
    ROW(sbx_probe_disk, "total", total, NUMBER),
    ROW(sbx_probe_disk, "free", free, NUMBER),
    ROW(sbx_probe_disk, "inodes_total", inodes_total, NUMBER),
    ROW(sbx_probe_disk, "inodes_free", inodes_free, NUMBER),
    END,
};

const struct sbi_field sbi_gpu_fields[] = {
    ROW(sbx_gpu, "vendor", vendor, TEXT),
    ROW(sbx_gpu, "index", index, NUMBER),
    ROW(sbx_gpu, "name", name, TEXT),
    ROW(sbx_gpu, "uuid", uuid, TEXT),
    ROW(sbx_gpu, "bus", bus, TEXT),
    ROW(sbx_gpu, "driver", driver, TEXT),
    ROW(sbx_gpu, "profile", profile, TEXT),
    ROW(sbx_gpu, "fault", fault, TEXT),
    ROW(sbx_gpu, "memory_total", memory_total, NUMBER),
    ROW(sbx_gpu, "memory_used", memory_used, NUMBER),
    ROW(sbx_gpu, "memory_free", memory_free, NUMBER),
    ROW(sbx_gpu, "memory_unseen", memory_unseen, NUMBER),
    ROW(sbx_gpu, "busy_percent", busy_percent, NUMBER),
    ROW(sbx_gpu, "busy_samples", busy_samples, NUMBER),
    ROW(sbx_gpu, "temperature_c", temperature_c, NUMBER),
    ROW(sbx_gpu, "power_w", power_mw, MILLI),
    ROW(sbx_gpu, "power_limit_w", power_limit_mw, MILLI),
    ROW(sbx_gpu, "ecc_errors", ecc_errors, NUMBER),
    ROW(sbx_gpu, "mig", mig, BOOL),
    ROW(sbx_gpu, "unified", unified, BOOL),
    ROW(sbx_gpu, "leased", leased, BOOL),
    ROW(sbx_gpu, "lease_user", lease_user, TEXT),
    ROW(sbx_gpu, "lease_purpose", lease_purpose, TEXT),
    END,
};

const struct sbi_field sbi_process_fields[] = {
    ROW(sbx_gpu_process, "pid", pid, NUMBER),
    ROW(sbx_gpu_process, "user", user, TEXT),
    ROW(sbx_gpu_process, "command", command, TEXT),
    ROW(sbx_gpu_process, "memory", memory, NUMBER),
    ROW(sbx_gpu_process, "graphics", graphics, BOOL),
    END,
};

void sbi_fields_unknown(const struct sbi_field *fields, void *of)
{
    for (; fields->key != NULL; fields++)
        if (fields->kind != SBI_FIELD_TEXT)
            *(int64_t *)(void *)((char *)of + fields->at) = SBX_UNKNOWN;
}

int64_t sbi_field_number(const struct sbi_field *field, const void *of)
{
    return *(const int64_t *)(const void *)((const char *)of + field->at);
}
