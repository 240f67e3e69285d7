/**
 * @module
 * One node of Zab's leader election, stepped by hand, and its effects in words: a message by its
 * fields in order, and its recipient.
 */

import type { Effects, Event, Json } from '../../../src/election/machine.ts';
import { createZab } from '../../../src/election/quorum/zab-fle.ts';
import type { Notification, ZabMessage } from '../../../src/election/quorum/zab-state.ts';
import { createCast, fromRank, toRank } from '../../../src/election/world/cast.ts';

const TIMING = { latencyTicksMax: 1 };
export const START: Event<ZabMessage> = { type: 'start' };

/** One node. Describes the effects of each event in words. `zxids` by rank. */
export function createNode(setup: {
  readonly rank: number;
  readonly nodes: number;
  readonly zxids?: readonly number[];
}) {
  const ring = Array.from({ length: setup.nodes }, (_, index) => index + 1);
  const cast = createCast({ protocol: 'zab-fle', timing: TIMING, ring, crashedBefore: [] });
  const machine = createZab(TIMING, {}, (rank) => setup.zxids?.[fromRank(rank) - 1] ?? 0);
  const self = cast.selfOf(setup.rank);
  const state = machine.init(self);
  return (...events: readonly Event<ZabMessage>[]): string[] => {
    const done: string[] = [];
    for (const event of events) machine.step(self, state, event, collector(done));
    return done;
  };
}

function collector(done: string[]): Effects<ZabMessage> {
  const ignored = () => undefined;
  return {
    send: (to, message) => done.push(`${Object.values(message).join(' ')} to ${fromRank(to)}`),
    setTimer: (timer, ticks) => done.push(`sets ${timer} ${ticks}`),
    cancelTimer: (timer) => done.push(`cancels ${timer}`),
    persist: (fields) => done.push(`persists ${JSON.stringify(fields)}`),
    elect: (leader, epoch) => done.push(`elects ${leader} in ${epoch}`),
    stepDown: () => done.push('steps down'),
    ...{ choose: ignored, call: ignored, accuse: ignored, respond: ignored },
  };
}

export function from(node: number, message: ZabMessage): Event<ZabMessage> {
  return { type: 'deliver', from: toRank(node), message };
}

export function epoch(
  type: Exclude<ZabMessage['type'], 'NOTIFICATION' | 'ACKEPOCH'>,
  number: number,
): ZabMessage {
  return { type, epoch: number };
}

export function ackEpoch(number: number, more: { promised?: boolean; currentEpoch?: number } = {}) {
  return {
    ...{ type: 'ACKEPOCH' as const, epoch: number, promised: true, currentEpoch: 0, zxid: 0 },
    ...more,
  };
}

export function vote(
  leader: number,
  more: Partial<Omit<Notification, 'type' | 'leader'>> = {},
): Notification {
  return {
    ...{ type: 'NOTIFICATION', leader: toRank(leader), zxid: 0, peerEpoch: 0 },
    ...{ round: 1, state: 'LOOKING', ...more },
  };
}

export function rings(timer: string): Event<ZabMessage> {
  return { type: 'timeout', timer };
}

export function disk(persisted: Json): Event<ZabMessage> {
  return { type: 'recover', persisted };
}

/** Node 3 of three, for which 1 has voted: it is about to lead. */
export function winner() {
  const node = createNode({ rank: 3, nodes: 3 });
  node(START, from(1, vote(3)), rings('finalize'));
  return node;
}

/** Node 1 of three, which votes for 3 and has sent it CEPOCH. */
export function follower() {
  const node = createNode({ rank: 1, nodes: 3 });
  node(START, from(3, vote(3)), rings('finalize'));
  return node;
}
