/**
 * @module
 * Elections of five with two Byzantine nodes: which messages honest nodes have sent and accepted, as their
 * protocols and detectors see them, and which candidates and leaders Byzantine nodes have named to them.
 */

import type { BehaviourName } from '../../../src/adversary/behaviours/registry.ts';
import { symbolicKeys } from '../../../src/adversary/keys.ts';
import type {
  AuthenticatedState,
  Authentication,
  Level,
  Refusal,
} from '../../../src/election/authentication/authenticated.ts';
import {
  createAuthenticated,
  REFUSALS,
} from '../../../src/election/authentication/authenticated.ts';
import { candidatesIn, isCandidatesOwn } from '../../../src/election/authentication/candidacies.ts';
import type { FaultKind } from '../../../src/election/definition/drawn-faults.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { createDetecting } from '../../../src/election/detectors/detecting.ts';
import { createDetector, parseDetector } from '../../../src/election/detectors/registry.ts';
import { intercepted } from '../../../src/election/intercepted.ts';
import type { Message, Rank } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { Cast } from '../../../src/election/world/cast.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { swarmRun } from '../../simulation/schedules.ts';
import { BYZANTINE_RANKS, isByzantine, mangling, naming, PHANTOM } from './lying-nodes.ts';

export interface Case {
  readonly protocol: ProtocolName;
  readonly level: Level;
  readonly behaviours: readonly BehaviourName[];
  readonly number: number;
  readonly kinds?: readonly FaultKind[];
}

const NODES = 5;
const TICKS = 300;
/** Short, so that there is time for several elections. */
const LATENCY = { type: 'uniform', ticksMin: 1, ticksMax: 4 } as const;

/** What has been said and heard among honest nodes: how often each word, and in one life at most. */
export interface Account {
  readonly said: Map<string, number>;
  readonly heard: Map<string, number>;
  /** Why honest nodes have not heard something. */
  readonly refused: Set<Refusal>;
  /** By listener, what it has heard since it was last away. */
  readonly lives: Map<Rank, Map<string, number>>;
  /** Who has put itself forward or answered for itself, so that it has signed its candidacy. */
  readonly stood: Set<Rank>;
  /** Accepted from Byzantine nodes: messages that name an honest node that had not stood by then, or none. */
  readonly unproved: string[];
}

/** Plays a case; answers what honest nodes said and heard. */
export function observed(each: Case): Account {
  const { level, behaviours } = each;
  const byzantine = BYZANTINE_RANKS.map((rank) => ({ rank, behaviours }));
  return played({ ...optionsOf(each), level, byzantine }, each, (own) => () => own);
}

/**
 * The same with Byzantine nodes that send each message of an honest node to all nodes: unchanged, in other
 * names, with another number or body, without a seal. They alone begin every other election.
 */
export function observedBesideManglers(each: Omit<Case, 'behaviours'>): Account {
  const { number } = each;
  const authentication = authenticationOf(each);
  return played(
    optionsOf(each),
    each,
    (own) => {
      const honest = createAuthenticated(own, authentication);
      const byzantineMachine = mangling(honest);
      return (rank) => (BYZANTINE_RANKS.includes(rank) ? byzantineMachine : honest);
    },
    number % 2 === 0 ? undefined : BYZANTINE_RANKS,
  );
}

/**
 * The same with Byzantine nodes that send every message of the protocol, under their own seal, about its
 * recipient and about the phantom: without a candidacy, with their own instead, and at L3 with one of
 * another election. They begin alone, so that no other node stands before it is named.
 */
export function observedBesideNamers(each: Omit<Case, 'behaviours'>): Account {
  const authentication = authenticationOf(each);
  return played(
    { ...optionsOf(each), schedule: undefined },
    each,
    (own) => {
      const honest = createAuthenticated(own, authentication);
      const machines = new Map(
        BYZANTINE_RANKS.map((rank) => [rank, naming(honest, authentication, rank)]),
      );
      return (rank) => machines.get(rank) ?? honest;
    },
    BYZANTINE_RANKS,
  );
}

function authenticationOf({ protocol, level, number }: Omit<Case, 'behaviours'>): Authentication {
  const keysOf = symbolicKeys(parseSeed(String(number)), [1, 2, 3, 4].map(toRank));
  return { level, protocol, election: '1', keysOf };
}

function optionsOf({ protocol, number, kinds = KINDS }: Omit<Case, 'behaviours'>) {
  return {
    ...swarmRun(number, { protocol, kinds }),
    ...{ nodes: NODES, phantoms: [PHANTOM], untilTicks: TICKS, latency: LATENCY },
  };
}

function played(
  options: SimulationOptions,
  { protocol }: Pick<Case, 'protocol'>,
  machinesOf: (own: AnyMachine) => Cast['machineOf'],
  starting?: readonly number[],
): Account {
  const account: Account = {
    ...{ said: new Map(), heard: new Map(), refused: new Set(), lives: new Map() },
    ...{ stood: new Set(), unproved: [] },
  };
  const timing = { latencyTicksMax: LATENCY.ticksMax };
  const detector = createDetector(parseDetector('fd-heartbeat'), timing);
  if (detector === null) throw new TypeError('"detector" expected one, got none');
  const clock = () => simulation.status().ticks;
  const own = createDetecting(PROTOCOLS[protocol].create(timing), detector, clock);
  const simulation = createSimulation(options, machinesOf(observing(own, protocol, account)));
  simulation.start(starting);
  simulation.advance({ until: TICKS });
  for (const { rank, up } of simulation.nodes()) {
    if (!up || BYZANTINE_RANKS.includes(rank)) continue;
    const { refused } = simulation.stateOf(rank) as AuthenticatedState; // Of every honest node.
    for (const reason of REFUSALS) if (refused[reason] > 0) account.refused.add(reason);
  }
  return account;
}

/** Accepted messages that were never sent to the recipient, at L2 and above. */
export function unsaid({ said, heard }: Account): string[] {
  return [...heard.keys()].filter((word) => !said.has(word));
}

/** Words that somebody heard in one life more often than they were said. */
export function repeated({ said, lives }: Account): string[] {
  const counts = [...lives.values()].flatMap((life) => [...life]);
  return counts.flatMap(([word, count]) => (count > (said.get(word) ?? 0) ? [word] : []));
}

/** Without `join`, which would add the phantom. */
const KINDS: readonly FaultKind[] = [
  ...(['crash', 'restart', 'amnesia', 'pause', 'isolate', 'halves', 'links'] as const),
  ...(['loss', 'duplication', 'reordering', 'slowdown', 'skew'] as const),
];

/** The machine, whose words among honest nodes are put down. */
function observing(
  machine: AnyMachine,
  protocol: ProtocolName,
  { said, heard, lives, stood, unproved }: Account,
): AnyMachine {
  const isProved = (from: Rank, message: Message) => {
    const candidates = candidatesIn(protocol, message, from);
    if (isCandidatesOwn(protocol, message) && candidates.some((rank) => rank !== from))
      return false;
    return candidates.every((rank) => isByzantine(rank) || stood.has(rank));
  };
  return {
    init: (self) => machine.init(self),
    step(self, state, event, effects) {
      const life = lives.get(self.rank) ?? new Map<string, number>();
      lives.set(self.rank, life);
      if (event.type === 'recover') life.clear();
      if (event.type === 'deliver' && !isByzantine(event.from) && !isByzantine(self.rank)) {
        const word = wordOf(event.from, self.rank, event.message);
        add(heard, word);
        add(life, word);
      }
      if (event.type === 'deliver' && isByzantine(event.from) && !isByzantine(self.rank)) {
        const { from, message } = event;
        if (!isProved(from, message)) unproved.push(wordOf(from, self.rank, message));
      }
      const out = intercepted(effects, {
        send(to, message) {
          if (candidatesIn(protocol, message, self.rank).includes(self.rank)) stood.add(self.rank);
          add(said, wordOf(self.rank, to, message));
          effects.send(to, message);
        },
      });
      machine.step(self, state, event, out);
    },
  };
}

function wordOf(from: Rank, to: Rank, message: Message): string {
  return JSON.stringify([from, to, Object.entries(message).toSorted(byName)]);
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function add(counts: Map<string, number>, word: string): void {
  counts.set(word, (counts.get(word) ?? 0) + 1);
}
