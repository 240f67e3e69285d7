/**
 * @module
 * `usurp completion`: scripts with which a shell completes verbs, flags and names. The scripts ask `usurp completion words`
 * at each key, so that the names are those of the definitions, also of new ones.
 */

import type { Command, Option } from 'commander';
import { Argument } from 'commander';
import type { Entry } from '../../operations/member.ts';
import { listRead } from '../shell/arguments.ts';
import { EXIT } from '../shell/exit.ts';
import type { Session } from '../shell/terminal.ts';

/** The verbs, and the command of one. */
export interface Verbs {
  readonly listed: readonly { readonly name: string; readonly summary: string }[];
  readonly commandOf: (name: string) => Promise<Command>;
}

/** What can stand at a place. */
interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

const SCRIPTS = {
  bash: `_usurp() {
  local IFS=$'\\n' words=() count=0 i word kept= breaks="\${COMP_WORDBREAKS//[^:=]}"
  # Bash divides words at colons and equals signs, and replaces what follows the last one.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((count > 1)) && [[ "$word" == [:=]* || "\${words[count - 1]}" == *[:=] ]]; then words[count - 1]+="$word"
    else words[count++]="$word"; fi
  done
  word="\${words[count - 1]}"
  if [[ -n "$breaks" ]]; then kept="\${word%"\${word##*["$breaks"]}"}"; fi
  COMPREPLY=($(usurp completion words -- "\${words[@]}" 2>/dev/null | cut -f 1))
  COMPREPLY=("\${COMPREPLY[@]#"$kept"}")
}
complete -o default -F _usurp usurp
`,
  zsh: `#compdef usurp
_usurp() {
  local -a found
  found=("\${(@f)$(usurp completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found//:/\\:}") # A colon separates a name from its meaning.
  if [[ -n "$found" ]]; then found=("\${(@)found//$'\t'/:}"); _describe usurp found
  else _files; fi
}
# In a folder of fpath this file is the body of the function at its first call.
if [[ "$funcstack[1]" == _usurp ]]; then _usurp "$@"; else compdef _usurp usurp; fi
`,
  fish: `function __usurp
  set -l found (usurp completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c usurp -f -a '(__usurp)'
`,
} as const;
const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The command `completion`. */
export function completionCommand(command: Command, session: Session, verbs: Verbs): Command {
  return command
    .description('Print a script with which a shell completes verbs, flags and names.')
    .addArgument(shellArgument())
    .argument('[words...]', 'words: the words after usurp, the last of which is completed')
    .addHelpText('after', HELP)
    .action((shell: (typeof SHELLS)[number] | 'words', words: readonly string[]) =>
      session.run({}, async ({ print }) => {
        if (shell !== 'words') print(SCRIPTS[shell]);
        else {
          const found = await candidates(words, verbs);
          const lines = found.map(({ word, meaning }) =>
            meaning === '' ? word : `${word}\t${meaning}`,
          );
          print(lines.map((line) => `${line}\n`).join(''));
        }
        return EXIT.holds;
      }),
    );
}

/** A shell, or `words`, the word of the scripts, which no help text lists. */
function shellArgument(): Argument {
  const argument = new Argument('<shell>', 'the shell').choices(SHELLS);
  const { parseArg } = argument;
  return argument.argParser((word, before) => (word === 'words' ? word : parseArg?.(word, before)));
}

const HELP = `
The script completes the command usurp. With npx, add a function. The script completes it, too:
usurp() { npx usurp "$@"; }. In zsh, the folder of the script must be in fpath before compinit runs.

Examples:
  usurp completion bash >> ~/.bashrc
  usurp completion zsh > ~/.zfunc/_usurp
  usurp completion fish > ~/.config/fish/completions/usurp.fish
  usurp completion words -- run top`;

/** What can stand in the place of the last word. Nothing if it is the name of a file, or anything. */
async function candidates(
  words: readonly string[],
  { listed, commandOf }: Verbs,
): Promise<readonly Candidate[]> {
  const [name = '', ...rest] = words;
  const verbs = listed.map((verb) => ({ word: verb.name, meaning: verb.summary }));
  if (rest.length === 0) return beginning([...verbs, ...BESIDE_VERBS], name);
  if (name === 'help' || name === 'manual') return beginning(verbs, rest.at(-1) ?? '');
  if (!listed.some((verb) => verb.name === name)) return [];
  const command = await commandOf(name);
  const last = rest.at(-1) ?? '';
  const [, flag, begun = ''] = /^(--[\w-]+)=(.*)$/.exec(last) ?? [];
  if (flag !== undefined) {
    const words = [name, ...rest.slice(0, -1), flag, begun];
    const values = await candidates(words, { listed, commandOf });
    return values.map(({ word, meaning }) => ({ word: `${flag}=${word}`, meaning }));
  }
  if (last.startsWith('-')) return beginning(flagsOf(command), last);
  const optionBefore = (index: number) => {
    const flag = rest[index - 1] ?? '';
    return command.options.find(
      ({ long, short, required, optional }) =>
        (required || optional) && (flag === long || flag === short),
    );
  };
  const option = optionBefore(rest.length - 1);
  if (option !== undefined) {
    const listed = option.argChoices ?? listRead(option.parseArg);
    return names(listed ?? (await namesOf(words, option.attributeName())), last);
  }
  const given = rest
    .slice(0, -1)
    .filter((word, index) => !word.startsWith('-') && optionBefore(index) === undefined);
  const { registeredArguments: all } = command;
  const argument = all[given.length] ?? all.find(({ variadic }) => variadic);
  if (argument === undefined) return beginning(flagsOf(command), last);
  // The actions of `exercise` that take the name of a file.
  if (name === 'exercise' && /^(join|check)$/.test(given[0] ?? '')) return [];
  return names(argument.argChoices ?? (await namesOf(words, argument.name())), last);
}

/** What stands in the place of a verb, and has no flags. */
const BESIDE_VERBS: readonly Candidate[] = [
  { word: 'help', meaning: 'list the verbs, or show the help text of one' },
  { word: 'version', meaning: 'print the version' },
];

function flagsOf(command: Command): Candidate[] {
  return command.options
    .filter(({ hidden }) => !hidden)
    .map((option: Option) => ({ word: option.long ?? '', meaning: option.description }));
}

/** Names of a list: those before a comma stay. */
function names(all: readonly string[], last: string): readonly Candidate[] {
  const kept = last.slice(0, last.lastIndexOf(',') + 1);
  return beginning(
    all.map((each) => ({ word: `${kept}${each}`, meaning: '' })),
    last,
  );
}

function beginning(all: readonly Candidate[], start: string): readonly Candidate[] {
  return all.filter(({ word }) => word.startsWith(start));
}

/** The names that a flag or an argument of a verb takes. */
async function namesOf(
  [verb = '', ...rest]: readonly string[],
  key: string,
): Promise<readonly string[]> {
  const { OPERATION_NAMES, operationNamed } = await import('../../operations/registry.ts');
  const members = OPERATION_NAMES.includes(verb) ? operationNamed(verb).members : {};
  const entry: Entry | undefined = members[key]?.entry;
  if (entry !== undefined && 'of' in entry && entry.of !== undefined) return entry.of;
  const known = entry?.as === 'model' ? 'threatModel' : key;
  return (await (NAMES[`${verb} ${known}`] ?? NAMES[known])?.(rest)) ?? [];
}

async function exerciseNames(): Promise<readonly string[]> {
  const { readExercises } = await import('../../runtime/files/exercises.ts');
  return (await readExercises()).map(({ name }) => name);
}

/**
 * Where other verbs take names. A name for one verb alone begins with it. Each loads the file that lists the names, because
 * a shell asks at each key.
 */
const NAMES: Readonly<Record<string, (words: readonly string[]) => Promise<readonly string[]>>> = {
  policy: async () => (await import('../../identity/named-policies.ts')).POLICY_NAMES,
  protocol: async () => (await import('../../election/registry.ts')).PROTOCOL_NAMES,
  behaviour: async () => (await import('../../adversary/behaviours/registry.ts')).BEHAVIOUR_NAMES,
  defence: async () => (await import('../../election/defences/registry.ts')).DEFENCE_NAMES,
  detector: async () => (await import('../../election/detectors/registry.ts')).DETECTOR_NAMES,
  flags: async (words) => {
    const { PROTOCOL_NAMES, PROTOCOLS } = await import('../../election/registry.ts');
    const name = PROTOCOL_NAMES.find((each) => words.includes(each));
    if (name === undefined) return [];
    const { flags, numbers = {} } = PROTOCOLS[name];
    const chosen = Object.entries(flags).flatMap(([flag, values]) =>
      values.map((value) => `${flag}=${value}`),
    );
    return [...chosen, ...Object.keys(numbers).map((number) => `${number}=`)];
  },
  scenario: async () => {
    const { SCENARIOS } = await import('../../simulation/scenarios/registry.ts');
    return ['list', ...SCENARIOS.flatMap(({ name, aliases }) => [name, ...aliases])];
  },
  'cluster store': async () => (await import('../../live/stores/open-store.ts')).STORE_KINDS,
  threatModel: async () => (await import('../../runtime/files/catalogue.ts')).catalogueIds(),
  exercise: exerciseNames,
  'exercise name': exerciseNames,
  'new kind': async () =>
    (await import('../../election/definition/definitions.ts')).DEFINITION_KINDS,
  'churn defences': async () => {
    const { CHURN_DEFENCES } = await import('../../experiment/churn/registry.ts');
    return CHURN_DEFENCES.map(({ name }) => name);
  },
  paper: async () => {
    const { readPapers } = await import('../../runtime/files/papers.ts');
    return (await readPapers(undefined)).map(({ name }) => name);
  },
};
