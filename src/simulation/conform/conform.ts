/**
 * @module
 * The whole conformance suite of one protocol.
 */

import { carriedIn } from '../../election/authentication/message-forms.ts';
import type { FaultKind } from '../../election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../election/definition/drawn-faults.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { Message } from '../../election/machine.ts';
import { toRank } from '../../election/world/cast.ts';
import { parseSeed } from '../../random.ts';
import { drawnCalmAt, drawSchedule, USUAL_KINDS } from '../faults/draw.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import { calmTicks, electionTicks } from '../plan/time-limits.ts';
import { createSimulation } from '../run/simulation.ts';
import { checkContract } from './contract.ts';
import { checkElections } from './elections.ts';
import { checkFaultRow } from './fault-row.ts';
import type { Finding, Subject } from './finding.ts';
import { failed, guarded, held, nameOf } from './finding.ts';

/** Every check, in order. Elections are left out if the machine breaks the contract. */
export function conform(subject: Subject): readonly Finding[] {
  const [contract = [], ...others] = PARTS;
  const found = contract.flatMap((check) => check(subject));
  return found.every(({ holds }) => holds)
    ? [...found, ...others.flat().flatMap((check) => check(subject))]
    : found;
}

/** The checks that do not hold, of the first part in which there is one: later parts would report its consequences. */
export function firstFailures(subject: Subject): readonly Finding[] {
  for (const part of PARTS) {
    const failed = part.flatMap((check) => check(subject)).filter(({ holds }) => !holds);
    if (failed.length > 0) return failed;
  }
  return [];
}

type Check = (subject: Subject) => readonly Finding[];

const PARTS: readonly (readonly Check[])[] = [
  [checkContract],
  [(subject) => [checkCandidates(subject)], checkElections],
  [checkFaultRow, checkDrawnFaults],
];

const ABOUT = toRank(5);
const FORGED = { about: ABOUT, home: toRank(4), epoch: 1, serial: 1, ringNodes: 5 };
const CHECK = 'lists the members that name a candidate';

/**
 * Checks `candidates` of every message type. Whether a definition lists the members of its messages that name a
 * candidate. A node that is named there must have signed its candidacy, so that a member that is left out can be
 * forged at every level of authentication. Two facts show such a member: a Byzantine relay puts another rank into
 * it, or the messages that forge a statement about a node hold that node in it.
 */
export function checkCandidates({ protocol }: Subject): Finding {
  return guarded(CHECK, () => {
    const [problem] = [...alteredIn(protocol), ...forgedIn(protocol)];
    const types = Object.keys(protocol.messages).length;
    return problem === undefined ? held(CHECK, `${types} message types`) : failed(CHECK, problem);
  });
}

/** Members into which a Byzantine relay puts a rank. */
function alteredIn({ messages }: Protocol): readonly string[] {
  return Object.entries(messages).flatMap(([type, { alterations, candidates }]) =>
    Object.entries(alterations ?? {}).flatMap(([name, how]) =>
      how === 'none' || how === 'greatest' || candidates.includes(name)
        ? []
        : [unlisted(type, name, `"alterations" puts ${how} into it`)],
    ),
  );
}

/** Members in which a forged statement names the node that it is about, if no candidate names it. */
function forgedIn({ messages, forgery }: Protocol): readonly string[] {
  const statements = { announcement: forgery.announcement, candidacy: forgery.candidacy };
  return Object.entries(statements).flatMap(([what, forged]) =>
    typeof forged === 'string' || forged.names === 'sender'
      ? []
      : forged.messages(FORGED).flatMap((message) => {
          const named = carriedIn(message) ?? message;
          const facts = messages[named.type];
          const naming = namesOf(named);
          if (facts === undefined || naming.some((name) => facts.candidates.includes(name)))
            return [];
          return naming
            .filter((name) => /^ranks?$/.test(String(facts.members[name])))
            .map((name) =>
              unlisted(named.type, name, `the forged ${what} names its subject in it`),
            );
        }),
  );
}

/** The members that contain the subject. */
function namesOf(message: Message): readonly string[] {
  return Object.entries(message).flatMap(([name, value]) =>
    [value].flat().includes(ABOUT) ? [name] : [],
  );
}

function unlisted(type: string, name: string, why: string): string {
  return `"messages.${type}.candidates" lacks ${name}: ${why}`;
}

const NODES = 5;
/** More than a run has whose messages do not multiply without end. */
const EVENTS_MAX = 40_000;
/** Runs of each kind, and runs after which a kind that changed none counts as one without effect. */
const RUNS = 20;
const RUNS_MAX = 400;

/** Actions that are the fault itself, not what a node does about it. */
const FAULT_ACTIONS: readonly string[] = ['crash', 'pause', 'resume', 'enter', 'drop', 'duplicate'];

/**
 * Compares the faults that a definition calls without effect on it with drawn runs. The faults of a run have changed
 * it if the nodes act otherwise, or at other times, than in the same run without them.
 */
interface DrawnRun {
  readonly kind: FaultKind;
  /** The bound on latency. Every message takes as long. */
  readonly latencyTicks: number;
  /** The seed. */
  readonly number: number;
}

/**
 * Whether the faults that a seed draws of one kind change what the nodes do, amid those that it draws of the
 * other kinds. Null if it draws none of the kind.
 */
export function isChanged({ name }: Pick<Protocol, 'name'>, of: DrawnRun): boolean | null {
  const { kind, latencyTicks, number } = of;
  const shape = {
    protocol: nameOf(name),
    nodes: NODES,
    flags: {},
    timing: { latencyTicksMax: latencyTicks },
    detector: undefined,
    isLoaded: false,
  };
  const ticks = electionTicks(shape);
  const calmAt = drawnCalmAt(ticks);
  const seed = parseSeed(String(number));
  const drawn = (kinds: readonly FaultKind[]) =>
    drawSchedule(seed, {
      name: 'swarm',
      nodes: NODES,
      kinds,
      electionTicks: ticks,
      restart: false,
      calmAt,
      calmTicks: calmTicks(shape),
      detector: 'crashes',
    });
  const others = drawn([...USUAL_KINDS, 'amnesia' as const].filter((each) => each !== kind));
  const { faults } = drawn([kind]);
  if (faults.length === 0) return null;
  const options = {
    protocol: shape.protocol,
    nodes: NODES,
    seed,
    trace: true,
    latency: { type: 'constant', ticks: latencyTicks },
  } as const;
  const both = { ...others, faults: [...others.faults, ...faults] };
  // A run ends later the later its last fault ends, so that both are compared up to the same tick.
  const until = calmAt + ticks;
  const acts = actsOf({ ...options, schedule: both }, until);
  const actsWithout = actsOf({ ...options, schedule: others }, until);
  // Most changed runs differ in length or soon, so that few acts are written as text.
  return (
    acts.length !== actsWithout.length ||
    acts.some((act, index) => JSON.stringify(act) !== JSON.stringify(actsWithout[index]))
  );
}

/** What the nodes do: each event of a node with its effects, without the numbers of messages. */
function actsOf(options: SimulationOptions, until: number): readonly (readonly unknown[])[] {
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until, events: EVENTS_MAX });
  const acts = simulation.records().filter(({ action }) => !FAULT_ACTIONS.includes(action.type));
  return acts.map(({ t, action, effects }) => [t, action.type, effects]);
}

/** One finding for each kind of fault. */
function checkDrawnFaults({ protocol }: Subject): readonly Finding[] {
  return FAULT_KINDS.map((kind) => {
    const check = `${protocol.unaffected[kind] === null ? 'can be' : 'cannot be'} changed by ${kind}`;
    return guarded(check, () => {
      const isAffected = protocol.unaffected[kind] === null;
      const runs = isAffected ? RUNS_MAX : RUNS;
      for (let number = 1; number <= runs; number += 1) {
        const run = { kind, latencyTicks: 1 + (number % 12), number };
        if (isChanged(protocol, run) !== true) continue;
        if (isAffected) return held(check, `changed by seed ${number}`);
        return failed(check, `"unaffected.${kind}" holds not for seed ${number}`);
      }
      return isAffected
        ? failed(check, `none of ${runs} runs changes; state a reason in "unaffected.${kind}"`)
        : held(check, `${runs} runs`);
    });
  });
}
