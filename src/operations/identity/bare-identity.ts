/**
 * @module
 * One line in place of a claim, as people meet identities of real networks: a Storj node ID in text
 * form or the hex of a SubjectPublicKeyInfo, a Yggdrasil key in hex. Nothing is signed here:
 * what can be checked is the work and, where there is a key of the lab's schemes, the key.
 */

import { bytesToHex, hexToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import type { Verdict } from '../../identity/admit.ts';
import { admit, checkStatic } from '../../identity/admit.ts';
import {
  idRuleOf,
  NODE_ID_BYTES,
  nodeIdOf,
  staticBits,
  YGGDRASIL_ID_BYTES,
  yggdrasilAddress,
} from '../../identity/ids/node-id.ts';
import {
  checkSpki,
  checkStorjId,
  formatStorjId,
  parseStorjId,
  storjIdOfSpki,
} from '../../identity/ids/storj.ts';
import { schemeOf } from '../../identity/keys/scheme.ts';
import { SIGNATURE_BYTES } from '../../identity/keys/signature-scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import { realBits } from '../../mining/policy-cost.ts';

/** What a line says, and what becomes of it under a policy. */
export interface BareIdentity {
  readonly verdict: Verdict;
  /** What is printed beside the verdict, in this order. */
  readonly facts: {
    readonly idRule: Policy['idRule'];
    readonly nodeId: string;
    /** Storj's base58check. */
    readonly text?: string;
    /** Yggdrasil's IPv6 address. */
    readonly address?: string;
    /** The difficulty as the network counts it. */
    readonly nominalBits: number;
    /** What it costs to find. */
    readonly workBits: number;
  };
}

/** The shortest key in DER is longer than the longest text form, so hex beyond this is a key. */
const TEXT_ID_CHARACTERS_MAX = 60;

/** Whether this text, under this policy, is read as a bare line. */
export function isBareLine(text: string, policy: Policy): boolean {
  return !idRuleOf(policy).isConfigurable && !/^\s*[[{"]/.test(text);
}

/**
 * Reads a bare line under the ID rule of a policy; throws LabError `schema` that says what would be
 * right. `all` makes every check, also after the first refusal.
 */
export function judgeBareLine(
  text: string,
  policy: Policy,
  options: { readonly all: boolean },
): BareIdentity {
  const line = text.trim();
  if (line === '')
    throw new LabError('schema', `expected a claim, or ${BARE_POLICIES}; this line is empty`);
  switch (policy.idRule) {
    case 'storj':
      return judgeStorj(line, policy);
    case 'yggdrasil':
      return judgeYggdrasil(line, policy, options);
    case 'hash':
    case 'slow':
      throw new LabError('schema', `expected a claim in JSON, or ${BARE_POLICIES}`);
    default:
      return policy.idRule satisfies never;
  }
}

/** Where bare lines are read; for the error of those that came without such a policy. */
export const BARE_POLICIES =
  '--policy storj with a node ID in text form or hex, or an SPKI in hex, or --policy yggdrasil with a key in hex';

/** The hex of a node ID is as long as its 32 bytes, that of a key longer. */
function storjIdOfHex(line: string): Uint8Array {
  const isNodeId = line.length === 2 * NODE_ID_BYTES;
  if (!isNodeId) return storjIdOfSpki(readSpki(line));
  const nodeId = hexToBytes(line);
  checkStorjId(nodeId);
  return nodeId;
}

function judgeStorj(line: string, policy: Policy): BareIdentity {
  const isHex = /^[0-9a-fA-F]+$/.test(line) && line.length > TEXT_ID_CHARACTERS_MAX;
  const nodeId = isHex ? storjIdOfHex(line) : parseStorjId(line);
  const checks = policy.checks.static ? [checkStatic(nodeId, policy)] : [];
  const [work] = checks;
  const verdict: Verdict =
    work === undefined || work.ok
      ? { admitted: true, refusal: null, checks }
      : { admitted: false, refusal: work.code, checks };
  return { verdict, facts: factsOf(nodeId, policy, { text: formatStorjId(nodeId) }) };
}

function judgeYggdrasil(
  line: string,
  policy: Policy,
  options: { readonly all: boolean },
): BareIdentity {
  if (!/^[0-9a-f]{64}$/.test(line)) {
    throw new LabError(
      'schema',
      `this is not a Yggdrasil key: expected ${2 * YGGDRASIL_ID_BYTES} lower-case hex digits`,
    );
  }
  const publicKey = hexToBytes(line);
  const nodeId = nodeIdOf(publicKey, policy);
  const claim = {
    scheme: 'ed25519',
    publicKey,
    nodeId,
    solution: null,
    signature: new Uint8Array(SIGNATURE_BYTES),
  } as const;
  const checks = { ...policy.checks, dynamic: false, signature: false };
  const verdict = admit(claim, { ...policy, checks }, options);
  const facts = factsOf(nodeId, policy, { address: yggdrasilAddress(publicKey) });
  // A key of small order is not found by work.
  const isOpen = schemeOf('ed25519').decode(publicKey)?.isSmallOrder() === true;
  return { verdict, facts: isOpen ? { ...facts, workBits: 0 } : facts };
}

function readSpki(line: string): Uint8Array {
  if (line !== line.toLowerCase() || line.length % 2 !== 0) {
    throw new LabError('schema', 'this is not a key in hex: expected pairs of lower-case digits');
  }
  const spki = hexToBytes(line);
  checkSpki(spki);
  return spki;
}

function factsOf(
  nodeId: Uint8Array,
  policy: Policy,
  names: Pick<BareIdentity['facts'], 'text' | 'address'>,
): BareIdentity['facts'] {
  const nominalBits = staticBits(nodeId, policy);
  const workBits = realBits(policy, { c1: nominalBits, c2: 0 }).c1;
  return {
    idRule: policy.idRule,
    nodeId: bytesToHex(nodeId),
    ...names,
    nominalBits,
    workBits,
  };
}
