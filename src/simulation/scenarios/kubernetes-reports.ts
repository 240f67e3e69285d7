/**
 * @module
 * What users have reported of leader election by a Kubernetes Lease, and what client-go's documents exclude. Node 1 starts
 * alone and leads. The others are up from tick 200 on, and have seen the Lease long before anything goes wrong.
 */

import type { Flags } from '../../election/definition/flags.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { ScheduledFault } from '../faults/schedule.ts';
import type { PlayedRun, StagedRun } from './played-run.ts';
import { ledTogether, measuresOf } from './played-run.ts';
import type { Scenario, ScenarioSettings } from './scenario.ts';
import { defineScenario, LATENCY, ranksTo, stageRun } from './scenario.ts';

const HOLDER = 1;
const OTHERS_AT = 200;
const FAULT_AT = 800;
const UNTIL_TICKS = 3000;
/** LeaseDuration of most nodes, in ticks: with 15 s, a tick is 79 ms. */
const LEASE_TICKS = 190;

/** What came of node 1 and its Lease. */
type Reign = {
  readonly replaced: boolean;
  /** Whether node 1 led while another did. */
  readonly together: boolean;
  readonly leadsAtEnd: boolean;
  readonly leadersPerEpochMax: number | null;
};

const LEADS_ON: Reign = {
  replaced: false,
  together: false,
  leadsAtEnd: true,
  leadersPerEpochMax: 1,
};
const REPLACED: Reign = { ...LEADS_ON, replaced: true, leadsAtEnd: false };

interface Run {
  readonly flags?: Flags;
  /** The flags of node 1, if they differ. */
  readonly holder?: Flags;
  readonly faults?: (nodes: number) => readonly ScheduledFault[];
  readonly expected: Reign;
}

/** Node 1 reaches the store no more. Every call hangs. */
const HANGING: ScheduledFault = {
  type: 'partition',
  cut: { kind: 'isolate', rank: HOLDER },
  from: FAULT_AT,
  to: null,
};

export const HANGING_CALL = defineReport({
  name: 'hanging-call',
  aliases: ['kubernetes-65090'],
  title: 'A holder waits for a call that hangs, and leads on beside the next one',
  explanation: `From tick ${FAULT_AT} on no call of node 1 is answered. With hang=unbounded it checks RenewDeadline between its calls alone, so that it never stops. With hang=bounded a timer of its own ends the call: it stops RetryPeriod and RenewDeadline after its last renewal, and the Lease expires later.`,
  source:
    'kubernetes/kubernetes#44887, 2017: two leaders while a request hangs for a minute, and #65090, 2018: a component does not exit when the API server is suspended; mended by #65094',
  runs: {
    'hang=unbounded': {
      flags: { hang: 'unbounded' },
      faults: () => [HANGING],
      expected: { ...REPLACED, together: true, leadsAtEnd: true },
    },
    'hang=bounded': { faults: () => [HANGING], expected: REPLACED },
  },
});

const LONG = { leaseDuration: '600', retryPeriod: '200' };

export const SHORTER_LEASE = defineReport({
  name: 'shorter-lease',
  aliases: ['kubernetes-114872'],
  title: 'A node with a shorter LeaseDuration deposes a live leader',
  explanation:
    'Node 1 renews a Lease of 600 ticks every 200 ticks. The others have a LeaseDuration of 75 ticks. With expiry=own they take the Lease for expired between two renewals. Node 1 finds another holder at its next renewal, and leads on until RenewDeadline. With expiry=record they wait for the duration that the Lease states.',
  source:
    'kubernetes/kubernetes#47671, 2017; mended by kubernetes/kubernetes#114872, 2023: a candidate waits for the duration in the record',
  runs: {
    'expiry=own': {
      flags: { leaseDuration: '75', expiry: 'own' },
      holder: { ...LONG, expiry: 'own' },
      expected: { ...REPLACED, together: true },
    },
    'expiry=record': {
      flags: { leaseDuration: '75' },
      holder: LONG,
      expected: LEADS_ON,
    },
  },
});

/** Timers of node 1 take this many times their ticks. */
function slow(numerator: number, denominator: number): ScheduledFault {
  return { type: 'skew', rank: HOLDER, numerator, denominator };
}

export const CLOCK_RATES = defineReport({
  name: 'lease-clock-rates',
  aliases: ['clock-jump'],
  title: 'Clocks that run apart by more than LeaseDuration to RenewDeadline, or jump',
  explanation: `Node 1 reaches the store no more from tick ${FAULT_AT} on, and its clock is slow. RetryPeriod and RenewDeadline take 151 ticks on it, and the Lease expires after ${LEASE_TICKS} ticks on others. A clock that needs 6 ticks for 5 stops it in time, and one that needs 3 ticks for 1 does not. In the third run all clocks run equally fast, and that of node 1 jumps back by 300 ticks.`,
  source:
    'kubernetes/client-go, package leaderelection: tolerant to arbitrary clock skew, but not to arbitrary clock skew rate; the tolerance is the ratio of LeaseDuration to RenewDeadline',
  runs: {
    '6 ticks for 5': { faults: () => [slow(6, 5), HANGING], expected: REPLACED },
    '3 ticks for 1': {
      faults: () => [slow(3, 1), HANGING],
      expected: { ...REPLACED, together: true },
    },
    'a jump back': {
      faults: () => [HANGING, { type: 'jump', rank: HOLDER, at: FAULT_AT + 10, ticks: -300 }],
      expected: { ...REPLACED, together: true },
    },
  },
});

/** Long after the Lease has expired. */
const RETURN_AT = 2000;

export const OBSERVED_TIME = defineScenario<{ readonly waits: boolean; readonly leads: boolean }>({
  name: 'observed-time',
  aliases: ['client-go-448'],
  title: 'A node that starts waits for a Lease that has expired long ago',
  explanation: `All nodes are down from tick ${FAULT_AT} on, and all but node 1 return at tick ${RETURN_AT}. The Lease has expired on every clock. But each node measures from its first sight of the Lease, so that no node leads for another LeaseDuration. renewTime in the Lease comes from another clock. A node that relied on it would depose a live leader if its own clock is ahead. The maintainers kept observedTime for this reason.`,
  source:
    "kubernetes/client-go#448, 2018: a record's observedTime is checked instead of an actual timestamp; closed without a change",
  nodes: { usual: 3, min: 2, max: 16 },
  stage: (setting) => [
    staged(setting, 'all restart', {
      faults: (nodes) =>
        ranksTo(nodes).flatMap((rank): ScheduledFault[] => [
          { type: 'crash', rank, at: FAULT_AT },
          ...(rank === HOLDER ? [] : [restart(rank, RETURN_AT)]),
        ]),
    }),
  ],
  expect: () => ({ waits: true, leads: true }),
  observe: (runs) => {
    const next = nextReign(runs);
    return { waits: next >= RETURN_AT + LEASE_TICKS, leads: next < UNTIL_TICKS };
  },
  describe: ({ waits, leads }) =>
    `a node leads ${leads ? 'again' : 'no more'}, ${waits ? 'a whole LeaseDuration after' : 'sooner than a LeaseDuration after'} it has started`,
  figures: (runs) => ({ ticksWithoutLeader: nextReign(runs) - RETURN_AT }),
});

/** When a node leads after the restart. */
function nextReign([run]: readonly PlayedRun[]): number {
  return run?.reigns.find(({ from }) => from > RETURN_AT)?.from ?? UNTIL_TICKS;
}

function restart(rank: number, at: number): ScheduledFault {
  return { type: 'restart', rank, at, amnesia: true };
}

function defineReport(
  given: Pick<Scenario, 'name' | 'aliases' | 'title' | 'explanation' | 'source'> & {
    readonly runs: Readonly<Record<string, Run>>;
  },
): Scenario {
  const { runs, ...facts } = given;
  return defineScenario<Readonly<Record<string, Reign>>>({
    ...facts,
    nodes: { usual: 3, min: 2, max: 16 },
    stage: (setting) => Object.entries(runs).map(([name, run]) => staged(setting, name, run)),
    expect: () =>
      Object.fromEntries(Object.entries(runs).map(([name, { expected }]) => [name, expected])),
    observe: (played) => Object.fromEntries(played.map((run) => [run.name, observe(run)])),
    describe: (outcome) =>
      Object.entries(outcome)
        .map(([name, reign]) => `${name}: ${described(reign)}`)
        .join('; '),
    figures: (played) =>
      Object.fromEntries(
        played.map((run) => [`splitTicks ${run.name}`, measuresOf(run).ticksSplit]),
      ),
  });
}

function staged(
  setting: ScenarioSettings,
  run: string,
  { flags = {}, holder = flags, faults = () => [] }: Omit<Run, 'expected'>,
): StagedRun {
  const others = ranksTo(setting.nodes).slice(HOLDER);
  const timing = { latencyTicksMax: LATENCY.ticksMax };
  const { create } = PROTOCOLS['kubernetes-lease'];
  const [first, other] = [create(timing, holder), create(timing, flags)];
  return stageRun(setting, {
    run,
    protocol: 'kubernetes-lease',
    flags,
    crashedBefore: others,
    faults: [...others.map((rank) => restart(rank, OTHERS_AT)), ...faults(setting.nodes)],
    audit: true,
    untilTicks: UNTIL_TICKS,
    ...(holder !== flags && { machineOf: (rank) => (rank === HOLDER ? first : other) }),
  });
}

function observe(run: PlayedRun): Reign {
  const { reigns } = run;
  return {
    replaced: reigns.some(({ rank }) => rank !== HOLDER),
    together: ledTogether(run),
    leadsAtEnd: reigns.some(({ rank, to }) => rank === HOLDER && to === null),
    leadersPerEpochMax: measuresOf(run).leadersPerEpochMax,
  };
}

function described({ replaced, together, leadsAtEnd, leadersPerEpochMax }: Reign): string {
  const led = together ? 'leads beside the next leader' : 'never leads beside another';
  const end = leadsAtEnd ? 'leads at the end' : 'does not lead at the end';
  const next = replaced ? 'is replaced' : 'is not replaced';
  return `node ${HOLDER} ${next}, ${led} and ${end}, at most ${leadersPerEpochMax} an epoch`;
}
