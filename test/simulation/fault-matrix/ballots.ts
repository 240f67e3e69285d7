/**
 * @module
 * What a trace says of votes and of disks, where nodes vote and store what they have voted: read from
 * messages and writes alone, by what the protocols call them.
 *
 * S4: a vote counts once: a node that leads in an epoch has had the votes of a majority in it, a voter each
 * and itself among them, and no voter's vote of an epoch has made two leaders. S5: no number on a disk
 * is ever lower than before, unless the disk has forgotten.
 */

import type { Json, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { fromRank } from '../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import { traceEvents } from '../../../src/simulation/trace/events.ts';

import type { Violation } from './judge.ts';

interface Voting {
  /** The message by which a voter gives its vote, and the epoch that it is for. */
  readonly grant: string;
  readonly epoch: string;
  /** A grant only where this field is true. */
  readonly isGranted: string | null;
  /** Numbers on the disk that only rise. */
  readonly stored: readonly string[];
}

const VOTING: Readonly<Partial<Record<ProtocolName, Voting>>> = {
  raft: { grant: 'VOTE_REPLY', epoch: 'term', isGranted: 'granted', stored: ['term'] },
  'quorum-lease': { grant: 'GRANT', epoch: 'term', isGranted: null, stored: ['term'] },
  'zk-slide-quorum': { grant: 'ACK', epoch: 'epoch', isGranted: null, stored: ['ackedEpoch'] },
  'zab-fle': {
    grant: 'ACKEPOCH',
    epoch: 'epoch',
    isGranted: 'promised',
    stored: ['acceptedEpoch', 'currentEpoch'],
  },
};

/** Whether nodes of a protocol vote, and keep what they have voted on a disk. */
export function hasVotes(protocol: ProtocolName): boolean {
  return VOTING[protocol] !== undefined;
}

/** The violations of S4 and S5 by votes and disks, in the order of time; none if no node votes. */
export function ballotViolations(
  protocol: ProtocolName,
  nodes: number,
  records: readonly TraceRecord[],
): Violation[] {
  const voting = VOTING[protocol];
  if (voting === undefined) return [];
  const found: Violation[] = [];
  const ballots = createBallots(nodes);
  const disks = createDisks(voting.stored);
  for (const { record, node, flight } of traceEvents(records)) {
    if (node === null) continue;
    const { action, effects, t } = record;
    if (action.type === 'crash') ballots.forget(node);
    if (action.type === 'recover' && action.amnesia) disks.forget(node);
    if (flight !== null) {
      const epoch = grantedIn(voting, flight.message);
      if (epoch !== null) ballots.note(node, epoch, flight.from);
    }
    for (const effect of effects) {
      const wrong = disks.wrong(node, effect) ?? ballots.wrong(node, effect);
      if (wrong !== null) found.push({ ...wrong, at: t });
    }
  }
  return found;
}

type Wrong = Omit<Violation, 'at'>;

function grantedIn({ grant, epoch, isGranted }: Voting, message: Message): number | null {
  // Any of its fields may be there, and be of any type.
  const fields = message as Message & Readonly<Record<string, unknown>>;
  if (message.type !== grant || (isGranted !== null && fields[isGranted] !== true)) return null;
  return Number(fields[epoch]);
}

/** The votes that each node has received since it was last down, and the voters of each leader. */
function createBallots(nodes: number) {
  const heard = new Map<number, Map<number, Set<number>>>();
  const spent = new Map<string, number>();
  return {
    note(node: number, epoch: number, voter: number): void {
      const epochs = heard.get(node) ?? new Map<number, Set<number>>();
      heard.set(node, epochs);
      epochs.set(epoch, (epochs.get(epoch) ?? new Set()).add(voter));
    },
    forget(node: number): void {
      heard.delete(node);
    },
    wrong(node: number, effect: EffectRecord): Wrong | null {
      if (effect.type !== 'elect' || fromRank(effect.leader) !== node) return null;
      const { epoch } = effect;
      const voters = [...new Set([node, ...(heard.get(node)?.get(epoch) ?? [])])];
      if (2 * voters.length <= nodes) {
        const what = `${node} leads in epoch ${epoch} by ${voters.length} of ${nodes} votes`;
        return { property: 'S4', who: [node], what };
      }
      for (const voter of voters) {
        const vote = `${voter} in ${epoch}`;
        const other = spent.get(vote) ?? node;
        spent.set(vote, node);
        if (other === node) continue;
        const what = `the vote of ${vote} made leaders of ${other} and ${node}`;
        return { property: 'S4', who: [voter], what };
      }
      return null;
    },
  };
}

/** The numbers that each node has stored. */
function createDisks(names: readonly string[]) {
  const stored = new Map<number, readonly number[]>();
  return {
    forget(node: number): void {
      stored.delete(node);
    },
    wrong(node: number, effect: EffectRecord): Wrong | null {
      if (effect.type !== 'persist') return null;
      const before = stored.get(node);
      const now = names.map((name) => numberIn(effect.fields, name));
      stored.set(node, now);
      const index = now.findIndex((number, matrixCell) => number < (before?.[matrixCell] ?? 0));
      if (index < 0) return null;
      const what = `${node} stores ${names[index]} ${now[index]} after ${before?.[index]}`;
      return { property: 'S5', who: [node], what };
    },
  };
}

function numberIn(fields: Json, name: string): number {
  // A record is an object, and what is none has no such field.
  return Number((fields as Readonly<Record<string, Json>> | null)?.[name]);
}
