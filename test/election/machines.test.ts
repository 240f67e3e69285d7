/**
 * @module
 * Every protocol of the registry, and its variants, against the contract of machines.
 */

import { describe, expect, it } from 'vitest';

import type { BullyFlags } from '../../src/election/bully/bully-oneshot.ts';
import { createBullyOneshot } from '../../src/election/bully/bully-oneshot.ts';
import { toRank } from '../../src/election/cast.ts';
import type { Message, Rank } from '../../src/election/machine.ts';
import type { AlgorithmName } from '../../src/election/registry.ts';
import { ALGORITHM_NAMES, ALGORITHMS } from '../../src/election/registry.ts';
import type { MachineSubject } from '../contract/machine.contract.ts';
import { describeMachine } from '../contract/machine.contract.ts';

const TIMING = { latencyTicksMax: 3 };
const RANKS = [1, 2, 3, 4, 5].map(toRank);

const VOCABULARIES: Readonly<Record<AlgorithmName, Omit<MachineSubject, 'create'>>> = {
  'bully-oneshot': {
    messages: [{ type: 'ELECTION' }, { type: 'OK' }, ...naming('COORDINATOR', 'leader')],
    timers: ['answer', 'coordinator', 'announce', 'quiet'],
  },
  'cr-join': {
    messages: [...naming('PROBE', 'candidate'), ...naming('SELECTED', 'leader')],
    timers: [],
  },
};

for (const name of ALGORITHM_NAMES) {
  describeMachine(name, { create: () => ALGORITHMS[name].create(TIMING), ...VOCABULARIES[name] });
}

const VARIANTS: readonly BullyFlags[] = [
  { coordTo: 'all', aliveTop: 'reannounce' },
  { coordTo: 'lower', aliveTop: 'announceOnce' },
];

for (const flags of VARIANTS) {
  describeMachine(`bully-oneshot ${JSON.stringify(flags)}`, {
    create: () => createBullyOneshot(TIMING, flags),
    ...VOCABULARIES['bully-oneshot'],
  });
}

describe('the registry', () => {
  it.each(ALGORITHM_NAMES)('lists the message types that %s sends', (name) => {
    const types = new Set(VOCABULARIES[name].messages.map(({ type }) => type));

    expect([...types]).toEqual(ALGORITHMS[name].messageTypes);
  });
});

function naming(
  type: string,
  field: string,
): (Message & Readonly<Record<string, Rank | string>>)[] {
  return RANKS.map((rank) => ({ type, [field]: rank }));
}
