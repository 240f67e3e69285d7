/**
 * @module
 * Nodes that lie to failure detectors: what each does at a step, what an honest node makes of it, and
 * what becomes of elections at each level, which is another thing for beats than for gossip.
 */

import { describe, expect, test } from 'vitest';

import {
  FALSE_ACCUSER,
  HEARTBEAT_FORGER,
} from '../../src/adversary/behaviours/timing/heartbeat-forger.ts';
import {
  DRIP_TIMER,
  firstGapTicks,
  GAP_GROWTH_MAX,
  SLOW_DRIP,
} from '../../src/adversary/behaviours/timing/slow-drip.ts';
import type { Level } from '../../src/election/authentication/authenticated.ts';
import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { toRank } from '../../src/election/world/cast.ts';
import {
  deliver,
  honest,
  sendsOf,
  TIMING,
  timeout,
  withBehaviour,
  wordsOf,
} from './staging/byzantine-node.ts';
import {
  always,
  byzantineElection,
  crash,
  detector,
  faults,
  measuresAt,
  outcomesByLevel,
  runUntil,
} from './staging/byzantine-runs.ts';

/** Follows 3 from its start. At each beat it sends its count to 1 and 3, or gossips it to 1. */
function beating(gossips: boolean): AnyMachine {
  return {
    init: () => 0,
    step(self, _state, event, effects) {
      if (event.type === 'start') effects.elect(toRank(3), 0);
      if (event.type !== 'timeout') return;
      const table = [
        [2, 40],
        [3, 12],
      ];
      for (const to of [1, 3]) {
        const heartbeat = { type: 'FD_HEARTBEAT', seq: 40 };
        if (!gossips) effects.send(toRank(to), heartbeat);
      }
      const gossip = { type: 'FD_GOSSIP', table };
      if (gossips) effects.send(toRank(1), gossip);
      if (event.timer === 'fd:gone') effects.send(self.predecessor, { type: 'ELECTION' });
    },
  };
}

describe('heartbeat-forger', () => {
  test('beats in the name of its leader, and not to the leader itself', () => {
    const node = withBehaviour(HEARTBEAT_FORGER, { protocol: 'bully-oneshot' }, beating(false));
    node.handle({ type: 'start' });

    const said = sendsOf(node.handle(timeout('fd:beat')));

    const own = { type: 'FD_HEARTBEAT', seq: 40 };
    expect(said).toEqual([
      [1, own],
      [1, { ...own, seal: { by: 3 } }],
      [3, own],
    ]);
  });

  test('says in its gossip that its leader has counted as far as itself', () => {
    const node = withBehaviour(HEARTBEAT_FORGER, { protocol: 'bully-oneshot' }, beating(true));
    node.handle({ type: 'start' });

    const [said] = wordsOf(node.handle(timeout('fd:gossip')));

    const table = [
      [2, 40],
      [3, 40],
    ];
    expect(said).toEqual([1, { type: 'FD_GOSSIP', table }]);
  });

  test('starts no election when its own detector knows better', () => {
    const node = withBehaviour(HEARTBEAT_FORGER, { protocol: 'bully-oneshot' }, beating(false));
    node.handle({ type: 'start' });

    const said = wordsOf(node.handle(timeout('fd:gone'))).map(([, { type }]) => type);

    expect(said).not.toContain('ELECTION');
  });

  const refused: [Level, string][] = [
    ['L1', 'sender'],
    ['L2', 'signature'],
    ['L3', 'signature'],
  ];

  test.each(refused)('is refused its forged beat at %s for its %s', (level, refusal) => {
    const setup = { protocol: 'bully-oneshot', level } as const;
    const node = withBehaviour(HEARTBEAT_FORGER, setup, beating(false));
    node.handle({ type: 'start' });
    const victim = honest({ ...setup, rank: 1 });

    for (const [to, message] of sendsOf(node.handle(timeout('fd:beat')))) {
      if (to === 1) victim.handle(deliver(2, message));
    }

    expect(victim.state).toMatchObject({ refused: { [refusal]: 1 } });
  });

  const lies: [string, ProtocolName, outcomes: string[]][] = [
    ['fd-heartbeat', 'bully-oneshot', ['none', '4', '4', '4']],
    ['fd-heartbeat', 'bully-nextinline', ['none', '4', '4', '4']],
    ['fd-heartbeat', 'ring-robust', ['none', '4', '4', '4']],
    ['fd-heartbeat', 'zk-slide-quorum', ['none', '4', '4', '4']],
    ['fd-phi-akka', 'bully-oneshot', ['none', '4', '4', '4']],
    // Counts of others are not signed: any member can raise one, up to the clock even if bounded.
    ['fd-gossip', 'bully-oneshot', always('none')],
    ['fd-gossip:bounded', 'bully-oneshot', always('none')],
    ['fd-gossip', 'ring-robust', always('none')],
    ['fd-gossip', 'zk-slide-quorum', always('none')],
  ];

  test.each(lies)('makes %s of %s believe that a dead leader lives', (name, protocol, outcomes) => {
    const forging = [{ rank: 1, behaviours: ['heartbeat-forger'] }];
    const more = { ...detector(name), ...faults(crash(5, 100)) };

    const found = outcomesByLevel(byzantineElection(protocol, forging, more), 500);

    expect(found).toEqual(outcomes);
  });
});

describe('false-accuser', () => {
  test("uses up its leader's numbers", () => {
    const node = withBehaviour(FALSE_ACCUSER, { protocol: 'bully-oneshot' }, beating(false));
    node.handle({ type: 'start' });

    const said = sendsOf(node.handle(timeout('fd:beat')));

    const forged = { type: 'FD_HEARTBEAT', seq: Number.MAX_SAFE_INTEGER, seal: { by: 3 } };
    expect(said).toContainEqual([1, forged]);
  });

  const accusations: [string, ProtocolName, split: boolean[]][] = [
    // Next in line leads at once, on its detector's word alone.
    ['fd-heartbeat', 'bully-nextinline', [true, false, false, false]],
    ['fd-gossip', 'bully-nextinline', [true, true, true, true]],
    ['fd-gossip:bounded', 'bully-nextinline', [false, false, false, false]],
    ['fd-heartbeat', 'ring-robust', [true, false, false, false]],
    ['fd-heartbeat', 'zk-slide-quorum', [true, false, false, false]],
    // A suspected node is asked first, and answers.
    ['fd-heartbeat', 'bully-oneshot', [false, false, false, false]],
    ['fd-gossip', 'bully-oneshot', [false, false, false, false]],
  ];

  test.each(accusations)('has %s of %s suspect a live leader', (name, protocol, split) => {
    const accusing = [{ rank: 1, behaviours: ['false-accuser'] }];
    const options = byzantineElection(protocol, accusing, detector(name));

    const found = (['L0', 'L1', 'L2', 'L3'] as const).map((level) => {
      return measuresAt(runUntil({ ...options, level }, 500), 500).ticksSplit > 0;
    });

    expect(found).toEqual(split);
  });
});

describe('slow-drip', () => {
  test('lets its newest beat out ever later, and then says nothing', () => {
    const node = withBehaviour(SLOW_DRIP, { protocol: 'bully-oneshot' }, beating(false));
    const gaps: number[] = [];
    const note = (effects: ReturnType<typeof node.handle>) => {
      for (const effect of effects) {
        if (effect.type === 'set-timer') gaps.push(effect.ticks);
      }
      return sendsOf(effects).length;
    };

    note(node.handle(timeout('fd:beat')));
    let said = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      node.handle(timeout('fd:beat'));
      said += note(node.handle(timeout(DRIP_TIMER)));
    }

    const first = firstGapTicks(TIMING);
    expect(gaps[0]).toBe(first);
    expect(gaps).toEqual(gaps.toSorted((one, other) => one - other));
    expect(gaps.at(-1)).toBeLessThanOrEqual(GAP_GROWTH_MAX * first);
    expect(said).toBe(2 * (gaps.length - 1));
    expect(node.handle(timeout('fd:gone'))).toEqual([]);
  });

  const learners = ['fd-heartbeat:adaptive', 'fd-phi-akka', 'fd-phi-normal', 'fd-phi-exp'];

  test.each(learners)('is noticed by %s much later than a crash', (name) => {
    const dripping = [{ rank: 5, behaviours: ['slow-drip'] }];
    const silentAt = silentFrom(name);

    const crashed = byzantineElection('bully-oneshot', [], {
      ...detector(name),
      ...faults(crash(5, 300)),
    });
    const honestTicks = replacedAt(crashed, 600) - 300;
    const dripped = byzantineElection('bully-oneshot', dripping, detector(name));
    const drippedTicks = replacedAt(dripped, 3000) - silentAt;

    expect(drippedTicks).toBeGreaterThan(4 * honestTicks);
  });

  test('is never replaced where a fixed time-out has cried wolf before', () => {
    const dripping = [{ rank: 5, behaviours: ['slow-drip'] }];
    const options = byzantineElection('bully-oneshot', dripping, detector('fd-heartbeat'));

    const outcomes = outcomesByLevel(options, 2000);

    // Suspected long before its end, it answered then, and is not suspected twice without a beat.
    expect(outcomes).toEqual(always('5'));
  });
});

/** When the dripping leader sends its last beat. */
function silentFrom(name: string): number {
  const dripping = [{ rank: 5, behaviours: ['slow-drip'] }];
  const options = byzantineElection('bully-oneshot', dripping, { ...detector(name), trace: true });
  const simulation = runUntil(options, 3000);
  const last = simulation.records().findLast(({ action, effects }) => {
    const isDrip = action.type === 'timeout' && action.timer === DRIP_TIMER;
    return isDrip && effects.some(({ type }) => type === 'send');
  });
  if (last === undefined) throw new TypeError('"last" expected a beat, got none');
  return last.t;
}

/** When another than 5 first leads. */
function replacedAt(options: Parameters<typeof runUntil>[0], ticks: number): number {
  const trail = runUntil(options, ticks).audit()?.trail() ?? [];
  const change = trail.find(({ node, leads }) => node !== 5 && leads);
  if (change === undefined) throw new RangeError(`"ticks" expected a new leader by ${ticks}`);
  return change.at;
}
