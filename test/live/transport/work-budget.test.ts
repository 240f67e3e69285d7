/**
 * @module
 * Who pays for a flood: the address or the member from which it comes, over all its connections. Others pay nothing for it.
 */

import { describe, expect, it } from 'vitest';
import type { Rank } from '../../../src/election/machine.ts';
import {
  messagePoints,
  PEER_ALLOWANCES,
  payingAddress,
  WorkBudget,
} from '../../../src/live/transport/work-budget.ts';

const { payer: ALLOWANCE, together: TOGETHER } = PEER_ALLOWANCES;
const member = { member: 'aa' as string as Rank };
const other = { member: 'bb' as string as Rank };
const joined = (name: string) => ({ member: `joined ${name}` as string as Rank });
const address = (name: string) => ({ address: name });

/** A budget with a clock that stands still. */
function budgetAt(clock: { now: number }) {
  const budget = new WorkBudget(
    PEER_ALLOWANCES,
    () => clock.now,
    (rank) => !String(rank).startsWith('joined'),
  );
  const used = (payer: Parameters<WorkBudget['take']>[0], points: number) => {
    let times = 0;
    while (budget.take(payer, points)) times += 1;
    return times;
  };
  return { budget, used };
}

describe('the budget of work', () => {
  it('is used up by one payer, and fills up again with time', () => {
    const clock = { now: 0 };
    const { used } = budgetAt(clock);

    expect(used(address('a'), 5)).toBe(ALLOWANCE.most / 5);
    clock.now = 1_000;
    expect(used(address('a'), 5)).toBe(ALLOWANCE.perSecond / 5);
    clock.now = 1_000_000;
    expect(used(address('a'), 5)).toBe(ALLOWANCE.most / 5);
  });

  it('of a member is left whole by a flood from any number of addresses and by other members', () => {
    const { budget, used } = budgetAt({ now: 0 });
    for (let host = 0; host < 10_000; host += 1) used(address(`host ${host}`), 60);
    used(other, 1);

    expect(budget.take(address('another'), 60)).toBe(false);
    expect(used(member, 1)).toBe(ALLOWANCE.most);
  });

  it.each([
    ['addresses', address],
    ['members that have joined', joined],
  ])('of all %s together is bounded, and that of a founder is left whole', (_who, payerOf) => {
    const { used } = budgetAt({ now: 0 });
    let points = 0;
    for (let each = 0; each < 100; each += 1) points += used(payerOf(`${each}`), 1);

    expect(points).toBe(TOGETHER.most);
    expect(used(member, 1)).toBe(ALLOWANCE.most);
  });

  it('gets back what a request did not cost, and no more than it had', () => {
    const { budget, used } = budgetAt({ now: 0 });
    budget.take(member, 5);
    budget.giveBack(member, 4);
    budget.giveBack(other, 1_000);

    expect(used(member, 1)).toBe(ALLOWANCE.most - 1);
    expect(used(other, 1)).toBe(ALLOWANCE.most);
  });
});

it('a message costs more if its signatures were verified in vain', () => {
  const points = ([null, 'replay', 'signature'] as const).map(messagePoints);

  expect(points).toEqual(points.toSorted((one, two) => one - two));
  expect(new Set(points).size).toBe(3);
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:2:0:0:0:9', '2001:db8:1:2::/64'],
  ['::ffff:7f00:0001', '127.0.0.1'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s pays as %s', (remote, payer) => {
  expect(payingAddress(remote)).toBe(payer);
});
