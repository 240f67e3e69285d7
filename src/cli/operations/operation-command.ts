/**
 * @module
 * This folder makes verbs from operations: flags, help, output, exit code. Each member of the input is a flag, whose
 * text the schema of the member reads.
 */

import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { LabError } from '../../errors.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import { flagOf, memberWords, textOf, valueEntered } from '../../operations/command-words.ts';
import type { Member } from '../../operations/member.ts';
import type { Operation, Outcome } from '../../operations/operation.ts';
import { inputSchema } from '../../operations/operation.ts';
import { parseSeed } from '../../random.ts';
import { textForm } from '../../runtime/sweep/table-writers.ts';
import { THIS_MACHINE } from '../../runtime/threads/machine.ts';
import { ruleOf } from '../../schema.ts';
import { runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget, writeThenPrint, writeWhole } from '../shell/files.ts';
import { wrapped } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { ROW_FORMATS, seedOrChosen, verb, wantsJson, withThreads } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { reportPage, reportText } from './report-text.ts';

/** The options of every operation. Those of its members have their names. */
interface OperationOptions extends OutputOptions {
  readonly threads: number;
  readonly out?: string | undefined;
  readonly force?: true | undefined;
  readonly [member: string]: unknown;
}

/** The verb of an operation. */
export function operationCommand(operation: Operation, session: Session): Command {
  const { name, summary, members, has } = operation;
  const command = verb(name, summary, has.table ? ROW_FORMATS : []);
  for (const [key, member] of Object.entries(members)) {
    if (member.isArgument) command.addArgument(argumentOf(key, member));
    else command.addOption(optionOf(key, member));
  }
  if (has.picture) {
    command
      .option('--out <file>', 'write a chart: .svg, or .html with the tables')
      .option('-f, --force', 'replace the file of --out');
  }
  return withThreads(command, 1)
    .addHelpText('after', helpOf(operation))
    .action((...given: readonly unknown[]) => {
      const options = command.opts<OperationOptions>();
      return session.run(options, (terminal) => execute(operation, { options, given }, terminal));
    });
}

function argumentOf(key: string, member: Member): Argument {
  const isSome = member.entry.as.endsWith('s') && member.entry.as !== 'switch';
  const words = isSome ? `${key}...` : key;
  const argument = new Argument('required' in member.absence ? `<${words}>` : `[${words}]`);
  argument.description = meaningOf(member);
  return argument;
}

function optionOf(key: string, member: Member): Option {
  const flag = flagOf(key);
  const { entry, absence } = member;
  if (entry.as !== 'switch')
    return new Option(`${flag} <${placeholder(member)}>`, meaningOf(member));
  const isOn = 'initial' in absence && absence.initial === true;
  const meaning = begun(member.meaning);
  return isOn
    ? new Option(flag.replace('--', '--no-'), `do not ${meaning}`)
    : new Option(flag, meaning);
}

function placeholder({ entry }: Member): string {
  if (entry.as === 'quantity') return entry.kind;
  if (entry.as === 'quantities') return `${entry.kind}s`;
  return {
    choice: 'name',
    choices: 'names',
    text: 'text',
    texts: 'texts',
    seed: 'number',
    switch: '',
  }[entry.as];
}

/** The meaning, the names that it can have, and what its absence means. */
function meaningOf({ meaning, absence, entry, example }: Member): string {
  const start = begun(meaning);
  const names = 'of' in entry && entry.of.length <= NAMES_SHOWN ? `: ${entry.of.join(', ')}` : '';
  if ('required' in absence) return `${start}${names}, such as ${example}`;
  const usual = 'initial' in absence ? textOf(absence.initial) : absence.otherwise;
  return `${start}${names}${usual === '' ? '' : ` (default: ${usual})`}`;
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
  return `\n${paragraphs.flatMap(wrapped).join('\n')}\n\nExamples:\n${commands.join('\n')}`;
}

interface Given {
  readonly options: OperationOptions;
  /** The arguments without flags, in their order, and what commander adds. */
  readonly given: readonly unknown[];
}

async function execute(
  operation: Operation,
  { options, given }: Given,
  terminal: Terminal,
): Promise<ExitCode> {
  const { out, force, threads } = options;
  if (out !== undefined) {
    if (!/\.(svg|html)$/.test(out)) {
      const detail = `--out: expected a file that ends in .svg or .html, got ${out}`;
      throw new LabError('arguments', detail);
    }
    await refuseTarget(out, force === true);
  }
  const input = inputFrom(operation, entered(operation, { options, given }));
  operation.check(input, false);
  const output =
    operation.atOnce(input) ??
    (await operation.run(input, {
      threads,
      signal: terminal.signal,
      isRemote: false,
      onPartial: () => undefined,
      machine: THIS_MACHINE,
      seedFor: (seed) => (seed === undefined ? seedOrChosen(seed, terminal) : parseSeed(seed)),
      onProgress: ({ now, done, total }) =>
        terminal.progress(() => `${now}: ${done}${total === null ? '' : ` of ${total}`}`),
    }));
  if (output === null) return EXIT.interrupted;
  const shown = { ...output, replay: runnable(output.replay) };
  await writeThenPrint(
    () => writePicture(operation, shown, options),
    () => terminal.print(printed(operation, shown, options)),
  );
  return terminal.signal.aborted ? EXIT.interrupted : EXIT_OF[operation.outcomeOf(output)];
}

const EXIT_OF: Readonly<Record<Outcome, ExitCode>> = {
  holds: EXIT.holds,
  violated: EXIT.violated,
  unknown: EXIT.unknown,
};

/** The members as they were entered. */
function entered(
  { members }: Operation,
  { options, given }: Given,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(members).filter((key) => members[key]?.isArgument);
  const values = Object.entries(members).map(([key, { entry }]) => {
    const value = names.includes(key) ? given[names.indexOf(key)] : options[key];
    return [key, typeof value === 'string' ? valueEntered(entry, value) : value];
  });
  // Without arguments, commander passes an empty list.
  const isGiven = (value: unknown) =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(values.filter(([, value]) => isGiven(value)));
}

/** Reads the members. Throws LabError `arguments`, which names the flag. */
function inputFrom(operation: Operation, given: Readonly<Record<string, unknown>>) {
  const result = inputSchema(operation, false).safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue === undefined) throw new TypeError('"issues" expected one at least, got none');
  const [key = ''] = issue.path.map(String);
  const member = operation.members[key];
  const name = member?.isArgument ? key : flagOf(key);
  const value = given[key];
  if (value === undefined) {
    const detail = `${name} is missing: ${member?.meaning}, such as ${member?.example}`;
    throw new LabError('arguments', detail);
  }
  const near = member !== undefined && 'of' in member.entry ? member.entry.of : [];
  const part = Array.isArray(value) ? value[Number(issue.path[1] ?? 0)] : value;
  const meant = suggestion(near, textOf(part));
  throw new LabError('arguments', `${name} ${ruleOf(issue)}, got ${textOf(value)}${meant}`);
}

function printed(
  operation: Operation,
  output: { readonly replay: string },
  options: OperationOptions,
): string {
  if (wantsJson(options)) return `${JSON.stringify(output)}\n`;
  const table = operation.table(output);
  const { format } = options;
  if (table === null || format === 'table') {
    return reportText(operation.report(output), output.replay);
  }
  const form = textForm(format === 'csv' ? 'csv' : 'jsonl', table.columns);
  return form.head + table.rows.map((row) => form.line(row)).join('');
}

async function writePicture(
  operation: Operation,
  output: { readonly replay: string },
  { out, force }: OperationOptions,
): Promise<void> {
  const picture = operation.picture(output);
  if (out === undefined || picture === null) return;
  const page = { title: operation.title, picture, replay: output.replay };
  const text = out.endsWith('.html') ? reportPage(operation.report(output), page) : picture;
  await writeWhole(out, text, { force: force === true, isPrivate: false });
}
