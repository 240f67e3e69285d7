/**
 * @module
 * The writes that the resource accepts, judged by its answers and by who led, not by what the resource itself counts.
 * A late write comes after an operation of a later epoch was accepted. A fence refuses it under every schedule. A stale
 * write is one of a leader that another has replaced, and comes before a fence can know of the other (M. Kleppmann, How
 * to do distributed locking, 2016).
 */

import type { Protocol } from '../../election/definition/protocol.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import { isResourceReply } from '../../election/lease/stores/resource.ts';
import { resourceIn } from '../../election/lease/workload-cast.ts';
import { memberOf } from '../../election/message-members.ts';
import type { CheckedProperty, History, NodeStep, Reading, WorldView } from '../property.ts';
import { ledIn } from './one-leader-per-epoch.ts';

/** A node wrote or registered in an epoch. `value` is null for a registration. */
type Answered = {
  readonly type: 'accepted' | 'refused';
  readonly by: number;
  readonly epoch: number;
  readonly value: number | null;
};

type Note = Answered | { readonly type: 'led'; readonly by: number; readonly epoch: number };

/** A node and the last of its epochs with the last write in it, sorted by node. */
type Last = readonly (readonly [node: number, epoch: number, value: number])[];

/** The first such write, and the operation or the reign of a later epoch. */
type Found = {
  readonly write: readonly [node: number, epoch: number, value: number];
  readonly after: readonly [node: number, epoch: number];
};

/** `asked`: an operation came too late, accepted or not. */
type Late = { readonly last: Last; readonly asked: boolean; readonly late: Found | null };

/** The last operation of each node that took effect, and the first late write. */
export const LATE_WRITES: History<Late, Answered> = {
  first: { last: [], asked: false, late: null },
  notesOf: answeredIn,
  fold(past, note) {
    if (isRepeated(past.last, note)) return past;
    const after = laterOf(past.last, note);
    const asked = past.asked || after !== null;
    if (note.type === 'refused') return { ...past, asked };
    const { by, epoch, value } = note;
    const late = past.late ?? foundIn(note, after);
    return { last: withLast(past.last, [by, epoch, value ?? 0]), asked, late };
  },
  renamed: ({ last, asked, late }, rankOf) => {
    return { last: renamedLast(last, rankOf), asked, late: renamedFound(late, rankOf) };
  },
};

type Stale = { readonly led: Last; readonly last: Last; readonly stale: Found | null };

/** The highest epoch that each node led, its last write, and the first stale write. */
export const STALE_WRITES: History<Stale, Note> = {
  first: { led: [], last: [], stale: null },
  notesOf: (step) => [
    ...ledIn(step).map(([epoch, by]) => ({ type: 'led' as const, by, epoch })),
    ...answeredIn(step),
  ],
  fold(past, note) {
    const { led, last } = past;
    const { by, epoch } = note;
    if (note.type === 'led') {
      const isKnown = led.some(([node, own]) => node === by && own >= epoch);
      return isKnown ? past : { ...past, led: withLast(led, [by, epoch, 0]) };
    }
    const { type, value } = note;
    if (type === 'refused' || value === null || isRepeated(last, note)) return past;
    const stale = past.stale ?? foundIn(note, laterOf(led, note));
    return { led, last: withLast(last, [by, epoch, value]), stale };
  },
  renamed({ led, last, stale }, rankOf) {
    return {
      led: renamedLast(led, rankOf),
      last: renamedLast(last, rankOf),
      stale: renamedFound(stale, rankOf),
    };
  },
};

/** What the resource answered to the operation that it received in a step. */
function answeredIn({ delivered, effects }: NodeStep): readonly Answered[] {
  if (delivered === null) return [];
  const { from: by, message } = delivered;
  const epoch = memberOf(message, 'epoch');
  const value = memberOf(message, 'value') ?? null;
  if (typeof epoch !== 'number' || (value !== null && typeof value !== 'number')) return [];
  if (message.type !== 'WRITE' && message.type !== 'REGISTER') return [];
  return effects.flatMap((effect): Answered[] => {
    if (effect.type !== 'send' || !isResourceReply(effect.message)) return [];
    const type = effect.message.type === 'REFUSED' ? 'refused' : 'accepted';
    return [{ type, by, epoch, value }];
  });
}

/** Another node with a later epoch than an operation, the one with the highest. Null if there is none. */
function laterOf(last: Last, { by, epoch }: Note): readonly [node: number, epoch: number] | null {
  const [latest] = last
    .filter(([node, other]) => node !== by && other > epoch)
    .toSorted((one, other) => other[1] - one[1]);
  return latest === undefined ? null : [latest[0], latest[1]];
}

/** A copy of a write, and one that a later write of the same node has overtaken, have no effect. */
function isRepeated(last: Last, { by, epoch, value }: Answered): boolean {
  return last.some(
    ([node, own, written]) =>
      node === by && (epoch < own || (epoch === own && (value ?? 0) <= written)),
  );
}

function foundIn({ by, epoch, value }: Answered, after: Found['after'] | null): Found | null {
  return after === null || value === null ? null : { write: [by, epoch, value], after };
}

function withLast(last: Last, own: Last[number]): Last {
  return [...last.filter(([node]) => node !== own[0]), own].toSorted(
    (one, other) => one[0] - other[0],
  );
}

function renamedLast(last: Last, rankOf: (rank: number) => number): Last {
  return last
    .map(([node, epoch, value]) => [rankOf(node), epoch, value] as const)
    .toSorted((one, other) => one[0] - other[0]);
}

function renamedFound(found: Found | null, rankOf: (rank: number) => number): Found | null {
  if (found === null) return null;
  const [[by, ...write], [other, epoch]] = [found.write, found.after];
  return { write: [rankOf(by), ...write], after: [rankOf(other), epoch] };
}

function writeText({ write: [by, epoch, value] }: Found): string {
  return `the resource accepted write ${value} of node ${by}, which led epoch ${epoch}`;
}

function lateText(view: WorldView): string {
  const { late } = view.pastOf(LATE_WRITES);
  if (late === null) return 'the resource accepted no late write';
  const [node, epoch] = late.after;
  return `${writeText(late)}, after an operation of node ${node} of epoch ${epoch}`;
}

export function staleText(view: WorldView): string {
  const { stale } = view.pastOf(STALE_WRITES);
  if (stale === null) return 'the resource accepted no stale write';
  const [node, epoch] = stale.after;
  return `${writeText(stale)}, when node ${node} had led epoch ${epoch}`;
}

/** Number of operations that the resource accepted. Null for a node, and for a store without a resource. */
export const ACCEPTED: Reading<number | null> = {
  of: ({ state }) => resourceIn(state)?.accepted ?? null,
};

function withoutResource(_protocol: Protocol, resource: ResourceKind | null): string | null {
  return resource === null ? 'its leaders write to no resource' : null;
}

function withoutEpochs(protocol: Protocol, resource: ResourceKind | null): string | null {
  if (protocol.unique !== 'epoch') return 'its leaders have no epochs';
  return withoutResource(protocol, resource);
}

export const FENCED_WRITES: CheckedProperty = {
  name: 'fenced-writes',
  kind: 'always',
  description: 'the resource accepts no write after an operation of a later leader',
  claim: { unsupportedReason: withoutEpochs, matrix: [], needsFence: true },
  partner: 'late-write-asked',
  histories: [LATE_WRITES],
  readings: [],
  isSymmetric: true,
  holds: (view) => view.pastOf(LATE_WRITES).late === null,
  breach: lateText,
};

/** Without it a fence has nothing to refuse. */
export const LATE_WRITE_ASKED: CheckedProperty = {
  name: 'late-write-asked',
  kind: 'sometimes',
  description: 'a leader asks for an operation after one of a later leader was accepted',
  claim: { unsupportedReason: withoutEpochs, matrix: [] },
  partner: null,
  histories: [LATE_WRITES],
  readings: [],
  isSymmetric: true,
  holds: (view) => view.pastOf(LATE_WRITES).asked,
  breach: () => 'no operation came after one of a later leader',
};

export const LEADER_WRITES: CheckedProperty = {
  name: 'leader-writes',
  kind: 'sometimes',
  description: 'the resource accepts an operation of a leader',
  claim: { unsupportedReason: withoutResource, matrix: [] },
  partner: null,
  histories: [],
  readings: [ACCEPTED],
  isSymmetric: true,
  holds: ({ store, factOf }) => store !== null && (factOf(ACCEPTED, store) ?? 0) > 0,
  breach: () => 'the resource accepted nothing',
};
