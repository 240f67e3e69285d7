/**
 * @module
 * The lease table against a sequential register, and what late and doubled calls do to it.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LeaseRow, TableCall } from '../../../src/election/lease/stores/lease-table.ts';
import { createLeaseTable } from '../../../src/election/lease/stores/lease-table.ts';
import type { Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { recorded, SELF } from '../recorded.ts';
import { LEASE_VOCABULARIES } from './lease-vocabularies.ts';

const CLIENTS = [1, 2, 3];

describeMachine('the lease table', {
  create: createLeaseTable,
  messages: LEASE_VOCABULARIES['db-lease'].calls,
  timers: [],
});

describe('the lease table', () => {
  it('answers any interleaving of calls, copies included, as a sequential register does', () => {
    const calls = fc.array(
      fc.record({
        client: fc.constantFrom(...CLIENTS),
        copyOf: fc.option(fc.nat(20), { freq: 3 }),
        expected: fc.option(fc.nat(6), { freq: 2 }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(calls, (drawn) => {
        const table = tableOf();
        let register: LeaseRow | null = null;
        const made: { readonly client: number; readonly call: TableCall }[] = [];
        for (const [index, { client, copyOf, expected }] of drawn.entries()) {
          const copied = copyOf === null ? undefined : made[copyOf];
          const { client: from, call } = copied ?? {
            client,
            call: expected === null ? READ : swap(client, { expected, request: index }),
          };
          made.push({ client: from, call });
          if (call.type === 'SWAP' && call.expected === versionOf(register)) register = call.row;

          expect(table(from, call)).toEqual([
            { to: from, message: { type: 'ROW', row: register } },
          ]);
        }
      }),
      { seed: 1990, numRuns: 300 },
    );
  });

  it('lets the first of several write a version', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(CLIENTS, { minLength: 2 }), (order) => {
        const table = tableOf();

        const answers = order.map((client) => table(client, swap(client, { request: client })));

        const rows = answers.flat().map(({ message }) => message);
        expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(1);
        expect(rows[0]).toMatchObject({ row: { holder: order[0], version: 1 } });
      }),
      { seed: 1990, numRuns: 50 },
    );
  });

  it('writes once for a SWAP that comes twice, and answers its writer with its own row twice', () => {
    const table = tableOf();
    const call = swap(1, { request: 7 });

    const answers = [table(1, call), table(1, call)];

    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toMatchObject([{ message: { row: { version: 1, request: 7 } } }]);
  });

  it('refuses a SWAP that comes late, and answers with the row that was faster', () => {
    const table = tableOf();
    table(1, swap(1, { request: 1 }));
    table(2, swap(2, { expected: 1, request: 2 }));

    const late = table(1, swap(1, { expected: 1, request: 3 }));

    expect(late).toMatchObject([{ to: 1, message: { row: { holder: 2, version: 2 } } }]);
  });
});

const READ: TableCall = { type: 'READ' };

function swap(
  client: number,
  { expected = 0, request }: { readonly expected?: number; readonly request: number },
): TableCall {
  const version = expected + 1;
  const row = { holder: toRank(client), version, epoch: version, request, leaseTicks: 9 };
  return { type: 'SWAP', expected, row };
}

function versionOf(row: LeaseRow | null): number {
  return row?.version ?? 0;
}

/** One table: who calls what, and what it sends. */
function tableOf() {
  const machine = createLeaseTable();
  const state = machine.init(SELF);
  return (client: number, message: TableCall): { to: unknown; message: Message }[] => {
    const event = { type: 'deliver', from: toRank(client), message } as const;
    return recorded((effects) => machine.step(SELF, state, event, effects)).flatMap((effect) =>
      effect.type === 'send' ? [{ to: effect.to, message: effect.message }] : [],
    );
  };
}
