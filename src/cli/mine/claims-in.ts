/**
 * @module
 * The claims that `usurp verify` reads: of one document or of a stream of JSON lines, or bare lines of real networks.
 * They are read one at a time, so that memory does not depend on their number.
 */

import { bytesToHex, hexToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import type { Verdict } from '../../identity/admit.ts';
import { admit } from '../../identity/admit.ts';
import type { Claim } from '../../identity/claim.ts';
import { claimJsonSchema, claimToJson, parseClaim } from '../../identity/claim.ts';
import type { Policy } from '../../identity/policy.ts';
import type { BareIdentity } from '../../operations/identity/bare-identity.ts';
import {
  BARE_POLICIES,
  isBareLine,
  judgeBareLine,
} from '../../operations/identity/bare-identity.ts';
import { jsonElements } from '../../runtime/files/json-stream.ts';
import { plainVerifier } from '../../runtime/openssl/plain-verifier.ts';

/** One claim or bare line, and the verdict on it. */
export interface JudgedClaim {
  readonly nodeId: Uint8Array;
  /** Null for a bare line. */
  readonly publicKey: Uint8Array | null;
  readonly verdict: Verdict;
  /** Null for a claim. */
  readonly facts: BareIdentity['facts'] | null;
}

/** Members whose values are claims, arrays of claims, or objects that contain one: what `mine` writes and prints. */
const ENVELOPE_NAMES = ['claim', 'claims', 'keys', 'identities'];
/** Members beside them: of `mine --json` and HTTP, of `claim --json`, and of key files. Their values are not claims. */
const OTHER_NAMES = [
  ...['found', 'ending', 'measured', 'ledger', 'strategy', 'seed', 'valid'],
  ...['goal', 'expectedBits', 'stockpile', 'replay'],
  ...['format', 'secret', 'policy'],
];
const CLAIM_NAMES = Object.keys(claimJsonSchema.shape);

/**
 * Judges each claim of a text that comes in chunks. Throws LabError `json.*` or `schema`, which names the number of the
 * claim, for what is no claim and for a text without one.
 */
export async function* judgedClaims(
  chunks: AsyncIterable<string>,
  policy: Policy,
  options: { readonly all: boolean; readonly nonce?: Uint8Array | undefined },
): AsyncGenerator<JudgedClaim> {
  const { first, text } = await beginning(chunks);
  let count = 0;
  if (isBareLine(first, policy)) {
    for await (const line of linesOf(text)) {
      if (line.trim() === '' && count > 0) continue;
      count += 1;
      const { verdict, facts } = numbered(count, () => judgeBareLine(line, policy, options));
      yield { nodeId: hexToBytes(facts.nodeId), publicKey: null, verdict, facts };
    }
    return;
  }
  for await (const claim of claimsIn(text, first)) {
    yield {
      nodeId: claim.nodeId,
      publicKey: claim.publicKey,
      verdict: admit(claim, policy, { ...options, plain: plainVerifier }),
      facts: null,
    };
  }
}

async function* claimsIn(text: AsyncIterable<string>, first: string): AsyncGenerator<Claim> {
  let count = 0;
  let before: { readonly member: string | null; readonly spelt: string } | null = null;
  try {
    for await (const { value, member } of jsonElements(text, ENVELOPE_NAMES, memberRefusal)) {
      // A search that found nothing has `"claim": null`.
      if (value === null && member === 'claim') continue;
      const claim = numbered(count + 1, () => parseClaim(value));
      const spelt = JSON.stringify(claimToJson(claim));
      // `mine` repeats the first of several claims as `claim`.
      const isRepeated =
        before?.member === 'claim' && member === 'claims' && before.spelt === spelt;
      before = { member, spelt };
      if (isRepeated) continue;
      count += 1;
      yield claim;
    }
  } catch (error) {
    throw count === 0 ? withHint(error, first) : error;
  }
  if (count > 0) return;
  throw new LabError('schema', 'it holds no claim: the search that wrote it found none');
}

/** Why no object that contains claims has a member of this name. Null if one has. */
function memberRefusal(name: string): string | null {
  if (OTHER_NAMES.includes(name)) return null;
  const names = ENVELOPE_NAMES.join(', ');
  if (CLAIM_NAMES.includes(name)) {
    return `${name} of a claim is beside ${names}; give the claim as a value of one of them`;
  }
  const shown = JSON.stringify(name.slice(0, NAME_CHARACTERS_MAX));
  const near = suggestion([...ENVELOPE_NAMES, ...OTHER_NAMES], name);
  const hint = near === '' ? `; claims are in ${names}` : near;
  return `${shown} is no member of what mine, claim or HTTP gives${hint}`;
}

const NAME_CHARACTERS_MAX = 40;

/** What the text begins with, and the whole text. */
async function beginning(
  chunks: AsyncIterable<string>,
): Promise<{ readonly first: string; readonly text: AsyncIterable<string> }> {
  const reading = chunks[Symbol.asyncIterator]();
  let first = '';
  while (first.trim() === '') {
    const { done, value } = await reading.next();
    if (done === true) break;
    first = value;
  }
  const text = (async function* whole() {
    yield first;
    yield* { [Symbol.asyncIterator]: () => reading };
  })();
  return { first, text };
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARACTERS_MAX) break;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Far above a key in hex. */
const LINE_CHARACTERS_MAX = 65_536;

/** What `read` returns; its refusals name the number of the claim unless it is the first. */
function numbered<T>(number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LabError) || number === 1) throw error;
    throw new LabError(error.code, `claim ${number}: ${error.message}`, error.faults);
  }
}

/** A refusal with what would be right for a word or a table instead of JSON. */
function withHint(error: unknown, first: string): unknown {
  if (!(error instanceof LabError)) return error;
  const hint = /^\s*found {2}/.test(first)
    ? 'this is the table of usurp mine; print JSON with usurp mine --json'
    : `a bare line needs ${BARE_POLICIES}`;
  const isText = /^\s*(?:[0-9A-Za-z]+\s*(?:\n|$)|found {2})/.test(first);
  return isText ? new LabError(error.code, `${error.message}; ${hint}`) : error;
}

/** The node ID in hex. */
export function nodeIdText({ nodeId }: Pick<JudgedClaim, 'nodeId'>): string {
  return bytesToHex(nodeId);
}
