/**
 * @module
 * The answer of `usurp elect` and `usurp replay` for one election, as JSON, as a table and as an exit code.
 */

import type { PropertyVerdict } from '../../election/properties.ts';
import { PROPERTY_NAMES } from '../../election/properties.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import { nodeIdOfRank } from '../../experiment/runs/inhabitants.ts';
import { usedFiles } from '../../runtime/load/used-files.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';
import { faultText } from '../../simulation/faults/text.ts';
import type { Failing } from '../../simulation/report/outcome.ts';
import { outcomeOf } from '../../simulation/report/outcome.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns } from '../shell/layout.ts';
import { leadershipOf, leadershipRows } from './leadership.ts';

/** All failures. */
export const FAILINGS: readonly Failing[] = [...PROPERTY_NAMES, 'until'];

/** 1 for a violated property, 2 if only a bound was hit, 0 without failures. */
export function exitOfFailings(failings: readonly (Failing | 'unfinished')[]): ExitCode {
  if (PROPERTY_NAMES.some((name) => failings.includes(name))) return EXIT.violated;
  return failings.length === 0 ? EXIT.holds : EXIT.unknown;
}

/** Result of `--shrink`, besides the election. */
export interface Shrinking {
  /** The failure, which is the same before and after. */
  readonly failing: Failing;
  readonly faultsBefore: number;
  readonly faultsAfter: number;
  readonly tries: number;
  /** False if the search reached its limit, so that a smaller schedule may exist. */
  readonly minimal: boolean;
}

/** Whether the trace equals the saved one. Null if the file has no digest. */
export interface Repetition {
  readonly digest: string | null;
  readonly same: boolean | null;
}

/** The first crash after tick 0, which divides the messages into those of the cold start and those of the failure. */
interface Failure {
  readonly at: number;
  readonly messagesBefore: number;
}

/** The answer. Optional parts of an election have a member only if they exist. */
export function answerOf(
  simulation: Simulation,
  extra: {
    readonly replay: string;
    readonly repetition?: Repetition;
    readonly shrunk?: Shrinking | undefined;
    readonly failure?: Failure | undefined;
  },
  status = simulation.status(),
) {
  const { protocol, agreed, messages, nodes, verdict, lastEventTicks: ticks } = status;
  const { plan } = simulation;
  const { seed, flags, attributes, schedule } = plan;
  const loaded = usedFiles();
  const rank = agreed ? status.leader : null;
  const leader = rank === null ? null : { rank, nodeId: nodeIdOfRank({ nodes, seed }, rank) };
  return {
    ...{ protocol, leader, agreed, messages, ticks, verdict },
    ...(Object.keys(flags).length === 0 ? {} : { flags }),
    ...(attributes === null ? {} : { attributes }),
    ...(schedule === null ? {} : { outcome: outcomeOf(status), faults: faultsOf(schedule, plan) }),
    ...(extra.failure === undefined ? {} : { failure: extra.failure }),
    ...(extra.repetition ?? {}),
    ...(extra.shrunk === undefined ? {} : { shrunk: extra.shrunk }),
    ...{ seed, replay: extra.replay },
    ...(loaded.length === 0 ? {} : { loaded }),
    ...leadershipOf(simulation),
  };
}

type Faults = Omit<Schedule, 'detector'> & Partial<Pick<Schedule, 'detector'>>;

/** The form that `--faults` reads. Without the detector if one runs on the nodes. */
function faultsOf(schedule: Schedule, { detector }: Simulation['plan']): Faults {
  const { detector: _replaced, ...others } = schedule;
  return detector === null ? schedule : others;
}

type Answer = ReturnType<typeof answerOf>;

/** The answer as a table for people. */
export function tableOf(answer: Answer): string {
  const { protocol, leader, messages, verdict, flags = {}, attributes, faults, outcome } = answer;
  const counts = Object.entries(messages).map(([type, count]) => `${type} ${count}`);
  const electsAny = PROTOCOLS[protocol].elects === 'any';
  const properties = Object.entries(verdict.properties).map(([name, property]) => [
    name,
    name === 'highestLiveWins' && electsAny ? 'does not apply' : propertyText(property),
  ]);
  return columns([
    ['leader', leader === null ? 'none' : `${leader.rank} (${leader.nodeId})`],
    ['agreed', String(answer.agreed)],
    ['messages', counts.join(', ')],
    ...failureRows(answer),
    ['ticks', String(answer.ticks)],
    ...Object.entries(flags).map(([name, value]) => ['flag', `${name}=${value}`]),
    ...(attributes === undefined ? [] : [['attributes', attributes.join(', ')]]),
    ...(faults === undefined ? [] : faultRows(faults)),
    ...(outcome === undefined ? [] : [['outcome', outcome]]),
    ['verdict', `${verdict.value}: ${verdict.reason}`],
    ...properties,
    ...leadershipRows(answer),
    ...repetitionRows(answer),
    ...(answer.shrunk === undefined ? [] : shrinkingRows(answer.shrunk)),
    ['replay', answer.replay],
  ]);
}

function failureRows({ failure, messages }: Pick<Answer, 'failure' | 'messages'>): string[][] {
  if (failure === undefined) return [];
  const { at, messagesBefore: before } = failure;
  const after = (messages.total ?? 0) - before;
  return [['', `${before} before the crash at tick ${at}, ${after} from it on`]];
}

/** The verdict of a property. A violated property was always tested. */
function propertyText({ value, witnessed }: PropertyVerdict): string {
  return witnessed || value === 'false' ? value : `${value} (never tested)`;
}

function faultRows({ faults, calm, detector = 'crashes' }: Faults): string[][] {
  return [
    ...faults.map(faultText).map(({ flag, text }) => ['fault', `--${flag} ${shellWord(text)}`]),
    ...(calm === null ? [] : [['calm', `from ${calm.at}, judged at ${calm.at + calm.ticks}`]]),
    ...(detector === 'crashes' ? [] : [['detector', detector]]),
  ];
}

function repetitionRows({ digest, same }: Partial<Repetition>): string[][] {
  if (same === undefined) return [];
  if (same === null) return [['digest', 'the file has none to compare with']];
  return [['digest', same ? `${digest}, the saved one` : `${digest}, NOT the saved one`]];
}

function shrinkingRows(shrinking: Shrinking): string[][] {
  const { failing, faultsBefore, faultsAfter, tries, minimal } = shrinking;
  const bound = minimal ? '' : ', the limit of the search';
  const counts = `from ${faultsBefore} to ${faultsAfter} faults in ${tries} elections${bound}`;
  return [['shrunk', `${counts}; still fails: ${failing}`]];
}
