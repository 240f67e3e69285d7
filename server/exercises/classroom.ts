/**
 * @module
 * The members of a class, and their tokens. A member exchanges a join code for a token of its own, once. An instructor
 * can give a member a new code, which revokes the token with its sessions and open answers. Only digests are kept.
 */

import type { ServerResponse } from 'node:http';

import { LabError } from '../../src/errors.ts';
import type { ClassDocument } from '../../src/exercise/class/class-document.ts';
import type { Holder, TokenHolders } from '../callers/tokens.ts';
import { digestOfSecret, normalCode, randomCode, randomToken } from '../callers/tokens.ts';
import type { CourseworkLog } from './coursework-log.ts';
import { EPHEMERAL_COURSEWORK } from './coursework-log.ts';

export interface Member {
  readonly name: string;
  readonly role: 'student' | 'instructor';
  readonly fullName: string | null;
  readonly groups: readonly string[];
}

/** A member with its code, which is not kept. */
export interface IssuedCode extends Pick<Member, 'name' | 'role'> {
  readonly code: string;
}

/** How a member signs in: by a code that was not exchanged, or by the token that it was exchanged for. */
interface Key {
  readonly name: string;
  readonly type: 'code' | 'token';
  readonly digest: string;
}

export interface ClassroomParts {
  readonly document: ClassDocument;
  readonly log?: CourseworkLog;
  /** The tokens of the operator. No member has a name of theirs. */
  readonly operators?: TokenHolders | null;
}

export class Classroom implements TokenHolders {
  readonly document: ClassDocument;
  readonly members: ReadonlyMap<string, Member>;
  readonly students: readonly Member[];
  readonly #log: CourseworkLog;
  readonly #operators: TokenHolders | null;
  readonly #keys = new Map<string, Key>();
  /** By digest. */
  readonly #holders = new Map<string, Key>();
  readonly #answers = new Map<string, Set<Pick<ServerResponse, 'destroy'>>>();

  /** Throws LabError `arguments` for a member with the name of an operator's token. */
  constructor({ document, log = EPHEMERAL_COURSEWORK, operators = null }: ClassroomParts) {
    this.document = document;
    this.#log = log;
    this.#operators = operators;
    this.students = document.students.map(({ name, fullName = null, groups }) => {
      return { name, role: 'student', fullName, groups };
    });
    const instructors = document.instructors.map((name): Member => {
      return { name, role: 'instructor', fullName: null, groups: [] };
    });
    this.members = new Map([...this.students, ...instructors].map((each) => [each.name, each]));
    const both = operators?.names.find((name) => this.members.has(name));
    if (both !== undefined) {
      throw new LabError('arguments', `${both} is a member of the class and in the token file`);
    }
  }

  /** Reads the log. Entries of former members stay, and mean nothing. Throws LabError `file.unreadable`. */
  open(): void {
    for (const { content } of this.#log.read('member')) {
      // The digest shows that it is as `#set` has stored it.
      this.#remember(content as Key);
    }
  }

  get names(): readonly string[] {
    return [...this.members.keys(), ...(this.#operators?.names ?? [])];
  }

  get makers(): number {
    return this.members.size + (this.#operators?.makers ?? 0);
  }

  holderWith(tokenDigest: string): Holder | null {
    const key = this.#holders.get(tokenDigest);
    const member = key?.type === 'token' ? this.members.get(key.name) : undefined;
    return member ?? this.#operators?.holderWith(tokenDigest) ?? null;
  }

  /** Whether a member has exchanged its code. */
  hasJoined(name: string): boolean {
    return this.#keys.get(name)?.type === 'token';
  }

  /** Makes a code for every member who has none and no token. `deliver` receives them before they are valid. */
  async issueCodes(deliver: (codes: readonly IssuedCode[]) => Promise<void>): Promise<void> {
    const lacking = [...this.members.values()].filter(({ name }) => !this.#keys.has(name));
    if (lacking.length === 0) return;
    const codes = lacking.map(({ name, role }) => ({ name, role, code: randomCode() }));
    await deliver(codes);
    for (const { name, code } of codes) this.#setCode(name, code);
  }

  /** Exchanges a code for a token; null if the code is not known, or no longer. */
  exchange(code: string): { readonly member: Member; readonly token: string } | null {
    const key = this.#holders.get(digestOfSecret(normalCode(code)));
    const member = key?.type === 'code' ? this.members.get(key.name) : undefined;
    if (member === undefined) return null;
    const token = randomToken();
    this.#set({ name: member.name, type: 'token', digest: digestOfSecret(token) });
    return { member, token };
  }

  /**
   * Replaces the token of a member. The earlier token ends at once, and so do the open answers of the member, but not the
   * answer `own`, which contains the new token. Throws LabError \`not_found\`.
   */
  replaceToken(name: string, own: unknown): string {
    this.member(name);
    const token = randomToken();
    this.#set({ name, type: 'token', digest: digestOfSecret(token) });
    for (const answer of this.#answers.get(name) ?? []) if (answer !== own) answer.destroy();
    return token;
  }

  /** A new code for a member, whose token and earlier code end. Throws LabError `not_found`. */
  renew(name: string): IssuedCode {
    const { role } = this.member(name);
    const code = randomCode();
    this.#setCode(name, code);
    for (const answer of this.#answers.get(name) ?? []) answer.destroy();
    return { name, role, code };
  }

  /** Throws LabError `not_found`. */
  member(name: string): Member {
    const member = this.members.get(name);
    if (member === undefined) throw new LabError('not_found', `the class has no member ${name}`);
    return member;
  }

  /** Notes an open answer to a member, which ends with its token. */
  watch(name: string, answer: Pick<ServerResponse, 'destroy' | 'once'>): void {
    if (!this.members.has(name)) return;
    const open = this.#answers.get(name) ?? new Set();
    this.#answers.set(name, open.add(answer));
    answer.once('close', () => open.delete(answer));
  }

  #setCode(name: string, code: string): void {
    this.#set({ name, type: 'code', digest: digestOfSecret(normalCode(code)) });
  }

  #set(key: Key): void {
    this.#log.put('member', key.name, key);
    this.#remember(key);
  }

  #remember(key: Key): void {
    const before = this.#keys.get(key.name);
    if (before !== undefined) this.#holders.delete(before.digest);
    this.#keys.set(key.name, key);
    this.#holders.set(key.digest, key);
  }
}
