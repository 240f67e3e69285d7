/**
 * @module
 * A lab with tokens and an election that an instructor shares, for tests.
 */

import { TokenSet } from '../../../../server/callers/tokens.ts';
import type { Answer, LabOptions, LabUnderTest } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';

/** The tokens of the operator, by the names of their holders. */
export const TOKENS = {
  rita: 'reader-0123456789',
  sam: 'student-0123456789',
  sue: 'student-9876543210',
  ida: 'instructor-0123456789',
  ian: 'instructor-9876543210',
  ola: 'operator-0123456789',
} as const;

const ROLES = {
  rita: 'reader',
  sam: 'student',
  sue: 'student',
  ida: 'instructor',
  ian: 'instructor',
  ola: 'operator',
} as const;

/** A new set of these tokens, all by default. */
export function tokenSet(names: readonly (keyof typeof TOKENS)[] = namesOf(TOKENS)): TokenSet {
  return new TokenSet(names.map((name) => ({ name, role: ROLES[name], token: TOKENS[name] })));
}

function namesOf<Name extends string>(record: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(record) as Name[]; // The keys of a literal.
}

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

export interface Entered {
  readonly id: string;
  readonly token: string;
}

export interface SharedLab extends LabUnderTest {
  /** Calls with a token and a JSON body. */
  ask(token: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** The path of a new election of the instructor ida. */
  made(body?: object): Promise<string>;
  /** Shares an election; returns the join code. */
  share(path: string, body?: object): Promise<string>;
  /** Exchanges a code. */
  exchange(code: string, name?: string, members?: object): Promise<Answer>;
  /** A participant of an election with this code. */
  enter(code: string, name?: string): Promise<Entered>;
}

export function sharedLab(options: LabOptions = {}): SharedLab {
  const lab = labUnderTest({ tokens: tokenSet(), ...options });
  const ask: SharedLab['ask'] = (token, method, path, body) =>
    lab.call(method, path, {
      headers: {
        ...bearer(token),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const exchange: SharedLab['exchange'] = (code, name = 'Ann', members = {}) =>
    lab.post('/v1/sessions', { type: 'joinCode', code, name, ...members });
  return {
    ...{ ...lab, ask, exchange },
    async made(body = {}) {
      const plan = { protocol: 'bully-oneshot', nodes: 3, seed: '1', ...body };
      const { headers } = await ask(TOKENS.ida, 'POST', '/v1/elections', plan);
      return String(headers.get('Location'));
    },
    async share(path, body = {}) {
      await ask(TOKENS.ida, 'PUT', `${path}/access`, { mode: 'shared' });
      return String((await ask(TOKENS.ida, 'POST', `${path}/join-code`, body)).json.code);
    },
    async enter(code, name) {
      const { json } = await exchange(code, name);
      return { id: String(json.participant), token: String(json.token) };
    },
  };
}
