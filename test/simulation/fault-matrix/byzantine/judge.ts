/**
 * @module
 * What the trace of an election with Byzantine nodes says about safety and liveness, by name, from the records
 * alone. The statement of a Byzantine node that it leads does not count; it leads as long as an honest live node follows it
 * and it has not itself said that it leads no more, after which its followers may not have heard yet.
 *
 * S1: at no moment do two lead or, where votes number epochs, no two have led in one epoch. S2: at the end
 * no two honest live nodes follow different ones. S3: at the end no honest live node follows
 * one that is no member or, where the highest wins, a live one that is not the highest alive. S4 and S5 by
 * votes and disks: ballots.ts, of what was received. S5: no honest node goes back to an earlier epoch. L: at
 * the end all that are honest and live follow one and the same that is live.
 */

import type { SealedMessage } from '../../../../src/election/authentication/authenticated.ts';
import type { Message } from '../../../../src/election/machine.ts';
import type { ProtocolName } from '../../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../../src/election/registry.ts';
import { fromRank } from '../../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../../src/election/world/effect-record.ts';
import type { TraceRecord } from '../../../../src/simulation/engine/trace.ts';
import { traceEvents } from '../../../../src/simulation/trace/events.ts';

import { ballotViolations } from '../ballots.ts';
import type { Violation } from '../judge.ts';

export interface ByzantineTrace {
  readonly protocol: ProtocolName;
  readonly nodes: number;
  readonly byzantineRanks: readonly number[];
  /** Who joins during the run. */
  readonly absent: readonly number[];
  /** What reached a node and was not heard by its protocol. */
  readonly unheard: ReadonlySet<Message>;
  readonly records: readonly TraceRecord[];
  /** The tick at which the run ended. */
  readonly end: number;
}

interface Member {
  readonly rank: number;
  readonly isByzantine: boolean;
  up: boolean;
  leader: number | null;
  epoch: number;
  /** It has said that it follows another, or none any more. */
  hasResigned: boolean;
}

/** The first violation of each property, in the order of time. */
export function byzantineViolations(run: ByzantineTrace): Violation[] {
  const found: Violation[] = [];
  const note = (violation: Violation | null) => {
    if (violation === null) return;
    if (!found.some(({ property }) => property === violation.property)) found.push(violation);
  };
  const members = membersOf(run);
  const isOnePerEpoch = PROTOCOLS[run.protocol].unique === 'epoch';
  const reigns = new Map<number, number>();
  for (const { record, node } of traceEvents(run.records)) {
    const member = members[(node ?? 0) - 1];
    if (member === undefined) continue;
    const { action, effects, t } = record;
    if (action.type === 'crash') Object.assign(member, { up: false, leader: null });
    if (action.type === 'enter') member.up = true;
    if (action.type === 'recover') {
      member.up = true;
      if (action.amnesia) member.epoch = 0;
    }
    for (const effect of effects) {
      if (effect.type === 'step-down') Object.assign(member, { leader: null, hasResigned: true });
      if (effect.type !== 'elect') continue;
      member.hasResigned = fromRank(effect.leader) !== member.rank;
      if (member.isByzantine) continue;
      note(follow(member, effect, t));
      note(isOnePerEpoch ? twoInEpoch(members, member, reigns, t) : twoAtOnce(members, t));
    }
  }
  for (const violation of ballotsOf(run)) note(violation);
  for (const violation of atTheEnd(members, run)) note(violation);
  return found;
}

function membersOf({ nodes, byzantineRanks, absent }: ByzantineTrace): readonly Member[] {
  return Array.from({ length: nodes }, (_, index): Member => {
    const rank = index + 1;
    const isByzantine = byzantineRanks.includes(rank);
    return {
      rank,
      isByzantine,
      up: !absent.includes(rank),
      leader: null,
      epoch: 0,
      hasResigned: false,
    };
  });
}

type Election = EffectRecord & { readonly type: 'elect' };

/** Takes over the leader of a node; the epoch that it goes back to, if it does. */
function follow(member: Member, { leader, epoch }: Election, at: number): Violation | null {
  const before = member.epoch;
  member.leader = fromRank(leader);
  member.epoch = epoch;
  if (epoch >= before) return null;
  const what = `${member.rank} elects in epoch ${epoch} after epoch ${before}`;
  return { property: 'S5', who: [member.rank], at, what };
}

function twoAtOnce(members: readonly Member[], at: number): Violation | null {
  const honest = members.filter(({ up, isByzantine }) => up && !isByzantine);
  const isFollowed = (rank: number) => honest.some(({ leader }) => leader === rank);
  const leading = members.filter(({ rank, up, isByzantine, leader, hasResigned }) => {
    return up && (isByzantine ? isFollowed(rank) && !hasResigned : leader === rank);
  });
  const who = leading.map(({ rank }) => rank);
  if (who.length < 2) return null;
  return { property: 'S1', who, at, what: `${who.join(' and ')} both lead` };
}

/** A Byzantine node has led in an epoch in which an honest node has followed it. */
function twoInEpoch(
  members: readonly Member[],
  { rank, leader, epoch }: Member,
  reigns: Map<number, number>,
  at: number,
): Violation | null {
  if (leader === null || (leader !== rank && members[leader - 1]?.isByzantine !== true))
    return null;
  const other = reigns.get(epoch) ?? leader;
  reigns.set(epoch, leader);
  if (other === leader) return null;
  const who = [other, leader].toSorted((one, two) => one - two);
  return { property: 'S1', who, at, what: `${who.join(' and ')} both led in epoch ${epoch}` };
}

/** Of what was heard, and of what the honest did. */
function ballotsOf(run: ByzantineTrace): Violation[] {
  const { protocol, nodes, absent, records } = run;
  const judged = Array.from(traceEvents(records)).flatMap(({ record, node }) =>
    node !== null && run.byzantineRanks.includes(node)
      ? byzantineRanksWords(record, run)
      : heardWords(record, run),
  );
  const violations = ballotViolations(protocol, nodes, judged);
  // How many voters there were when somebody began to lead, these do not know.
  return absent.length === 0 ? violations : violations.filter(({ property }) => property === 'S5');
}

function heardWords(record: TraceRecord, { unheard }: ByzantineTrace): TraceRecord {
  const effects = record.effects.map((effect): EffectRecord => {
    const isUnheard = effect.type === 'send' && unheard.has(effect.message);
    return isUnheard ? { ...effect, message: { type: 'UNHEARD' } } : effect;
  });
  return { ...record, effects };
}

/** A signed message that a Byzantine node passes on is of its signer. What the Byzantine node elects does not count. */
function byzantineRanksWords(record: TraceRecord, run: ByzantineTrace): readonly TraceRecord[] {
  const { seq, t, effects } = heardWords(record, run);
  const words = effects.filter(({ type }) => type !== 'elect' && type !== 'persist');
  const passedOn = words.flatMap((effect): TraceRecord[] => {
    const by = effect.type === 'send' ? signerOf(effect.message) : null;
    return by === null ? [] : [{ seq, t, action: sayingOf(by), effects: [effect] }];
  });
  const own = words.filter((effect) => !passedOn.some(({ effects: [each] }) => each === effect));
  return [{ ...record, effects: own }, ...passedOn];
}

function sayingOf(node: number): TraceRecord['action'] {
  return { type: 'timeout', node, timer: 'passed on' };
}

function signerOf({ seal }: SealedMessage): number | null {
  return seal?.by === undefined || seal.signature === undefined ? null : fromRank(seal.by);
}

function atTheEnd(members: readonly Member[], { protocol, end }: ByzantineTrace): Violation[] {
  const live = members.filter(({ up }) => up);
  const honest = live.filter(({ isByzantine }) => !isByzantine);
  const isLive = (leader: number | null) => live.some(({ rank }) => rank === leader);
  const followers = honest.filter(({ leader }) => leader !== null);
  const best = live.at(-1)?.rank ?? 0;
  const highestWins = PROTOCOLS[protocol].elects === 'highest';
  const found: Violation[] = [];
  if (new Set(followers.map(({ leader }) => leader)).size > 1) {
    found.push({ property: 'S2', who: ranksOf(followers), at: end, what: sayWho(followers) });
  }
  const misled = followers.filter(({ leader }) => {
    const isMember = members.some(({ rank }) => rank === leader);
    return !isMember || (highestWins && isLive(leader) && leader !== best);
  });
  if (misled.length > 0) {
    const what = `${sayWho(misled)}, and ${best} is up and higher`;
    found.push({ property: 'S3', who: ranksOf(misled), at: end, what });
  }
  const lost = honest.filter(({ leader }) => !isLive(leader));
  if (lost.length > 0) {
    const what = `${ranksOf(lost).join(', ')} follow no live node`;
    found.push({ property: 'L', who: ranksOf(lost), at: end, what });
  }
  return found;
}

function ranksOf(members: readonly Member[]): number[] {
  return members.map(({ rank }) => rank);
}

function sayWho(members: readonly Member[]): string {
  return members.map(({ rank, leader }) => `${rank} follows ${leader}`).join(', ');
}
