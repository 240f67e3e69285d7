/**
 * @module
 * Options that several verbs share, so that a flag means the same everywhere: output form, the policy
 * a claim must meet, threads and seeds.
 */

import { Command, Option } from 'commander';
import type { CheckName, Policy } from '../identity/policy.ts';
import { CHECK_NAMES, parsePolicy, STRICT_POLICY } from '../identity/policy.ts';
import type { DynamicForm } from '../identity/puzzle.ts';
import { DYNAMIC_FORMS, PUZZLE_BITS_MAX } from '../identity/puzzle.ts';
import { THREADS_MAX } from '../runtime/range-pool.ts';
import { integer, oneOf, seed, someOf, THREADS_DEFAULT } from './arguments.ts';

const OUTPUT_FORMATS = ['table', 'json'] as const;

/** How a verb prints its data. */
export interface OutputOptions {
  readonly json?: true | undefined;
  readonly quiet?: true | undefined;
  readonly format: (typeof OUTPUT_FORMATS)[number];
}

/** A verb with the options that every verb has. */
export function verb(name: string, summary: string): Command {
  return new Command(name)
    .description(summary)
    .addOption(
      new Option('--format <form>', 'how data is printed')
        .choices(OUTPUT_FORMATS)
        .default(OUTPUT_FORMATS[0]),
    )
    .option('--json', 'the same as --format json')
    .option('-q, --quiet', 'no messages and no progress on stderr')
    .option('--no-color', 'plain text (as NO_COLOR=1)');
}

export function wantsJson(options: OutputOptions): boolean {
  return options.json === true || options.format === 'json';
}

export interface PolicyOptions {
  readonly c1: number;
  readonly c2: number;
  readonly dynamic: DynamicForm;
  readonly epoch: number;
  readonly context: string;
  readonly skipChecks: readonly CheckName[];
  readonly lowS: boolean;
}

const readChecks = someOf(CHECK_NAMES);

/** The flags that spell a policy. */
export function withPolicy(command: Command): Command {
  const bits = integer(0, PUZZLE_BITS_MAX);
  return command
    .option('--c1 <bits>', 'static puzzle: zero bits of SHA-256(nodeId)', bits, STRICT_POLICY.c1)
    .option('--c2 <bits>', 'dynamic puzzle: zero bits', bits, STRICT_POLICY.c2)
    .option(
      '--dynamic <form>',
      `form of the dynamic puzzle: ${DYNAMIC_FORMS.join(', ')}`,
      oneOf(DYNAMIC_FORMS),
      STRICT_POLICY.dynamic,
    )
    .option(
      '--epoch <number>',
      'epoch of the challenge',
      integer(0, Number.MAX_SAFE_INTEGER),
      STRICT_POLICY.epoch,
    )
    .option('--context <name>', 'name of the network in the challenge', STRICT_POLICY.context)
    .option(
      '--skip-checks <names>',
      `make a weak network: leave out some of ${CHECK_NAMES.join(',')}`,
      (text: string, before: readonly CheckName[]) => [...before, ...readChecks(text)],
      [],
    )
    .option('--no-low-s', 'make a weak network: accept secp256k1 signatures with s > n/2');
}

/** The policy that the flags spell; a context that no policy may have is refused by name. */
export function policyOf(options: PolicyOptions): Policy {
  const { c1, c2, dynamic, epoch, context, skipChecks, lowS } = options;
  const checks = { ...STRICT_POLICY.checks };
  for (const name of skipChecks) checks[name] = false;
  return parsePolicy({ c1, c2, dynamic, epoch, context, checks, lowS });
}

export function withThreads(command: Command, initial = THREADS_DEFAULT): Command {
  const threads = integer(1, THREADS_MAX);
  return command.option('--threads <count>', 'worker threads', threads, initial);
}

export function withSeed(command: Command, meaning: string): Command {
  return command.option('--seed <number>', meaning, seed);
}
