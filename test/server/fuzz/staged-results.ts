/**
 * @module
 * The results of staged jobs.
 */

import type { z } from 'zod';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import { NO_FAULTS } from '../../../src/checking/instance.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { NATIVE_CORE } from '../../../src/mining/native.ts';
import type { ADVANTAGE } from '../../../src/operations/advantage/advantage.ts';
import type { ATTACK_MATRIX } from '../../../src/operations/attack/attack-matrix.ts';
import type { AttackOutput } from '../../../src/operations/attack/attack-report.ts';
import type { FAULT_MATRIX } from '../../../src/operations/attack/fault-matrix.ts';
import type { Calibration } from '../../../src/operations/calibration.ts';
import type { CheapestOutput } from '../../../src/operations/check/cheapest-attack.ts';
import type { CheckOutput } from '../../../src/operations/check/output.ts';
import type { CHURN } from '../../../src/operations/churn.ts';
import type { compareOutput } from '../../../src/operations/compare-report.ts';
import { DESIGN } from '../../../src/operations/design.ts';
import type { DETECTORS_OPERATION } from '../../../src/operations/detectors.ts';
import type { COMPARE_PROTOCOLS } from '../../../src/operations/elect/compare-protocols.ts';
import type { ELECT } from '../../../src/operations/elect/elect.ts';
import type { MineOutput } from '../../../src/operations/identity/mine-report.ts';
import type { LOOKUPS } from '../../../src/operations/lookups/lookups.ts';
import { inputSchema } from '../../../src/operations/operation.ts';
import type { REPRODUCE } from '../../../src/operations/reproduce/reproduce.ts';
import { parseSeed } from '../../../src/random.ts';

/** The output of an operation. */
type Answer<O extends { readonly report: (output: never) => unknown }> = Parameters<O['report']>[0];

const LEDGER = {
  ...{ attempts: 1024, hashes: 2048, groupOperations: 512 },
  ...{ cpuSeconds: 0.5, wallSeconds: 1, overshoot: 7 },
};

const VERDICT = {
  value: 'true',
  sentence: 'True: it is so.',
  reason: 'it is so',
  confidence: 0.95,
} as const;

export const REPORT: RunReport = {
  threatModel: 'top-id',
  title: 'It is so',
  verdict: { ...VERDICT, protocols: ['raft'] },
  results: [
    {
      protocols: ['raft'],
      verdict: VERDICT,
      measured: { runs: 50, wins: 5, frequency: 0.1, interval: [0.05, 0.2] },
      theory: { probability: 0.1, formula: '1/10' },
    },
  ],
  budgets: ['main: 64 attempts'],
  response: [],
  elections: { held: 100, messages: 1000 },
  ledger: null,
  honestCost: {
    join: { attempts: { expected: 1, p50: 1, p95: 1 }, seconds: null, rate: null, repeats: 'once' },
    elections: [],
    defences: [],
  },
  replay: 'usurp run top-id --runs 50 --seed 1',
};

export const MINE_PROGRESS: OperationJob['progress'] = {
  ...{ now: 'attempts', done: 1024, total: null },
  ...{ phase: 'keys', tested: 1024, perSecond: 1024, bestBits: 9, ledger: LEDGER, odds: null },
  ...{ keys: 1, highest: { attempt: 511, nodeId: 'bb'.repeat(32) } },
};

const MINED: Omit<MineOutput, 'claim'> = {
  ...{ found: true, goal: 'any', ending: 'found', measured: { c1: 10, c2: 0 }, ledger: LEDGER },
  ...{ expectedBits: 10, strategy: 'siblings', seed: null, replay: 'usurp mine --c1 10' },
};

/** A search that found a key, with its secret. */
export const FOUND = {
  ...MINED,
  claim: {
    ...({ scheme: 'ed25519', publicKey: 'aa'.repeat(32), nodeId: 'bb'.repeat(32) } as const),
    ...{ solution: null, signature: 'cc'.repeat(64) },
  },
  secret: { seed: '42', keys: [{ form: 'scalar', hex: '5e'.repeat(32) }] },
} satisfies OperationJob['result'] & MineOutput;

/** A search that found none. */
export const UNFOUND: MineOutput = {
  ...{ ...MINED, found: false, ending: 'attempts', claim: null, measured: null },
  ledger: { ...LEDGER, attempts: 1234 },
};

const RATE = { perSecond: 1000, perCpuSecond: 1100 };

const MEASURED: Calibration = {
  threads: 1,
  keys: [
    {
      ...{ scheme: 'ed25519', strategy: 'fresh', implementation: 'noble', policy: 'strict' },
      ...{ keys: RATE, advantageBits: { noble: 0, native: -3 } },
    },
  ],
  solutions: [
    {
      ...{ strategy: 'dynamic', implementation: 'noble', policy: 'strict' },
      ...{ solutions: RATE, advantageBits: { noble: 0, native: -3 } },
    },
  ],
  stock: { tests: RATE },
  native: NATIVE_CORE,
  times: [{ bits: 4, expectedSeconds: 1, p50Seconds: 1, p95Seconds: 3, p99Seconds: 5 }],
};

const CALIBRATION = { ...MEASURED, replay: 'usurp calibrate' };

const ADVANCED: z.output<typeof ADVANTAGE.output> = {
  ...{ scheme: 'ed25519', threads: 1, replay: 'usurp advantage' },
  rates: [
    {
      ...{ policy: 'strict', implementation: 'noble', cores: 1, perSecond: 1000, why: null },
      ...{ hashesPerSecond: 2000, bits: 0 },
    },
    {
      ...{ policy: 'scrypt', implementation: 'kernel', cores: 1, perSecond: null, why: 'no' },
      ...{ hashesPerSecond: null, bits: null },
    },
  ],
  published: [
    {
      ...{ program: 'mkp224o', hardware: 'a processor', counts: 'keys', perSecond: 1e6 },
      ...{ source: 'a page', bits: null },
    },
  ],
};

const QUESTION = { epsilon: 0.1, time: 60, nodes: 16, joinTime: 10, rate: 1e6 };
const ASKED = { ...QUESTION, check: false, elections: false };
const INPUT = inputSchema(DESIGN, true).parse(ASKED) as Parameters<typeof DESIGN.atOnce>[0];
export const DESIGNED = answerOf(DESIGN.atOnce(INPUT));

function answerOf<T>(answer: T | null): T {
  if (answer === null) throw new TypeError('"answer" expected one at once, got none');
  return answer;
}

const ATTACKED: AttackOutput = {
  ...{ protocol: 'cr-join', level: 'L0', aim: null, behaviours: ['phantom-id'], defences: [] },
  ...{ forge: 'none', colluders: 1, c1: 8, seed: parseSeed('1'), forgerSeed: null },
  ...{ succeeded: false, sentence: 'The adversary did nothing.', ledger: LEDGER, stoppedBy: [] },
  ...{ replay: 'usurp attack cr-join', harms: [], possibleHarms: [], members: [] },
  ...{ measured: null, trials: [], sets: null, notTried: [], interrupted: false },
};

const CHECKED: CheckOutput = {
  ...{ result: 'capped', protocol: 'raft', nodes: 2, timing: 'asynchronous', links: 'any' },
  ...{ starts: 'any', initiators: [1], crashedBefore: [], bounds: NO_FAULTS, cut: [[1, 2]] },
  topology: null,
  clients: null,
  renamings: 1,
  ...{ flags: { preVote: 'on' }, ring: [1, 2], absent: [], phantoms: [2], order: 'breadth' },
  ...{ level: 'L1', byzantine: [{ rank: 1, behaviours: ['swallow'] }], resource: 'unfenced' },
  ...{
    perLink: null,
    isShifted: true,
    spread: 2,
    witnessed: [],
    reduced: false,
    walks: null,
    detail: 'stopped',
    goal: null,
  },
  store: null,
  properties: [{ name: 'one-leader', kind: 'always', value: 'unknown', description: 'one leads' }],
  words: { instance: 'raft', explored: ['1 world'], outcome: 'capped: stopped', further: [] },
  replay: 'usurp check raft',
  rings: {
    count: 2,
    checked: [
      {
        ...{ ring: [1, 2, 3], result: 'exhausted', states: 9, transitions: 9, depth: 2 },
        ...{ property: null, actions: null },
      },
    ],
  },
  unclaimed: [{ name: 'agreement', reason: 'it is not claimed' }],
  counts: { states: 1, transitions: 0, depth: 0, queue: 1, steps: 0, bytes: 64 },
  coverage: { messages: [], timers: [], events: [{ event: 'start', reached: 'never' }] },
};

const CHEAPEST: CheapestOutput = {
  ...{ result: 'unreached', protocol: 'raft', goal: 'leader', property: 'adversary-leads' },
  ...{ level: 'L0', behaviours: [], colluders: 1, check: {}, honest: ['0c'.repeat(32)] },
  ...{ policy: STRICT_POLICY, placements: [], cheapest: null, enough: null },
  ...{ least: { attempts: null, hashes: null }, instance: 'raft', sentences: ['none reaches it'] },
  replay: 'usurp cheapest-attack raft --goal leader',
};

const RUN = { seed: '0', nodes: 4, leader: null, messages: 9 };

const FAULTS: Answer<typeof FAULT_MATRIX> = {
  ...{ complete: true, starts: 'together', replay: 'usurp fault-matrix raft' },
  rows: [
    {
      protocol: 'raft',
      cells: [
        {
          ...{ fault: 'drop', drawn: 'drop', stated: 'ok', why: '', runs: 1, agrees: 'true' },
          ...{ seen: [{ effect: 'L', runs: 1, detail: 'none', ...RUN }], calm: null },
        },
      ],
    },
  ],
};

const ATTACKS: Answer<typeof ATTACK_MATRIX> = {
  ...{ complete: true, attacks: ['A4'], seed: '1', replay: 'usurp attack-matrix zk-recipe' },
  rows: [
    {
      protocol: 'zk-recipe',
      cells: [
        {
          ...{ attack: 'A4', byLevel: '----', mark: '' },
          shown: [
            { level: 'L0', shows: '-', form: 0, seed: '1', ticks: 9, leader: 2, messages: 9 },
          ],
        },
      ],
    },
  ],
};

const PROTOCOLS_COMPARED: z.output<typeof COMPARE_PROTOCOLS.output> = {
  runs: 1,
  protocols: [
    {
      ...{ protocol: 'raft', runs: 1, unfinished: 0, messagesMean: 9, stableShare: 1 },
      stableInterval: [0.025, 1],
      ...{ stableTicksMedian: 9, stableTicksMax: 9, withoutLeaderShare: 0.5, splitTicksMean: 0 },
      ...{ splitTicksMax: 0, leadersPerEpochMax: 1, changesMean: 0, changesMax: 0 },
    },
  ],
  ...{ horizonTicks: 9, notes: [], seed: '1', replay: 'usurp compare-protocols raft --nodes 3' },
};

const DEFENDED: z.output<typeof compareOutput> = {
  ...{ threatModel: 'top-id', title: 'Top ID', seed: '1', codeVersion: '0', bound: 0.01 },
  ...{ sentence: 'Share of runs.', fixed: null, replay: 'usurp compare top-id' },
  ...{ complete: true, runs: 5, property: 'adversary-leads', confidence: 0.95, machines: null },
  ...{ hardRate: 20, honest: 8, reference: { attempts: 64, seconds: null }, advantages: [1] },
  rows: [
    {
      ...{ protocol: 'raft', defences: ['beacon-rank'], acting: [], bits: 6, excluded: [] },
      results: [
        {
          ...{ advantage: 1, attempts: 64, identities: 1, source: 'runs', n: 5, k: 1, p: 0.2 },
          ...{ interval: [0.01, 0.7], theory: null, verdict: 'unknown' },
        },
      ],
      cost: {
        join: {
          ...{ attempts: { expected: 64, p50: 45, p95: 190 }, seconds: null, rate: null },
          repeats: 'once',
        },
        ...{ election: null, added: null },
      },
    },
  ],
  refused: [{ protocol: 'raft', defences: ['signatures'], reason: 'it has no effect' }],
};

const HELD = { value: 'true', witnessed: true } as const;
const ELECTED = {
  ...{ protocol: 'bully-oneshot', leader: { rank: 2, nodeId: '4d'.repeat(32) }, agreed: true },
  ...{ messages: { ELECTION: 3, OK: 1, COORDINATOR: 1, total: 5 }, ticks: 5, seed: '1' },
  verdict: {
    ...{ value: 'true', reason: 'all 2 live nodes follow 2, the highest of them' },
    properties: {
      ...{ agreement: HELD, uniqueness: HELD, termination: HELD, highestLiveWins: HELD },
    },
  },
  replay: 'usurp elect bully-oneshot',
  audit: {
    measures: {
      ...{ ticks: 5, ticksWithoutLeader: 4, ticksSplit: 0, reigns: 1, changes: 0, epochs: 0 },
      ...{ leadersPerEpochMax: null, stableFrom: 5 },
    },
    ...{ trail: [{ at: 4, node: 2, leads: true, epoch: 0 }], omitted: 0 },
  },
} as const satisfies z.output<typeof ELECT.output>;

const ESTIMATE = { value: 0.1, interval: [0.05, 0.2] } as const;
const DETECTED = {
  every: 100,
  periods: 300,
  rows: [
    {
      name: 'fd-heartbeat',
      detector: 'fd-heartbeat:every=100,timeout=150',
      latency: 'exp:30',
      loss: 0.1,
      observations: 3,
      ticks: 900,
      mistakes: 2,
      mistakeRate: ESTIMATE,
      mistakeTicks: ESTIMATE,
      queryAccuracy: ESTIMATE,
      detectionTicks: ESTIMATE,
      missed: 0,
    },
  ],
  replay: 'usurp detectors fd-heartbeat',
} as const satisfies z.output<typeof DETECTORS_OPERATION.output>;

const SHARE = { share: 0.5, interval: [0.2, 0.8] } as const;
const LOOKED_UP = {
  rows: [
    {
      ...{ nodes: 1000, share: 0.2, paths: 4, lookups: 200, success: SHARE, analytic: 0.5 },
      ...{ expected: 0.5, overAnalytic: 1, overAnalyticInterval: [0.4, 1.6] },
      ...{ stepsMean: 1.5, stepsMax: 2, lengths: [0, 1, 1], messagesMean: 9.5, poisoned: 0.2 },
      ...{ led: 0.6, eclipsed: 0.5, keys: 200, keysLed: SHARE, hashesPerKey: 0, keysCaptured: 0 },
      keysCapturedInterval: SHARE.interval,
      ...{ hashesPerKeyLed: null, ticksMean: 21.5, ticks95: 60, timeoutsMean: 0.25 },
    },
  ],
  stepsPerBit: null,
  leaders: [{ nodes: 1000, share: 0.2, probability: 0.5, ids: 1000, attempts: 1000, hashes: 1000 }],
  complete: true,
  replay: 'usurp lookups',
} as const satisfies z.output<typeof LOOKUPS.output>;

const CHURNED = {
  seconds: 10_000,
  rows: [
    {
      defence: 'ergo',
      sessions: 'exp:2.3h',
      adversary: 'join',
      rate: 100,
      bound: 12.2,
      adversaryRate: 100,
      honestRate: 379,
      entranceRate: 9,
      joinRate: 1.21,
      badJoinRate: 31.3,
      purges: 370,
      members: 10_000,
      largestShare: 0.08,
      electionsLost: 0.04,
      estimates: 7,
      estimateLeast: 5.1,
      estimateLargest: 7.1,
    },
  ],
  curves: [{ defence: 'ergo', sessions: 'exp:2.3h', adversary: 'join', slope: null }],
  complete: true,
  replay: 'usurp churn ergo --rate 100 --seed 1',
} as const satisfies z.output<typeof CHURN.output>;

const REPRODUCED = {
  results: [
    {
      name: 'chang-roberts-extremes',
      title: 'Chang and Roberts pass at most n(n + 1)/2 messages',
      citation: 'Chang and Roberts 1979',
      claim: 'A ring in descending order takes n(n + 1)/2 message passes.',
      unit: 'messages',
      axis: null,
      shape: 'values',
      missing: null,
      rows: [
        {
          at: 'worst, n = 6',
          x: null,
          series: null,
          source: 'Worst case',
          published: 21,
          bound: null,
          isOurs: false,
          measured: 21,
          interval: null,
          within: 0,
          agreement: 'agrees',
          why: null,
          replay: 'usurp elect cr-join --ring 6,5,4,3,2,1',
        },
      ],
    },
  ],
  complete: true,
  replay: 'usurp reproduce chang-roberts-extremes',
} as const satisfies z.output<typeof REPRODUCE.output>;

/** The result of each operation that has one of its own. */
export const OPERATED: Readonly<Record<string, { readonly replay: string }>> = {
  mine: FOUND,
  calibrate: CALIBRATION,
  advantage: ADVANCED,
  compare: DEFENDED,
  'compare-protocols': PROTOCOLS_COMPARED,
  reproduce: REPRODUCED,
  detectors: DETECTED,
  lookups: LOOKED_UP,
  churn: CHURNED,
  elect: ELECTED,
  check: CHECKED,
  'cheapest-attack': CHEAPEST,
  attack: ATTACKED,
  'attack-matrix': ATTACKS,
  'fault-matrix': FAULTS,
  run: REPORT,
};
