/**
 * @module
 * One client of ZooKeeper's recipe, step by step: its position in the line, its lease, and what lost, late
 * and doubled words do to it.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../../src/election/definition/flags.ts';
import { createZkRecipe, zkRecipeSettings } from '../../../src/election/lease/zk-recipe.ts';
import type { Event, Message } from '../../../src/election/machine.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { describeMachine } from '../../contract/machine.contract.ts';
import { recorded, SELF } from '../recorded.ts';
import { LEASE_VOCABULARIES } from './lease-vocabularies.ts';

const TIMING = { latencyTicksMax: 3 };
const { messages, replies, timers } = LEASE_VOCABULARIES['zk-recipe'];
/** The guid of the client below is 10 in hexadecimal. */
const OWN = { name: 'a-n_0000000007', owner: SELF.rank };
const LOWER = { name: 'f-n_0000000003', owner: toRank(1) };
const LOWEST = { name: 'ff-n_0000000002', owner: toRank(3) };
const HIGHER = { name: '0-n_0000000009', owner: toRank(3) };

for (const flags of [{ herd: 'on' }, { drift: 'ignored' }]) {
  describeMachine(`zk-recipe ${JSON.stringify(flags)}`, {
    create: () => createZkRecipe(TIMING, flags),
    ...{ messages, replies, timers },
  });
}

/** Node 2 of three, which chooses 10 as its first guid, 11 as its second. */
function client(flags: Flags = {}) {
  const machine = createZkRecipe(TIMING, flags);
  const state = machine.init(SELF);
  let guid = 10;
  const give = (event: Event<never>): EffectRecord[] => {
    const effects = recorded((collector) => machine.step(SELF, state, event, collector));
    if (effects.some(({ type }) => type === 'choose')) {
      effects.push(...give({ type: 'chosen', value: guid }));
      guid += 1;
    }
    return effects;
  };
  const reply = (type: string, fields: object = {}) =>
    give({ type: 'reply', value: { type, session: 5, ...fields } as Message });
  const fire = (timer: string) => give({ type: 'timeout', timer });
  return { state, give, reply, fire };
}

/** With a session since request 1, asking for the children by request 3. */
function reading(flags: Flags = {}) {
  const node = client(flags);
  node.give({ type: 'start' });
  node.reply('CONNECTED', { request: 1, guid: 'a' });
  node.reply('CREATED', { request: 2, name: OWN.name });
  return node;
}

/** Watching the znode below its own since request 4. */
function watching(flags: Flags = {}) {
  const node = reading(flags);
  node.reply('CHILDREN', { request: 3, children: [LOWER, OWN, LOWEST] });
  node.reply('STAT', { request: 4, exists: true });
  return node;
}

/** Leading since the answer to request 3. */
function leading(flags: Flags = {}) {
  const node = reading(flags);
  node.reply('CHILDREN', { request: 3, children: [HIGHER, OWN] });
  node.fire('lead');
  return node;
}

const calls = (effects: readonly EffectRecord[]) =>
  effects.flatMap((effect) => (effect.type === 'call' ? [effect.operation] : []));
const types = (effects: readonly EffectRecord[]) => effects.map(({ type }) => type);

describe('a position in the line', () => {
  it('connects, creates and reads, one at a time', () => {
    const node = client();

    const connect = calls(node.give({ type: 'start' }));
    const create = calls(node.reply('CONNECTED', { request: 1, guid: 'a' }));
    const read = calls(node.reply('CREATED', { request: 2, name: OWN.name }));

    expect(connect).toEqual([{ type: 'CONNECT', request: 1, guid: 'a' }]);
    expect(create).toEqual([{ type: 'CREATE', session: 5, request: 2, guid: 'a' }]);
    expect(read).toEqual([{ type: 'GET_CHILDREN', session: 5, request: 3 }]);
  });

  it('leads in the epoch of its sequence number when that is the lowest, not its name', () => {
    const node = reading();

    node.reply('CHILDREN', { request: 3, children: [HIGHER, OWN] });
    const effects = node.fire('lead');

    expect(effects).toEqual([{ type: 'elect', leader: SELF.rank, epoch: 7 }]);
  });

  it('follows the lowest and watches the next lower, by the numbers', () => {
    const node = reading();

    const effects = node.reply('CHILDREN', { request: 3, children: [LOWER, HIGHER, OWN, LOWEST] });

    expect(effects[0]).toEqual({ type: 'elect', leader: LOWEST.owner, epoch: 2 });
    expect(calls(effects)).toEqual([{ type: 'EXISTS', session: 5, request: 4, name: LOWER.name }]);
  });

  it('watches the lowest in a herd', () => {
    const node = reading({ herd: 'on' });

    const effects = node.reply('CHILDREN', { request: 3, children: [LOWER, OWN, LOWEST] });

    expect(calls(effects)).toMatchObject([{ type: 'EXISTS', name: LOWEST.name }]);
  });

  it.each([
    ['a deletion', 'DELETED', { name: LOWER.name }],
    ['a ping that cannot renew the watch', 'PONG', { request: 5, gone: LOWER.name, oldest: OWN }],
  ])('reads again at %s', (_what, type, fields) => {
    const node = watching();
    node.fire('ping');

    const effects = node.reply(type, fields);

    expect(calls(effects)).toEqual([{ type: 'GET_CHILDREN', session: 5, request: 6 }]);
  });

  it('reads again when what it would watch is gone already', () => {
    const node = reading();
    node.reply('CHILDREN', { request: 3, children: [LOWER, OWN] });

    const effects = node.reply('STAT', { request: 4, exists: false });

    expect(calls(effects)).toMatchObject([{ type: 'GET_CHILDREN' }]);
  });

  it.each([
    ['of a znode that it does not watch', { name: LOWEST.name }],
    ['to another session', { session: 4, name: LOWER.name }],
  ])('takes no notice of a deletion %s', (_what, fields) => {
    expect(watching().reply('DELETED', fields)).toEqual([]);
  });

  it('takes no notice of the second copy of a deletion', () => {
    const node = watching();
    node.reply('DELETED', { name: LOWER.name });

    expect(node.reply('DELETED', { name: LOWER.name })).toEqual([]);
  });

  it('learns from a ping who leads now, and never goes back', () => {
    const node = watching();
    node.fire('ping');
    node.fire('ping');

    const effects = node.reply('PONG', { request: 5, gone: null, oldest: LOWER });
    const old = node.reply('PONG', { request: 6, gone: null, oldest: LOWEST });

    expect(effects.at(-1)).toEqual({ type: 'elect', leader: LOWER.owner, epoch: 3 });
    expect(types(old)).not.toContain('elect');
  });

  it('does not lead by a znode of an earlier life of its own', () => {
    const node = reading();
    const earlier = { name: 'e-n_0000000001', owner: SELF.rank };

    const effects = node.reply('CHILDREN', { request: 3, children: [earlier, OWN] });

    expect(types(effects)).not.toContain('elect');
    expect(calls(effects)).toMatchObject([{ type: 'EXISTS', name: earlier.name }]);
  });
});

describe('its own znode', () => {
  it('is not one that somebody else created under the same guid', () => {
    const node = reading();

    const effects = node.reply('CHILDREN', {
      request: 3,
      children: [{ ...OWN, owner: toRank(3) }],
    });

    expect(calls(effects)).toMatchObject([{ type: 'CREATE' }]);
  });

  it('is the epoch that it leads in, whichever other leader is reported before it leads', () => {
    const node = reading();
    node.fire('ping');
    node.reply('CHILDREN', { request: 3, children: [OWN] });

    node.reply('PONG', { request: 4, gone: null, oldest: HIGHER });

    expect(node.fire('lead')).toEqual([{ type: 'elect', leader: SELF.rank, epoch: 7 }]);
  });
});

describe('lost, late and doubled answers', () => {
  it('looks for its guid when the answer to CREATE is lost, and keeps what it finds', () => {
    const node = client();
    node.give({ type: 'start' });
    node.reply('CONNECTED', { request: 1, guid: 'a' });

    const read = calls(node.fire('answer'));
    node.reply('CHILDREN', { request: 3, children: [OWN, HIGHER] });

    expect(read).toEqual([{ type: 'GET_CHILDREN', session: 5, request: 3 }]);
    expect(node.fire('lead')).toMatchObject([{ type: 'elect', epoch: 7 }]);
  });

  it('creates again when its guid is not there', () => {
    const node = reading();

    const effects = node.reply('CHILDREN', { request: 3, children: [HIGHER] });

    expect(calls(effects)).toEqual([{ type: 'CREATE', session: 5, request: 4, guid: 'a' }]);
  });

  it.each([
    ['CONNECTED', { request: 1, guid: 'a' }],
    ['CREATED', { request: 2 }],
    ['CHILDREN', { request: 2, children: [OWN] }],
    ['STAT', { request: 3, exists: false }],
    ['CHILDREN', { session: 4, request: 3, children: [OWN] }],
    ['EXPIRED', { session: 4 }],
    ['REMOVED', { request: 3, existed: true }],
  ])('takes no notice of %s %o while it reads by request 3', (type, fields) => {
    expect(reading().reply(type, fields)).toEqual([]);
  });

  it('takes no session of another guid', () => {
    const node = client();
    node.give({ type: 'start' });

    expect(node.reply('CONNECTED', { request: 1, guid: 'b' })).toEqual([]);
  });

  it('begins again with another guid when its session has expired', () => {
    const node = leading();

    const effects = node.reply('EXPIRED');

    expect(effects.slice(0, 3)).toEqual([
      { type: 'step-down' },
      { type: 'cancel-timer', timer: 'ping' },
      { type: 'cancel-timer', timer: 'lease:1' },
    ]);
    expect(calls(effects)).toEqual([{ type: 'CONNECT', request: 4, guid: 'b' }]);
    expect(node.state).toMatchObject({ session: null, lease: 0 });
  });

  it('creates again when somebody has deleted the znode that it leads by', () => {
    const node = leading();
    node.fire('ping');

    const effects = node.reply('PONG', { request: 4, gone: null, oldest: HIGHER });
    const create = calls(node.reply('CHILDREN', { request: 5, children: [HIGHER] }));

    expect(types(effects)).toContain('step-down');
    expect(create).toMatchObject([{ type: 'CREATE', request: 6 }]);
  });
});

describe('the lease', () => {
  it('is renewed by pings of which each sets the time of the next', () => {
    const next = { type: 'set-timer', timer: 'ping', ticks: 23, periodic: false };
    const node = client();
    node.give({ type: 'start' });

    expect(node.reply('CONNECTED', { request: 1, guid: 'a' })).toContainEqual(next);
    expect(node.fire('ping')).toContainEqual(next);
  });

  it('counts from the sending of the last answered ping', () => {
    const node = leading();

    const sent = node.fire('ping');
    const answered = node.reply('PONG', { request: 4, gone: null, oldest: OWN });

    // 70 ticks of session (ten heartbeats of 2·3 + 1), clocks off by 1 %: ⌊70·0.99/1.01⌋.
    const timer = { type: 'set-timer', timer: 'lease:4', ticks: 68, periodic: false };
    expect(sent).toContainEqual(timer);
    expect(answered).toEqual([{ type: 'cancel-timer', timer: 'lease:1' }]);
    expect(node.fire('lease:4')).toMatchObject([{ type: 'step-down' }]);
  });

  it('is as long as the session when drift is ignored', () => {
    const effects = client({ drift: 'ignored' }).give({ type: 'start' });

    expect(effects).toContainEqual(
      expect.objectContaining({ type: 'set-timer', timer: 'lease:1', ticks: 70 }),
    );
  });

  it('is not renewed by an answer to a ping whose lease is over', () => {
    const node = leading();
    node.fire('ping');
    node.fire('lease:4');

    expect(node.reply('PONG', { request: 4, gone: null, oldest: OWN })).toEqual([]);
    expect(node.state.lease).toBe(1);
  });

  it('is not begun by an answer to CONNECT that comes after it', () => {
    const node = client();
    node.give({ type: 'start' });
    node.fire('lease:1');

    expect(node.reply('CONNECTED', { request: 1, guid: 'a' })).toEqual([]);
  });

  it('ends a leader that has yet to lead', () => {
    const node = reading();
    node.reply('CHILDREN', { request: 3, children: [OWN] });

    node.fire('lease:1');

    expect(node.fire('lead')).toEqual([]);
  });

  it.each([
    ['a leader', leading],
    ['a follower', watching],
  ])(
    'makes %s follow no leader when it is over, and look again at the next answer',
    (_who, who) => {
      const node = who();
      const over = node.fire('lease:1');
      const ping = calls(node.fire('ping'));
      const request = node.state.request;

      const effects = node.reply('PONG', { request, gone: null, oldest: LOWEST });

      expect(types(over)).toContain('step-down');
      expect(ping).toMatchObject([{ type: 'PING', watch: null }]);
      expect(calls(effects)).toMatchObject([{ type: 'GET_CHILDREN' }]);
    },
  );
});

describe('flags', () => {
  it('pings three times a session, by default', () => {
    expect(zkRecipeSettings(TIMING)).toMatchObject({ sessionTicks: 70, pingTicks: 23 });
    expect(zkRecipeSettings(TIMING, { sessionTicks: '30' }).pingTicks).toBe(10);
    expect(zkRecipeSettings(TIMING, { sessionTicks: '30', pingTicks: '4' }).pingTicks).toBe(4);
  });

  it.each([
    [{ sessionTicks: '2' }, '"sessionTicks" expected 3..1000000000, got 2'],
    [{ driftPpm: '500001' }, '"driftPpm" expected 0..500000, got 500001'],
    [{ herd: 'maybe' }, '"herd" expected off,on, got maybe'],
  ])('refuses %o', (flags: Flags, fault) => {
    expect(() => zkRecipeSettings(TIMING, flags)).toThrow(new RangeError(fault));
  });

  it('has no flag of another name', () => {
    const options = {
      protocol: 'zk-recipe',
      timing: TIMING,
      ring: [1],
      crashedBefore: [],
    } as const;

    expect(() => createCast({ ...options, flags: { herds: 'on' } })).toThrow(RangeError);
  });
});
