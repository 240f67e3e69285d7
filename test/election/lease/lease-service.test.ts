/**
 * @module
 * The lease service: one holder at a time on its own clock, one epoch a grant, late and doubled calls.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceCall } from '../../../src/election/lease/stores/lease-service.ts';
import { createLeaseService } from '../../../src/election/lease/stores/lease-service.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { recorded, SELF } from '../recorded.ts';
import { LEASE_VOCABULARIES } from './lease-vocabularies.ts';

const LEASE_TICKS = 30;
const RUN_LEASE = { type: 'set-timer', timer: 'lease', ticks: LEASE_TICKS, periodic: false };

describeMachine('the lease service', {
  create: () => createLeaseService(LEASE_TICKS),
  messages: LEASE_VOCABULARIES['lease-local'].calls,
  timers: ['lease'],
});

describe('the lease service', () => {
  it('grants a free lease for its ticks and numbers the grant', () => {
    const service = serviceOf();

    const effects = service.call(1, acquire(5));

    expect(effects).toEqual([RUN_LEASE, sent(1, { type: 'GRANTED', request: 5, epoch: 1 })]);
  });

  it('refuses everybody while it runs, its holder too, and says who has it', () => {
    const service = serviceOf();
    service.call(1, acquire(5));

    const effects = [...service.call(2, acquire(5)), ...service.call(1, acquire(6))];

    expect(effects).toEqual([
      sent(2, { type: 'REFUSED', request: 5, holder: 1, epoch: 1 }),
      sent(1, { type: 'REFUSED', request: 6, holder: 1, epoch: 1 }),
    ]);
  });

  it('gives a copy of the ACQUIRE that it granted the same answer and no more time', () => {
    const service = serviceOf();
    service.call(1, acquire(5));

    const effects = service.call(1, acquire(5));

    expect(effects).toEqual([sent(1, { type: 'GRANTED', request: 5, epoch: 1 })]);
  });

  it('renews for its holder in its epoch', () => {
    const service = serviceOf();
    service.call(1, acquire(5));

    const effects = service.call(1, { type: 'RENEW', request: 6, epoch: 1 });

    expect(effects).toEqual([RUN_LEASE, sent(1, { type: 'GRANTED', request: 6, epoch: 1 })]);
  });

  it.each([
    ['that is over', 1, 1, null],
    ['of another holder', 2, 2, 3],
    ['of an earlier epoch of the same holder', 3, 1, 3],
  ])('refuses to renew a lease %s', (_what, client, epoch, holder) => {
    const service = serviceOf();
    service.call(1, acquire(1));
    service.expire();
    if (holder !== null) service.call(holder, acquire(2));

    const effects = service.call(client, { type: 'RENEW', request: 6, epoch });

    const now = holder === null ? 1 : 2;
    expect(effects).toEqual([sent(client, { type: 'REFUSED', request: 6, holder, epoch: now })]);
  });

  it.each([
    ['takes back from its holder', 1, 1, 2],
    ['ignores from another', 2, 1, 1],
    ['ignores of another epoch', 1, 2, 1],
  ])('a RELEASE it %s', (_what, client, epoch, epochAfter) => {
    const service = serviceOf();
    service.call(1, acquire(1));

    service.call(client, { type: 'RELEASE', epoch });

    const [answer] = service.call(3, acquire(9)).filter(({ type }) => type === 'send');
    expect(answer).toMatchObject({ message: { epoch: epochAfter } });
  });

  it('never gives an epoch to two nodes, nor to two calls', () => {
    const calls = fc.array(
      fc.record({
        client: fc.constantFrom(1, 2, 3),
        request: fc.nat(5),
        epoch: fc.nat(5),
        kind: fc.constantFrom('ACQUIRE', 'RENEW', 'RELEASE', 'expire'),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(calls, (drawn) => {
        const service = serviceOf();
        const owners = new Map<unknown, number>();
        for (const { client, kind, request, epoch } of drawn) {
          if (kind === 'expire') service.expire();
          if (kind === 'RELEASE') service.call(client, { type: kind, epoch });
          if (kind !== 'ACQUIRE' && kind !== 'RENEW') continue;
          const call = kind === 'ACQUIRE' ? acquire(request) : { type: kind, request, epoch };
          for (const effect of service.call(client, call)) {
            if (effect.type !== 'send' || effect.message.type !== 'GRANTED') continue;
            const granted = 'epoch' in effect.message ? effect.message.epoch : 0;

            expect(owners.get(granted) ?? client).toBe(client);
            owners.set(granted, client);
          }
        }
      }),
      { seed: 1989, numRuns: 300 },
    );
  });
});

function acquire(request: number): ServiceCall {
  return { type: 'ACQUIRE', request };
}

function sent(to: number, message: Readonly<Record<string, unknown>>) {
  return { type: 'send', id: 0, to, message };
}

function serviceOf() {
  const machine = createLeaseService(LEASE_TICKS);
  const state = machine.init(SELF);
  return {
    call: (client: number, message: ServiceCall): EffectRecord[] => {
      const event = { type: 'deliver', from: toRank(client), message } as const;
      return recorded((effects) => machine.step(SELF, state, event, effects));
    },
    expire: () => {
      const event = { type: 'timeout', timer: 'lease' } as const;
      return recorded((effects) => machine.step(SELF, state, event, effects));
    },
  };
}
