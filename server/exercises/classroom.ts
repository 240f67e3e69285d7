/**
 * @module
 * The members of a class, and their tokens. A member exchanges a class code for a token of its own, once. An instructor
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
  readonly email: string | null;
  /** The ID in the learning management system. */
  readonly lmsId: string | null;
  readonly groups: readonly string[];
}

/** A member with its code, which is not kept. */
export interface IssuedCode extends Pick<Member, 'name' | 'role' | 'fullName' | 'email'> {
  readonly code: string;
}

/** The names of members that another document adds and removes. */
export interface MemberChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** How a member signs in: by a code that was not exchanged, or by the token that it was exchanged for. */
interface Key extends Pick<Member, 'name'> {
  /** Absent in data files of earlier versions. */
  readonly role?: Member['role'];
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
  #document: ClassDocument;
  #members: ReadonlyMap<string, Member>;
  readonly #log: CourseworkLog;
  readonly #operators: TokenHolders | null;
  readonly #keys = new Map<string, Key>();
  /** By digest. */
  readonly #holders = new Map<string, Key>();
  readonly #answers = new Map<string, Set<Pick<ServerResponse, 'destroy'>>>();

  /** Throws LabError `arguments` for a member with the name of an operator's token. */
  constructor({ document, log = EPHEMERAL_COURSEWORK, operators = null }: ClassroomParts) {
    this.#log = log;
    this.#operators = operators;
    this.#members = membersOf(document, operators);
    this.#document = document;
  }

  get document(): ClassDocument {
    return this.#document;
  }

  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** In the order of the document. */
  get students(): readonly Member[] {
    return [...this.#members.values()].filter(({ role }) => role === 'student');
  }

  /**
   * Replaces the document. Members who leave or change their role lose their tokens, codes and open answers, except the answer
   * `own`. Throws as the constructor, or OverloadError `storage.unavailable`; nothing is changed then.
   */
  update(document: ClassDocument, own: unknown): MemberChanges {
    const before = this.#members;
    const after = membersOf(document, this.#operators);
    const former = [...before.values()].filter(({ name, role }) => after.get(name)?.role !== role);
    for (const { name } of former) this.#forget(name);
    this.#members = after;
    this.#document = document;
    for (const { name } of former) this.#endAnswers(name, own);
    const missingIn = (members: typeof before, other: typeof before) =>
      [...members.keys()].filter((name) => !other.has(name));
    return { added: missingIn(after, before), removed: missingIn(before, after) };
  }

  /** Reads the log. A key ends if the document has no member of its name and role. Throws LabError `file.unreadable`. */
  open(): void {
    for (const { content } of this.#log.read('member')) {
      // The digest shows that it is as `#setToken` or `#setCodes` has stored it.
      const key = content as Key;
      const role = this.#members.get(key.name)?.role;
      this.#remember(key);
      if (role === undefined || role !== (key.role ?? role)) this.#forget(key.name);
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
    const codes = lacking.map(withCode);
    await deliver(codes);
    this.#setCodes(codes);
  }

  /** Exchanges a code for a token; null if the code is not known, or no longer. */
  exchange(code: string): { readonly member: Member; readonly token: string } | null {
    const key = this.#holders.get(digestOfSecret(normalCode(code)));
    const member = key?.type === 'code' ? this.members.get(key.name) : undefined;
    if (member === undefined) return null;
    const token = randomToken();
    this.#setToken(member, token);
    return { member, token };
  }

  /**
   * Replaces the token of a member. The earlier token ends at once, and so do the open answers of the member, but not the
   * answer `own`, which contains the new token. Throws LabError \`not_found\`.
   */
  replaceToken(name: string, own: unknown): string {
    const token = randomToken();
    this.#setToken(this.member(name), token);
    this.#endAnswers(name, own);
    return token;
  }

  /** Makes a new code for a member. Its token and its earlier code end, as in `replaceToken`. Throws LabError `not_found`. */
  renew(name: string, own: unknown): IssuedCode {
    const issued = withCode(this.member(name));
    this.#setCodes([issued]);
    this.#endAnswers(name, own);
    return issued;
  }

  /** New codes for all members who have no token. Their earlier codes end. */
  renewUnused(): readonly IssuedCode[] {
    const unused = [...this.members.values()].filter(({ name }) => !this.hasJoined(name));
    const codes = unused.map(withCode);
    this.#setCodes(codes);
    return codes;
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

  /** In one transaction, so that a class of hundreds waits for the disk once. */
  #setCodes(codes: readonly IssuedCode[]): void {
    const keys = codes.map(({ name, role, code }): Key => {
      return { name, role, type: 'code', digest: digestOfSecret(normalCode(code)) };
    });
    this.#log.putAll(keys.map((content) => ({ kind: 'member', key: content.name, content })));
    for (const key of keys) this.#remember(key);
  }

  #setToken({ name, role }: Member, token: string): void {
    const key: Key = { name, role, type: 'token', digest: digestOfSecret(token) };
    this.#log.put('member', name, key);
    this.#remember(key);
  }

  #forget(name: string): void {
    this.#log.remove('member', name);
    this.#holders.delete(this.#keys.get(name)?.digest ?? '');
    this.#keys.delete(name);
  }

  #endAnswers(name: string, own: unknown): void {
    for (const answer of this.#answers.get(name) ?? []) if (answer !== own) answer.destroy();
  }

  #remember(key: Key): void {
    const before = this.#keys.get(key.name);
    if (before !== undefined) this.#holders.delete(before.digest);
    this.#keys.set(key.name, key);
    this.#holders.set(key.digest, key);
  }
}

function withCode({ name, role, fullName, email }: Member): IssuedCode {
  return { name, role, fullName, email, code: randomCode() };
}

/** Throws LabError `arguments` for a member with the name of an operator's token. */
function membersOf(
  document: ClassDocument,
  operators: TokenHolders | null,
): ReadonlyMap<string, Member> {
  const students = document.students.map((student): Member => {
    const { name, fullName = null, email = null, lmsId = null, groups } = student;
    return { name, role: 'student', fullName, email, lmsId, groups };
  });
  const instructors = document.instructors.map((name): Member => {
    return { name, role: 'instructor', fullName: null, email: null, lmsId: null, groups: [] };
  });
  const members = new Map([...students, ...instructors].map((each) => [each.name, each]));
  const both = operators?.names.find((name) => members.has(name));
  if (both === undefined) return members;
  throw new LabError('arguments', `${both} is a member of the class and in the token file`);
}
