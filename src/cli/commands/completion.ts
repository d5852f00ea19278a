import { serverFlags } from '../serverSettings';
import type { Command } from './Command';
import { UsageError } from './Command';
import { settings } from './commandSettings';

/** Shell functions for completion. `words` are the candidates; without any, file names are completed. */
const shells: Readonly<Record<string, (cases: string) => string>> = {
  bash: (cases): string => `# Completion for bash: source <(css-data-sharing completion bash)
_css_data_sharing() {
  local words='' line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
${cases}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _css_data_sharing css-data-sharing`,
  zsh: (cases): string => `#compdef css-data-sharing
# Completion for zsh: source <(css-data-sharing completion zsh)
_css_data_sharing() {
  local candidates='' line="\${words[2,CURRENT-1]}"
${cases.replaceAll('words=', 'candidates=')}
  compadd -- \${=candidates}
  _files
}
if [ "$funcstack[1]" = _css-data-sharing ]; then
  _css_data_sharing
else
  compdef _css_data_sharing css-data-sharing
fi`,
};

/**
 * Creates the command that prints the completion script for a shell.
 *
 * @param commands - All commands, including this one.
 */
export function completionOf(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Prints the completion of commands and options for bash or zsh.',
    details: `For bash, add to ~/.bashrc: source <(css-data-sharing completion bash)
For zsh, add to ~/.zshrc after compinit: source <(css-data-sharing completion zsh)
or write it as _css-data-sharing into a folder of $fpath.`,
    operands: [ 'bash or zsh' ],
    run: async({ operands: [ shell ], print }): Promise<undefined> => {
      if (!(shell in shells)) {
        throw new UsageError('completion takes bash or zsh');
      }
      for (const line of shells[shell](casesOf(commands())).split('\n')) {
        await print(line);
      }
    },
  };
}

/** Lists the possible next words, for commands of two words first. */
function casesOf(commands: readonly Command[]): string {
  const names = commands.map(({ name }): string => name);
  const flags = serverFlags().map(({ name }): string => name);
  const sorted = [ ...commands ].sort((left, right): number => countWords(right) - countWords(left));
  const groups = new Set(names.map(firstWord).filter((word): boolean => !names.includes(word)));
  const lines = [
    ...sorted.map(({ name, options = {}}): string => {
      const own = dashed(Object.keys({ ...options, ...settings }));
      return oneCase([ name, `${name} *` ], [ ...subcommandsOf(name, names), ...own ]);
    }),
    ...[ ...groups ].map((group): string => oneCase([ group ], subcommandsOf(group, names))),
    oneCase([ '' ], [ ...new Set(names.map(firstWord)), 'help', ...dashed(flags) ]),
    oneCase([ '-*' ], dashed(flags)),
  ];
  return [ '  case "$line" in', ...lines, '  esac' ].join('\n');
}

function oneCase(patterns: string[], candidates: string[]): string {
  const quoted = patterns.map((pattern): string => pattern.replace(/^[^*]*[^*-]/u, '"$&"') || '""');
  return `    ${quoted.join(' | ')}) words='${candidates.join(' ')}' ;;`;
}

function countWords({ name }: Command): number {
  return name.split(' ').length;
}

function firstWord(name: string): string {
  return name.split(' ', 1)[0];
}

function subcommandsOf(group: string, names: string[]): string[] {
  return names.filter((name): boolean => name.startsWith(`${group} `)).map((name): string => name.split(' ')[1]);
}

function dashed(names: string[]): string[] {
  return names.map((name): string => `--${name}`);
}
