/**
 * @module
 * Elections from before a restart: they are known at once and restored when they are requested, at the cost of
 * their owner. Damaged ones cannot be restored.
 */

import { describe, expect, it } from 'vitest';

import { CallerBudgets, NO_LIMITS } from '../../../../server/callers/caller-budgets.ts';
import type { ElectionAction } from '../../../../server/elections/live/action.ts';
import type { StoredElection } from '../../../../server/elections/storage/log.ts';
import { EPHEMERAL_LOG } from '../../../../server/elections/storage/log.ts';
import { WAITING_MAX } from '../../../../server/elections/storage/restoring-elections.ts';
import { ElectionStore } from '../../../../server/elections/storage/store.ts';
import { openLogs } from '../../../../server/lab.ts';
import { Lifecycle } from '../../../../server/request/lifecycle.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { principalOf } from '../../principals.ts';
import { PLAN, storedElection } from '../../store/store-files.ts';

const ACTIONS: readonly ElectionAction[] = [
  { type: 'start' },
  { type: 'advance', until: 'idle' },
  { type: 'crash', rank: 3 },
  { type: 'advance', until: 'idle' },
];
const STORED = storedElection('e_old', { plan: PLAN, actions: ACTIONS });
const DAMAGED: StoredElection = {
  ...storedElection('e_torn', { plan: PLAN, actions: ACTIONS }),
  actions: {
    [Symbol.iterator]() {
      throw new Error('election e_torn is damaged');
    },
  },
};

/** Counts how often its actions are read. */
function counted(stored: StoredElection): StoredElection & { readonly reads: () => number } {
  let reads = 0;
  const actions = {
    [Symbol.iterator]() {
      reads += 1;
      return stored.actions[Symbol.iterator]();
    },
  };
  return { ...stored, actions, reads: () => reads };
}

function labOver(...stored: readonly StoredElection[]) {
  const elections = { ...EPHEMERAL_LOG, read: () => [...stored] };
  const lab = labUnderTest({ logs: { ...openLogs(null, () => undefined), elections } });
  lab.elections.open();
  return lab;
}

function storeOver(...stored: readonly StoredElection[]) {
  const budgets = new CallerBudgets({ ...NO_LIMITS, electionMsPerSecond: 1e-4 }, () => 0);
  const store = new ElectionStore({ ...EPHEMERAL_LOG, read: () => [...stored] }, budgets);
  store.open();
  return { store, budgets };
}

const OLGAS = storedElection('e_1', { plan: { ...PLAN, owner: 'olga' }, actions: ACTIONS });

describe('an election from before a restart', () => {
  it('is known and counted before it is restored', async () => {
    const stored = counted(STORED);
    const lab = labOver(stored);

    const list = await lab.call('GET', '/v1/elections');

    expect(list.json.items).toEqual([
      {
        ...{ id: 'e_old', protocol: 'cr-join', nodes: 3, seed: '1' },
        created: '1970-01-01T00:00:00.000Z',
        ...{ owner: null, access: 'private' },
        ...{ time: null, status: 'restoring', links: { self: '/v1/elections/e_old' } },
      },
    ]);
    expect([lab.elections.kept, stored.reads()]).toEqual([1, 0]);
  });

  it('is restored once, when it is requested', async () => {
    const stored = counted(STORED);
    const lab = labOver(stored, storedElection('e_other', { plan: PLAN, actions: [] }));
    const live = labUnderTest();
    const { id } = await live.elections.create(PLAN, SERVER);
    for (const action of ACTIONS) await live.elections.act(id, action, { principal: SERVER });
    const before = live.elections.get(id, SERVER);

    const answers = await Promise.all([
      lab.call('GET', '/v1/elections/e_old'),
      lab.call('GET', '/v1/elections/e_old/messages'),
      lab.post('/v1/elections/e_old/actions', { type: 'advance', until: 'idle' }),
      lab.post('/v1/elections/e_old/fork', {}),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
    expect(lab.elections.get('e_old', SERVER).status()).toEqual(before.status());
    expect(stored.reads()).toBe(1);
    const { json } = await lab.call('GET', '/v1/elections');
    const other = expect.objectContaining({ id: 'e_other', status: 'restoring' });
    expect(json.items).toContainEqual(other);
  });

  it('is restored in its turn without a request', async () => {
    const lab = labOver(STORED, DAMAGED, storedElection('e_other', { plan: PLAN, actions: [] }));

    await lab.elections.restoreAll();

    const { json } = await lab.call('GET', '/v1/elections');
    expect(json.items).toMatchObject([
      { id: 'e_old', status: 'idle' },
      { id: 'e_other', status: 'created', time: 0 },
      { id: 'e_torn', status: 'damaged', time: null },
    ]);
    expect(lab.faults).toMatchObject([{ id: 'e_torn', error: { code: 'file.unreadable' } }]);
  });

  it('counts the nodes that joined it', () => {
    const { plan } = STORED;
    const joins = { actions: 2, characters: 900, joins: 2, advances: 0 };
    const { store } = storeOver({ ...STORED, plan: { ...plan, newcomers: 1 }, size: joins });

    expect(store.list(SERVER)).toMatchObject([{ nodes: 5, plan: { nodes: 11 } }]);
  });

  it('is deleted without being restored', async () => {
    const stored = counted(STORED);
    const lab = labOver(stored);

    const deleted = await lab.call('DELETE', '/v1/elections/e_old');

    expect(deleted.status).toBe(204);
    expect((await lab.call('GET', '/v1/elections/e_old')).status).toBe(404);
    expect([lab.elections.kept, stored.reads()]).toEqual([0, 0]);
  });

  it('can be deleted while it is restored', async () => {
    const lab = labOver(STORED);
    const asking = lab.call('GET', '/v1/elections/e_old');
    const awakening = lab.elections.restore('e_old', SERVER, lab.lifecycle);

    lab.elections.delete('e_old', SERVER);

    await awakening;
    expect((await asking).status).toBe(404);
    expect(lab.elections.kept).toBe(0);
  });

  it('that is damaged is reported, can be deleted, and does not delay others', async () => {
    const lab = labOver(STORED, DAMAGED);

    const refused = await lab.call('GET', '/v1/elections/e_torn');
    const again = await lab.post('/v1/elections/e_torn/actions', { type: 'start' });
    const other = await lab.call('GET', '/v1/elections/e_old');
    const deleted = await lab.call('DELETE', '/v1/elections/e_torn');

    expect(refused).toMatchObject({ status: 409, json: { code: 'election.damaged' } });
    expect(again).toMatchObject({ status: 409, json: { code: 'election.damaged' } });
    expect([other.status, deleted.status]).toEqual([200, 204]);
    expect(lab.faults).toHaveLength(1);
  });

  it('is awaited by a limited number of requests, and by none once the server stops', async () => {
    const { store } = storeOver(STORED);
    const lifecycle = new Lifecycle('ready');
    const waiting = Array.from({ length: WAITING_MAX + 1 }, () =>
      store.restore('e_old', SERVER, lifecycle),
    );
    lifecycle.drain();

    const outcomes = await Promise.allSettled(waiting);

    expect(outcomes.at(-1)).toMatchObject({
      reason: { code: 'election.restoring', retryAfterS: expect.any(Number) },
    });
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(WAITING_MAX + 1);
    expect(lifecycle.listeners).toBe(0);
  });

  it('is charged to its owner when it is requested, and to no other caller', async () => {
    const otto = principalOf('otto', { access: 'all' });
    const lifecycle = new Lifecycle('ready');
    const requested = storeOver(OLGAS);
    const unrequested = storeOver(OLGAS);

    await requested.store.restore('e_1', otto, lifecycle);
    await unrequested.store.restoreAll();

    const olgaOwes = ({ budgets }: typeof requested) => budgets.electionWaitMs('olga') > 0;
    expect([olgaOwes(requested), olgaOwes(unrequested)]).toEqual([true, false]);
    expect(requested.budgets.electionWaitMs('otto')).toBe(0);
  });

  it('of another owner is not found', async () => {
    const { store } = storeOver(OLGAS);
    const otto = principalOf('otto');

    await store.restore('e_1', otto, new Lifecycle('ready'));

    expect(store.list(otto)).toEqual([]);
    expect(() => store.get('e_1', otto)).toThrow('there is no election e_1');
    expect(() => store.delete('e_1', otto)).toThrow('there is no election e_1');
    expect(store.list(SERVER)).toMatchObject([{ id: 'e_1', isDamaged: false }]);
  });
});
