/**
 * @module
 * What forgers put on the wire, step by step, and what an honest node makes of it.
 */

import { describe, expect, it } from 'vitest';

import {
  EQUIVOCATE,
  PHANTOM_ID,
  SPOOF_COORDINATOR,
} from '../../src/adversary/behaviours/impersonation.ts';
import { REPLAY } from '../../src/adversary/behaviours/messages/replay.ts';
import { SWALLOW, TAMPER_TOKEN } from '../../src/adversary/behaviours/messages/tokens.ts';
import { bodyOf, forge, nothingObserved, passOn } from '../../src/adversary/forging.ts';
import type { Level } from '../../src/election/authentication/authenticated.ts';
import { LEVELS } from '../../src/election/authentication/authenticated.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { toRank } from '../../src/election/world/cast.ts';
import {
  byzantineNodeOf,
  carry,
  honestNode,
  nodeWithBehaviours,
  PHANTOM,
  refusedBy,
  sentTo,
} from './staging/forger-node.ts';

const START = { type: 'start' } as const;
const [TWO, THREE, FIVE] = [toRank(2), toRank(3), toRank(5)];
const FORGERS = [SPOOF_COORDINATOR, PHANTOM_ID, SWALLOW, REPLAY, EQUIVOCATE, TAMPER_TOKEN] as const;

describe('forge', () => {
  const body = { type: 'COORDINATOR', leader: FIVE };
  const sayAs = (level: Level, by: number) => {
    const byzantineNode = byzantineNodeOf({ protocol: 'bully-oneshot', level }, 1);
    return forge(nothingObserved(), byzantineNode, { by: toRank(by), to: TWO, body });
  };

  it.each(['L0', 'L1'] as const)('%s: says its own word bare', (level) => {
    expect(sayAs(level, 1)).toEqual(body);
  });

  it.each(['L0', 'L1'] as const)("%s: says another's word in its name", (level) => {
    expect(sayAs(level, 5)).toEqual({ ...body, seal: { by: FIVE } });
  });

  it.each([
    ['L0', {}],
    ['L1', { sender: 1 }],
    ['L2', { signature: 1 }],
    ['L3', { signature: 1 }],
  ] as const)("%s: an honest node refuses another's word so: %o", (level, refused) => {
    const honest = honestNode({ protocol: 'bully-oneshot', level }, 2);

    honest.receive({ type: 'deliver', from: toRank(1), message: sayAs(level, 5) });

    expect(refusedBy(honest)).toEqual(refused);
  });

  it.each([
    ['L1', {}],
    ['L2', { candidacy: 1 }],
    ['L3', { candidacy: 1 }],
  ] as const)('%s: an honest node refuses its own word about another so: %o', (level, refused) => {
    const honest = honestNode({ protocol: 'bully-oneshot', level }, 2);

    honest.receive({ type: 'deliver', from: toRank(1), message: sayAs(level, 1) });

    expect(refusedBy(honest)).toEqual(refused);
  });
});

describe('passOn', () => {
  const byzantineNode = byzantineNodeOf({ protocol: 'cr-join', level: 'L3' }, 1);
  const body = { type: 'PROBE', candidate: toRank(1) };
  const numbered = (observed = nothingObserved()) =>
    forge(observed, byzantineNode, { by: toRank(1), to: TWO, body });

  it('leaves a number that is above all others', () => {
    const message = numbered();

    expect(passOn(nothingObserved(), byzantineNode, { to: TWO, message })).toBe(message);
  });

  it('gives the next number to a message whose own was taken', () => {
    const observed = nothingObserved();
    numbered(observed);

    const passed = passOn(observed, byzantineNode, { to: TWO, message: numbered() });

    expect(passed.seal?.number).toBe(2);
    expect(bodyOf(passed)).toEqual(body);
  });
});

describe('spoof-coordinator', () => {
  it.each(LEVELS)('%s: is followed in a ring, and no message of its node is lost', (level) => {
    const setting = { protocol: 'cr-join', level } as const;
    const forger = nodeWithBehaviours(setting, 1, [SPOOF_COORDINATOR]);
    const honest = honestNode(setting, 2);

    const said = forger.receive(START);
    const refused = carry(said, { from: forger, to: honest });

    expect(sentTo(said, 2).map(({ type }) => type)).toEqual(['SELECTED', 'PROBE']);
    expect(refused).toEqual({});
    expect(said).toContainEqual({ type: 'elect', leader: toRank(1), epoch: 1 });
  });

  it('sends again at its own timer, which its node does not see', () => {
    const forger = nodeWithBehaviours({ protocol: 'cr-join', level: 'L0' }, 1, [SPOOF_COORDINATOR]);
    forger.receive(START);

    const again = forger.receive({ type: 'timeout', timer: 'byz:spoof-coordinator' });

    expect(sentTo(again, 2)).toEqual([{ type: 'SELECTED', leader: toRank(1) }]);
  });

  it('names the highest if nodes follow no lower one', () => {
    const forger = nodeWithBehaviours({ protocol: 'bully-oneshot', level: 'L0' }, 1, [
      SPOOF_COORDINATOR,
    ]);

    const said = sentTo(forger.receive(START), 2);

    expect(said[0]).toEqual({ type: 'COORDINATOR', leader: FIVE, seal: { by: FIVE } });
  });

  it.each(['L2', 'L3'] as const)(
    "%s: is refused as one that says another's word, whose candidacy it was shown",
    (level) => {
      const setting = { protocol: 'bully-oneshot', level } as const;
      const forger = nodeWithBehaviours(setting, 1, [SPOOF_COORDINATOR]);
      const leader = honestNode(setting, 5);
      const honest = honestNode(setting, 2);
      carry(leader.receive(START), { from: leader, to: forger });

      const said = forger.receive({ type: 'timeout', timer: 'byz:spoof-coordinator' });

      expect(sentTo(said, 2)).toMatchObject([{ leader: FIVE, seal: { by: 1 } }]);
      expect(carry(said, { from: forger, to: honest })).toEqual({ candidacy: 1 });
    },
  );

  it('raises the term when somebody has begun a higher', () => {
    const forger = nodeWithBehaviours({ protocol: 'raft', level: 'L0' }, 1, [SPOOF_COORDINATOR]);
    forger.receive(START);
    const message = { type: 'VOTE', term: 7, lastIndex: 0 };

    forger.receive({ type: 'deliver', from: TWO, message });
    const said = forger.receive({ type: 'timeout', timer: 'byz:spoof-coordinator' });

    expect(sentTo(said, 3)).toEqual([{ type: 'HEARTBEAT', term: 8 }]);
  });
});

describe('phantom-id', () => {
  it.each([
    ['cr-join', 'L0', {}],
    ['cr-join', 'L1', {}],
    ['cr-join', 'L2', { candidacy: 2 }],
    ['cr-join', 'L3', { candidacy: 2 }],
    ['bully-gm82', 'L0', {}],
    ['bully-gm82', 'L1', { sender: 5 }],
    ['bully-gm82', 'L2', { sender: 5 }],
  ] as const)('%s %s: is refused so: %o', (protocol, level, refused) => {
    const setting = { protocol, level };
    const forger = nodeWithBehaviours(setting, 1, [PHANTOM_ID]);
    const honest = honestNode(setting, 2);

    const said = forger.receive(START);

    expect(carry(said, { from: forger, to: honest })).toEqual(refused);
  });

  it('answers in Bully for one that is above all', () => {
    const forger = nodeWithBehaviours({ protocol: 'bully-oneshot', level: 'L0' }, 1, [PHANTOM_ID]);

    const said = sentTo(forger.receive(START), 4);

    expect(said).toContainEqual({ type: 'OK', seal: { by: PHANTOM } });
  });

  it.each(['raft', 'zab-fle', 'db-lease'] as const)('says why it does not fit %s', (protocol) => {
    expect(PHANTOM_ID.unsupportedReason(protocol)).toEqual(expect.any(String));
  });
});

describe('swallow', () => {
  it('passes nothing on', () => {
    const node = nodeWithBehaviours({ protocol: 'cr-join', level: 'L1' }, 1, [SWALLOW]);
    const message = { type: 'PROBE', candidate: FIVE };

    expect(node.receive({ type: 'deliver', from: FIVE, message })).toEqual([]);
  });

  it('speaks for itself', () => {
    const node = nodeWithBehaviours({ protocol: 'cr-join', level: 'L1' }, 1, [SWALLOW]);

    expect(sentTo(node.receive(START), 2)).toEqual([{ type: 'PROBE', candidate: toRank(1) }]);
  });
});

describe('replay', () => {
  const suspect = { type: 'suspect', node: FIVE } as const;
  const replayTurn = { type: 'timeout', timer: 'byz:replay' } as const;

  it('says nothing again before somebody has failed', () => {
    const forger = nodeWithBehaviours({ protocol: 'bully-oneshot', level: 'L0' }, 1, [REPLAY]);
    const message = { type: 'COORDINATOR', leader: FIVE };

    forger.receive({ type: 'deliver', from: FIVE, message });

    expect(forger.receive(replayTurn)).toEqual([]);
  });

  it('repeats received messages at L0 in the name of their senders', () => {
    const forger = nodeWithBehaviours({ protocol: 'bully-oneshot', level: 'L0' }, 1, [REPLAY]);
    const message = { type: 'COORDINATOR', leader: FIVE };
    forger.receive({ type: 'deliver', from: FIVE, message });
    forger.receive(suspect);

    const said = forger.receive(replayTurn);

    expect(sentTo(said, 3)).toEqual([{ ...message, seal: { by: FIVE } }]);
  });

  it.each([
    // As it came it was a message to another; in the forger's own name it counts.
    ['cr-join', 'L2', { signature: 1 }, [FIVE]],
    // The candidacy is one of an earlier election.
    ['cr-join', 'L3', { signature: 1, candidacy: 1 }, []],
    // Only the coordinator can send its announcement, with or without its candidacy.
    ['bully-oneshot', 'L2', { signature: 1, candidacy: 1 }, []],
    ['bully-oneshot', 'L3', { signature: 1, candidacy: 1 }, []],
  ] as const)('%s %s: words of an earlier election are refused so: %o, followed: %o', (...row) => {
    const [protocol, level, refused, followed] = row;
    const forger = nodeWithBehaviours({ protocol, level, election: '2' }, 1, [REPLAY]);
    const honest = honestNode({ protocol, level, election: '2' }, 2);
    forger.receive({ type: 'deliver', from: FIVE, message: announcementOf5(protocol, level) });
    forger.receive(suspect);

    const said = sentTo(forger.receive(replayTurn), 2);
    const heard = said.flatMap((message) =>
      honest.receive({ type: 'deliver', from: forger.rank, message }),
    );

    expect(said).toHaveLength(2);
    expect(refusedBy(honest)).toEqual(refused);
    expect(heard.flatMap((each) => (each.type === 'elect' ? [each.leader] : []))).toEqual(followed);
  });

  function announcementOf5(protocol: 'cr-join' | 'bully-oneshot', level: Level) {
    const byzantineNode = byzantineNodeOf({ protocol, level, election: '1' }, 5);
    const type = protocol === 'cr-join' ? 'SELECTED' : 'COORDINATOR';
    const body = { type, leader: FIVE };
    return forge(nothingObserved(), byzantineNode, { by: FIVE, to: toRank(1), body });
  }

  it('keeps a bounded number of words', () => {
    const forger = nodeWithBehaviours({ protocol: 'ring-lelann', level: 'L0' }, 1, [REPLAY]);
    for (let election = 1; election <= 200; election += 1) {
      const message = { type: 'ELECT', candidate: TWO, election };
      forger.receive({ type: 'deliver', from: FIVE, message });
    }
    forger.receive(suspect);

    expect(sentTo(forger.receive(replayTurn), 2)).toHaveLength(64);
  });
});

describe('equivocate', () => {
  it('announces two leaders to two halves', () => {
    const forger = nodeWithBehaviours({ protocol: 'zk-slide-quorum', level: 'L0' }, 1, [
      EQUIVOCATE,
    ]);

    const said = forger.receive(START);

    const ids = [2, 3, 4, 5].map((rank) =>
      sentTo(said, rank).map((word) => Object.values(word)[2]),
    );
    expect(ids).toEqual([[toRank(1)], [FIVE], [toRank(1)], []]);
  });

  it('sends two announcements round a ring, of which the second ends at the named node', () => {
    const forger = nodeWithBehaviours({ protocol: 'cr-join', level: 'L1' }, 1, [EQUIVOCATE]);

    const said = forger.receive(START);

    expect(sentTo(said, 2).slice(0, 2)).toEqual([
      { type: 'SELECTED', leader: toRank(1) },
      { type: 'SELECTED', leader: FIVE },
    ]);
  });
});

describe('tamper-token', () => {
  it.each([
    ['ring-collect', 'L0', { type: 'ELECTION', initiator: FIVE, ids: [FIVE] }, { ids: [1] }],
    ['ring-collect', 'L3', { type: 'ELECTION', initiator: FIVE, ids: [FIVE] }, { ids: [1] }],
    ['ring-maxtoken', 'L0', { type: 'TOKEN', initiator: FIVE, max: FIVE }, { max: PHANTOM }],
    ['ring-maxtoken', 'L3', { type: 'TOKEN', initiator: FIVE, max: FIVE }, { max: toRank(1) }],
    [
      'ring-attr',
      'L3',
      { type: 'ELECTION', election: 1, initiator: FIVE, id: FIVE, attr: 3 },
      { id: toRank(1), attr: Number.MAX_SAFE_INTEGER },
    ],
  ] as const)('%s %s: passes %o on with %o', (protocol, level, message, altered) => {
    const setting = { protocol, level };
    const [sealed] = sealedBy(setting, message);
    const forger = nodeWithBehaviours(setting, 1, [TAMPER_TOKEN]);
    const honest = honestNode(setting, 2);

    const said = forger.receive({ type: 'deliver', from: FIVE, message: sealed ?? message });

    expect(sentTo(said, 2)[0]).toMatchObject(altered);
    expect(carry(said, { from: forger, to: honest })).toEqual({});
  });

  it('alters what a token of a robust ring carries, and not its name', () => {
    const forger = nodeWithBehaviours({ protocol: 'ring-robust', level: 'L0' }, 1, [TAMPER_TOKEN]);
    const probe = { type: 'PROBE', candidate: FIVE };
    const message = { type: 'PROBE', election: 1, token: [FIVE, 0], message: probe };

    const said = sentTo(forger.receive({ type: 'deliver', from: FIVE, message }), 2).at(-1);

    expect(said).toEqual({ ...message, message: { ...probe, candidate: PHANTOM } });
  });

  it('passes an announcement on as it is', () => {
    const forger = nodeWithBehaviours({ protocol: 'cr-join', level: 'L0' }, 1, [TAMPER_TOKEN]);
    const message = { type: 'SELECTED', leader: FIVE };

    expect(sentTo(forger.receive({ type: 'deliver', from: FIVE, message }), 2)).toEqual([message]);
  });
});

describe('behaviours around each other', () => {
  it('number what they send in one row', () => {
    const setting = { protocol: 'cr-join', level: 'L3' } as const;
    const forger = nodeWithBehaviours(setting, 1, [SPOOF_COORDINATOR, EQUIVOCATE, TAMPER_TOKEN]);
    const honest = honestNode(setting, 2);

    const first = forger.receive(START);
    const second = forger.receive({ type: 'timeout', timer: 'byz:spoof-coordinator' });
    const refused = carry([...first, ...second], { from: forger, to: honest });

    expect(sentTo([...first, ...second], 2).length).toBeGreaterThan(2);
    expect(refused).toEqual({});
  });

  it('go on after a crash above the numbers of before', () => {
    const setting = { protocol: 'cr-join', level: 'L3' } as const;
    const honest = honestNode(setting, 2);
    const behaviours = [SPOOF_COORDINATOR, EQUIVOCATE];
    const forger = nodeWithBehaviours(setting, 1, behaviours);
    carry(forger.receive(START), { from: forger, to: honest });

    const returned = nodeWithBehaviours(setting, 1, behaviours);
    const said = returned.receive({ type: 'recover', persisted: null });

    expect(sentTo(said, 2).length).toBeGreaterThan(1);
    expect(carry(said, { from: returned, to: honest })).toEqual({});
  });

  it('keep their timers apart', () => {
    const forger = nodeWithBehaviours({ protocol: 'cr-join', level: 'L0' }, 1, [
      PHANTOM_ID,
      SPOOF_COORDINATOR,
    ]);

    const timers = forger
      .receive(START)
      .flatMap((effect) => (effect.type === 'set-timer' ? [effect.timer] : []));

    expect(timers).toEqual(['byz:spoof-coordinator', 'byz:phantom-id']);
  });
});

describe.each(FORGERS)('$name', (forger) => {
  it('fits something and says of the rest why not', () => {
    const some: ProtocolName[] = ['ring-collect', 'ring-maxtoken', 'cr-join'];

    expect(some.filter((protocol) => forger.unsupportedReason(protocol) === null)).toEqual(some);
    expect(forger.unsupportedReason('zk-recipe')).toMatch(/store/);
  });
});

/** `message` from 5 to 1, with the candidacies of 3 and 5 where it names them. */
function sealedBy(
  setting: Parameters<typeof byzantineNodeOf>[0],
  message: { readonly type: string },
) {
  const byzantineNode = { ...byzantineNodeOf(setting, 5), accomplices: [THREE, FIVE] };
  return [forge(nothingObserved(), byzantineNode, { by: FIVE, to: toRank(1), body: message })];
}
