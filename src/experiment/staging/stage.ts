/**
 * @module
 * The stage of an attack: what goes wrong besides, so that a behaviour has its chance, and for how long it is
 * watched. An announcement in a dead leader's name needs a dead leader, old words need a leader that dies,
 * two candidates of one vote must not hear of each other, a lease must have been won to be outlived. All of
 * it is plain options of a run, so that it can be saved and repeated.
 */

import { detectorUnsupportedReason } from '../../adversary/behaviours/heartbeat-forger.ts';
import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import type { Level } from '../../election/authenticated.ts';
import { parseDetector } from '../../election/detectors/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { ringElectionTicks, silenceTicks } from '../../election/timing.ts';
import type { Seed } from '../../random.ts';
import type { Schedule, ScheduledFault } from '../../simulation/faults/schedule.ts';
import { withSettings } from '../../simulation/plan/defences.ts';
import type { SimulationOptions } from '../../simulation/plan/plan.ts';
import { createSimulation } from '../../simulation/run/simulation.ts';

/** An attack whose identities have their places. */
export interface PlacedAttack {
  readonly protocol: ProtocolName;
  readonly level: Level;
  readonly behaviours: readonly BehaviourName[];
  /** Of nodes and settings, by name. */
  readonly defences: readonly string[];
  /** Admitted identities: ranks 1..places. */
  readonly places: number;
  /** The adversary's ranks; at least one, and not all. */
  readonly adversary: readonly number[];
  /** Whether the ring is in the order of the IDs, or shuffled by the seed. */
  readonly isRingById: boolean;
  readonly seed: Seed;
}

export interface Stage {
  readonly options: SimulationOptions;
  /** It is watched from 0 to this tick. */
  readonly ticks: number;
  /** What must last is judged from this tick on. */
  readonly judgedFrom: number;
}

/** What happens besides. */
type Happening =
  /** The highest honest node died before, and was the leader. */
  | 'leader-dead'
  /** Whoever leads without the adversary dies when the election is over. */
  | 'leader-dies'
  /** The highest honest node joins when the election is over, and is elected. */
  | 'leader-replaced'
  /** No two honest nodes hear each other. */
  | 'honest-apart'
  /** The others come to themselves when it has won. */
  | 'adversary-first'
  /** Leaders write to a resource that takes whatever it is told. */
  | 'leaders-work';

interface Chance {
  readonly happenings?: readonly Happening[];
  /** On the nodes; the one beside the run, which never errs, unless given. */
  readonly detector?: string;
  /** How long it is watched, in elections at their longest. */
  readonly episodes?: number;
}

const TIMING = { latencyTicksMax: 1 };
const EPISODES = 12;

/** How each behaviour gets its chance. */
const CHANCES: Readonly<Record<BehaviourName, (protocol: ProtocolName) => Chance>> = {
  'spoof-coordinator': whereLeadersAreRemembered,
  'phantom-id': () => ({}),
  swallow: () => ({}),
  // A plain ring is not closed around who dies: without a cheat it has no leader then either.
  replay: (protocol) => ({
    happenings: [isPlainRing(protocol) ? 'leader-replaced' : 'leader-dies'],
  }),
  equivocate: whereLeadersAreRemembered,
  'tamper-token': (protocol) =>
    protocol === 'bully-improved' ? { happenings: ['leader-dies'] } : {},
  flood: () => ({}),
  flap: (protocol) => ({ ...watched(protocol, 'fd-heartbeat'), episodes: 20 }),
  'answer-and-stall': () => ({}),
  'late-joiner': () => ({}),
  'heartbeat-forger': (protocol) => ({
    ...{ happenings: ['leader-dies'], ...watched(protocol, 'fd-heartbeat') },
  }),
  'false-accuser': (protocol) => watched(protocol, 'fd-heartbeat'),
  // Its last gaps are many times the first.
  'slow-drip': (protocol) => ({ ...watched(protocol, 'fd-phi-akka'), episodes: 32 }),
  'term-inflation': () => ({ episodes: 32 }),
  'double-vote': () => ({ happenings: ['honest-apart'] }),
  'lease-hog': () => ({ happenings: ['adversary-first', 'leaders-work'] }),
};

/** Sets the stage; `detector` stands for the one that a behaviour would have. Throws LabError `arguments`. */
export function stageAttack(attack: PlacedAttack, detector?: string): Stage {
  const chances = attack.behaviours.map((name) => CHANCES[name](attack.protocol));
  const happenings = new Set(chances.flatMap((chance) => chance.happenings ?? []));
  const noticing = detector ?? chances.find((chance) => chance.detector !== undefined)?.detector;
  const episodes = Math.max(EPISODES, ...chances.map((chance) => chance.episodes ?? 0));
  const ticks = episodes * episodeTicks(attack);
  const { protocol, level, adversary, behaviours, places, seed } = attack;
  const options = withSettings<SimulationOptions>(
    {
      ...{ protocol, level, seed, audit: true, untilTicks: ticks },
      // One place more, above all others, that can be named and that nobody holds.
      ...{ nodes: places + 1, phantoms: [places + 1] },
      byzantine: adversary.map((rank) => ({ rank, behaviours })),
      ring: attack.isRingById ? 'by-id' : 'shuffled',
      ...(noticing === undefined ? {} : { detector: parseDetector(noticing) }),
      ...(happenings.has('leaders-work') ? { workload: UNFENCED } : {}),
    },
    attack.defences,
  );
  const staged = withHappenings(options, happenings, attack);
  return { options: staged, ticks, judgedFrom: Math.floor(ticks / 2) };
}

const UNFENCED = { resource: 'unfenced', everyTicks: null } as const;

/**
 * The same without anybody who cheats, to see what would have come of it: an ordinary identity keeps to the
 * protocol, one that was forged is not there.
 */
export function honestStage(stage: Stage, { isForged }: { readonly isForged: boolean }): Stage {
  const { options } = stage;
  const ranks = (options.byzantine ?? []).map(({ rank }) => rank);
  const { phantoms = [] } = options;
  if (isForged) return withOptions(stage, { byzantine: [], phantoms: [...ranks, ...phantoms] });
  return withOptions(stage, { byzantine: ranks.map((rank) => ({ rank, behaviours: [] })) });
}

function withOptions(stage: Stage, changed: Partial<SimulationOptions>): Stage {
  return { ...stage, options: { ...stage.options, ...changed } };
}

/** The longest that an election takes, by messages or by silence. */
function episodeTicks({ places }: PlacedAttack): number {
  return silenceTicks(TIMING) + ringElectionTicks(TIMING, places + 1);
}

function withHappenings(
  options: SimulationOptions,
  happenings: ReadonlySet<Happening>,
  attack: PlacedAttack,
): SimulationOptions {
  const honest = honestOf(attack);
  const faults: ScheduledFault[] = [];
  if (happenings.has('honest-apart')) {
    const links = honest.flatMap((one, index) =>
      honest.slice(index + 1).map((other): [number, number] => [one, other]),
    );
    faults.push({ type: 'partition', cut: { kind: 'links', links }, from: 0, to: null });
  }
  if (happenings.has('adversary-first')) {
    const to = 2 * silenceTicks(TIMING);
    faults.push(...honest.map((rank): ScheduledFault => ({ type: 'pause', rank, from: 0, to })));
  }
  const after = 3 * episodeTicks(attack);
  const [newcomer = 1] = honest.slice(-1);
  if (happenings.has('leader-replaced')) faults.push({ type: 'join', rank: newcomer, at: after });
  const dead = happenings.has('leader-dead') ? honest.slice(-1) : [];
  const staged = { ...options, crashedBefore: dead, schedule: scheduleOf(faults) };
  if (!happenings.has('leader-dies')) return staged;
  const rank = leaderWithout(staged, after, honest);
  return { ...staged, schedule: scheduleOf([...faults, { type: 'crash', rank, at: after }]) };
}

function scheduleOf(faults: readonly ScheduledFault[]): Schedule | undefined {
  return faults.length === 0 ? undefined : { faults, calm: null, detector: 'crashes' };
}

/**
 * Whom the honest follow at a tick if nobody cheats, as the first of them that is up sees it, if that one is
 * honest; else the highest of them.
 */
export function leaderWithout(
  options: SimulationOptions,
  at: number,
  honest: readonly number[],
): number {
  const simulation = createSimulation({ ...options, byzantine: [], audit: false });
  simulation.start();
  simulation.advance({ until: at });
  const nodes = simulation.nodes();
  const witness = honest.find((rank) => nodes[rank - 1]?.up === true) ?? 1;
  const followed = nodes[witness - 1]?.leader ?? null;
  const [highest = 1] = honest.slice(-1);
  return followed !== null && honest.includes(followed) ? followed : highest;
}

/** Ranks that are not the adversary's, ascending. */
export function honestOf({ places, adversary }: PlacedAttack): number[] {
  const all = Array.from({ length: places }, (_, index) => index + 1);
  return all.filter((rank) => !adversary.includes(rank));
}

function isPlainRing(protocol: ProtocolName): boolean {
  const { family, successors } = PROTOCOLS[protocol];
  return family === 'ring' && successors === 1;
}

/** A Bully follows nobody below itself: only a leader who is dead can be announced. */
function whereLeadersAreRemembered(protocol: ProtocolName): Chance {
  return PROTOCOLS[protocol].family === 'bully' ? { happenings: ['leader-dead'] } : {};
}

/** A detector on the nodes, where the protocol listens to one. */
function watched(protocol: ProtocolName, detector: string): Chance {
  return detectorUnsupportedReason(protocol) === null ? { detector } : {};
}
