/**
 * @module
 * The answer of a check says what was checked. A reader of the answer, or of the file of a counterexample, can ask
 * for the same check again.
 */

import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../src/checking/check.ts';
import { check } from '../../../src/checking/check.ts';
import type { CheckRequest } from '../../../src/checking/check-request.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import { checkAnswer, checkedInstance } from '../../../src/experiment/checks/answer.ts';
import { loadCounterexample, repeat } from '../../../src/experiment/checks/counterexample.ts';
import type { Check } from '../../../src/experiment/checks/request.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';
import { savedText } from './saved-text.ts';

const BYZANTINE: Check = {
  ...{ protocol: 'cr-join', ring: [2, 1, 3, 4], phantoms: [4], level: 'L1' },
  byzantine: [{ rank: 3, behaviours: ['phantom-id'] }],
  ...{ absent: [1], crashedBefore: [], initiators: [2], cut: [[1, 2]], perLink: 2 },
  ...{ timing: 'synchronous', links: 'fifo', starts: 'any', terms: 'exact', order: 'depth' },
  bounds: { join: 1, lies: 1, timeout: 3, loss: 1 },
};
const LEASE: Check = {
  ...{ protocol: 'lease-local', ring: [1, 2], resource: 'unfenced', bounds: { timeout: 1 } },
};
const FLAGGED: Check = { protocol: 'raft', ring: [1, 2], flags: { preVote: 'on' }, spread: 1 };
const LINKED: Check = { protocol: 'floodmax', ring: [1, 2, 3], topology: 'tree:1' };
const SERVED: Check = { ...LEASE, clients: '2:patience=40' };
const ENDLESS: Check = {
  ...{ protocol: 'bully-oneshot', ring: [1, 2, 3], perLink: 1, properties: ['settles'] },
};

function resultOf(request: CheckRequest, statesMax: number): CheckResult {
  const steps = check(searchOptionsOf(request, { statesMax, bytesMax: 2 ** 28 }));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

describe('a check', () => {
  it('of named properties checks these alone, and else those that show that others say something', () => {
    const asked: Check = { protocol: 'cr-join', ring: [1, 2, 3] };

    const named = requestOf({ ...asked, properties: ['leader-elected'] });

    expect(named.properties).toEqual(['leader-elected']);
    expect(requestOf(asked).properties).toEqual([
      ...['one-leader', 'agreement', 'highest-wins', 'leader-elected'],
      ...['someone-leads', 'comes-to-rest'],
    ]);
  });
});

describe('the answer of a check', () => {
  it.each([
    ['Byzantine nodes', BYZANTINE],
    ['a resource', LEASE],
    ['a flag', FLAGGED],
    ['a topology', LINKED],
    ['clients', SERVED],
  ])('states every member of the request: %s', (_, asked) => {
    const request = requestOf(asked);
    const { isReduced, isSymmetric, properties, ...members } = request;

    const answer = checkAnswer(checkedInstance(request, true), resultOf(request, 50));

    expect(answer).toMatchObject({
      ...members,
      level: request.level ?? null,
      byzantine: request.byzantine ?? [],
      resource: request.resource ?? null,
      topology: request.topology ?? null,
      clients: asked.clients ?? null,
      goal: request.goal ?? null,
      walks: null,
    });
    expect(answer.properties.map(({ name }) => name).toSorted()).toEqual(properties.toSorted());
    expect(Object.values(answer)).not.toContain(undefined);
    // A member that a request gets must be stated here, too.
    const known = [...Object.keys(answer), 'isReduced', 'isSymmetric'];
    expect(Object.keys(request).filter((name) => !known.includes(name))).toEqual([]);
    expect([isReduced, isSymmetric]).toEqual([true, true]);
  });

  it('says where a lasso begins, as its file does', () => {
    const request = requestOf(ENDLESS);
    const result = resultOf(request, 100_000);
    if (result.type !== 'violated') throw new TypeError('"result" expected a violation');
    const { property, breach, repeatsFrom, trace } = result;

    const answer = checkAnswer(checkedInstance(request, true), result);
    const example = { request, property: property.name, breach, address: trace.address };
    const saved = JSON.parse(savedText({ ...example, repeatsFrom }));

    expect(repeatsFrom).toBeGreaterThan(0);
    expect(answer).toMatchObject({ result: 'violated', repeatsFrom });
    expect(saved).toMatchObject({ repeatsFrom });
    expect(repeat(loadCounterexample(saved)).doubt).toBeNull();
  });
});

describe('the file of a counterexample', () => {
  it('states the level, the Byzantine nodes, and all that differs from an empty check', () => {
    const asked: Check = {
      ...{ protocol: 'cr-replace', ring: [1, 2, 3], level: 'L3', bounds: { lies: 1, timeout: 2 } },
      ...{ byzantine: [{ rank: 2, behaviours: [] }], properties: ['one-leader'] },
    };
    const request = requestOf(asked);
    const result = resultOf(request, 100_000);
    if (result.type !== 'violated') throw new TypeError('"result" expected a violation');
    const { property, breach, repeatsFrom, trace } = result;

    const text = savedText({
      request,
      property: property.name,
      breach,
      address: trace.address,
      repeatsFrom,
    });

    const saved = JSON.parse(text);
    expect(saved.check).toMatchObject(asked);
    expect(requestOf(saved.check)).toMatchObject({ level: 'L3', byzantine: asked.byzantine });
  });

  const PARTED: Check = {
    ...{ protocol: 'raft', ring: [1, 2], flags: { spreadTicks: '1' }, spread: 1 },
    ...{ timing: 'synchronous', bounds: { partition: 1 }, properties: ['leader-appears'] },
  };
  const ONE_LOST: Check = {
    ...{ protocol: 'cr-join', ring: [1, 2, 3], bounds: { loss: 1 } },
    properties: ['leader-elected'],
  };

  it.each([
    ['the first world', ONE_LOST, [], null, 'the start of node 1'],
    ['messages in flight', ONE_LOST, [0, 0, 0], null, 'the delivery of PROBE from 1 to 2'],
    [
      'a partition that lasts for ever',
      PARTED,
      [0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 1],
      8,
      'the end of the partition',
    ],
  ])(
    'is no violation of an eventually property if it ends in %s',
    (_, asked, address, from, debt) => {
      const request = requestOf(asked);
      const [property = ''] = request.properties;

      const repeated = repeat({ request, property, breach: '', address, repeatsFrom: from });

      expect(repeated.doubt).toBe(`a fair execution goes on with ${debt}`);
    },
  );
});
