/* checks.h - what was gathered of a place, judged by a table of checks. */
#ifndef SANDBOX_DOCTOR_CHECKS_H
#define SANDBOX_DOCTOR_CHECKS_H

#include "doctor/finding.h"
#include "doctor/gather.h"

#include <sandbox/doctor.h>

size_t sbi_check_count(void);

/* Fills in one finding for each check, in order. */
void sbi_check_all(const struct sbi_gathered *gathered, struct sbi_finding *findings);

typedef void (*sbi_judge_fn)(const struct sbi_gathered *gathered,
                             struct sbi_finding *finding);

/* In check_way.c: the way there. Those of the login may be asked without facts. */
void sbi_judge_config(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_address(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_route(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_port(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_jump(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_banner(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_kex(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_host_key(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_auth(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_connect(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_latency(const struct sbi_gathered *gathered, struct sbi_finding *finding);

/* In check_host.c: the account and the machine. */
void sbi_judge_shell(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_noise(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_terminal(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_user(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_system(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_clock(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_load(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_home(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_tmp(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_sessions(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_forwarding(const struct sbi_gathered *gathered,
                          struct sbi_finding *finding);

void sbi_judge_agent(const struct sbi_gathered *gathered, struct sbi_finding *finding);

/* In check_tools.c: what is installed, and whether it works. */
void sbi_judge_tools(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_tmux(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_linger(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_kill(const struct sbi_gathered *gathered, struct sbi_finding *finding);
void sbi_judge_containers(const struct sbi_gathered *gathered,
                          struct sbi_finding *finding);
void sbi_judge_gpu(const struct sbi_gathered *gathered, struct sbi_finding *finding);

/* For these: the first of what a task printed, or "it printed nothing". */
const char *sbi_task_words(const struct sbi_gathered *gathered, const char *task);

#endif
