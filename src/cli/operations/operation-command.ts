/**
 * @module
 * This folder makes verbs from operations: flags, help, output, exit code. Each member of the input is a flag, whose
 * text the schema of the member reads.
 */

import type { Command } from 'commander';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { LabError } from '../../errors.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import {
  flagOf,
  isRepeated,
  memberWords,
  textOf,
  valueEntered,
} from '../../operations/command-words.ts';
import { formatCount } from '../../operations/figures.ts';
import type { NamedFile } from '../../operations/file.ts';
import type { Machine } from '../../operations/machine.ts';
import type { Member, Members } from '../../operations/member.ts';
import type { NamedModel } from '../../operations/model.ts';
import type { Operation, Outcome, OutputTable } from '../../operations/operation.ts';
import { inputSchema } from '../../operations/operation.ts';
import { parseSeed } from '../../random.ts';
import { THIS_MACHINE } from '../../runtime/sweep/machine.ts';
import { ruleOf } from '../../schema.ts';
import { inFlags, secretSeed } from '../shell/arguments.ts';
import { runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText, writeThenPrint, writeWhole } from '../shell/files.ts';
import { wrapped } from '../shell/layout.ts';
import type { OutputOptions, PolicyOptions } from '../shell/options.ts';
import {
  policyOf,
  ROW_FORMATS,
  seedOrChosen,
  verb,
  wantsJson,
  withPolicy,
  withThreads,
} from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { reportPage, reportText } from './report-text.ts';
import type { FileOptions } from './sweep-files.ts';

/** The options of every operation. Those of its members have their names. */
interface OperationOptions extends OutputOptions, FileOptions {
  readonly threads: number;
  readonly [member: string]: unknown;
}

type Input = Readonly<Record<string, unknown>>;
type Output = { readonly replay: string };

/** The names that the members of an operation accept, explained. */
export interface Listing {
  /** What it lists, as the help of the flag says. */
  readonly meaning: string;
  /** The parts that can be listed alone. */
  readonly of?: readonly string[];
  /** `given` are the arguments without flags. */
  text(given: readonly unknown[], isJson: boolean, options: object): string | Promise<string>;
}

/** What a verb has besides its operation, where files or a keyboard are needed. */
export interface Besides<Own extends object> {
  /** Members of the input that its own flags enter. */
  readonly entered?: readonly string[];
  /** Adds its flags. */
  readonly flags?: (command: Command) => void;
  /** The values of members that its flags give. */
  readonly enter?: (options: Own, terminal: Terminal) => Promise<Input>;
  /** Runs instead of the operation, before the input is read. Null if the operation runs. */
  readonly first?: (
    given: readonly unknown[],
    options: Own,
    terminal: Terminal,
  ) => Promise<ExitCode> | null;
  /** Runs instead of the operation, after the input is read. Null if the operation runs. */
  readonly instead?: (input: Input, options: Own, terminal: Terminal) => Promise<ExitCode | null>;
  /** What its flag --list prints instead of an answer. */
  readonly list?: Listing;
  /** The machine for these flags. */
  readonly machine?: (options: Own, terminal: Terminal) => Machine;
  /** The words after `usurp` that compute the output again, if they differ from those of the operation. */
  readonly replay?: (options: Own) => readonly string[] | null;
  /** Rows that are not part of the output; null if the rows are those of the operation. */
  readonly rows?: () => OutputTable | null;
  /** Writes files of the output, before it is printed. */
  readonly write?: (
    answered: { readonly input: Input; readonly output: Output },
    options: Own,
    terminal: Terminal,
  ) => Promise<void>;
}

/** The verb of an operation. */
export function operationCommand<Own extends object>(
  operation: Operation,
  session: Session,
  besides: Besides<Own> | null = null,
): Command {
  const { name, summary, members, has } = operation;
  const command = verb(name, summary, has.table ? ROW_FORMATS : []);
  withMembers(command, members, besides);
  if (has.picture) {
    const files = has.files
      ? '; or .csv, .jsonl or .parquet for a table of all runs, with cells, pictures, manifest and journal beside it'
      : '';
    command
      .option('--out <file>', `write a chart: .svg, or .html with the tables${files}`)
      .option('-f, --force', 'replace the files of --out');
  }
  if (has.files) command.option('--no-pictures', 'write no pictures beside a table of --out');
  if (besides?.list !== undefined) {
    const { meaning, of } = besides.list;
    const option = new Option(of === undefined ? '--list' : '--list [what]', meaning);
    command.addOption(of === undefined ? option : option.choices(of));
  }
  besides?.flags?.(command);
  // What has files takes long, and uses the whole machine.
  return withThreads(command, besides === null && !has.files ? 1 : undefined)
    .addHelpText('after', helpOf(operation))
    .action((...given: readonly unknown[]) => {
      const options = command.opts<OperationOptions & Own>();
      return session.run(options, async (terminal) => {
        if (besides?.list === undefined || options.list === undefined) {
          const first = (await besides?.first?.(given, options, terminal)) ?? null;
          return first ?? execute(operation, { options, given }, { terminal, besides });
        }
        terminal.print(await besides.list.text(given, wantsJson(options), options));
        return EXIT.holds;
      });
    });
}

/** Adds the arguments and flags of members. */
export function withMembers(
  command: Command,
  members: Members,
  besides: Pick<Besides<never>, 'entered' | 'list'> | null = null,
): Command {
  for (const [key, member] of Object.entries(members)) {
    if (besides?.entered?.includes(key)) continue;
    if (member.entry.as === 'policy') withPolicy(command);
    else if (member.isArgument)
      command.addArgument(argumentOf(key, member, besides?.list !== undefined));
    else command.addOption(optionOf(key, member));
  }
  return command;
}

/** `canMiss`: whether the command also does something without it. */
function argumentOf(key: string, member: Member, canMiss: boolean): Argument {
  const words = isList(member.entry) ? `${key}...` : key;
  const isRequired = 'required' in member.absence && !canMiss;
  const argument = new Argument(isRequired ? `<${words}>` : `[${words}]`);
  argument.description = meaningOf(member);
  return argument;
}

function optionOf(key: string, member: Member): Option {
  const flag = flagOf(key);
  const { entry, absence } = member;
  if (entry.as !== 'switch') {
    const [start, end] = bareOf(entry) === undefined ? '<>' : '[]';
    const option = new Option(`${flag} ${start}${placeholder(member)}${end}`, meaningOf(member));
    const collect = (text: string, before: readonly string[] = []) => [...before, text];
    if (isRepeated(entry)) return option.argParser(collect);
    return isList(entry) ? option.argParser(once) : option;
  }
  const isOn = 'initial' in absence && absence.initial === true;
  const meaning = begun(member.meaning);
  return isOn
    ? new Option(flag.replace('--', '--no-'), `do not ${meaning}`)
    : new Option(flag, meaning);
}

/** Whether a member is entered as several values. Of the flags of other members the last one counts, as usual. */
function isList({ as }: Member['entry']): boolean {
  return as.endsWith('s');
}

/** The text of a list. That of an earlier one would be lost without a word, so that there must be none. */
function once(text: string, before: string | undefined): string {
  if (before === undefined) return text;
  throw new InvalidArgumentError('the flag is given twice: write one list, separated by commas');
}

/** The value of a flag without a text. */
function bareOf(entry: Member['entry']): string | undefined {
  return 'bare' in entry ? entry.bare : undefined;
}

function placeholder({ entry }: Member): string {
  if (entry.as === 'quantity') return entry.kind;
  if (entry.as === 'quantities') return `${entry.kind.replace(/y$/, 'ie')}s`;
  if (isRepeated(entry)) return 'text';
  return {
    choice: 'name',
    choices: 'names',
    text: 'text',
    texts: 'texts',
    settings: 'name=value',
    model: 'id or file',
    file: 'file',
    policy: 'name',
    seed: 'number',
    switch: '',
  }[entry.as];
}

/** The meaning, the names that it can have, and what its absence means. */
function meaningOf({ meaning, absence, entry, example }: Member): string {
  const where = { model: ', a file, or - for stdin', file: ' (a file, or - for stdin)' };
  const start = `${begun(meaning)}${entry.as === 'model' || entry.as === 'file' ? where[entry.as] : ''}`;
  const listed = ('of' in entry ? entry.of : null) ?? [];
  const isShort = listed.length > 0 && listed.length <= NAMES_SHOWN;
  const bare = bareOf(entry);
  const names = `${isShort ? `: ${listed.join(', ')}` : ''}${bare === undefined ? '' : `; ${bare} without a name`}`;
  const repeated = isRepeated(entry) ? `, such as ${example}; repeatable` : '';
  if ('required' in absence) return `${start}${names}, such as ${example}`;
  const usual = 'initial' in absence ? textOf(absence.initial) : absence.otherwise;
  return `${start}${names}${repeated}${usual === '' ? '' : ` (default: ${usual})`}`;
}

/** A phrase as help texts begin. An abbreviation stays as it is. */
function begun(phrase: string): string {
  return phrase.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

/** Longer lists of names are shown in a refusal only. */
const NAMES_SHOWN = 8;

function helpOf({ name, description, members, examples, outcomes }: Operation): string {
  const codes = [
    [EXIT.holds, outcomes.holds],
    [EXIT.violated, outcomes.violated],
    [EXIT.unknown, outcomes.unknown],
    [EXIT.interrupted, 'interrupted, and what was finished is printed'],
  ].flatMap(([code, words]) => (words === null ? [] : [`${code} ${words}`]));
  const commands = examples.map((input) => {
    const words = Object.entries(members).flatMap(([key, member]) =>
      memberWords(key, member, input[key]),
    );
    return `  ${['usurp', name, ...words].map(shellWord).join(' ')}`;
  });
  const paragraphs = [...description.split('\n'), '', `Exit codes: ${codes.join('; ')}.`];
  return `\n${paragraphs.flatMap((line) => (line.startsWith(' ') ? [line] : wrapped(line))).join('\n')}\n\nExamples:\n${commands.join('\n')}`;
}

interface EnteredWords {
  readonly options: Input;
  /** The arguments without flags, in their order, and what commander adds. */
  readonly given: readonly unknown[];
}

interface Given<Own = object> extends EnteredWords {
  readonly options: OperationOptions & Own;
}

interface Surroundings<Own extends object> {
  readonly terminal: Terminal;
  readonly besides: Besides<Own> | null;
}

/** Carries out a command. */
export async function execute<Own extends object>(
  operation: Operation,
  { options, given }: Given<Own>,
  { terminal, besides }: Surroundings<Own>,
): Promise<ExitCode> {
  // The modules for files and charts take long to load, so that only operations with a picture load them.
  const kept = operation.has.picture ? await import('./sweep-files.ts') : null;
  const files = (await kept?.filesOf(operation, options)) ?? null;
  const own = await besides?.enter?.(options, terminal);
  const values = { ...entered(operation, { options, given }, besides?.entered), ...own };
  const input = await inputOf(operation, values, { terminal, list: besides?.list });
  inFlags(operation.members, () => operation.check(input, false));
  const instead = (await besides?.instead?.(input, options, terminal)) ?? null;
  if (instead !== null) return instead;
  const output =
    operation.atOnce(input) ??
    (await operation.run(input, {
      threads: options.threads,
      signal: terminal.signal,
      isRemote: false,
      onPartial: () => undefined,
      onNote: (line) => terminal.note(line),
      machine:
        besides?.machine?.(options, terminal) ??
        kept?.machineFor(files, options, terminal) ??
        THIS_MACHINE,
      seedFor: (text) => {
        const seed = text === undefined ? undefined : parseSeed(text);
        if (drawsKey(operation)) return seed ?? secretSeed();
        return kept === null
          ? seedOrChosen(seed, terminal)
          : kept.seedFor(files, { seed, force: options.force }, terminal);
      },
      onProgress: ({ now, done, total }) =>
        terminal.progress(
          () => (total === null ? `${formatCount(done)} ${now}` : `${now}: ${done} of ${total}`),
          done === total,
        ),
    }));
  if (output === null) {
    if (operation.has.files) terminal.note('interrupted: nothing is finished');
    return EXIT.interrupted;
  }
  const words = besides?.replay?.(options) ?? null;
  const replay = words === null ? output.replay : ['usurp', ...words].map(shellWord).join(' ');
  const shown = { ...output, replay: runnable(replay) };
  const table = besides?.rows?.() ?? operation.table(shown);
  const { text, notes } = await printed(operation, { output: shown, table }, options);
  await writeThenPrint(
    async () => {
      await besides?.write?.({ input, output }, options, terminal);
      await writePicture(operation, shown, options);
    },
    () => terminal.print(text),
  );
  for (const note of notes) terminal.note(note);
  return terminal.signal.aborted ? EXIT.interrupted : EXIT_OF[operation.outcomeOf(output)];
}

/** Reads the members, and the threat models and files that they name. Throws LabError, which names the flag. */
export function inputOf(
  verb: Membered,
  values: Input,
  { terminal, list }: { readonly terminal: Terminal; readonly list?: Listing | undefined },
): Promise<Input> {
  return withFiles(verb, inputFrom(verb, values, list), terminal);
}

/** What has members. */
type Membered = Pick<Operation, 'members'>;

/** Whether the seed that is drawn reveals keys. */
function drawsKey({ members }: Operation): boolean {
  return Object.values(members).some(({ entry }) => entry.as === 'seed' && entry.isKey === true);
}

/** Reads the threat models and the files that the input names. */
async function withFiles(
  { members }: Membered,
  input: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<Readonly<Record<string, unknown>>> {
  const read = Object.entries(input).map(async ([key, value]) => {
    const entry = members[key]?.entry;
    const id = String(value);
    if (entry?.as === 'file') {
      const isText = id.startsWith('{');
      const text = isText ? id : await readText(id, terminal, entry.bytesMax);
      const file = { name: id, text };
      return [key, file satisfies NamedFile] as const;
    }
    if (entry?.as !== 'model') return [key, value] as const;
    const name = id.startsWith('-') && id !== '-' ? `./${id}` : id;
    const { readModel } = await import('../shell/model-file.ts');
    return [key, { name, model: await readModel(id, terminal) } satisfies NamedModel] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

const EXIT_OF: Readonly<Record<Outcome, ExitCode>> = {
  holds: EXIT.holds,
  violated: EXIT.violated,
  unknown: EXIT.unknown,
};

/** The members as they were entered, without others, which flags of their own enter. */
export function entered(
  { members }: Membered,
  { options, given }: EnteredWords,
  others: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const names = Object.keys(members).filter((key) => members[key]?.isArgument);
  const own = Object.entries(members).filter(([key]) => !others.includes(key));
  const values = own.map(([key, { entry }]) => {
    const asked = names.includes(key) ? given[names.indexOf(key)] : options[key];
    const value = asked === true ? (bareOf(entry) ?? asked) : asked;
    // The flags of a policy are those of withPolicy.
    if (entry.as === 'policy') return [key, policyOf(options as unknown as PolicyOptions)];
    return [key, typeof value === 'string' ? valueEntered(entry, value) : value];
  });
  // Without arguments, commander passes an empty list.
  const isGiven = (value: unknown) =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(values.filter(([, value]) => isGiven(value)));
}

/** Reads the members. Throws LabError `arguments`, which names the flag. */
function inputFrom(operation: Membered, given: Input, list: Listing | undefined) {
  const result = inputSchema(operation, false).safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue === undefined) throw new TypeError('"issues" expected one at least, got none');
  const [key = ''] = issue.path.map(String);
  const member = operation.members[key];
  const name = member?.isArgument ? key : flagOf(key);
  const value = given[key];
  if (value === undefined) {
    const listed = member?.isArgument && list !== undefined ? '; --list shows all' : '';
    const detail = `${name} is missing: ${member?.meaning}, such as ${member?.example}${listed}`;
    throw new LabError('arguments', detail);
  }
  const near = (member !== undefined && 'of' in member.entry ? member.entry.of : null) ?? [];
  const part = Array.isArray(value) ? value[Number(issue.path[1] ?? 0)] : value;
  const meant = suggestion(near, textOf(part));
  const rule =
    issue.code === 'unrecognized_keys'
      ? `must be of ${near.join(', ')}, such as ${member?.example}`
      : ruleOf(issue);
  throw new LabError('arguments', `${name} ${rule}, got ${textOf(value)}${meant}`);
}

async function printed(
  operation: Operation,
  { output, table }: { readonly output: Output; readonly table: OutputTable | null },
  options: OperationOptions,
): Promise<ReturnType<typeof reportText>> {
  if (wantsJson(options)) return { text: `${JSON.stringify(output)}\n`, notes: [] };
  const { format } = options;
  if (table === null || format === 'table') {
    return reportText(operation.report(output), output.replay);
  }
  const { textForm } = await import('../../runtime/sweep/table-writers.ts');
  const form = textForm(format === 'csv' ? 'csv' : 'jsonl', table.columns);
  return { text: form.head + table.rows.map((row) => form.line(row)).join(''), notes: [] };
}

async function writePicture(
  operation: Operation,
  output: { readonly replay: string },
  { out, force }: OperationOptions,
): Promise<void> {
  if (out === undefined || !/\.(svg|html)$/.test(out)) return;
  const picture = operation.picture(output);
  const page = { title: operation.title, picture, replay: output.replay };
  const pageOf = () => operation.has.page?.(output) ?? reportPage(operation.report(output), page);
  const text = out.endsWith('.html') ? await pageOf() : picture;
  if (text === null) {
    const detail = `--out: ${out} is not written, because this answer has no chart; .html takes its tables`;
    throw new LabError('arguments', detail);
  }
  await writeWhole(out, text, { force: force === true, isPrivate: false });
}
