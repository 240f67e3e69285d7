/**
 * @module
 * The protocols of the families graph and groups, in every order of messages: three nodes in each connected network, four
 * in some, whichever nodes start and when. The numbers of worlds are pinned, so that no change of a machine goes unseen.
 */

import { describe, expect, it } from 'vitest';

import { check } from '../../../src/checking/check.ts';
import { searchOptionsOf } from '../../../src/checking/check-request.ts';
import type { Check } from '../../../src/experiment/checks/request.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';

function found(asked: Check) {
  const limits = { statesMax: 500_000, bytesMax: 2 ** 30 };
  const steps = check(searchOptionsOf(requestOf(asked), limits));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const { type, counts, witnessed } = step.value;
  return { type, states: counts.states, leads: witnessed.includes('someone-leads') };
}

const LATE = { starts: 'any' } as const;
const [RING_3, RING_4] = [
  [1, 2, 3],
  [2, 4, 1, 3],
];

describe.each([
  ['floodmax', 'tree:1', RING_3, 93],
  ['floodmax', 'ring', RING_3, 141],
  ['floodmax', 'tree:1', RING_4, 1428],
  ['floodmax', 'tree:3', RING_4, 947],
  ['floodmax', 'ring', RING_4, 4347],
  ['echo-extinction', 'tree:1', RING_3, 102],
  ['echo-extinction', 'ring', RING_3, 2495],
  ['echo-extinction', 'tree:1', RING_4, 749],
  ['echo-extinction', 'tree:3', RING_4, 3835],
  ['echo-extinction', 'ring', RING_4, 28_701],
] as const)('%s on %s %j', (protocol, topology, ring, states) => {
  it(`keeps what it claims in all ${states} worlds`, () => {
    const asked: Check = { ...LATE, protocol, topology, ring: [...ring] };

    expect(found(asked)).toEqual({ type: 'exhausted', states, leads: true });
  });
});

describe('invitation', () => {
  it('keeps what it claims among three nodes and four timers', () => {
    const asked: Check = {
      ...{ protocol: 'invitation', ring: RING_3, timing: 'synchronous' },
      bounds: { timeout: 4 },
    };

    expect(found(asked)).toEqual({ type: 'exhausted', states: 5115, leads: true });
  });

  it('keeps what it claims among four nodes and one timer', () => {
    const asked: Check = {
      ...{ protocol: 'invitation', ring: RING_4, timing: 'synchronous', links: 'fifo' },
      bounds: { timeout: 1 },
    };

    expect(found(asked)).toEqual({ type: 'exhausted', states: 337_520, leads: true });
  });
});
