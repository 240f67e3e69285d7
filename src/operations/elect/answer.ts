/**
 * @module
 * The answer of `usurp elect` and `usurp replay` for one election, as JSON and as rows for people.
 */

import { z } from 'zod';
import type { PropertyVerdict } from '../../election/properties.ts';
import { PROPERTY_NAMES } from '../../election/properties.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import { nodeIdOfRank } from '../../experiment/runs/inhabitants.ts';
import type { PrintedSchedule, Schedule } from '../../simulation/faults/schedule.ts';
import { printedSchedule } from '../../simulation/faults/schedule.ts';
import { faultText } from '../../simulation/faults/text.ts';
import { FAILINGS, OUTCOMES, outcomeOf } from '../../simulation/report/outcome.ts';
import type { UsedFile } from '../../simulation/report/saved-run.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import type { Block } from '../report.ts';
import type { Row } from './leadership.ts';
import { LEADERSHIP, leadershipOf, leadershipRows } from './leadership.ts';

const truthSchema = z.enum(['true', 'false', 'unknown']);

/** What a run shows of the properties of an election. */
export const electionVerdictSchema = z
  .object({
    value: truthSchema,
    reason: z.string(),
    properties: z.record(
      z.enum(PROPERTY_NAMES),
      z.object({ value: truthSchema, witnessed: z.boolean() }),
    ),
  })
  .meta({
    id: 'ElectionVerdict',
    description:
      'unknown: both outcomes are possible, before the `deadline` of the election. From its deadline on, an election that is not at rest is judged by its leaders at the moment.',
  });

const shrinkingSchema = z.object({
  failing: z.enum(FAILINGS).describe('The failure, which is the same before and after.'),
  faultsBefore: z.int(),
  faultsAfter: z.int(),
  tries: z.int(),
  minimal: z.boolean().describe('False at the limit of the search: a smaller schedule may exist.'),
});

const failureSchema = z
  .object({ at: z.number(), messagesBefore: z.int() })
  .describe('The first crash after tick 0, which divides the messages.');

/** Result of a search for the fewest faults, besides the election. */
export type Shrinking = z.output<typeof shrinkingSchema>;

/** Optional parts of an election have a member only if they exist. */
export const answerSchema = z
  .object({
    protocol: z.enum(PROTOCOL_NAMES),
    leader: z.object({ rank: z.int(), nodeId: z.string().optional() }).nullable(),
    agreed: z.boolean().describe('Whether all live nodes follow the same live leader.'),
    messages: z.record(z.string(), z.int()).describe('Messages sent by type, and total.'),
    ticks: z.number().describe('The tick of the last event.'),
    verdict: electionVerdictSchema,
    flags: z.record(z.string(), z.string()).optional(),
    attributes: z.array(z.number()).readonly().optional(),
    outcome: z.enum(OUTCOMES).optional(),
    faults: printedSchedule.optional(),
    failure: failureSchema.optional(),
    digest: z.string().nullish(),
    same: z.boolean().nullish().describe('Whether the trace equals the saved one.'),
    shrunk: shrinkingSchema.optional(),
    seed: z.string(),
    replay: z.string(),
    loaded: z
      .array(z.object({ digest: z.string(), defines: z.array(z.string()).readonly() }))
      .readonly()
      .optional(),
    ...LEADERSHIP,
  })
  .meta({ id: 'ElectionAnswer' });

/** The answer for one election. */
export type Answer = z.output<typeof answerSchema>;

/** Whether a trace is repeated. */
export type Repetition = Required<Pick<Answer, 'digest' | 'same'>>;

/** The answer for an election that is over. */
export function answerOf(
  simulation: Simulation,
  extra: Pick<Answer, 'replay' | 'failure' | 'shrunk' | 'digest' | 'same'>,
  loaded: readonly UsedFile[],
): Answer {
  const status = simulation.status();
  const { protocol, agreed, messages, nodes, verdict, lastEventTicks: ticks } = status;
  const { plan } = simulation;
  const { seed, flags, attributes, schedule } = plan;
  const { failure, shrunk, replay, ...repetition } = extra;
  const rank = agreed ? status.leader : null;
  const leader = rank === null ? null : { rank, nodeId: nodeIdOfRank({ nodes, seed }, rank) };
  return {
    protocol,
    leader,
    agreed,
    messages,
    ticks,
    verdict,
    ...(Object.keys(flags).length === 0 ? {} : { flags }),
    ...(attributes === null ? {} : { attributes }),
    ...(schedule === null ? {} : { outcome: outcomeOf(status), faults: faultsOf(schedule, plan) }),
    ...(failure && { failure }),
    ...repetition,
    ...(shrunk && { shrunk }),
    seed,
    replay,
    ...(loaded.length === 0 ? {} : { loaded }),
    ...leadershipOf(simulation),
  };
}

/** The form that a file of faults has. Without the detector if one runs on the nodes. */
function faultsOf(schedule: Schedule, { detector }: Simulation['plan']): PrintedSchedule {
  const { detector: _replaced, ...others } = schedule;
  return detector === null ? schedule : others;
}

/** The answer as rows for people. */
export function answerRows(answer: Answer): Row[] {
  const { protocol, leader, messages, verdict, flags = {}, attributes, faults, outcome } = answer;
  const counts = Object.entries(messages).map(([type, count]) => `${type} ${count}`);
  const electsAny = PROTOCOLS[protocol].elects === 'any';
  const properties = Object.entries(verdict.properties).map(
    ([name, property]): Row => [
      name,
      name === 'highestLiveWins' && electsAny ? 'does not apply' : propertyText(property),
    ],
  );
  const optional = (name: string, text: string | undefined): Row[] =>
    text === undefined ? [] : [[name, text]];
  return [
    ['leader', leader === null ? 'none' : `${leader.rank} (${leader.nodeId})`],
    ['agreed', String(answer.agreed)],
    ['messages', counts.join(', ')],
    ...failureRows(answer),
    ['ticks', String(answer.ticks)],
    ...Object.entries(flags).map(([name, value]): Row => ['flag', `${name}=${value}`]),
    ...optional('attributes', attributes?.join(', ')),
    ...(faults === undefined ? [] : faultRows(faults)),
    ...optional('outcome', outcome),
    ['verdict', `${verdict.value}: ${verdict.reason}`],
    ...properties,
    ...leadershipRows(answer),
    ...optional('digest', repetitionText(answer)),
    ...optional('shrunk', answer.shrunk && shrinkingText(answer.shrunk)),
    ['replay', answer.replay],
  ];
}

/** The answer as a report. */
export function answerBlocks(answer: Answer): Block[] {
  return [{ type: 'facts', isWhole: true, rows: answerRows(answer) }];
}

function failureRows({ failure, messages }: Pick<Answer, 'failure' | 'messages'>): Row[] {
  if (failure === undefined) return [];
  const { at, messagesBefore: before } = failure;
  const after = (messages.total ?? 0) - before;
  return [['', `${before} before the crash at tick ${at}, ${after} from it on`]];
}

/** The verdict of a property. A violated property was always tested. */
function propertyText({ value, witnessed }: PropertyVerdict): string {
  return witnessed || value === 'false' ? value : `${value} (never tested)`;
}

function faultRows({ faults, calm, detector = 'crashes' }: PrintedSchedule): Row[] {
  const calmRow: Row[] =
    calm === null ? [] : [['calm', `from ${calm.at}, judged at ${calm.at + calm.ticks}`]];
  return [
    ...faults
      .map(faultText)
      .map(({ flag, text }): Row => ['fault', `--${flag} ${shellWord(text)}`]),
    ...calmRow,
    ...(detector === 'crashes' ? [] : [['detector', detector] as const]),
  ];
}

function repetitionText({ digest, same }: Partial<Repetition>): string | undefined {
  if (same === undefined) return undefined;
  if (same === null) return 'the file has none to compare with';
  return same ? `${digest}, the saved one` : `${digest}, NOT the saved one`;
}

function shrinkingText(shrinking: Shrinking): string {
  const { failing, faultsBefore, faultsAfter, tries, minimal } = shrinking;
  const bound = minimal ? '' : ', the limit of the search';
  const counts = `from ${faultsBefore} to ${faultsAfter} faults in ${tries} elections${bound}`;
  return `${counts}; still fails: ${failing}`;
}
