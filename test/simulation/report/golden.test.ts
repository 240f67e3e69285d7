/**
 * @module
 * One readable run of each protocol, drawn. A diff in test/golden is read as code; `vitest -u` takes
 * it over, and the commit says why.
 */

import { describe, expect, it } from 'vitest';

import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { effectSentences, eventSentence } from '../../../src/simulation/report/sentences.ts';
import { diagram } from '../../../src/simulation/report/trace-formats.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { eventLine, located } from '../../../src/simulation/trace/event-line.ts';
import { traceEvents } from '../../../src/simulation/trace/events.ts';
import { SEED } from '../ring/rings.ts';

interface Golden {
  readonly file: string;
  readonly see: string;
  readonly options: Omit<SimulationOptions, 'seed' | 'trace'>;
  readonly initiators?: readonly number[];
}

const GOLDEN: readonly Golden[] = [
  {
    file: 'bully-oneshot.txt',
    see: '1 asks all nodes above it. 2 and 3 answer, so 1 gives up. 3 gets no answer from the crashed\n4 and leads from tick 4 on.',
    options: { protocol: 'bully-oneshot', nodes: 4, crashedBefore: [4] },
    initiators: [1],
  },
  {
    file: 'bully-oneshot-return.txt',
    see: 'See how the survivors elect 2 after the crash of 3 is detected, and how 2 steps down at tick 20\nbefore 3 leads again: there is never a row with two stars.',
    options: {
      protocol: 'bully-oneshot',
      nodes: 3,
      faults: [
        { type: 'crash', rank: 3, at: 4 },
        { type: 'recover', rank: 3, at: 20 },
      ],
    },
    initiators: [3],
  },
  {
    file: 'bully-gm82.txt',
    see: '3 asks the crashed 4, then halts all nodes below, which then follow no leader. 3 announces itself and\nmakes them ready. Each step starts when all have answered the previous one. 3 leads last.',
    options: { protocol: 'bully-gm82', nodes: 4, crashedBefore: [4] },
    initiators: [3],
  },
  {
    file: 'bully-2phase.txt',
    see: 'See how 1 and 2 stand by for 3 (PREPARE, READY) before it leads at tick 6, when none of them\nfollows anybody else any more. The numbers are the leader and its election.',
    options: { protocol: 'bully-2phase', nodes: 4, crashedBefore: [4] },
    initiators: [2],
  },
  {
    file: 'bully-nextinline.txt',
    see: 'See how 2, right below the crashed 3, leads the moment its detector speaks, while 1 still asks, and\nhow the late question makes it ask the dead 3 after all and announce itself again.',
    options: {
      protocol: 'bully-nextinline',
      nodes: 3,
      faults: [{ type: 'crash', rank: 3, at: 4 }],
    },
    initiators: [3],
  },
  {
    file: 'bully-improved.txt',
    see: 'See how 1 informs the declared next of the crash (tick 0), how that one announces itself without asking\nothers, and how the return of 1 makes it ask who is up and declare the next (ticks 20 to 24).',
    options: {
      protocol: 'bully-improved',
      nodes: 3,
      crashedBefore: [3],
      faults: [
        { type: 'crash', rank: 1, at: 10 },
        { type: 'recover', rank: 1, at: 20 },
      ],
    },
    initiators: [1],
  },
  {
    file: 'bully-modified.txt',
    see: 'See how 1 alone asks, how 2 and 3 answer and start nothing, and how 1, when T is over, grants the\nelection to 3, the highest that answered.',
    options: { protocol: 'bully-modified', nodes: 4, crashedBefore: [4] },
    initiators: [1],
  },
  {
    file: 'ring-lelann.txt',
    see: 'See how every ID goes round once (9 hops) and how each node, when its own is home (tick 3), knows the\nhighest without being told. ELECT carries an ID and the number of the election.',
    options: { protocol: 'ring-lelann', nodes: 3, ring: [3, 1, 2] },
  },
  {
    file: 'ring-collect.txt',
    see: 'See how the list of 1 grows on its way round, how 4 is the highest in it at tick 4, and how 4 leads only\nwhen COORDINATOR names it: the initiator counts, not the highest.',
    options: { protocol: 'ring-collect', nodes: 4, ring: [2, 4, 1, 3] },
    initiators: [1],
  },
  {
    file: 'ring-maxtoken.txt',
    see: 'See how the TOKEN of 1 (initiator, then maximum) becomes 4 at the highest and still ends where it\nbegan, at tick 4: the same laps as ring-collect with one rank instead of a list.',
    options: { protocol: 'ring-maxtoken', nodes: 4, ring: [2, 4, 1, 3] },
    initiators: [1],
  },
  {
    file: 'cr-join.txt',
    see: 'See how every PROBE ends at the next higher node clockwise, how only that of 5 comes home (tick\n5), and how SELECTED then goes round once. 1 + 1 + 2 + 3 + 5 hops are the distances to the next\nhigher node, the last the whole ring.',
    options: { protocol: 'cr-join', nodes: 5, ring: [2, 5, 1, 4, 3] },
  },
  {
    file: 'cr-replace.txt',
    see: 'See how the PROBE of 1 becomes that of 3 and then that of 4 (tick 2), so that only one travels: n + d =\n4 + 2 hops, since the highest is two places after the initiator.',
    options: { protocol: 'cr-replace', nodes: 4, ring: [4, 2, 1, 3] },
    initiators: [1],
  },
  {
    file: 'cr-always.txt',
    see: 'See how 3 replaces PROBEs twice (ticks 1 and 2), so that all three end as that of the highest: n² +\nn(n−1)/2 = 12 hops, of which only the first to come home (tick 3) elects.',
    options: { protocol: 'cr-always', nodes: 3, ring: [3, 2, 1] },
  },
  {
    file: 'ring-attr.txt',
    see: 'See how the run of 1 is carried on by 3 and then by 4, which wins when its own comes home (tick 6), and\nhow everybody waits for the end with a timer. Messages carry election, initiator, best and attribute.',
    options: { protocol: 'ring-attr', nodes: 4, ring: [4, 2, 1, 3] },
    initiators: [1],
  },
  {
    file: 'hs-wake.txt',
    see: 'See how each node asks its neighbours, how only 3 receives OK from both, asks two far (tick 2), then four\n(tick 6), and how that brings its questions home (tick 9), the second to no effect. FROM carries the\ncandidate, the nodes passed, its reach and whether it travels clockwise.',
    options: { protocol: 'hs-wake', nodes: 3, ring: [3, 1, 2] },
  },
  {
    file: 'hs-slide.txt',
    see: 'See how 4, which was not started, answers NO to 3 twice and stays idle: 3 has lost, no node leads. Woken,\nas by hs-wake, 4 would have been a candidate itself.',
    options: { protocol: 'hs-slide', nodes: 4, ring: [4, 1, 3, 2] },
    initiators: [3],
  },
  {
    file: 'peterson.txt',
    see: 'See how 4 becomes a relay at tick 2 while 2 and 1 go on with the IDs 4 and 3, and how 4, a relay, is\nelected at tick 5 because its ID has come home; what still comes it absorbs. TID carries an ID and\nthe number of the election, which each node has stored before it sends anything.',
    options: { protocol: 'peterson', nodes: 4, ring: [4, 2, 3, 1] },
  },
  {
    file: 'peterson-prose.txt',
    see: 'See how the same ring goes on where peterson has ended: 4 passes its own ID on (tick 5), 2 gives up (tick\n6), and 1, the last active node, is elected by the ID of 4 when that has come round (tick 10).\nELECTED carries the leader and that ID.',
    options: { protocol: 'peterson-prose', nodes: 4, ring: [4, 2, 3, 1] },
  },
  {
    file: 'ring-robust.txt',
    see: 'See how the PROBE of 5 dies in the crashed 1 (tick 2), and how its detection begins election 2, in which\n5 sends past 1 to 2. Messages carry election, token and the wrapped one; those short of a neighbour ask\nfor the next (LOOKUP), and messages of election 1 would be ignored.',
    options: {
      protocol: 'ring-robust',
      nodes: 5,
      ring: 'by-id',
      faults: [{ type: 'crash', rank: 1, at: 1 }],
    },
    initiators: [4],
  },
  {
    file: 'ring-robust-peterson.txt',
    see: 'See how TIDs of election 1 die in the crashed 1 (ticks 1 to 4), how all who suspect it begin election 2,\nin which 3 sends past 1 to 4, and how the ID of 4 comes home at tick 8. The wrapped messages say election 1\nagain: its machine is made anew. Three neighbours are the whole ring, so no node asks for the next.',
    options: {
      protocol: 'ring-robust:peterson',
      nodes: 4,
      ring: [4, 2, 3, 1],
      faults: [{ type: 'crash', rank: 1, at: 1 }],
    },
  },
  {
    file: 'itai-rodeh.txt',
    see: 'See how 1, 3 and 4 choose the same ID and find it out when theirs come home with false (tick 4), and how\n3 alone has the highest of round 2. TOKEN carries round, ID, hops and whether it has met no equal.',
    options: { protocol: 'itai-rodeh', nodes: 4, ring: 'by-id' },
  },
  {
    file: 'raft.txt',
    see: 'See how 2, whose time-out is the shorter, stores term 1 and its own vote before it asks (tick 6), how 1\nstores its vote before it answers, and how every HEARTBEAT sets back the time-out of 1. VOTE carries the\nterm and the last log index, its reply the term and whether it is granted.',
    options: {
      protocol: 'raft',
      nodes: 3,
      flags: { electionTicks: '6', spreadTicks: '4', heartbeatTicks: '4' },
      crashedBefore: [3],
    },
  },
  {
    file: 'db-lease.txt',
    see: 'See how both write the first row and 1 is faster (tick 3), how 2 sees that version stand still from\ntick 4 to 14 and writes the next, which is its epoch, and how it writes again each third of a lease\n(tick 19). A lease runs from its SWAP: lease-1 is set beside lease-0, and takes over at tick 21.',
    options: {
      protocol: 'db-lease',
      nodes: 2,
      flags: { leaseTicks: '9', pollTicks: '8' },
      faults: [{ type: 'crash', rank: 1, at: 7 }],
      untilTicks: 21,
    },
  },
  {
    file: 'lease-local.txt',
    see: 'See how the service grants to 1 (tick 1) and reports the holder of the lease to 2, how the crashed 1 still has it\nuntil the clock of the service says otherwise (tick 16), and how 2 is granted epoch 2 right after. A\nlease is 9 ticks to the service and, counted from the call, 8 to its holder. Messages carry request,\nholder and epoch.',
    options: {
      protocol: 'lease-local',
      nodes: 2,
      flags: { leaseTicks: '9', renewTicks: '4', pollTicks: '8' },
      faults: [{ type: 'crash', rank: 1, at: 7 }],
      untilTicks: 24,
    },
  },
  {
    file: 'kubernetes-lease.txt',
    see: 'See how both create the Lease and 1 is faster (tick 3), how 2 finds it unchanged 9 ticks after its first sight\n(timer lease, tick 16), reads it once more, and writes the next version in epoch 2. A holder whose renewals\nfail stops at its deadline, which each renewal sets anew (tick 23).',
    options: {
      protocol: 'kubernetes-lease',
      nodes: 2,
      flags: { leaseDuration: '9', renewDeadline: '6', retryPeriod: '1', callTimeout: '3' },
      faults: [{ type: 'crash', rank: 1, at: 7 }],
      untilTicks: 24,
    },
  },
  {
    file: 'zab-fle.txt',
    see: 'See how 1 votes for itself, for 2 and for 3 (tick 1), how all wait for a better vote, and how 3 then has\nepoch 1 promised (NEWEPOCH, tick 5) and its log acknowledged (NEWLEADER) before it leads at tick 9.\nNOTIFICATION carries candidate, zxid, its epoch, the round and what the sender does.',
    options: { protocol: 'zab-fle', nodes: 3, untilTicks: 14 },
  },
  {
    file: 'zk-recipe.txt',
    see: 'See how 1 and 2 get sessions, create znodes and read the list (ticks 0 to 6), how 2 watches that of 1,\nand how it learns of the crash of 1 when the session ends (session:1, set at 5, fires at 17): one\nwatch event, one GET_CHILDREN, epoch 2. In a session messages carry its number and the request.',
    options: {
      protocol: 'zk-recipe',
      nodes: 2,
      flags: { sessionTicks: '12', pingTicks: '6' },
      faults: [{ type: 'crash', rank: 1, at: 7 }],
      untilTicks: 20,
    },
  },
  {
    file: 'quorum-lease.txt',
    see: 'See how 2 leads by a lease that it counts from its request (lease-b, set at tick 6), how its renewals are\nlost (ticks 15 and 21), and how it steps down at tick 25, two before the promises of 1 and 3 are over.\nREQ carries term, round and whether it is a renewal. In term 2 node 2 has voted for itself: DENY.',
    options: {
      protocol: 'quorum-lease',
      nodes: 3,
      flags: { leaseTicks: '20' },
      schedule: {
        faults: [{ type: 'partition', cut: { kind: 'isolate', rank: 2 }, from: 9, to: 36 }],
        calm: null,
        detector: 'crashes',
      },
      untilTicks: 42,
    },
  },
  {
    file: 'zk-slide-quorum.txt',
    see: 'See how 3, the highest, leads by the first ACK, with its own a majority of three (tick 2), how COMMIT moves\nthe pointers, and how 2 stands the moment it suspects 3 while 1 waits for it (tick 11). Messages carry\nepoch and candidate, which are on disk before an ACK is sent.',
    options: {
      protocol: 'zk-slide-quorum',
      nodes: 3,
      faults: [{ type: 'crash', rank: 3, at: 8 }],
    },
  },
];

describe('golden traces', () => {
  it.each(GOLDEN)('$file', async ({ file, see, options, initiators }) => {
    const simulation = createSimulation({ ...options, seed: SEED, trace: true });
    runElection(simulation, initiators);
    for (const event of traceEvents(simulation.records())) {
      const line = eventLine('e_1', located(event), undefined);
      const sentence = eventSentence({ ...line, action: { ...line.action } }, null);
      const did = effectSentences(line.effects);
      expect(sentence).not.toContain(line.event);
      for (const { type } of line.effects) expect(did).not.toContain(type);
    }

    const text = `${see}\n\n${diagram(simulation.plan, simulation.records())}`;

    await expect(text).toMatchFileSnapshot(`../../golden/${file}`);
  });
});
