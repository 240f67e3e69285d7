/**
 * @module
 * Runs whose elections are watched from tick to tick, because somebody misbehaves or something goes wrong:
 * the identities of the run take their places, each election is staged from its own seed, watched to the
 * end and judged by the honest live nodes. A run has the property if all of its elections have it.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { Detection } from '../../simulation/detection/detection.ts';
import { WATCHED_NODES_MAX } from '../document/limits.ts';
import type { PropertyName } from '../document/property.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { readScript } from '../staging/election-text.ts';
import { showsAim } from '../staging/judgement.ts';
import { createStaging } from '../staging/model-stage.ts';
import type { Stage } from '../staging/stage.ts';
import type { Sighting } from '../staging/watch.ts';
import { watchAttack } from '../staging/watch.ts';
import type { Owners } from './membership.ts';
import type { Facilities } from './mined-run.ts';
import { minePopulation } from './mined-run.ts';
import type { Observations } from './observations.ts';
import { drawPopulation, planPopulation } from './population-draw.ts';
import type { ElectionResult, RunOutcome, Winner } from './tally.ts';

/** Who is there in a run, and what it cost. */
type Population = Pick<RunOutcome, 'forges' | 'honestLedger' | 'observations'> & {
  readonly owners: Owners;
};

/** `rateMeasured` as in `budgetAttempts`. */
type Services = Facilities & { readonly rateMeasured: number | null };

/** What was seen of one election. */
interface Watched {
  readonly protocol: ProtocolName;
  readonly seen: Sighting;
  /** Of the detectors on the nodes; null where there is none, or too much was said. */
  readonly detection: Detection | null;
}

/**
 * The runner of a model in which somebody misbehaves or something goes wrong. It throws LabError `job.size`
 * for a run that is too much to watch.
 */
export function watchedRunner(
  model: ThreatModel,
  services: Services,
): (of: { readonly seed: Seed; readonly run: number }) => RunOutcome {
  const populate = populating(model, services);
  const stage = createStaging(model, readScript(model));
  const { protocols } = model.network.election;
  return ({ seed, run }) => {
    const runSeed = deriveSeed(seed, 'run', run);
    const { owners, observations, ...spent } = populate(runSeed);
    assertWatchable(owners);
    const all = protocols.map((protocol) =>
      watch(protocol, stage({ protocol, owners, seed: deriveSeed(runSeed, 'election', protocol) })),
    );
    return {
      run,
      won: all.every(({ seen }) => hasProperty(model.expect.property, seen, owners)),
      elections: all.map((watched) => resultOf(watched, owners)),
      ...spent,
      observations: { ...observations, ...seenInAll(all) },
    };
  };
}

/** How a run comes by its identities: mined, or drawn. */
function populating(model: ThreatModel, services: Services): (runSeed: Seed) => Population {
  switch (model.work) {
    case 'mined':
      return (runSeed) => minePopulation(model, runSeed, services);
    case 'sampled': {
      const plan = planPopulation(model, services.rateMeasured);
      return (runSeed) => ({ ...drawPopulation(plan, runSeed), forges: [], honestLedger: null });
    }
    default:
      return model.work satisfies never;
  }
}

function assertWatchable({ length }: Owners): void {
  if (length <= WATCHED_NODES_MAX) return;
  const detail = `this run has ${length} nodes, and elections with cheats or faults are watched among ${WATCHED_NODES_MAX} at most: fewer honest nodes or identities would do`;
  throw new LabError('job.size', detail);
}

function watch(protocol: ProtocolName, stage: Stage): Watched {
  const detections: (Detection | null)[] = [];
  const seen = watchAttack(stage, undefined, (simulation) => {
    if (stage.options.detector !== undefined) detections.push(simulation.detection());
  });
  const [detection = null] = detections;
  if (seen.brokenOffAt === null) return { protocol, seen, detection };
  const { nodes } = stage.options;
  const detail = `an election of ${protocol} among ${nodes} nodes is too much to watch: it was broken off at tick ${seen.brokenOffAt} of ${stage.ticks} after ${seen.messages} messages; fewer nodes or a lower network.election.ticks would do`;
  throw new LabError('job.size', detail);
}

/** Which aim of an attack a property looks for; whoever brought it about. */
const AIMED: Readonly<Partial<Record<PropertyName, Aim>>> = {
  'adversary-leads': 'lead',
  'no-leader': 'stop',
  split: 'split',
  'stale-writes': 'outlive-lease',
};

function hasProperty(property: PropertyName, seen: Sighting, owners: Owners): boolean {
  if (property === 'highest-leads') return seen.leader === owners.length;
  const aim = AIMED[property];
  if (aim !== undefined) return showsAim(aim, seen);
  throw new TypeError(`"property" expected one of watched elections, got ${property}`);
}

function resultOf({ protocol, seen }: Watched, owners: Owners): ElectionResult {
  const { leader, messages } = seen;
  return {
    ...{ protocol, messages },
    winner: winnerAt(owners, leader),
    highestLeads: leader === owners.length,
  };
}

function winnerAt(owners: Owners, leader: number | null): Winner {
  if (leader === null) return 'none';
  return (owners[leader - 1] ?? null) === null ? 'honest' : 'adversary';
}

/**
 * Ticks, writes and mistakes of all elections together; the ticks from a crash to a suspicion are the mean
 * over all of them, and missing where nobody that crashed was suspected.
 */
function seenInAll(all: readonly Watched[]): Observations {
  const sum = (count: (seen: Sighting) => number) =>
    all.reduce((total, { seen }) => total + count(seen), 0);
  return {
    ticks: sum((seen) => seen.ticks),
    usurped_ticks: sum((seen) => seen.usurpedTicks),
    split_ticks: sum((seen) => seen.splitTicks),
    agreed_ticks: sum((seen) => seen.longestAgreedTicks),
    stale_writes: sum((seen) => seen.staleWrites),
    ...detectedInAll(all.flatMap(({ detection }) => (detection === null ? [] : [detection]))),
  };
}

function detectedInAll(all: readonly Detection[]): Observations {
  if (all.length === 0) return {};
  const mistakes = all.reduce((total, each) => total + each.mistakes.count, 0);
  const count = all.reduce((total, { detections }) => total + detections.count, 0);
  if (count === 0) return { mistakes };
  const ticks = all.reduce(
    (total, { detections }) => total + detections.count * (detections.meanTicks ?? 0),
    0,
  );
  return { mistakes, detection_ticks: ticks / count };
}
