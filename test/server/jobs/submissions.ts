/**
 * @module
 * A short job of each kind: the first example of an operation, unless another one is here. Tests restart and kill servers
 * that carry it out.
 */

import type { AnyJob } from '../../../server/jobs/all-jobs.ts';
import { OPERATION_KINDS } from '../../../server/jobs/operations/operation-job.ts';

const MODEL = { threatModel: 'top-id', runs: 5, seed: '1', set: { work: 'sampled' } };

const SUBMISSIONS: Readonly<Record<string, readonly [path: string, body: object]>> = {
  run: ['/v1/runs', { ...MODEL, set: ['work=sampled'] }],
  sweep: ['/v1/sweeps', { ...MODEL, axes: { 'network.honest': [4, 8] } }],
  mine: ['/v1/forgeries', { c1: 2, seed: '42' }],
  design: [
    '/v1/designs',
    {
      ...{ epsilon: 0.1, time: 60, nodes: 16, rate: 1e6 },
      ...{ joinTime: 3600, advantage: [2], check: false, elections: false },
    },
  ],
  calibrate: ['/v1/calibrations', {}],
  advantage: ['/v1/advantages', { policies: ['strict'] }],
  detectors: [
    '/v1/detector-measurements',
    {
      detectors: ['fd-heartbeat:timeout=150'],
      latency: ['exp:30'],
      loss: [0.1],
      runs: 3,
      seed: '1',
    },
  ],
  lookups: ['/v1/lookups', { nodes: [200], share: [0.2], paths: [2], lookups: 20, seed: '1' }],
  churn: ['/v1/churn-costs', { defences: ['ergo'], nodes: 100, rate: [1], time: 1000, seed: '1' }],
  attack: [
    '/v1/attacks',
    { protocol: 'cr-join', behaviours: ['swallow'], forge: 'top', attempts: 9 },
  ],
  elect: ['/v1/simulations', { protocol: 'cr-join', vary: ['nodes=3,4'], runs: 1 }],
  'compare-protocols': ['/v1/protocol-comparisons', { protocols: ['raft'], nodes: 3, runs: 1 }],
  compare: [
    '/v1/defence-comparisons',
    {
      threatModel: 'late-joiner',
      protocols: ['cr-join'],
      defences: ['none'],
      advantage: [1],
      runs: 1,
    },
  ],
  'attack-matrix': ['/v1/attack-matrices', { protocols: ['zk-recipe'] }],
  'fault-matrix': ['/v1/fault-matrices', { protocols: ['cr-join'], runs: 1 }],
  check: ['/v1/checks', { protocol: 'cr-join' }],
  'cheapest-attack': [
    '/v1/cheapest-attacks',
    { protocol: 'bully-oneshot', nodes: 2, timing: 'synchronous', goal: 'leader', seed: '1' },
  ],
};

/** The path and the body that submit a job of a kind. */
export function submissionOf(kind: AnyJob['kind']): readonly [path: string, body: object] {
  const operation = OPERATION_KINDS.find(({ name }) => name === kind);
  const usual = operation && ([`/v1/${operation.plural}`, operation.example] as const);
  const found = SUBMISSIONS[kind] ?? usual;
  if (found === undefined) throw new TypeError(`a job of the kind ${kind} is missing here`);
  return found;
}
