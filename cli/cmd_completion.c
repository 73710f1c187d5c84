/* cmd_completion.c - `completion`: the scripts that let a shell complete our words. */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

/*
 * <P> stands for the program's name, <F> for that name as part of a function's. The
 * scripts know nothing of commands and options: they ask `__complete` each time.
 */
static const struct {
    const char *shell;
    const char *script;
} scripts[] = {
    {"bash",
     "# bash completion of <P>:  source <(<P> completion bash)\n"
     "_<F>_files()\n"
     "{\n"
     "    local name names=()\n"
     "    while IFS= read -r name; do\n"
     "        names+=(\"$name\")\n"
     "    done < <(compgen \"$1\" -- \"$2\")\n"
     "    (( ${#names[@]} )) || return\n"
     "    # readline quotes what it holds for a file: not where a place stands beside\n"
     "    (( ${#COMPREPLY[@]} )) || compopt -o filenames\n"
     "    COMPREPLY+=(\"${names[@]}\")\n"
     "}\n"
     "_<F>_complete()\n"
     "{\n"
     "    local line=${COMP_LINE:0:COMP_POINT} word candidate strip= words=()\n"
     "    local IFS=$' \\t\\n'\n"
     "    read -ra words <<<\"$line\"\n"
     "    [[ $line == *[[:space:]] ]] && words+=('')\n"
     "    word=${words[${#words[@]} - 1]}\n"
     "    # readline replaces only what is behind the last of these; '@' it keeps\n"
     "    [[ $word == *[=:]* ]] && strip=${word%\"${word##*[=:]}\"}\n"
     "    [[ ${word#\"$strip\"} == ?*@* ]] && strip=${word%@*}\n"
     "    COMPREPLY=()\n"
     "    while IFS=$'\\t' read -r candidate _; do\n"
     "        case $candidate in\n"
     "        :file) _<F>_files -f \"${word#\"$strip\"}\" ;;\n"
     "        :dir) _<F>_files -d \"${word#\"$strip\"}\" ;;\n"
     "        :command) compopt -o default ;;\n"
     "        *)\n"
     "            [[ $candidate == *: ]] && compopt -o nospace\n"
     "            COMPREPLY+=(\"${candidate#\"$strip\"}\")\n"
     "            ;;\n"
     "        esac\n"
     "    done < <(\"$1\" __complete -- \"${words[@]:1}\" 2>/dev/null)\n"
     "}\n"
     "complete -F _<F>_complete <P>\n"},
    {"zsh", "#compdef <P>\n"
            "# zsh completion of <P>:  source <(<P> completion zsh)\n"
            "_<F>() {\n"
            "    local line\n"
            "    local -a shown plain behind\n"
            "    local answer typed=(\"${(@)words[2,CURRENT]}\")\n"
            "    answer=$($words[1] __complete -- \"${(@)typed}\" 2>/dev/null)\n"
            "    for line in ${(f)answer}; do\n"
            "        case $line in\n"
            "        :file) _files ;;\n"
            "        :dir) _files -/ ;;\n"
            "        :command) _default ;;\n"
            "        *)\n"
            "            plain+=(\"${line%%$'\\t'*}\")\n"
            "            [[ $line == *: ]] && behind=(-S '')\n"
            "            shown+=(\"${line/$'\\t'/  -- }\")\n"
            "            ;;\n"
            "        esac\n"
            "    done\n"
            "    (( $#plain )) && compadd $behind -l -d shown -a plain\n"
            "}\n"
            "if [[ $funcstack[1] == _<F> ]]; then\n"
            "    _<F> \"$@\"\n"
            "else\n"
            "    compdef _<F> <P>\n"
            "fi\n"},
    {"fish",
     "# fish completion of <P>:  <P> completion fish | source\n"
     "function __<F>_complete\n"
     "    set -l words (commandline -opc)\n"
     "    set -l current (commandline -ct)\n"
     "    for line in ($words[1] __complete -- $words[2..-1] $current 2>/dev/null)\n"
     "        switch $line\n"
     "            case ':file' ':command'\n"
     "                __fish_complete_path (commandline -ct)\n"
     "            case ':dir'\n"
     "                __fish_complete_directories (commandline -ct)\n"
     "            case '*'\n"
     "                echo $line\n"
     "        end\n"
     "    end\n"
     "end\n"
     "complete -c <P> -f -a '(__<F>_complete)'\n"},
};

/* What a function's name may not hold becomes '_'. */
static void add_identifier(struct text *out, const char *name)
{
    for (; *name != '\0'; name++) {
        bool good = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                    (*name >= '0' && *name <= '9');

        text_addf(out, "%c", good ? *name : '_');
    }
}

static void add_script(struct text *out, const char *script, const char *program)
{
    const char *mark;

    while ((mark = strchr(script, '<')) != NULL) {
        bool is_name = strncmp(mark, "<P>", 3) == 0;
        bool is_identifier = strncmp(mark, "<F>", 3) == 0;

        text_add_bytes(out, script, (size_t)(mark - script));
        if (is_name)
            text_add(out, program);
        else if (is_identifier)
            add_identifier(out, program);
        else
            text_add(out, "<");
        script = mark + (is_name || is_identifier ? 3 : 1);
    }
    text_add(out, script);
}

static int run_completion(struct app *app, const void *values,
                          const struct words *operands)
{
    const char *shell = operands->items[0];
    AUTO_TEXT out = {0};
    size_t i;

    (void)values;
    for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
        if (strcmp(scripts[i].shell, shell) == 0)
            add_script(&out, scripts[i].script, app->program);
    if (out.data == NULL)
        return app_misused(app, "shell '%s': not 'bash', 'zsh' or 'fish'", shell);
    (void)fputs(out.data, stdout);
    return 0;
}

const struct cmd cmd_completion = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .help = "Print a script that completes commands, options and places",
    .examples = "completion bash > ~/.local/share/bash-completion/completions/<P>\n"
                "completion zsh > ~/.zfunc/_<P>\n"
                "completion fish > ~/.config/fish/completions/<P>.fish",
    .options = cmd_no_options,
    .least = 1,
    .most = 1,
    .operand = "SHELL",
    .completes = "bash zsh fish",
    .run = run_completion,
};
