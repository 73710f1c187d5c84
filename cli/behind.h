/* behind.h - a command that goes on behind the scenes once it has got going. */
#ifndef CLI_BEHIND_H
#define CLI_BEHIND_H

/*
 * Calls work in a child on the same terminal, where it can ask what is to be asked, and
 * returns 0 once that calls behind_go, else with its status. Before any thread is there.
 */
int behind(int (*work)(int *word, void *userdata), void *userdata);

/* Tells the parent, and lets go of the terminal. *word is -1, or what work was given. */
void behind_go(int *word);

#endif
