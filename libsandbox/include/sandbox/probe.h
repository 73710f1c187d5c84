/*
 * probe.h - how busy the other end is: CPUs, memory, disks, GPUs and who holds them.
 *
 * One probe is one script and one round trip; it takes about half a second, in which
 * the CPUs are looked at twice and the GPU tools run beside. It needs a POSIX sh over
 * there, and uses what else is found.
 *
 * What could not be learnt is unknown, never 0: a number is SBX_UNKNOWN, a text NULL,
 * and `notes` says why. A tool that hangs costs its own part of the report only.
 */
#ifndef SANDBOX_PROBE_H
#define SANDBOX_PROBE_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

/* A number that is not known. */
#define SBX_UNKNOWN INT64_MIN

/* What is looked at, and for how long. Zero is the default of each. */
typedef struct sbx_probe_opts {
    size_t size;
    int64_t sample_ms; /* between the two looks at the CPUs, default 500; 0.1 to 10 s */
    int64_t tool_limit_ms; /* how long nvidia-smi, rocm-smi, amd-smi and df may take,
                              default 5 s, at most 60 s */
    int64_t timeout_ms;    /* of the whole, default sample_ms + tool_limit_ms + 5 s */
    const char *folder;    /* whose disk to tell as "folder"; default: the host's own */
    sbx_cancel *cancel;
} sbx_probe_opts;

/* Why a field is not known: {"gpus[1].memory_free", "[GPU requires reset]"}. */
typedef struct sbx_probe_note {
    const char *field; /* its name in the JSON */
    const char *why;   /* one line */
} sbx_probe_note;

/* Sizes are bytes, here and below. */
typedef struct sbx_probe_disk {
    const char *name; /* "home", "tmp" or "folder" */
    const char *path;
    int64_t total;
    int64_t free; /* to this user */
    int64_t inodes_total;
    int64_t inodes_free;
} sbx_probe_disk;

/* A process that uses a GPU. */
typedef struct sbx_gpu_process {
    int64_t pid;
    int64_t memory;   /* on this GPU */
    const char *user; /* NULL: it is not to be seen, as from within a container */
    const char *command;
    int64_t graphics; /* 1: it draws, and computes nothing */
} sbx_gpu_process;

/* A GPU, or a MIG instance of one. It may grow at its end. */
typedef struct sbx_gpu {
    const char *vendor; /* "nvidia" or "amd" */
    const char *name;
    const char *uuid; /* what CUDA_VISIBLE_DEVICES takes; AMD: the unique id */
    const char *bus;  /* PCI address */
    const char *driver;
    const char *profile; /* of a MIG instance: "3g.40gb" */
    const char *fault;   /* NULL, or why nothing can run on it: "GPU requires reset" */
    int64_t index;       /* among its vendor's, as the tool counts; of MIG, in its GPU */
    int64_t memory_total;
    int64_t memory_used;
    int64_t memory_free;
    int64_t memory_unseen; /* of what is used, what no process that is told of holds */
    int64_t busy_percent;  /* mean of the samples */
    int64_t busy_samples;
    int64_t temperature_c;
    int64_t power_mw;
    int64_t power_limit_mw;
    int64_t ecc_errors; /* uncorrected, since the driver was loaded */
    int64_t mig;        /* 1: split; its instances are what can be used */
    int64_t unified;    /* 1: it has no memory of its own, and memory_* are the host's */
    const struct sbx_gpu *const *instances;
    size_t instance_count;
    const sbx_gpu_process *const *processes;
    size_t process_count;
    int64_t processes_known; /* 0: there may be more, or others */
    int64_t leased;          /* 1: somebody has taken it, see lease.h */
    const char *lease_user;
    const char *lease_purpose;
} sbx_gpu;

/* Owned by the caller, made and freed by the library; it may grow at its end. */
typedef struct sbx_probe_report {
    const char *place;
    const char *hostname;
    const char *system;  /* "Linux" */
    const char *kernel;  /* its release */
    const char *machine; /* "x86_64" */
    const char *boot_id;
    const char *scheduler; /* "slurm", "kubernetes" or "pbs" hands this node out; NULL:
                              none was seen */
    const char *cuda;      /* the newest that the driver takes */
    int64_t taken_at_s;    /* on our clock, since the epoch */
    int64_t duration_ms;
    int64_t uptime_s;
    int64_t clock_skew_ms;   /* theirs less ours, true to half a round trip */
    int64_t users;           /* logged in */
    int64_t cpu_count;       /* that are on line */
    int64_t cpu_limit_milli; /* thousandths of a CPU that we may use: the tightest of
                                all above us, affinity and cgroups */
    int64_t cpu_busy_milli;  /* thousandths of all CPUs, 0 to 1000 */
    int64_t load1_milli;
    int64_t load5_milli;
    int64_t load15_milli;
    int64_t memory_total;
    int64_t memory_available; /* to us, within the tightest limit above us */
    int64_t memory_limit;     /* that limit; memory_total where there is none */
    int64_t swap_total;
    int64_t swap_free;
    const sbx_probe_disk *const *disks;
    size_t disk_count;
    const sbx_gpu *const *gpus;
    size_t gpu_count;
    int64_t gpus_known; /* 1: gpus are all there are; else a note on "gpus" says why */
    const sbx_probe_note *const *notes;
    size_t note_count;
    double idle_score; /* 1: all free, 0: none; docs/gpus.md has the formula */
} sbx_probe_report;

/*
 * Fails where the script could not be run or was cut off before it had told of the
 * machine; what hangs or fails within it is a note, not an error.
 */
SBX_API int sbx_probe(sbx_session *session, const sbx_probe_opts *opts,
                      sbx_probe_report **out, sbx_error *err);

/* Why that field is unknown, or NULL: "cpu_count", "gpus[0].memory_free", "gpus". */
SBX_API const char *sbx_probe_why(const sbx_probe_report *report, const char *field);

/* One object; its keys are in docs/gpus.md. */
SBX_API char *sbx_probe_json(const sbx_probe_report *report);

SBX_API void sbx_probe_report_free(sbx_probe_report *report);

SBX_END_DECLS
#endif
