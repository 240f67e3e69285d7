/**
 * @module
 * Options that several verbs share, so that a flag has one meaning: output form, the policy of a claim,
 * threads and seeds.
 */

import { Command, InvalidArgumentError, Option } from 'commander';

import type { IdRule } from '../../identity/ids/node-id.ts';
import { ID_BITS_MAX, ID_BITS_MIN, ID_RULES } from '../../identity/ids/node-id.ts';
import type { PolicyName } from '../../identity/named-policies.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../identity/named-policies.ts';
import type { CheckName, Policy } from '../../identity/policy.ts';
import { CHECK_NAMES, parsePolicy } from '../../identity/policy.ts';
import type { DynamicForm } from '../../identity/puzzles/puzzle.ts';
import { DYNAMIC_FORMS, PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import type { HashName, PuzzleFunction } from '../../identity/puzzles/puzzle-function.ts';
import { HASH_NAMES } from '../../identity/puzzles/puzzle-function.ts';
import { parseQuantity } from '../../quantities.ts';
import type { Seed } from '../../random.ts';
import { THREADS_MAX } from '../../runtime/threads/range-pool.ts';
import { chosenSeed, integer, oneOf, someOf, THREADS_DEFAULT } from './arguments.ts';
import type { Terminal } from './terminal.ts';

const OUTPUT_FORMATS = ['table', 'json'] as const;
/** The formats of verbs that print rows. */
export const ROW_FORMATS = ['jsonl', 'csv'] as const;

/** How a verb prints its data. */
export interface OutputOptions {
  readonly json?: true | undefined;
  readonly quiet?: true | undefined;
  readonly format: (typeof OUTPUT_FORMATS)[number] | (typeof ROW_FORMATS)[number];
}

/** A verb with the options that every verb has. `more` are formats of this verb alone. */
export function verb(name: string, summary: string, more: readonly string[] = []): Command {
  return new Command(name)
    .description(summary)
    .addOption(
      new Option('--format <form>', 'form of the output')
        .choices([...OUTPUT_FORMATS, ...more])
        .default(OUTPUT_FORMATS[0]),
    )
    .option('--json', 'the same as --format json')
    .option('-q, --quiet', 'no messages and no progress on stderr')
    .option('--no-color', 'plain text (as NO_COLOR=1)');
}

export function wantsJson(options: OutputOptions): boolean {
  return options.json === true || options.format === 'json';
}

/** A member that is absent keeps its value from the named policy. */
export interface PolicyOptions {
  readonly policy: PolicyName;
  readonly c1?: number | undefined;
  readonly c2?: number | undefined;
  readonly dynamic?: DynamicForm | undefined;
  readonly idRule?: IdRule | undefined;
  readonly hash?: HashName | undefined;
  readonly idBits?: number | undefined;
  readonly salted?: true | undefined;
  readonly puzzle?: PuzzleFunction | undefined;
  readonly epoch?: number | undefined;
  readonly context?: string | undefined;
  readonly skipChecks: readonly CheckName[];
  readonly lowS: boolean;
}

const readChecks = someOf(CHECK_NAMES);

/** Adds the flags that describe a policy. */
export function withPolicy(command: Command): Command {
  const bits = integer(0, PUZZLE_BITS_MAX);
  const epochs = integer(0, Number.MAX_SAFE_INTEGER);
  const idBits = integer(ID_BITS_MIN, ID_BITS_MAX);
  return command
    .option(
      '--policy <name>',
      `policy that the other flags change: ${POLICY_NAMES.join(', ')}`,
      oneOf(POLICY_NAMES),
      POLICY_NAMES[0],
    )
    .option('--c1 <bits>', 'static puzzle: number of zero bits of SHA-256(nodeId)', bits)
    .option('--c2 <bits>', 'dynamic puzzle: number of zero bits', bits)
    .option('--dynamic <form>', formsOf('dynamic puzzle', DYNAMIC_FORMS), oneOf(DYNAMIC_FORMS))
    .option('--puzzle <function>', `function of both puzzles: ${PUZZLE_FORMS}`, readPuzzle)
    .option('--salted', 'bind the static puzzle to the challenge')
    .option('--hash <name>', formsOf('hash of node IDs and puzzles', HASH_NAMES), oneOf(HASH_NAMES))
    .option('--id-rule <name>', formsOf('node IDs from keys', ID_RULES), oneOf(ID_RULES))
    .option('--id-bits <bits>', 'length of node IDs in bits, a multiple of 8', idBits)
    .option('--epoch <number>', 'epoch of the challenge', epochs)
    .option('--context <name>', 'name of the network in the challenge')
    .option(
      '--skip-checks <names>',
      `checks that a weak network omits, of ${CHECK_NAMES.join(', ')}`,
      (text: string, before: readonly CheckName[]) => [...before, ...readChecks(text)],
      [],
    )
    .option('--no-low-s', 'weak network: accept secp256k1 signatures with s > n/2');
}

/**
 * The named policy, changed by the flags. Throws LabError `schema` for members that are invalid, alone
 * or together.
 */
export function policyOf(options: PolicyOptions): Policy {
  return changedPolicy(NAMED_POLICIES[options.policy].policy, options);
}

/** A policy, changed by the flags other than `--policy`. Throws like `policyOf`. */
export function changedPolicy(base: Policy, options: PolicyOptions): Policy {
  const { c1, c2, dynamic, idRule, hash, idBits, salted, puzzle, epoch, context } = options;
  const given = { c1, c2, dynamic, idRule, hash, idBits, salted, puzzle, epoch, context };
  const spelt = Object.entries(given).filter(([, value]) => value !== undefined);
  const checks = { ...base.checks };
  for (const name of options.skipChecks) checks[name] = false;
  const lowS = base.lowS && options.lowS;
  return parsePolicy({ ...base, ...Object.fromEntries(spelt), checks, lowS });
}

const PUZZLE_FORMS = 'hash, iterated:1000, scrypt:10:8:1 (log2 N, r, p) or argon2id:1:64:1';

/** Reads the form of a puzzle function. `parsePolicy` checks its bounds. */
function readPuzzle(text: string): PuzzleFunction {
  const [name, ...digits] = text.split(':');
  const numbers = digits.map((each) => parseQuantity('count', each));
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN] = numbers;
  const isWhole = numbers.every(Number.isInteger);
  if (isWhole && name === 'hash' && numbers.length === 0) return { function: name };
  if (isWhole && name === 'iterated' && numbers.length === 1) {
    return { function: name, iterations: first };
  }
  if (isWhole && name === 'scrypt' && numbers.length === 3) {
    return { function: name, logN: first, r: second, p: third };
  }
  if (isWhole && name === 'argon2id' && numbers.length === 3) {
    return { function: name, passes: first, kib: second, lanes: third };
  }
  throw new InvalidArgumentError(`expected ${PUZZLE_FORMS}`);
}

function formsOf(what: string, names: readonly string[]): string {
  return `${what}: ${names.join(', ')}`;
}

/** Adds --threads. Without `initial` its default is one per core. */
export function withThreads(command: Command, initial?: number): Command {
  if (initial === undefined) {
    return command.addOption(perCore('--threads <count>', 'number of worker threads'));
  }
  const threads = integer(1, THREADS_MAX);
  return command.option('--threads <count>', 'number of worker threads', threads, initial);
}

/** A number of threads whose default is one per core. */
export function perCore(flags: string, meaning: string): Option {
  return new Option(flags, meaning)
    .argParser(integer(1, THREADS_MAX))
    .default(THREADS_DEFAULT, 'one per core');
}

/** The seed of --seed, or a chosen one, which is then noted. For experiments, not for keys. */
export function seedOrChosen(given: Seed | undefined, { note }: Terminal): Seed {
  if (given !== undefined) return given;
  const chosen = chosenSeed();
  note(`seed ${chosen} was chosen; --seed ${chosen} gives the same result`);
  return chosen;
}
