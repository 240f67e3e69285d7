/**
 * @module
 * Leaders of the past: an announcement that outlives its sender, and a leader that returns from a pause.
 */

import { isResourceReply } from '../../election/lease/stores/resource.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import type { ElectionOptions } from '../run/simulate.ts';
import type { Simulation } from '../run/simulation.ts';
import { createSimulation } from '../run/simulation.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import { followedAt, leadersAt, leadersAtEnd, ledTogether } from './played-run.ts';
import type { Scenario, ScenarioSettings } from './scenario.ts';
import { defineScenario, LATENCY, listed, onlyRun, stageRun } from './scenario.ts';

const CRASH_AT = 200;
const RETURN_AT = 400;
/** Even the fastest old COORDINATOR takes longer than a new election of the survivors. */
const SLOWDOWN = 300;

type Stale = {
  /** Leaders that survivors follow just before the first old COORDINATOR arrives, and at rest. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly afterIsUp: boolean;
  /** Whether the leader that they had elected gave way. */
  readonly deposed: boolean;
};

/**
 * A COORDINATOR that arrives when its sender is long dead. The highest node returns for one tick, in which
 * links are so slow that its announcements outlive it; the survivors elect another leader in the meantime.
 * Bully's messages carry no epoch, so the old ones are believed, and the detector, which has reported that
 * death already, does not report it again.
 */
export const STALE_COORDINATOR = defineScenario<Stale>({
  name: 'stale-coordinator',
  aliases: ['late-coordinator', 'replayed-coordinator'],
  title: 'An old COORDINATOR arrives late and re-elects a dead leader',
  explanation: `COORDINATOR n, sent at tick ${RETURN_AT}, is delivered after n-1 has announced itself, and n-1 gives up. A node that records a COORDINATOR can send it again with the same effect. An epoch under the signature stops it; a signature alone does not.`,
  source:
    'H. Garcia-Molina, IEEE Trans. Computers C-31(1), 1982: its bound on message delay rules this out, and its Halt step separates one election from another; the one-shot form has neither',
  nodes: { usual: 5, min: 2, max: 32 },
  stage: (setting) => [
    stageRun(setting, {
      run: 'late COORDINATOR',
      protocol: 'bully-oneshot',
      initiators: [setting.nodes],
      faults: [
        { type: 'crash', rank: setting.nodes, at: CRASH_AT },
        { type: 'slowdown', factor: SLOWDOWN, from: RETURN_AT, to: RETURN_AT + 1 },
        { type: 'restart', rank: setting.nodes, at: RETURN_AT, amnesia: false },
        { type: 'crash', rank: setting.nodes, at: RETURN_AT + 1 },
      ],
      untilTicks: RETURN_AT + SLOWDOWN * (LATENCY.ticksMax + 1),
    }),
  ],
  expect: (nodes) => ({
    before: [nodes - 1],
    after: [nodes],
    afterIsUp: false,
    deposed: true,
  }),
  observe(runs) {
    const run = onlyRun(runs);
    const { nodes } = run.simulation.plan;
    const live = run.simulation.nodes().filter(({ up }) => up);
    const survivors = live.map(({ rank }) => rank);
    const after = leadersAtEnd(run);
    return {
      before: leadersAt(run, survivors, firstLateAt(run) - 1),
      after,
      afterIsUp: survivors.some((rank) => after.includes(rank)),
      deposed: followedAt(run, nodes - 1, Number.POSITIVE_INFINITY) !== nodes - 1,
    };
  },
  describe: ({ before, after, afterIsUp, deposed }) =>
    `the survivors had elected ${listed(before)}; after the old COORDINATOR they follow ${listed(after)}, which is ${
      afterIsUp ? 'up' : 'down'
    }, and the leader they had ${deposed ? 'has given way' : 'leads on'}`,
  figures: (runs) => ({ firstLateAt: firstLateAt(onlyRun(runs)) }),
});

/** The tick at which a node first follows the highest one by an old COORDINATOR; 0 for none. */
function firstLateAt({ changes, simulation }: PlayedRun): number {
  const { nodes } = simulation.plan;
  const late = changes.find(
    ({ t, node, leader }) => t > RETURN_AT && node !== nodes && leader === nodes,
  );
  return late?.t ?? 0;
}

/** A node has led for two leases of 190 ticks by then. */
const PAUSE_AT = 400;
/**
 * With Δ = 9 the next leader is elected at most D(1+ρ) + P + 5Δ = 256 ticks after the pause began, and
 * has written 28 ticks later.
 */
const RESUME_AT = 700;
const UNTIL_TICKS = 2000;

interface ZombieRun {
  readonly run: string;
  readonly protocol: ProtocolName;
  readonly resource: 'unfenced' | 'fencing-register' | 'fencing-max';
  /**
   * Whether the leader resumes one tick after the next one is elected. Everything that is sent in that
   * tick is lost, including the registration of the new epoch.
   */
  readonly early?: boolean;
}

/** What came of the writes that the old leader sent after it had resumed. */
type Zombie = {
  readonly accepted: number;
  readonly refused: number;
  /** Accepted writes of the run after another node had taken the lead, and those after one of a higher epoch. */
  readonly staleWrites: number;
  readonly lateWrites: number;
  /** Whether it led on beside its successor. */
  readonly together: boolean;
};

const NOT_YET = 'db-lease before fencing-register, not registered yet';

/**
 * A leader by lease pauses for longer than its lease, another is elected and works, and the first one resumes. Its
 * clock has stopped with it: it sends the write that is due before the timer of its lease fires. zombie-unfenced has
 * a resource that accepts every write, zombie-fenced one that refuses the late write if it has seen a higher epoch.
 * The seed decides who leads, so that a run is staged in two passes: nothing before the pause depends on what
 * follows.
 */
export const ZOMBIE_UNFENCED = defineZombie({
  name: 'zombie-unfenced',
  aliases: ['zombie'],
  title: 'A leader pauses beyond its lease, wakes up and overwrites its successor',
  explanation:
    'At the tick at which the paused node resumes, timer work:write fires before timer lease, and WRITE carries the old epoch to a resource that has accepted writes of a higher one. Reading the clock before each write does not help: the pause may come between the reading and the write. Compare zombie-fenced.',
  source:
    'M. Kleppmann, How to do distributed locking, 2016; C. Gray and D. Cheriton, Leases, SOSP 1989: bounds how long a holder acts by its own clock',
  script: [
    { run: 'db-lease', protocol: 'db-lease', resource: 'unfenced' },
    { run: 'lease-local', protocol: 'lease-local', resource: 'unfenced' },
    { run: 'zk-recipe', protocol: 'zk-recipe', resource: 'unfenced' },
  ],
  expected: () => ({ accepted: 1, refused: 0, staleWrites: 1, lateWrites: 1, together: true }),
  figures: (runs) =>
    Object.fromEntries(
      runs.map(({ name, reigns }) => {
        const next = reigns.find(({ from }) => from > PAUSE_AT);
        return [`takeOverTicks ${name}`, (next?.from ?? PAUSE_AT) - PAUSE_AT];
      }),
    ),
});

export const ZOMBIE_FENCED = defineZombie({
  name: 'zombie-fenced',
  aliases: ['fencing'],
  title: 'The same zombie before a resource that knows epochs',
  explanation: `The answer to the late WRITE is REFUSED, with the higher epoch. In the run "${NOT_YET}" the successor's REGISTER is lost and the zombie wakes a tick later: its write is accepted, since nothing of the new epoch has arrived at the resource, and the successor writes after it, when it is registered. The protocols are those of zombie-unfenced, and two still lead at once.`,
  source:
    'M. Burrows, The Chubby lock service, OSDI 2006, section 2.4: sequencers; M. Kleppmann, How to do distributed locking, 2016: fencing tokens',
  script: [
    { run: 'db-lease before fencing-max', protocol: 'db-lease', resource: 'fencing-max' },
    { run: 'lease-local before fencing-max', protocol: 'lease-local', resource: 'fencing-max' },
    { run: 'zk-recipe before fencing-max', protocol: 'zk-recipe', resource: 'fencing-max' },
    { run: 'db-lease before fencing-register', protocol: 'db-lease', resource: 'fencing-register' },
    { run: NOT_YET, protocol: 'db-lease', resource: 'fencing-register', early: true },
  ],
  expected: ({ early = false }) => {
    const accepted = early ? 1 : 0;
    const writes = { staleWrites: accepted, lateWrites: 0 };
    return { accepted, refused: 1 - accepted, ...writes, together: true };
  },
});

function defineZombie(
  given: Pick<Scenario, 'name' | 'aliases' | 'title' | 'explanation' | 'source'> &
    Partial<Pick<Scenario, 'figures'>> & {
      readonly script: readonly ZombieRun[];
      readonly expected: (run: ZombieRun) => Zombie;
    },
): Scenario {
  const { script, expected, ...facts } = given;
  return defineScenario<Readonly<Record<string, Zombie>>>({
    ...facts,
    nodes: { usual: 5, min: 2, max: 32 },
    stage: (setting) => script.map((run) => staged(setting, run)),
    expect: () => Object.fromEntries(script.map((each) => [each.run, expected(each)])),
    observe: (runs) => Object.fromEntries(runs.map((run) => [run.name, observe(run)])),
    describe(outcome) {
      const alike = Map.groupBy(Object.entries(outcome), ([, zombie]) => described(zombie));
      return [...alike]
        .map(([text, runs]) => `${listed(runs.map(([name]) => name))}: ${text}`)
        .join('; ');
    },
  });
}

type Pause = ScheduledFault & { readonly type: 'pause' };

function staged(setting: ScenarioSettings, { resource, early, ...script }: ZombieRun): StagedRun {
  const under = (faults: readonly ScheduledFault[]) =>
    stageRun(setting, {
      ...script,
      workload: { resource, everyTicks: null },
      faults,
      audit: true,
      untilTicks: UNTIL_TICKS,
    });
  const before = advanced(under([]).options, PAUSE_AT - 1);
  // If no node leads, any node may pause: the outcome is not the expected one.
  const rank = before.status().leader ?? setting.nodes;
  const pause: Pause = { type: 'pause', rank, from: PAUSE_AT, to: RESUME_AT };
  if (early !== true) return under([pause]);
  const trail =
    advanced(under([pause]).options, RESUME_AT - 1)
      .audit()
      ?.trail() ?? [];
  const at = trail.find((change) => change.at > PAUSE_AT && change.leads)?.at ?? RESUME_AT - 1;
  return under([
    { ...pause, to: at + 1 },
    { type: 'blackout', from: at, to: at + 1 },
  ]);
}

function advanced(options: ElectionOptions, until: number): Simulation {
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until });
  return simulation;
}

function observe(run: PlayedRun): Zombie {
  const answers = lateAnswers(run).map(({ message }) => message.type);
  const resource = run.simulation.resource();
  return {
    accepted: answers.filter((type) => type === 'WRITTEN').length,
    refused: answers.filter((type) => type === 'REFUSED').length,
    staleWrites: resource?.staleWrites ?? 0,
    lateWrites: resource?.lateWrites ?? 0,
    together: ledTogether(run),
  };
}

/** The answers of the resource to what the paused node has sent since it resumed. */
function lateAnswers({ staged, sent, simulation }: PlayedRun): PlayedRun['sent'] {
  const { store } = simulation.plan;
  const faults = staged.options.schedule?.faults ?? [];
  const zombie = faults.find((fault) => fault.type === 'pause');
  if (zombie === undefined) return [];
  // The store of a protocol may refuse operations, too.
  return sent.filter(
    ({ t, from, to, message }) =>
      t > zombie.to && from === store && to === zombie.rank && isResourceReply(message),
  );
}

function described({ accepted, refused, staleWrites, lateWrites, together }: Zombie): string {
  const shared = together ? 'leads on beside its successor' : 'leads no more';
  const writes = `${accepted} accepted (stale writes ${staleWrites}, late writes ${lateWrites}) and ${refused} refused`;
  return `the old leader ${shared}, of its late writes ${writes}`;
}
