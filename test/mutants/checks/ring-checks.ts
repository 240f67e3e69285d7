/**
 * @module
 * Checks of the ring protocols: what an election costs and who wins it on every ring of up to five
 * nodes, and safety under other orders of delivery, equal choices and crashes. Convention: a message is
 * one send, rings are counted up to rotation, unit delay unless said.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import { apply, applyTraced, createWorld } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import { parseSeed } from '../../../src/random.ts';
import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import {
  allRings,
  allStartSets,
  exactMean,
  probeHops,
  SEED,
  sum,
} from '../../simulation/ring/rings.ts';
import { faultRun } from '../../simulation/run/fault-runs.ts';
import type { Check } from './check.ts';
import { complainUnlessSame, firstComplaint, upTo } from './check.ts';

type Counts = Readonly<Record<string, number>>;

interface Election {
  readonly ring: readonly number[];
  readonly initiators: readonly number[];
}

/** Every ring of 1..5 nodes with every non-empty set that starts. */
const ELECTIONS: readonly Election[] = upTo(5).flatMap((nodes) =>
  allRings(nodes).flatMap((ring) =>
    allStartSets(nodes).map((initiators) => ({ ring, initiators })),
  ),
);

export const RING_CHECKS = {
  'ring-lelann: counts': () => counts('ring-lelann', ({ ring }) => ({ ELECT: ring.length ** 2 })),
  'ring-collect: counts': () => counts('ring-collect', (row) => laps('ELECTION', row)),
  'ring-maxtoken: counts': () => counts('ring-maxtoken', (row) => laps('TOKEN', row)),
  'cr-join: counts': () =>
    counts('cr-join', ({ ring }) => ({ PROBE: sum(probeHops(ring)), SELECTED: ring.length })),
  'cr-replace: counts': () => counts('cr-replace', probesOfReplace),
  'cr-replace: late starts': lateStartsOfReplace,
  'cr-always: counts': () => counts('cr-always', probesOfAlways),
  'ring-attr: counts': () => counts('ring-attr', roundsOfAttr),
  'hs-wake: counts': hopsOfHirschbergSinclair,
  'hs-wake: both answers': bothAnswers,
  'hs-wake: leaders': () => leaders('hs-wake'),
  'peterson: leaders': () => leaders('peterson'),
  'ring-lelann: any order between links': () => anyOrder('ring-lelann'),
  'peterson-prose: never the highest': neverTheHighest,
  'itai-rodeh: one leader': () => anyOrder('itai-rodeh'),
  'ring-robust: crashes': () => crashes('ring-robust'),
} satisfies Record<string, Check>;

function elect(protocol: ProtocolName, { ring, initiators }: Election): ElectionOutcome {
  return simulateElection({ protocol, nodes: ring.length, ring, initiators, seed: SEED });
}

/** Complains of elections that cost other messages, where `expected` knows, or have another leader. */
function counts(
  protocol: ProtocolName,
  expected: (election: Election) => Counts | null,
): string | null {
  return firstComplaint(ELECTIONS, (election) => {
    const { ring, initiators } = election;
    const outcome = elect(protocol, election);
    const { total: _total, ...sent } = outcome.messages;
    const should = expected(election);
    const what = `ring ${ring}, ${initiators} start`;
    return (
      (should === null ? null : complainUnlessSame(what, sent, should)) ??
      complainUnlessSame(what, [outcome.leader, outcome.verdict.value], [ring.length, 'true'])
    );
  });
}

function leaders(protocol: ProtocolName): string | null {
  return counts(protocol, () => null);
}

/** m initiators, m·n requests and m·n announcements. */
function laps(lap: string, { ring, initiators }: Election): Counts {
  const hops = initiators.length * ring.length;
  return { [lap]: hops, COORDINATOR: hops };
}

/** n + d for one initiator d positions before the highest, the hops of all PROBEs when all start. */
function probesOfReplace(election: Election): Counts | null {
  const { ring, initiators } = election;
  const nodes = ring.length;
  if (initiators.length === nodes) return { PROBE: sum(probeHops(ring)), SELECTED: nodes };
  return initiators.length === 1 ? { PROBE: lapFrom(election), SELECTED: nodes } : null;
}

/** A node that the highest node's PROBE has passed starts in vain: it has sent a higher one. */
function lateStartsOfReplace(): string | null {
  return firstComplaint(allRings(5), (ring) => {
    const simulation = createSimulation({ protocol: 'cr-replace', nodes: 5, ring, seed: SEED });
    simulation.start([5]);
    simulation.advance({ until: 3 });
    simulation.start(ring.slice(1, 4));
    simulation.advance({ until: 'idle' });
    const { messages, leader } = simulation.status();
    const expected = [{ PROBE: 5, SELECTED: 5, total: 10 }, 5];
    return complainUnlessSame(`ring ${ring}`, [messages, leader], expected);
  });
}

/** n + d for one initiator, n² + n(n−1)/2 when all start. */
function probesOfAlways(election: Election): Counts | null {
  const { ring, initiators } = election;
  const nodes = ring.length;
  const all = nodes ** 2 + (nodes * (nodes - 1)) / 2;
  if (initiators.length === nodes) return { PROBE: all, SELECTED: nodes };
  return initiators.length === 1 ? { PROBE: lapFrom(election), SELECTED: nodes } : null;
}

function roundsOfAttr(election: Election): Counts | null {
  if (election.initiators.length > 1) return null;
  return { ELECTION: lapFrom(election), ELECTED: election.ring.length };
}

/** n + d, with the initiator d positions before the highest. */
function lapFrom({ ring, initiators }: Election): number {
  const nodes = ring.length;
  const [from = 0] = initiators;
  return nodes + ((ring.indexOf(nodes) + nodes - ring.indexOf(from)) % nodes);
}

/** Over all rings in lockstep, from the paper's argument: question and answer, min(δ, r) hops each. */
function hopsOfHirschbergSinclair(): string | null {
  const table = [
    { nodes: 3, expected: [26, 26, '26'] },
    { nodes: 4, expected: [32, 40, '104/3'] },
    { nodes: 5, expected: [54, 62, '178/3'] },
  ];
  return firstComplaint(table, ({ nodes, expected }) => {
    const hops = allRings(nodes).map((ring) => {
      const { messages } = simulateElection({ protocol: 'hs-wake', nodes, ring, seed: SEED });
      return (messages.total ?? 0) - (messages.ELECTED ?? 0);
    });
    const found = [Math.min(...hops), Math.max(...hops), exactMean(hops)];
    return complainUnlessSame(`${nodes} nodes, least, most, mean`, found, expected);
  });
}

/** A candidate goes on when its questions both ways came back OK, whichever comes first. */
function bothAnswers(): string | null {
  const timing = { latencyTicksMax: 1 };
  const cast = createCast({ protocol: 'hs-wake', timing, ring: upTo(5), crashedBefore: [] });
  const deliver = (world: World, message: number) =>
    applyTraced(cast, world, { type: 'deliver', message });
  const started = apply(cast, createWorld(cast, []), { type: 'start', node: 5 });
  const asked = started.inFlight.reduce((world, { id }) => deliver(world, id).world, started);
  const answers = asked.inFlight.filter(({ message }) => message.type === 'OK');
  return firstComplaint([answers, answers.toReversed()], ([one, other]) => {
    const after = deliver(asked, one?.id ?? 0);
    const last = deliver(after.world, other?.id ?? 0);
    const sends = [after, last].map(({ effects }) => effects.length);
    return complainUnlessSame(`sends after the OK of ${one?.from}, ${other?.from}`, sends, [0, 2]);
  });
}

/** With two or more, the highest ID ends with another node than its owner, and that one leads. */
function neverTheHighest(): string | null {
  return firstComplaint(ELECTIONS, ({ ring, initiators }) => {
    if (ring.length === 1) return null;
    const { leader, agreed } = elect('peterson-prose', { ring, initiators });
    const isLast = agreed && leader !== null && leader < ring.length;
    return isLast ? null : `ring ${ring}, ${initiators} start: ${leader} leads`;
  });
}

/** Links of uneven speed, each in order, and one to all initiators. */
function anyOrder(protocol: ProtocolName): string | null {
  return firstComplaint(upTo(300), (number) => {
    const nodes = 2 + (number % 5);
    const { verdict } = simulateElection({
      ...{ protocol, nodes, seed: parseSeed(String(number)) },
      initiators: upTo(nodes).filter((rank) => (number >> rank) % 2 === 0 || rank === 1),
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 20 },
    });
    const { uniqueness, agreement, termination, highestLiveWins } = verdict.properties;
    // Nodes without IDs elect any of them.
    const wins = protocol === 'itai-rodeh' ? 'true' : highestLiveWins.value;
    const values = [uniqueness.value, agreement.value, termination.value, wins];
    return values.every((value) => value === 'true') ? null : `run ${number}: ${verdict.reason}`;
  });
}

/** One of the nodes crashes at some moment and stays away. */
function crashes(protocol: ProtocolName): string | null {
  return firstComplaint(upTo(300), (number) => {
    const { faults = [], ...run } = faultRun(number, { protocol, heals: false });
    const nodes = 3 + (number % 4);
    const [first] = faults;
    const crash = { type: 'crash', rank: 1 + (number % nodes), at: first?.at ?? 0 } as const;
    const { verdict } = simulateElection({ ...run, nodes, faults: [crash] });
    return verdict.value === 'true' ? null : `run ${number}: ${verdict.reason}`;
  });
}
