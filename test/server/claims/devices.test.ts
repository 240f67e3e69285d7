/**
 * @module
 * A server searches on a device only if its operator offers that.
 */

import { expect, test } from 'vitest';
import { labUnderTest } from '../lab-under-test.ts';

const ON_CARD = {
  work: 'sampled',
  'adversaries.main.rate': 'measured on gpu',
  'adversaries.main.budget.cpuSeconds': 1,
};

/** The same in an other spelling of YAML. */
const OTHER_SPELLING = [
  'work=sampled',
  'adversaries.main.rate="measured\\x20on gpu"',
  'adversaries.main.budget={cpuSeconds: 1}',
];

const ASKED = [
  ['/v1/forgeries', { c1: 2, device: 'gpu', gpu: 5 }],
  ['/v1/calibrations', { device: 'gpu' }],
  ['/v1/advantages', { device: 'gpu' }],
  [
    '/v1/designs',
    { epsilon: 0.1, time: 60, nodes: 16, joinTime: 10, advantage: 'measured', device: 'gpu' },
  ],
  ['/v1/runs', { threatModel: 'top-id', set: ON_CARD }],
  ['/v1/runs', { threatModel: 'top-id', set: OTHER_SPELLING }],
  ['/v1/sweeps', { threatModel: 'top-id', set: ON_CARD, axes: { 'network.honest': [4, 8] } }],
] as const;

test.each(ASKED)('%s refuses a device that is not offered', async (path, body) => {
  const { post } = labUnderTest();

  const answer = await post(path, body);

  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({
    detail: expect.stringContaining('usurp serve --device gpu'),
    errors: [{ pointer: 'device' in body ? '#/device' : '#/threatModel' }],
  });
});

test.each(ASKED)('%s accepts a device that is offered', async (path, body) => {
  const { post } = labUnderTest({ device: true, execute: () => new Promise(() => {}) });

  expect((await post(path, body)).status).toBe(202);
});
