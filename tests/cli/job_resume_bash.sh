# job_resume_bash.sh - job_resume.sh, where the place's shell is bash.
SBX_TEST_SHELL=bash exec sh "$(dirname "$0")/job_resume.sh"
