/**
 * @module
 * The differences between the variants of Bully, step by step: which nodes each believes, and the effects of
 * a false suspicion, a late message or an early crash.
 */

import { describe, expect, it } from 'vitest';
import type { Effects, Event, Json, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, fromRank, toRank } from '../../../src/election/world/cast.ts';

const TIMING = { latencyTicksMax: 1 };

/** One node of `nodes`, of which `dead` died before. Describes the effects of each event in words. */
function createNode(
  protocol: ProtocolName,
  setup: { readonly rank: number; readonly nodes: number; readonly dead?: readonly number[] },
) {
  const ring = Array.from({ length: setup.nodes }, (_, index) => index + 1);
  const crashedBefore = setup.dead ?? [];
  const cast = createCast({ protocol, timing: TIMING, ring, crashedBefore });
  const machine = PROTOCOLS[protocol].create(TIMING);
  const self = cast.selfOf(setup.rank);
  let state = machine.init(self);
  let persisted: Json = null;
  return (event: Event<Message>): string[] => {
    const done: string[] = [];
    const effects: Effects<Message> = {
      send: (to, message) => done.push(`${message.type} to ${fromRank(to)}`),
      setTimer: (timer) => done.push(`sets ${timer}`),
      cancelTimer: () => undefined,
      elect: (leader) => done.push(fromRank(leader) === setup.rank ? 'leads' : `follows ${leader}`),
      stepDown: () => done.push('steps down'),
      persist: (fields) => {
        persisted = fields;
      },
      choose: () => undefined,
      call: () => undefined,
      accuse: () => undefined,
      respond: () => undefined,
    };
    if (event.type === 'recover') state = machine.init(self);
    const given = event.type === 'recover' ? { ...event, persisted } : event;
    machine.step(self, state, given, effects);
    return done;
  };
}

function from(node: number, message: Message & Readonly<Record<string, unknown>>): Event<Message> {
  return { type: 'deliver', from: toRank(node), message };
}

function about(type: 'suspect' | 'trust', node: number): Event<Message> {
  return { type, node: toRank(node) };
}

function rings(timer: string): Event<Message> {
  return { type: 'timeout', timer };
}

const START: Event<Message> = { type: 'start' };

function naming(type: string, leader: number, more: Readonly<Record<string, unknown>> = {}) {
  return { type, leader: toRank(leader), ...more };
}

describe('bully-gm82', () => {
  const halted = () => {
    const node = createNode('bully-gm82', { rank: 1, nodes: 4, dead: [4] });
    node(from(2, { type: 'HALT', call: 2 }));
    node(from(3, { type: 'HALT', call: 2 }));
    return node;
  };

  it('starts no election where it is polled, but looks at its coordinator later', () => {
    const node = createNode('bully-gm82', { rank: 3, nodes: 4, dead: [4] });

    expect(node(from(1, { type: 'ARE_YOU_THERE', call: 1 }))).toEqual([
      'ARE_YOU_THERE_REPLY to 1',
      'sets watch',
    ]);
    expect(node(rings('watch'))).toEqual(['ARE_YOU_THERE to 4', 'sets call']);
  });

  it('follows no leader once it is halted', () => {
    const node = createNode('bully-gm82', { rank: 1, nodes: 4, dead: [4] });

    expect(node(from(3, { type: 'HALT', call: 2 }))).toEqual([
      'steps down',
      'HALT_REPLY to 3',
      'sets watch',
    ]);
  });

  it('ignores the late NEW_COORDINATOR of one that did not halt it last', () => {
    const node = halted();

    expect(node(from(2, { type: 'NEW_COORDINATOR', call: 3 }))).toEqual([]);
    expect(node(from(3, { type: 'NEW_COORDINATOR', call: 3 }))).toEqual([
      'NEW_COORDINATOR_REPLY to 3',
    ]);
  });

  it('ignores a READY that is not from its coordinator, or comes first', () => {
    const node = halted();

    expect(node(from(3, { type: 'READY', call: 4 }))).toEqual([]);
    node(from(3, { type: 'NEW_COORDINATOR', call: 3 }));
    expect(node(from(2, { type: 'READY', call: 4 }))).toEqual([]);
    expect(node(from(3, { type: 'READY', call: 4 }))).toEqual(['follows 3', 'READY_REPLY to 3']);
  });

  it('is not halted by a lower node, and polls instead', () => {
    const node = createNode('bully-gm82', { rank: 3, nodes: 4, dead: [4] });

    expect(node(from(1, { type: 'HALT', call: 1 }))).toEqual(['ARE_YOU_THERE to 4', 'sets call']);
  });

  it('elects anew when one that it halted does not answer', () => {
    const node = createNode('bully-gm82', { rank: 2, nodes: 3, dead: [3] });
    node(START);
    node(rings('call'));
    node(from(1, { type: 'HALT_REPLY', call: 2 }));

    expect(node(rings('call'))).toEqual(['ARE_YOU_THERE to 3', 'sets call']);
  });

  it('halts one after the other, from the highest on, each after an answer or T', () => {
    const node = createNode('bully-gm82', { rank: 4, nodes: 5, dead: [5] });
    node(START);

    expect(node(rings('call'))).toEqual(['steps down', 'HALT to 3', 'sets call']);
    expect(node(from(2, { type: 'HALT_REPLY', call: 2 }))).toEqual([]);
    expect(node(from(3, { type: 'HALT_REPLY', call: 2 }))).toEqual(['HALT to 2', 'sets call']);
    expect(node(rings('call'))).toEqual(['HALT to 1', 'sets call']);
    expect(node(from(2, { type: 'HALT_REPLY', call: 3 }))).toEqual([]);
    expect(node(from(1, { type: 'HALT_REPLY', call: 4 }))).toEqual([
      'NEW_COORDINATOR to 3',
      'NEW_COORDINATOR to 1',
      'sets call',
    ]);
  });

  it('halts no other node once a higher one has halted it', () => {
    const node = createNode('bully-gm82', { rank: 3, nodes: 4, dead: [4] });
    node(START);
    node(rings('call'));

    expect(node(from(4, { type: 'HALT', call: 2 }))).toEqual(['HALT_REPLY to 4', 'sets watch']);
    expect(node(from(2, { type: 'HALT_REPLY', call: 2 }))).toEqual([]);
    expect(node(rings('call'))).toEqual([]);
  });

  it('counts no answer to an earlier call', () => {
    const node = createNode('bully-gm82', { rank: 2, nodes: 3, dead: [3] });
    node(START);
    node(rings('call'));

    expect(node(from(1, { type: 'HALT_REPLY', call: 1 }))).toEqual([]);
    expect(node(from(1, { type: 'HALT_REPLY', call: 2 }))).toEqual([
      'NEW_COORDINATOR to 1',
      'sets call',
    ]);
  });

  it('as coordinator elects anew when somebody that returned is not normal', () => {
    const node = createNode('bully-gm82', { rank: 2, nodes: 2 });
    node(START);
    node(rings('call'));

    expect(node(about('trust', 1))).toEqual(['ARE_YOU_NORMAL to 1', 'sets call']);
    const no = { type: 'ARE_YOU_NORMAL_REPLY', call: 5, normal: false };
    expect(node(from(1, no)).slice(0, 2)).toEqual(['steps down', 'HALT to 1']);
  });
});

describe('bully-2phase', () => {
  const PREPARE = naming('PREPARE', 3, { election: 2 });

  it('stands by for the higher of two that prepare', () => {
    const node = createNode('bully-2phase', { rank: 1, nodes: 4, dead: [4] });
    node(from(3, PREPARE));

    expect(node(from(2, naming('PREPARE', 2, { election: 1 })))).toEqual([]);
    expect(node(from(4, naming('PREPARE', 4, { election: 1 })))).toEqual([
      'sets waiting',
      'READY to 4',
    ]);
  });

  it.each([
    ['of an earlier election', naming('ANNOUNCE', 3, { election: 1 })],
    ['of a later election', naming('ANNOUNCE', 3, { election: 3 })],
    ['of another leader', naming('ANNOUNCE', 2, { election: 2 })],
  ])('ignores the ANNOUNCE %s than it stands by for', (_which, announce) => {
    const node = createNode('bully-2phase', { rank: 1, nodes: 4, dead: [4] });
    node(from(3, PREPARE));

    expect(node(from(3, announce))).toEqual([]);
    expect(node(from(3, naming('ANNOUNCE', 3, { election: 2 })))).toEqual(['follows 3']);
  });

  it('ignores an ANNOUNCE that nothing prepared', () => {
    const node = createNode('bully-2phase', { rank: 1, nodes: 4, dead: [4] });

    expect(node(from(3, naming('ANNOUNCE', 3, { election: 0 })))).toEqual([]);
  });

  it('waits for no announcement longer than the winner takes', () => {
    const node = createNode('bully-2phase', { rank: 1, nodes: 3, dead: [3] });
    node(from(2, naming('PREPARE', 2, { election: 1 })));

    expect(node(rings('waiting'))).toEqual(['ELECTION to 2', 'ELECTION to 3', 'sets await-ok']);
  });

  it('never numbers two of its elections alike, unless it forgets', () => {
    const node = createNode('bully-2phase', { rank: 2, nodes: 2 });
    node(START);

    const ready = (election: number) => node(from(1, naming('READY', 2, { election })));
    expect(node({ type: 'recover', persisted: null })).toContain('PREPARE to 1');
    expect(ready(1)).toEqual([]);
    expect(ready(2)).toEqual(['leads', 'ANNOUNCE to 1']);
  });
});

describe('bully-nextinline', () => {
  const following = (rank: number) => {
    const node = createNode('bully-nextinline', { rank, nodes: 4 });
    node(from(4, naming('COORDINATOR', 4)));
    return node;
  };

  it('leads beside a live leader after one false suspicion, until it is taken back', () => {
    const node = following(3);

    expect(node(about('suspect', 4))).toEqual(['leads', 'COORDINATOR to 1', 'COORDINATOR to 2']);
    expect(node(about('trust', 4))).toEqual(['steps down', 'sets coordinator']);
    expect(node(rings('coordinator'))).toEqual(['ELECTION to 4', 'sets answer']);
    expect(node(from(4, naming('COORDINATOR', 4)))).toEqual(['follows 4']);
  });

  it('asks when it is not next in line, or is only asked itself', () => {
    expect(following(2)(about('suspect', 4))).toContain('ELECTION to 3');
    expect(following(3)(from(1, { type: 'ELECTION' }))).toContain('ELECTION to 4');
  });

  it('asks when one higher than the failed leader has returned', () => {
    const node = createNode('bully-nextinline', { rank: 2, nodes: 4 });
    node(from(3, naming('COORDINATOR', 3)));
    node(about('trust', 4));

    expect(node(about('suspect', 3))).toContain('ELECTION to 4');
  });
});

describe('bully-improved', () => {
  const declared = (round: number, next: number) =>
    from(5, { type: 'NEXT', next: toRank(next), round });
  const following = () => {
    const node = createNode('bully-improved', { rank: 2, nodes: 5 });
    node(from(5, naming('COORDINATOR', 5)));
    return node;
  };

  it('informs the declared next of the crash', () => {
    const node = following();
    node(declared(1, 3));

    expect(node(about('suspect', 5))).toEqual(['CRASH to 3', 'sets coordinator']);
  });

  it('leads when it is the declared next', () => {
    const node = following();
    node(declared(1, 2));

    expect(node(about('suspect', 5))).toEqual(['leads', 'COORDINATOR to 1']);
  });

  it.each([
    ['an older one', declared(1, 2)],
    ['one that denies that it is up', declared(3, 1)],
    ['one that names the leader itself', declared(3, 5)],
    ['one that names no member', declared(3, 9)],
    ['one of another than its leader', from(4, { type: 'NEXT', next: toRank(2), round: 3 })],
  ])('ignores a declaration: %s', (_which, declaration) => {
    const node = following();
    node(declared(2, 3));
    node(declaration);

    expect(node(about('suspect', 5))).toContain('CRASH to 3');
  });

  it('asks everybody when the declared one stays silent', () => {
    const node = following();
    node(about('suspect', 5));

    expect(node(rings('coordinator'))).toContain('ELECTION to 3');
  });

  it('asks everybody when one above the declared next has returned since', () => {
    const node = following();
    node(declared(1, 2));
    node(about('trust', 3));

    expect(node(about('suspect', 5))).toContain('ELECTION to 3');
  });

  it('believes a CRASH of the leader of before, not of one that it has heard', () => {
    const before = createNode('bully-improved', { rank: 4, nodes: 5, dead: [5] });
    const crash = from(1, naming('CRASH', 5));
    const heard = createNode('bully-improved', { rank: 4, nodes: 5 });
    heard(from(5, naming('COORDINATOR', 5)));

    expect(before(crash)[0]).toBe('leads');
    expect(heard(crash)).toEqual([]);
  });
});

describe('bully-modified', () => {
  const answer = (node: number, election = 1) =>
    from(node, { type: 'OK', priority: toRank(node), election });
  const asking = (...answers: number[]) => {
    const node = createNode('bully-modified', { rank: 2, nodes: 5, dead: [5] });
    node(START);
    for (const other of answers) node(answer(other));
    return node;
  };

  it('starts no election where it is asked', () => {
    const node = createNode('bully-modified', { rank: 4, nodes: 5, dead: [5] });

    expect(node(from(1, { type: 'ELECTION', election: 1 }))).toEqual(['OK to 1']);
  });

  it('grants the election to the highest that answered, then to the next, then to itself', () => {
    const node = asking(4, 3);

    expect(node(rings('asking'))).toEqual(['GRANT to 4', 'sets granting']);
    expect(node(rings('granting'))).toEqual(['GRANT to 3', 'sets granting']);
    expect(node(rings('granting'))).toEqual(['leads', 'COORDINATOR to 1']);
  });

  it('grants it again to one that asks for patience', () => {
    const node = asking(4, 3);
    node(rings('asking'));
    node(answer(4));

    expect(node(rings('granting'))[0]).toBe('GRANT to 4');
  });

  it.each([
    ['in another name', from(3, { type: 'OK', priority: toRank(4), election: 1 })],
    ['to an earlier question', answer(4, 0)],
    ['from below', answer(1)],
  ])('counts no answer %s', (_which, event) => {
    const node = asking();
    node(event);

    expect(node(rings('asking'))[0]).toBe('leads');
  });

  it('announces once for all grants of a tick, and never for a copy', () => {
    const node = createNode('bully-modified', { rank: 4, nodes: 5, dead: [5] });
    const grant = (by: number) => node(from(by, { type: 'GRANT', election: 1 }));

    expect([grant(1), grant(2)]).toEqual([['sets announce'], ['sets announce']]);
    expect(node(rings('announce'))[0]).toBe('leads');
    expect(grant(2)).toEqual([]);
  });

  it('takes a grant of the same number anew from one that crashed in between', () => {
    const node = createNode('bully-modified', { rank: 4, nodes: 5, dead: [5] });
    node(from(1, { type: 'GRANT', election: 1 }));
    node(about('trust', 1));

    expect(node(from(1, { type: 'GRANT', election: 1 }))).toEqual(['sets announce']);
  });

  it('says OK again to a grant while its own question is out', () => {
    const node = asking();

    expect(node(from(1, { type: 'GRANT', election: 1 }))).toEqual(['OK to 1']);
  });
});
