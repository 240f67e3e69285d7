/**
 * @module
 * How each election is shared: its access mode, its join code, and the participants who exchanged the code for a
 * token of their own. A new code takes the place of the one before. Everything is stored before it is answered.
 */

import { performance } from 'node:perf_hooks';

import { LRUCache } from 'lru-cache';
import unhomoglyph from 'unhomoglyph';

import { LabError } from '../../../src/errors.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import type { Located } from '../../../src/simulation/trace/event-line.ts';
import { located } from '../../../src/simulation/trace/event-line.ts';
import type { TraceEvent } from '../../../src/simulation/trace/events.ts';
import { TokenBuckets } from '../../callers/caller-budgets.ts';
import { digestOfSecret, normalCode, randomCode, randomToken } from '../../callers/tokens.ts';
import { randomId } from '../../contract/members.ts';
import type { KeyedWork, Principal } from '../../request/principal.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { LiveElection } from '../live/live-election.ts';
import { noElection } from '../live/live-election.ts';
import type { ElectionPlan, InstancePart } from '../live/plan.ts';
import type { AccessMode, Deed, Relation } from './rights.ts';
import { mayDo, RIGHTS, relationOf } from './rights.ts';
import type { AccessSetting, JoinCode, Participant, SharingLog } from './sharing-log.ts';
import { EPHEMERAL_SHARING } from './sharing-log.ts';

/** Participants of one election. */
export const PARTICIPANTS_MAX = 500;

/** Exchanges of one code that make a participant. */
export const EXCHANGES = { burst: 60, perSecond: 1 } as const;

export interface CodeRequest {
  readonly expiresInS: number;
  readonly participantsMax: number;
}

/** A new code, which is not kept. */
export interface NewCode extends JoinCode {
  readonly code: string;
}

/** A participant, with its token, which is not kept. */
export interface Entrance {
  readonly participant: Participant;
  readonly token: string;
}

export interface SharingClocks {
  readonly nowMs: () => number;
  readonly wallMs: () => number;
}

const CLOCKS: SharingClocks = { nowMs: () => performance.now(), wallMs: Date.now };

const PRIVATE: AccessSetting = { mode: 'private', code: null };

/** The part of an election that decides who may see it. */
export interface ElectionOf {
  readonly id: string;
  readonly request: Pick<ElectionPlan, 'owner' | 'instance'>;
}

/** How all elections are shared. */
export class SharedElections {
  readonly #log: SharingLog;
  readonly #wallMs: () => number;
  readonly #shares = new Map<string, AccessSetting>();
  /** The election of each code, by digest. */
  readonly #codes = new Map<string, string>();
  /** By election, then id. */
  readonly #participants = new Map<string, Map<string, Participant>>();
  readonly #tokens = new Map<string, Participant>();
  /** The callers who wait on an election, by its id. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #exchanges: TokenBuckets;

  constructor(
    log: SharingLog = EPHEMERAL_SHARING,
    { nowMs, wallMs }: Partial<SharingClocks> = CLOCKS,
  ) {
    this.#log = log;
    this.#wallMs = wallMs ?? CLOCKS.wallMs;
    this.#exchanges = new TokenBuckets(EXCHANGES, nowMs ?? CLOCKS.nowMs);
  }

  /** Reads the log. Throws LabError `file.unreadable`. */
  open(): void {
    const { shares, participants } = this.#log.read();
    for (const [election, share] of shares) this.#set(election, share);
    for (const participant of participants) this.#add(participant);
  }

  modeOf(election: string): AccessMode {
    return this.#share(election).mode;
  }

  /** The code of an election; null if there is none, or if it has expired. */
  codeOf(election: string): JoinCode | null {
    const { code } = this.#share(election);
    return code !== null && code.expiresMs > this.#wallMs() ? code : null;
  }

  /** Sets the mode of an election. In private mode the code is revoked, and participants are refused. */
  setMode(election: string, mode: AccessMode): void {
    const { code } = this.#share(election);
    this.#write(election, { mode, code: mode === 'private' ? null : code });
    this.#changed(election);
  }

  /** Makes a code in place of the one before. Throws LabError `election.conflict` in private mode. */
  createCode(
    election: string,
    { expiresInS, participantsMax }: CodeRequest,
    keyed: KeyedWork | null,
  ): NewCode {
    const { mode } = this.#share(election);
    if (mode === 'private') {
      const detail =
        'a private election has no join code: PUT its access to shared or public first';
      throw new LabError('election.conflict', detail);
    }
    const code = randomCode();
    const digest = digestOfSecret(normalCode(code));
    const kept = { digest, expiresMs: this.#wallMs() + 1000 * expiresInS, participantsMax };
    this.#write(election, { mode, code: kept }, keyed);
    return { ...kept, code };
  }

  /** Removes the code of an election. Its participants remain. */
  revokeCode(election: string): void {
    this.#write(election, { mode: this.modeOf(election), code: null });
  }

  /**
   * Makes a participant of the caller who has a code. Null for a code that is unknown, expired or revoked. Throws
   * LabError `name.taken`, `election.closed` if the election has all its participants, or OverloadError `limit.rate`.
   */
  exchange(code: string, shownName: string): Entrance | null {
    const digest = digestOfSecret(normalCode(code));
    const election = this.#codes.get(digest);
    const kept = election === undefined ? null : this.codeOf(election);
    if (election === undefined || kept === null) return null;
    assertBucket(this.#exchanges, digest, 'this join code is used too often');
    const name = shownName.normalize('NFKC').trim();
    const others = this.participantsOf(election);
    const taken = others.find((other) => lookAlike(other.name, name));
    if (taken !== undefined) {
      const same = taken.name === name ? name : `${taken.name}, which looks like ${name}`;
      throw new LabError(
        'name.taken',
        `another participant is called ${same}; choose another name`,
      );
    }
    if (others.length >= kept.participantsMax) {
      throw new LabError('election.closed', 'the election has all its participants');
    }
    const token = randomToken();
    const tokenDigest = digestOfSecret(token);
    const participant = { id: randomId('p'), election, name, tokenDigest };
    this.#log.entered(participant);
    this.#exchanges.take(digest, 1);
    this.#add(participant);
    return { participant, token };
  }

  /** The participant with a token, by its digest. */
  participantWith(tokenDigest: string): Participant | null {
    return this.#tokens.get(tokenDigest) ?? null;
  }

  participant(election: string, id: string): Participant | null {
    return this.#participants.get(election)?.get(id) ?? null;
  }

  /** The participants of an election, in the order of their ids. */
  participantsOf(election: string): Participant[] {
    const all = [...(this.#participants.get(election)?.values() ?? [])];
    return all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Removes a participant, whose token is no longer known. Its node remains. Throws LabError `not_found`. */
  remove(election: string, id: string): void {
    const participant = this.participant(election, id);
    if (participant === null) throw noParticipant();
    this.#log.removed(id);
    this.#participants.get(election)?.delete(id);
    this.#tokens.delete(participant.tokenDigest);
    this.#changed(election);
  }

  /**
   * Gives a participant a new token in place of the one before, whose sessions and streams end. Its node remains its
   * own. Throws LabError `not_found`.
   */
  renew(election: string, id: string, keyed: KeyedWork | null): Entrance {
    const before = this.participant(election, id);
    if (before === null) throw noParticipant();
    const token = randomToken();
    const participant = { ...before, tokenDigest: digestOfSecret(token) };
    this.#log.renewed(participant, keyed);
    this.#tokens.delete(before.tokenDigest);
    this.#add(participant);
    this.#changed(election);
    return { participant, token };
  }

  /** Calls back whenever a caller may have lost its access to an election, until the returned function is called. */
  onChange(election: string, listener: () => void): () => void {
    // A new function, so that a listener can be registered twice.
    const registered = () => listener();
    const all = this.#waiting.get(election) ?? new Set();
    this.#waiting.set(election, all.add(registered));
    return () => {
      all.delete(registered);
      if (all.size === 0 && this.#waiting.get(election) === all) this.#waiting.delete(election);
    };
  }

  #changed(election: string): void {
    for (const listener of [...(this.#waiting.get(election) ?? [])]) listener();
  }

  /** Forgets an election that was deleted, whose rows the log deletes with it. */
  forget(election: string): void {
    for (const { tokenDigest } of this.participantsOf(election)) this.#tokens.delete(tokenDigest);
    this.#participants.delete(election);
    this.#set(election, PRIVATE);
    this.#shares.delete(election);
  }

  /** What the principal is to an election; null if it may not know of it. */
  relationTo({ id, request }: ElectionOf, principal: Principal): Relation | null {
    const { participant } = principal;
    if (participant !== null) {
      // It may have been removed, or its token replaced, since the request began.
      const now = this.participant(id, participant.id);
      if (now?.tokenDigest !== participant.tokenDigest) return null;
    }
    return relationOf(principal, { id, owner: request.owner, mode: this.modeOf(id) });
  }

  /** How the principal may follow an election. */
  viewerOf(election: LiveElection, principal: Principal): Viewer {
    const by = principal.participant?.id;
    const relation = () => this.relationTo(election, principal);
    return {
      isAllowed: () => relation() !== null,
      onChange: (listener) => this.onChange(election.id, listener),
      shown: (event) => {
        const now = relation();
        if (now !== null && mayDo(now, 'examine')) return located(event);
        const { nodes } = election.stage.roster;
        const own = by === undefined ? undefined : nodes.find(({ joined }) => joined?.by === by);
        return outlineOf(event, own?.rank ?? null);
      },
    };
  }

  /**
   * Throws LabError `not_found` if the election does not exist or is not visible to the principal, `auth.access`
   * if the principal may only do something else with it.
   */
  assertMay(
    election: ElectionOf | undefined,
    id: string,
    principal: Principal,
    deed: Deed,
  ): asserts election is ElectionOf {
    const relation = election === undefined ? null : this.relationTo(election, principal);
    if (relation === null) throw noElection(id);
    if (mayDo(relation, deed)) {
      if (relation !== 'manager') assertOpen(election?.request.instance, deed);
      return;
    }
    const { what, relations } = RIGHTS[deed];
    const detail = `this election is shared with you, and you may not ${what}: that is for ${relations.join(', ')}`;
    throw new LabError('auth.access', detail);
  }

  #share(election: string): AccessSetting {
    return this.#shares.get(election) ?? PRIVATE;
  }

  #write(election: string, share: AccessSetting, keyed: KeyedWork | null = null): void {
    this.#log.shared(election, share, keyed);
    this.#set(election, share);
  }

  #set(election: string, share: AccessSetting): void {
    const before = this.#share(election).code;
    if (before !== null) this.#codes.delete(before.digest);
    if (share.code !== null) this.#codes.set(share.code.digest, election);
    this.#shares.set(election, share);
  }

  #add(participant: Participant): void {
    const { election, id, tokenDigest } = participant;
    const all = this.#participants.get(election) ?? new Map<string, Participant>();
    this.#participants.set(election, all.set(id, participant));
    this.#tokens.set(tokenDigest, participant);
  }
}

function assertBucket(buckets: TokenBuckets, key: string, what: string): void {
  const waitS = buckets.waitS(key);
  if (waitS > 0) throw new OverloadError('limit.rate', what, Math.floor(waitS) + 1);
}

function noParticipant(): LabError {
  return new LabError('not_found', 'there is no such participant');
}

/** Throws LabError `exercise.closed` if the election belongs to an exercise that forbids it. */
function assertOpen(instance: InstancePart | undefined, deed: Deed): void {
  if (instance?.closed.some((closed) => closed === deed) !== true) return;
  const detail = `in the exercise ${instance.exercise} you may not ${RIGHTS[deed].what}`;
  throw new LabError('exercise.closed', detail);
}

/** Letters of the same look that the table does not contain or maps to a small capital, without their capitals. */
const MORE: ReadonlyMap<string, string> = new Map(
  (
    [
      ...[
        ['b', 'ьƅв'],
        ['e', 'є'],
        ['h', 'н'],
        ['k', 'кκ'],
        ['m', 'м'],
      ],
      ...[
        ['s', 'տ'],
        ['t', 'тτ'],
        ['w', 'ω'],
        ['x', 'χ'],
      ],
    ] as const
  ).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/** A stroke looks like a small l and a capital I. */
const STROKES: ReadonlySet<string> = new Set('ǀӏɩ');

/**
 * Whether people could take one name for the other. Display names that people could confuse: names that differ only
 * in capitals, spaces, invisible characters, decimal digits of another script, or characters of the same look. These
 * are the confusables of Unicode Technical Standard 39 (version 13, in the package unhomoglyph), and a few letters
 * more.
 */
export function lookAlike(one: string, other: string): boolean {
  const looks = looksOf(other);
  return looksOf(one).some((look, index) => look === looks[index]);
}

/** Looks of the names that were compared last. */
const LOOKS = new LRUCache<string, readonly string[]>({ max: 10_000 });

/** Texts that are equal in one position for names of the same look. */
function looksOf(name: string): readonly string[] {
  const known = LOOKS.get(name);
  if (known !== undefined) return known;
  const shown = visible(name);
  const looks = [
    shown.toLowerCase(),
    // With its capitals: "Ian" looks like "lan", and not like "Lan".
    skeleton(shown),
    ...['i', 'l'].map((stroke) => bare(shown, stroke)),
  ];
  LOOKS.set(name, looks);
  return looks;
}

/** The skeleton of a text as UTS 39 defines it. */
function skeleton(text: string): string {
  return unhomoglyph(text.normalize('NFD')).normalize('NFD');
}

/** Without capitals and spaces, so that capitals and digits of another script are found as well. */
function bare(shown: string, stroke: string): string {
  const letters = [...shown.toLowerCase().replaceAll(' ', '')].map((letter) =>
    STROKES.has(letter) ? stroke : (digitOf(letter) ?? MORE.get(letter) ?? letter),
  );
  return skeleton(letters.join('')).toLowerCase().replaceAll('vv', 'w');
}

/** The decimal digit of any script as that of ASCII; null for other characters. */
function digitOf(letter: string): string | null {
  if (!DIGIT.test(letter)) return null;
  const point = letter.codePointAt(0) ?? 0;
  // The ten digits of a script follow each other.
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value);
}

const DIGIT = /^\p{Nd}$/u;

/** Without characters that cannot be seen, and with one space in place of several. */
function visible(name: string): string {
  const shown = name.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{C}]/gu, '');
  return shown.replaceAll(/\s+/gu, ' ').trim();
}

/**
 * A record without its secrets. The events of a shared election, as those receive them who may not examine it. They see
 * everything that their own node does, the arrival of messages at it included, and of other nodes only what the list of
 * nodes shows as well: who starts, fails and joins. Messages, timers and suspicions of others keep only the name of the
 * event.
 */
export interface Outline extends Pick<TraceRecord, 'seq' | 't'> {
  readonly action: { readonly type: TraceRecord['action']['type'] };
  readonly effects: readonly [];
  readonly outline: true;
}

/** How a principal follows an election. */
export interface Viewer {
  /** Whether the election is still visible to it. */
  readonly isAllowed: () => boolean;
  /** Calls back whenever that may have changed, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
  /** What it receives of an event. */
  readonly shown: (event: TraceEvent) => Located | Outline;
}

/** The whole record if the node of this rank acts in it, else its outline. */
function outlineOf(event: TraceEvent, own: number | null): Located | Outline {
  if (event.node !== null && event.node === own) return located(event);
  const { seq, t, action } = event.record;
  const shown = PUBLIC.has(action.type) ? action : { type: action.type };
  return { seq, t, action: shown, effects: [], outline: true };
}

/** Actions whose effects on `up` the list of nodes shows. */
const PUBLIC: ReadonlySet<TraceRecord['action']['type']> = new Set([
  ...(['start', 'crash', 'pause', 'resume', 'recover', 'enter'] as const),
]);
