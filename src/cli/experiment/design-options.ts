/**
 * @module
 * The flags of `usurp design`, and the question that they describe. The question checks bounds that concern
 * several members, so that the HTTP API refuses the same input.
 */

import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import type { DesignQuestionName } from '../../experiment/design/questions.ts';
import { DESIGN_QUESTIONS, KEY } from '../../experiment/design/questions.ts';
import type { DesignQuestion } from '../../experiment/design/request.ts';
import { ADVANTAGES_MAX, DESIGN_PROTOCOL } from '../../experiment/design/request.ts';
import type { ChosenDefence } from '../../experiment/document/defence-names.ts';
import { CHOSEN_DEFENCE_NAMES } from '../../experiment/document/defence-names.ts';
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
  someOf,
} from '../shell/arguments.ts';
import { commandLine } from '../shell/command-line.ts';
import type { OutputOptions } from '../shell/options.ts';
import { withSeed, withThreads } from '../shell/options.ts';

export interface DesignOptions extends OutputOptions {
  readonly protocol?: ProtocolName | undefined;
  readonly question?: DesignQuestionName | undefined;
  readonly defence?: readonly ChosenDefence[] | undefined;
  readonly epsilon: number;
  readonly seconds: number;
  readonly nodes: number;
  readonly joinTime: number;
  readonly joinQuantile: number;
  /** At least one. */
  readonly advantage: readonly number[];
  readonly machines?: number | undefined;
  readonly rate?: number | undefined;
  readonly scheme: SchemeName;
  readonly preparation?: number | undefined;
  readonly window?: number | undefined;
  readonly stockSpeed: number;
  readonly hardAdvantage?: number | undefined;
  readonly hardRate?: number | undefined;
  readonly out?: string | undefined;
  readonly force?: true | undefined;
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
      'maximum probability of the event, such as 0.01',
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
      'rate of testing stored keys divided by the rate of whole attempts',
      factor,
      KEY.time,
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
  return withCheck(withPicture(withAdvantage(withElection(command))));
}

function withElection(command: Command): Command {
  return command
    .option(
      '--protocol <name>',
      `protocol of the election, see usurp elect --list (default: ${DESIGN_PROTOCOL})`,
      oneOf(PROTOCOL_NAMES),
    )
    .option(
      '--question <name>',
      `what is limited: ${DESIGN_QUESTIONS.join(', ')} (default: the first that fits the protocol)`,
      oneOf(DESIGN_QUESTIONS),
    )
    .option(
      '--defence <names>',
      'defences of the election whose cost is measured, separated by commas',
      someOf(CHOSEN_DEFENCE_NAMES),
    );
}

function withPicture(command: Command): Command {
  return command
    .option('--out <file>', 'write a chart: .svg, or .html with the table of the answers')
    .option('--force', 'replace the file of --out');
}

function withAdvantage(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--advantage <factors>',
        'rate of the adversary divided by the rate of an honest node; several separated by commas have one answer each',
      )
        .argParser(factors)
        .default([1], '1'),
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
export function questionOf(
  options: DesignOptions,
  measured: number,
): Omit<DesignQuestion, 'advantage'> {
  return {
    protocol: options.protocol,
    question: options.question,
    electionDefences: options.defence,
    epsilon: options.epsilon,
    adversarySeconds: options.seconds,
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
  ran: {
    readonly rate: number;
    readonly seed: Seed | null;
    /** Runs of each check, one for each advantage. Empty without checks. */
    readonly runs: readonly number[];
  },
): string {
  const given = (flag: string, value: number | string | undefined) =>
    value === undefined ? [] : [flag, String(value)];
  const isSame = new Set(ran.runs).size === 1;
  const runs = options.runs ?? (isSame ? ran.runs[0] : undefined);
  const words = [
    ['design', '--epsilon', options.epsilon, '--seconds', options.seconds],
    ['--nodes', options.nodes, '--join-time', options.joinTime],
    given('--protocol', options.protocol),
    given('--question', options.question),
    given('--defence', options.defence?.join(',')),
    ['--join-quantile', options.joinQuantile, '--advantage', options.advantage.join(',')],
    ['--rate', ran.rate],
    given('--window', options.window),
    given('--preparation', options.preparation),
    ['--stock-speed', options.stockSpeed],
    given('--machines', options.machines),
    given('--hard-advantage', options.hardAdvantage),
    given('--hard-rate', options.hardRate),
    ran.seed === null
      ? ['--no-check']
      : [...given('--runs', runs), '--confidence', options.confidence, '--seed', ran.seed],
  ];
  return commandLine(words.flat().map(String));
}

/** Different factors, separated by commas. */
function factors(text: string): number[] {
  const list = text.split(',').map(factor);
  if (list.length > ADVANTAGES_MAX || new Set(list).size < list.length) {
    throw new InvalidArgumentError(`expected at most ${ADVANTAGES_MAX} different factors`);
  }
  return list;
}

const factor = numberAbove0('a factor above 0, such as 8, 1e3 or 2^10', 1e12);
const rate = numberAbove0(
  `candidates per second, above 0 and at most ${RATE_MAX}, such as 1e6`,
  RATE_MAX,
);
