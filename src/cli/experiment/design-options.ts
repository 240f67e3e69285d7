/**
 * @module
 * The flags of `usurp design`, and the question that they describe. The question checks bounds that concern
 * several members, so that the HTTP API refuses the same input.
 */

import type { Command } from 'commander';
import type { DesignQuestion } from '../../experiment/design/request.ts';
import { HONEST_MAX, RATE_MAX, RUNS_MAX } from '../../experiment/document/limits.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import { SCHEME_NAMES } from '../../identity/keys/scheme.ts';
import type { Seed } from '../../random.ts';
import {
  confidence,
  duration,
  durationOrZero,
  integer,
  numberAbove0,
  oneOf,
  probability,
} from '../shell/arguments.ts';
import { commandLine } from '../shell/command-line.ts';
import type { OutputOptions } from '../shell/options.ts';
import { withSeed, withThreads } from '../shell/options.ts';

export interface DesignOptions extends OutputOptions {
  readonly epsilon: number;
  readonly seconds: number;
  readonly nodes: number;
  readonly joinTime: number;
  readonly joinQuantile: number;
  readonly advantage: number;
  readonly machines?: number | undefined;
  readonly rate?: number | undefined;
  readonly scheme: SchemeName;
  readonly preparation?: number | undefined;
  readonly window?: number | undefined;
  readonly stockSpeed: number;
  readonly hardAdvantage?: number | undefined;
  readonly hardRate?: number | undefined;
  readonly check: boolean;
  readonly runs?: number | undefined;
  readonly confidence: number;
  readonly seed?: Seed | undefined;
  readonly threads: number;
}

export function withDesign(command: Command): Command {
  command
    .requiredOption(
      '--epsilon <probability>',
      'maximum probability that the adversary leads, such as 0.01',
      probability('0.01'),
    )
    .requiredOption(
      '--seconds <time>',
      'time that the adversary spends on mining, such as 60s',
      duration,
    )
    .requiredOption('--nodes <count>', 'number of honest nodes', integer(1, HONEST_MAX))
    .requiredOption(
      '--join-time <time>',
      'maximum mining time of an honest node, such as 10s',
      duration,
    )
    .option(
      '--join-quantile <probability>',
      'probability that an honest node finishes in the join time',
      probability('0.95'),
      0.95,
    )
    .option(
      '--rate <count>',
      'rate of an honest node, in candidates/s (default: measured now)',
      rate,
    )
    .option(
      '--scheme <name>',
      'signature scheme of the measured rate',
      oneOf(SCHEME_NAMES),
      SCHEME_NAMES[0],
    )
    .option(
      '--window <time>',
      'time for which registration is open (default: the join time)',
      duration,
    )
    .option(
      '--preparation <time>',
      'part of --seconds before the window opens (default: all but the window)',
      durationOrZero,
    )
    .option(
      '--stock-speed <factor>',
      'rate of hashing stored keys divided by the rate of making new ones',
      factor,
      1,
    )
    .option(
      '--hard-advantage <factor>',
      'advantage under a memory-hard function (default: that of the machines)',
      factor,
    )
    .option(
      '--hard-rate <count>',
      'rate of an honest node under a memory-hard function, in candidates/s',
      rate,
    );
  return withCheck(withAdvantage(command));
}

function withAdvantage(command: Command): Command {
  return command
    .option(
      '--advantage <factor>',
      'rate of the adversary divided by the rate of an honest node',
      factor,
      1,
    )
    .option(
      '--machines <factor>',
      'part of the advantage that is the number of machines; a memory-hard function reduces only the rest (default: the whole advantage)',
      factor,
    );
}

function withCheck(command: Command): Command {
  command
    .option('--no-check', 'use only closed forms, without sampled runs')
    .option(
      '--runs <count>',
      'number of sampled runs of the check (default: enough to decide)',
      integer(1, RUNS_MAX),
    )
    .option(
      '--confidence <level>',
      'confidence level of the interval of the check',
      confidence,
      0.95,
    );
  withSeed(command, 'seed of the sampled runs (default: chosen and printed)');
  return withThreads(command, 1);
}

/** The question. `measured` is the rate if --rate is absent. */
export function questionOf(options: DesignOptions, measured: number): DesignQuestion {
  return {
    epsilon: options.epsilon,
    adversarySeconds: options.seconds,
    advantage: options.advantage,
    nodes: options.nodes,
    candidatesPerSecond: options.rate ?? measured,
    joinSeconds: options.joinTime,
    joinQuantile: options.joinQuantile,
    preparationSeconds: options.preparation,
    windowSeconds: options.window,
    stockSpeed: options.stockSpeed,
    machines: options.machines,
    hardAdvantage: options.hardAdvantage,
    hardCandidatesPerSecond: options.hardRate,
  };
}

/** The replay command. No word of it needs quotes. */
export function replayOf(
  options: DesignOptions,
  ran:
    | { readonly rate: number; readonly seed: Seed; readonly runs: number }
    | { readonly rate: number },
): string {
  const given = (flag: string, value: number | undefined) =>
    value === undefined ? [] : [flag, String(value)];
  const words = [
    ['design', '--epsilon', options.epsilon, '--seconds', options.seconds],
    ['--nodes', options.nodes, '--join-time', options.joinTime],
    ['--join-quantile', options.joinQuantile, '--advantage', options.advantage],
    ['--rate', ran.rate],
    given('--window', options.window),
    given('--preparation', options.preparation),
    ['--stock-speed', options.stockSpeed],
    given('--machines', options.machines),
    given('--hard-advantage', options.hardAdvantage),
    given('--hard-rate', options.hardRate),
    'seed' in ran
      ? ['--runs', ran.runs, '--confidence', options.confidence, '--seed', ran.seed]
      : ['--no-check'],
  ];
  return commandLine(words.flat().map(String));
}

const factor = numberAbove0('a factor above 0, such as 8, 1e3 or 2^10', 1e12);
const rate = numberAbove0(
  `candidates per second, above 0 and at most ${RATE_MAX}, such as 1e6`,
  RATE_MAX,
);
