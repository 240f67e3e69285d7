/**
 * @module
 * The output of the operation `attack`, and its report for people.
 */

import { z } from 'zod';
import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { FORGE_KINDS } from '../../experiment/attack/population.ts';
import type { SetSearch } from '../../experiment/attack/sets.ts';
import { defenceSchema, setSearchSchema } from '../../experiment/attack/sets.ts';
import { trialSchema, untriedSchema } from '../../experiment/attack/trials.ts';
import { CHOSEN_DEFENCE_NAMES } from '../../experiment/document/defence-names.ts';
import { counted } from '../../experiment/document/wording.ts';
import { ledgerSchema } from '../../mining/ledger.ts';
import { formatSeconds } from '../figures.ts';
import type { Report } from '../report.ts';
import { sentenceBlock } from '../report.ts';

const harmSchema = z.enum(['captured-leader', 'no-leader', 'split', 'late-writes']);

const measuredSchema = z.object({
  ticks: z.int(),
  leader: z.int().nullable().describe('Rank of the live node that all honest nodes followed.'),
  leaderOtherwise: z.int().nullable().describe('The same without the attack.'),
  usurpedTicks: z.int(),
  splitTicks: z.int(),
  staleWrites: z.int().describe('Accepted writes of leaders that another node had replaced.'),
  lateWrites: z
    .int()
    .describe('Accepted writes after an operation of a later leader, which a fence prevents.'),
  messages: z.int(),
  brokenOffAt: z
    .int()
    .nullable()
    .describe('The tick at which the election had become too large to watch.'),
  otherwiseBrokenOffAt: z.int().nullable(),
  keys: z.enum(['none', 'symbolic', 'real']).describe('The keys that signed messages.'),
});

export const attackOutput = z
  .object({
    succeeded: z
      .boolean()
      .nullable()
      .describe('Null if the budget ended first, the election was too large, or it was stopped.'),
    aim: z.enum(AIMS).nullable().describe('The only harm that counts. Null if any does.'),
    sentence: z.string(),
    ledger: ledgerSchema.describe('Cost of the forged identities. All 0 without them.'),
    stoppedBy: z.array(defenceSchema).readonly().describe('Each alone stops the attack.'),
    protocol: z.enum(PROTOCOL_NAMES),
    level: z.enum(LEVELS),
    behaviours: z.array(z.string()).readonly(),
    defences: z.array(z.enum(CHOSEN_DEFENCE_NAMES)).readonly(),
    forge: z.enum(FORGE_KINDS),
    colluders: z.int(),
    c1: z.int(),
    harms: z
      .array(harmSchema)
      .readonly()
      .describe('All harm that it caused, also if only one counts as success.'),
    possibleHarms: z
      .array(harmSchema)
      .readonly()
      .describe('What it may have caused: the election without the attack was too large to watch.'),
    members: z
      .array(
        z.object({ rank: z.int(), nodeId: z.string(), owner: z.enum(['honest', 'adversary']) }),
      )
      .readonly()
      .describe('By rank, the lowest first. Empty if the budget ended first.'),
    measured: measuredSchema.nullable(),
    trials: z.array(trialSchema).readonly(),
    sets: setSearchSchema
      .nullable()
      .describe('The search for a set of defences. Null if a single one stops the attack.'),
    seed: z.string(),
    notTried: z
      .array(untriedSchema)
      .readonly()
      .describe('The defences that apply and were not tried.'),
    interrupted: z.boolean().describe('Whether it has only what was finished.'),
    forgerSeed: z
      .string()
      .nullable()
      .describe(
        'Seed under which usurp mine finds the forged identities again, with colluders the first of them.',
      ),
    replay: z.string().describe('Command that repeats the attack.'),
  })
  .meta({ id: 'AttackReport' });

export type AttackOutput = z.output<typeof attackOutput>;

const ANSWERS = { true: 'yes', false: 'no', null: 'unknown' } as const;
/** Whether the election stood. */
const VERDICTS = { true: 'false', false: 'true', null: 'unknown' } as const;
const STOPS = { true: 'stopped', false: 'succeeds', null: 'unknown' } as const;

const KEYS = {
  none: '',
  symbolic: ', symbolic signatures',
  real: ', signatures of the mined keys',
} as const;

/** The report: what happened, the nodes, the cost, and what was tried against the attack. */
export function attackBlocks(output: AttackOutput): Report {
  const { sentence, aim, succeeded, harms, possibleHarms, ledger, forge, sets } = output;
  const { attempts, hashes, groupOperations, cpuSeconds } = ledger;
  const spent = `${attempts} attempts, ${hashes} hashes, ${groupOperations} group operations, ${formatSeconds(cpuSeconds)} CPU`;
  const rows: (readonly [string, string])[] = [
    ...factIf(aim !== null, 'aim', String(aim)),
    ['succeeded', ANSWERS[`${succeeded}`]],
    ['harm', harms.join(', ') || 'none'],
    ...factIf(possibleHarms.length > 0, 'possible harm', possibleHarms.join(', ')),
    ...memberFacts(output),
    ...measuredFacts(output),
    ['ledger', forge === 'none' ? 'no identity was forged' : spent],
    ...output.trials.map(
      (trial) => ['against', `${trialName(trial)}: ${STOPS[`${trial.stops}`]}`] as const,
    ),
    ...(sets === null ? [] : factIf(sets.tried > 0, 'against sets', setsText(sets))),
    ...output.notTried.map(({ defence, why }) => ['not tried', `${defence}: ${why}`] as const),
  ];
  return [sentenceBlock(sentence, VERDICTS[`${succeeded}`]), { type: 'facts', rows }];
}

function factIf(isShown: boolean, name: string, text: string): (readonly [string, string])[] {
  return isShown ? [[name, text]] : [];
}

function setsText({ smallest, tried, complete }: SetSearch): string {
  const found = smallest === null ? 'none stops it' : `${smallest.join(', ')}: stopped`;
  return `${found} (${counted(tried, 'set')} tried${complete ? '' : ', not all that fit'})`;
}

const MEMBERS_SHOWN_MAX = 12;

function memberFacts({ members }: AttackOutput): (readonly [string, string])[] {
  const rest = members.length - MEMBERS_SHOWN_MAX;
  return [
    ...members
      .slice(0, MEMBERS_SHOWN_MAX)
      .map(
        ({ rank, nodeId, owner }) =>
          [`rank ${rank}`, owner === 'adversary' ? `${nodeId}  adversary` : nodeId] as const,
      ),
    ...factIf(rest > 0, '', `and ${rest} more`),
  ];
}

function measuredFacts({ measured }: AttackOutput): (readonly [string, string])[] {
  if (measured === null) return [];
  const { ticks, leader, leaderOtherwise, messages, keys } = measured;
  return [
    ['leader', `${leader ?? 'none'}; without the attack: ${leaderOtherwise ?? 'none'}`],
    ['simulated', `${ticks} ticks, ${messages} messages${KEYS[keys]}`],
  ];
}

function trialName({ defence, c1 }: AttackOutput['trials'][number]): string {
  return c1 === undefined ? defence : `${defence} (c1 ${c1})`;
}
