/**
 * @module
 * The shared elections in the data file: the access mode and the join code of each, and its participants. Codes
 * and tokens are stored as digests. The rows of an election are deleted with it.
 */

import type { AnswerLog } from '../../idempotency/answer-log.ts';
import type { KeyedWork } from '../../request/principal.ts';
import type { Row, StoreFile } from '../../store/store-file.ts';
import { damagedRow, digestOf } from '../../store/store-file.ts';
import type { AccessMode } from './rights.ts';
import { ACCESS_MODES } from './rights.ts';

/** A join code, as it is kept. */
export interface JoinCode {
  readonly digest: string;
  /** Wall-clock time in milliseconds. */
  readonly expiresMs: number;
  /** Number of participants that the election may have. */
  readonly participantsMax: number;
}

/** How one election is shared. */
export interface AccessSetting {
  readonly mode: AccessMode;
  readonly code: JoinCode | null;
}

/** A caller that exchanged a join code. */
export interface Participant {
  readonly id: string;
  readonly election: string;
  readonly name: string;
  readonly tokenDigest: string;
}

export interface SharingLog {
  /** Stores how an election is shared. Throws OverloadError `storage.unavailable`, as all writes do. */
  shared(election: string, share: AccessSetting, keyed: KeyedWork | null): void;
  entered(participant: Participant): void;
  /** Stores the new token of a participant. */
  renewed(participant: Participant, keyed: KeyedWork | null): void;
  removed(participant: string): void;
  read(): {
    readonly shares: readonly [string, AccessSetting][];
    readonly participants: Participant[];
  };
}

/** Keeps nothing. */
export const EPHEMERAL_SHARING: SharingLog = {
  shared: () => undefined,
  entered: () => undefined,
  renewed: () => undefined,
  removed: () => undefined,
  read: () => ({ shares: [], participants: [] }),
};

/** The shared elections in a file. */
export function sharingLog(file: StoreFile, answers: AnswerLog): SharingLog {
  const { database } = file;
  const setShare = database.prepare(
    `INSERT INTO shares (election, mode, code, expires, participants, digest)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (election) DO UPDATE SET mode = excluded.mode,
     code = excluded.code, expires = excluded.expires, participants = excluded.participants,
     digest = excluded.digest`,
  );
  const insert = database.prepare(
    'INSERT INTO participants (id, election, name, token, digest) VALUES (?, ?, ?, ?, ?)',
  );
  const update = database.prepare('UPDATE participants SET token = ?, digest = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM participants WHERE id = ?');
  const selectShares = database.prepare('SELECT *, rowid AS row FROM shares');
  const selectParticipants = database.prepare(
    'SELECT *, rowid AS row FROM participants ORDER BY number',
  );
  return {
    shared: (election, { mode, code }, keyed) =>
      file.write(() => {
        const expires = Math.floor(code?.expiresMs ?? 0);
        const participants = code?.participantsMax ?? 0;
        const row = { election, mode, code: code?.digest ?? '', expires, participants };
        const digest = digestOfShare(row);
        setShare.run(election, mode, row.code, expires, participants, digest);
        answers.claim({ status: 200, resource: `/v1/elections/${election}/access` }, keyed);
      }),
    entered: ({ id, election, name, tokenDigest: token }) =>
      file.write(() => {
        insert.run(id, election, name, token, digestOf(id, election, name, token));
      }),
    renewed: ({ id, election, name, tokenDigest: token }, keyed) =>
      file.write(() => {
        update.run(token, digestOf(id, election, name, token), id);
        const resource = `/v1/elections/${election}/participants`;
        answers.claim({ status: 201, resource }, keyed);
      }),
    removed: (id) => void file.free(() => remove.run(id)),
    read: () =>
      file.read(() => ({
        shares: selectShares.all().map((row) => storedShare(file.path, row)),
        participants: selectParticipants.all().map((row) => storedParticipant(file.path, row)),
      })),
  };
}

function storedShare(path: string, row: Row): [string, AccessSetting] {
  const election = String(row.election);
  const mode = ACCESS_MODES.find((each) => each === row.mode);
  if (mode === undefined || row.digest !== digestOfShare(row)) {
    throw damagedRow(path, `the access mode of election ${election}`, 'shares', row);
  }
  if (row.code === '') return [election, { mode, code: null }];
  const code = {
    digest: String(row.code),
    expiresMs: Number(row.expires),
    participantsMax: Number(row.participants),
  };
  return [election, { mode, code }];
}

function storedParticipant(path: string, row: Row): Participant {
  const [id, election, name, token] = [row.id, row.election, row.name, row.token].map(String);
  if (id === undefined || election === undefined || name === undefined || token === undefined) {
    throw new TypeError('"row" expected four columns');
  }
  if (row.digest !== digestOf(id, election, name, token)) {
    throw damagedRow(path, `participant ${id}`, 'participants', row);
  }
  return { id, election, name, tokenDigest: token };
}

function digestOfShare({ election, mode, code, expires, participants }: Row): string {
  return digestOf(...[election, mode, code, expires, participants].map(String));
}
