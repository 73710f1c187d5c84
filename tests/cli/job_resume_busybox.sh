# job_resume_busybox.sh - job_resume.sh, where the place's shell is that of BusyBox, and its tools.
SBX_TEST_SHELL=busybox exec sh "$(dirname "$0")/job_resume.sh"
