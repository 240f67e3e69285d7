/**
 * @module
 * The coordination store, a machine: sessions, ephemeral sequential znodes and one-shot watches, by
 * hand and against a model that keeps no order and forgets nothing.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CoordinationState } from '../../../src/election/lease/stores/coordination-store.ts';
import {
  createCoordinationStore,
  sequenceOf,
} from '../../../src/election/lease/stores/coordination-store.ts';
import type { Message } from '../../../src/election/machine.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { recorded, SELF } from '../recorded.ts';
import { LEASE_VOCABULARIES } from './lease-vocabularies.ts';

const SESSION_TICKS = 10;

/** A store with its own clock, which notes its replies and their recipients. */
function open() {
  const machine = createCoordinationStore(SESSION_TICKS);
  const state: CoordinationState = machine.init(SELF);
  const deadlines = new Map<string, number>();
  let now = 0;
  const step = (event: Parameters<typeof machine.step>[2]) => {
    const effects = recorded((collector) => machine.step(SELF, state, event, collector));
    for (const effect of effects) {
      if (effect.type === 'set-timer') {
        // Set again, it is the last of its tick.
        deadlines.delete(effect.timer);
        deadlines.set(effect.timer, now + effect.ticks);
      }
    }
    return effects.flatMap((effect) =>
      effect.type === 'send' ? [{ to: effect.to, ...effect.message }] : [],
    );
  };
  return {
    state,
    send: (from: number, message: Message & Readonly<Record<string, unknown>>) =>
      step({ type: 'deliver', from: toRank(from), message } as Parameters<typeof machine.step>[2]),
    wait(ticks: number) {
      now += ticks;
      const due = [...deadlines].filter(([, at]) => at <= now).sort((a, b) => a[1] - b[1]);
      return due.flatMap(([timer]) => {
        deadlines.delete(timer);
        return step({ type: 'timeout', timer });
      });
    },
  };
}

/** Two sessions, of ranks 1 and 2, each with a znode. */
function openWithTwo() {
  const store = open();
  for (const rank of [1, 2]) {
    store.send(rank, { type: 'CONNECT', request: 1, guid: 'ab' });
    store.send(rank, { type: 'CREATE', session: rank, request: 2, guid: 'ab' });
  }
  return store;
}

const FIRST = 'ab-n_0000000001';
const SECOND = 'ab-n_0000000002';

describeMachine('the coordination store', {
  create: () => createCoordinationStore(SESSION_TICKS),
  messages: [
    ...LEASE_VOCABULARIES['zk-recipe'].calls,
    ...[1, 2].map((session) => ({ type: 'DELETE', session, request: 3, name: FIRST })),
    ...['CONNECT', 'CREATE', 'PING', 'EXISTS', 'DELETE', 'GET_CHILDREN'].flatMap((type) => [
      { type, request: 9 },
      { type, request: 9, session: '__proto__', guid: 7, name: 7, watch: 7 },
      { type, session: 1, guid: 'ab', name: FIRST, watch: null },
    ]),
  ],
  timers: ['session:1', 'session:2', 'session:x'],
});

describe('sessions', () => {
  it('lives as long as its client is heard in time, and not a tick longer', () => {
    const store = openWithTwo();

    store.wait(SESSION_TICKS - 1);
    store.send(1, { type: 'PING', session: 1, request: 3, watch: null });
    store.wait(SESSION_TICKS - 1);

    expect(Object.keys(store.state.sessions)).toEqual(['1']);
    store.wait(1);
    expect(store.state.sessions).toEqual({});
  });

  it('takes its ephemeral znodes with it, and no others', () => {
    const store = openWithTwo();

    store.wait(SESSION_TICKS - 1);
    store.send(2, { type: 'PING', session: 2, request: 3, watch: null });
    store.wait(1);

    expect(store.state.znodes).toEqual([{ name: SECOND, owner: 2 }]);
  });

  it.each([
    ['that expired', 1, 1],
    ['that never was', 1, 7],
    ["that is somebody else's", 1, 2],
  ])('says EXPIRED of one %s', (_what, from, session) => {
    const store = openWithTwo();
    store.wait(SESSION_TICKS - 1);
    store.send(2, { type: 'PING', session: 2, request: 3, watch: null });
    store.wait(1);

    const replies = store.send(from, { type: 'GET_CHILDREN', session, request: 9 });

    expect(replies).toEqual([{ to: 1, type: 'EXPIRED', session }]);
  });

  it('opens one for every copy of CONNECT, of which the unused expires', () => {
    const store = open();

    const first = store.send(1, { type: 'CONNECT', request: 4, guid: 'c' });
    const copy = store.send(1, { type: 'CONNECT', request: 4, guid: 'c' });

    expect(first).toEqual([{ to: 1, type: 'CONNECTED', session: 1, request: 4, guid: 'c' }]);
    expect(copy).toEqual([{ to: 1, type: 'CONNECTED', session: 2, request: 4, guid: 'c' }]);
  });
});

describe('FIFO client order', () => {
  it('takes a doubled CREATE once', () => {
    const store = openWithTwo();

    const replies = store.send(1, { type: 'CREATE', session: 1, request: 2, guid: 'ab' });

    expect(replies).toEqual([]);
    expect(store.state.created).toBe(2);
  });

  it('drops a CREATE that comes after a later request', () => {
    const store = openWithTwo();
    store.send(1, { type: 'GET_CHILDREN', session: 1, request: 4 });

    const replies = store.send(1, { type: 'CREATE', session: 1, request: 3, guid: 'ab' });

    expect(replies).toEqual([]);
    expect(store.state.created).toBe(2);
  });
});

describe('znodes', () => {
  it('numbers them in ten digits, whatever guid stands before', () => {
    const store = openWithTwo();

    const replies = store.send(1, { type: 'CREATE', session: 1, request: 3, guid: '0' });

    expect(replies).toEqual([
      { to: 1, type: 'CREATED', session: 1, request: 3, name: '0-n_0000000003' },
    ]);
    expect(sequenceOf('0-n_0000000003')).toBe(3);
  });

  it('never uses a number again', () => {
    const store = openWithTwo();
    store.wait(SESSION_TICKS);
    store.send(1, { type: 'CONNECT', request: 9, guid: 'ab' });

    store.send(1, { type: 'CREATE', session: 3, request: 10, guid: 'ab' });

    expect(store.state.znodes.map(({ name }) => sequenceOf(name))).toEqual([3]);
  });

  it('lists names and owners', () => {
    const store = openWithTwo();

    const [reply] = store.send(2, { type: 'GET_CHILDREN', session: 2, request: 3 });

    expect(reply).toEqual({
      ...{ to: 2, type: 'CHILDREN', session: 2, request: 3 },
      children: [
        { name: FIRST, owner: 1 },
        { name: SECOND, owner: 2 },
      ],
    });
  });
});

describe('watches', () => {
  it('fires once, for the client that asked, when the session of the znode expires', () => {
    const store = openWithTwo();
    store.wait(SESSION_TICKS - 1);
    const [stat] = store.send(2, { type: 'EXISTS', session: 2, request: 3, name: FIRST });

    expect(stat).toEqual({ to: 2, type: 'STAT', session: 2, request: 3, exists: true });
    expect(store.wait(1)).toEqual([{ to: 2, type: 'DELETED', session: 2, name: FIRST }]);
    expect(store.state.watches).toEqual({});
  });

  it('fires when anybody deletes the znode, before the answer', () => {
    const store = openWithTwo();
    store.send(2, { type: 'EXISTS', session: 2, request: 3, name: FIRST });

    const replies = store.send(2, { type: 'DELETE', session: 2, request: 4, name: FIRST });

    expect(replies).toEqual([
      { to: 2, type: 'DELETED', session: 2, name: FIRST },
      { to: 2, type: 'REMOVED', session: 2, request: 4, existed: true },
    ]);
  });

  it('sets none on a znode that is gone', () => {
    const store = openWithTwo();
    store.send(2, { type: 'DELETE', session: 2, request: 3, name: FIRST });

    const [stat] = store.send(2, { type: 'EXISTS', session: 2, request: 4, name: FIRST });

    expect(stat).toMatchObject({ type: 'STAT', exists: false });
    expect(store.state.watches).toEqual({});
  });

  it('is one however often it was asked for', () => {
    const store = openWithTwo();
    store.wait(SESSION_TICKS - 1);
    store.send(2, { type: 'EXISTS', session: 2, request: 3, name: FIRST });
    store.send(2, { type: 'PING', session: 2, request: 4, watch: FIRST });

    expect(store.wait(1)).toHaveLength(1);
  });

  it('names in the answer to a ping one that cannot be renewed', () => {
    const store = openWithTwo();
    store.send(2, { type: 'DELETE', session: 2, request: 3, name: FIRST });

    const [pong] = store.send(2, { type: 'PING', session: 2, request: 4, watch: FIRST });

    expect(pong).toMatchObject({ type: 'PONG', gone: FIRST, oldest: { name: SECOND, owner: 2 } });
  });
});

/** What a client may do next: in its last session but `back`, about the znode created `about`-th. */
const command = fc.record({
  type: fc.constantFrom(
    ...['CONNECT', 'CREATE', 'PING', 'GET_CHILDREN', 'EXISTS', 'EXISTS', 'DELETE', 'wait'],
  ),
  rank: fc.integer({ min: 1, max: 3 }),
  back: fc.integer({ min: 0, max: 1 }),
  about: fc.integer({ min: 1, max: 5 }),
  ticks: fc.integer({ min: 1, max: SESSION_TICKS / 2 }),
  isCopy: fc.boolean(),
});
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

describe('the store and its model', () => {
  it('say the same, whatever clients do', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(command, { minLength: 20, maxLength: 60 }), (commands) => {
        const store = open();
        const model = createModel();
        for (const each of commands) {
          const { said, expected } = model.act(each, store);
          expect(said).toEqual(expected);
          for (const { type } of said) seen.add(type);
        }
      }),
      { seed: 2010, numRuns: 400 },
    );

    expect([...seen].sort()).toEqual(
      'CHILDREN CONNECTED CREATED DELETED EXPIRED PONG REMOVED STAT'.split(' '),
    );
  });
});

/** Every session and znode there ever was, as rows; what is there now is looked for each time. */
function createModel() {
  const sessions: { id: number; owner: number; heard: number; order: number; request: number }[] =
    [];
  const znodes: { name: string; session: number; owner: number; goneAt: number | null }[] = [];
  let watches: { name: string; session: number }[] = [];
  let now = 0;
  let requests = 0;
  let operations = 0;

  const isThere = (znode: { goneAt: number | null }) => znode.goneAt === null;
  const find = (name: string) => znodes.find((znode) => znode.name === name && isThere(znode));
  const remove = (name: string) => {
    const znode = find(name);
    if (znode === undefined) return [];
    znode.goneAt = now;
    const matching = watches.filter((watch) => watch.name === name);
    watches = watches.filter((watch) => watch.name !== name);
    return matching.flatMap(({ session }) => {
      const watcher = sessions.find(({ id }) => id === session);
      const isGone = watcher === undefined || expired.has(session);
      return isGone ? [] : [{ to: watcher.owner, type: 'DELETED', session, name }];
    });
  };
  const expired = new Set<number>();
  const watch = (name: string | null, session: number) => {
    if (name === null || find(name) === undefined) return false;
    if (!watches.some((each) => each.name === name && each.session === session)) {
      watches.push({ name, session });
    }
    return true;
  };
  /** One tick after the other, so that a client that expires first gets no event of a later one. */
  const wait = (ticks: number) =>
    Array.from({ length: ticks }).flatMap(() => {
      now += 1;
      const ending = sessions.filter(
        ({ id, heard }) => now >= heard + SESSION_TICKS && !expired.has(id),
      );
      ending.sort((left, right) => left.order - right.order);
      return ending.flatMap(({ id }) => {
        expired.add(id);
        const own = znodes.filter((znode) => znode.session === id && isThere(znode));
        return own.flatMap(({ name }) => remove(name));
      });
    });

  const answer = (
    type: string,
    { session, name, request }: { session: number; name: string | null; request: number },
  ) => {
    const owner = sessions[session - 1]?.owner ?? 0;
    const head = { to: owner, session, request };
    const listed = () =>
      znodes.filter(isThere).map((each) => ({ name: each.name, owner: each.owner }));
    if (type === 'CREATE') {
      const made = `ab-n_${String(znodes.length + 1).padStart(10, '0')}`;
      znodes.push({ name: made, session, owner, goneAt: null });
      return [{ ...head, type: 'CREATED', name: made }];
    }
    if (type === 'GET_CHILDREN') return [{ ...head, type: 'CHILDREN', children: listed() }];
    if (type === 'EXISTS') return [{ ...head, type: 'STAT', exists: watch(name, session) }];
    if (type === 'PING') {
      const gone = name === null || watch(name, session) ? null : name;
      return [{ ...head, type: 'PONG', gone, oldest: listed()[0] ?? null }];
    }
    const existed = name !== null && find(name) !== undefined;
    return [...(name === null ? [] : remove(name)), { ...head, type: 'REMOVED', existed }];
  };

  const operate = (
    { type, rank, back, about, isCopy }: Command,
    store: ReturnType<typeof open>,
  ) => {
    if (!isCopy) requests += 1;
    operations += 1;
    const request = requests;
    if (type === 'CONNECT') {
      const said = store.send(rank, { type, request, guid: 'ab' });
      sessions.push({
        id: sessions.length + 1,
        owner: rank,
        heard: now,
        order: operations,
        request,
      });
      const session = sessions.length;
      return { said, expected: [{ to: rank, type: 'CONNECTED', session, request, guid: 'ab' }] };
    }
    const session = sessions.filter(({ owner }) => owner === rank).at(-1 - back);
    const id = session?.id ?? 99;
    const name = znodes[about - 1]?.name ?? null;
    const fields = { guid: 'ab', name: name ?? 'none', watch: name };
    const said = store.send(rank, { type, session: id, request, ...fields });
    if (session === undefined || expired.has(id)) {
      return { said, expected: [{ to: rank, type: 'EXPIRED', session: id }] };
    }
    if (request <= session.request) return { said, expected: [] };
    session.request = request;
    session.heard = now;
    session.order = operations;
    return { said, expected: answer(type, { session: id, name, request }) };
  };

  return {
    act: (each: Command, store: ReturnType<typeof open>) =>
      each.type === 'wait'
        ? { said: waitLong(store, each.ticks), expected: wait(each.ticks) }
        : operate(each, store),
  };
}

function waitLong(store: ReturnType<typeof open>, ticks: number) {
  return Array.from({ length: ticks }).flatMap(() => store.wait(1));
}
