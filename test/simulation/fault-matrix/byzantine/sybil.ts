/**
 * @module
 * One secret and the eight keys that it has where torsion is not checked (RFC 7748 section 5; RFC 8032
 * section 5.1): who of them is let in among honest nodes, and how the members rank then.
 */

import { ed25519 } from '@noble/curves/ed25519.js';

import { bytesToHex, hexToBytes } from '../../../../src/bytes.ts';
import { admit } from '../../../../src/identity/admit.ts';
import { createClaim } from '../../../../src/identity/claim.ts';
import { nodeIdOf } from '../../../../src/identity/ids/node-id.ts';
import { TORSION_POINTS } from '../../../../src/identity/keys/expanded-key.ts';
import type { Secret } from '../../../../src/identity/keys/scheme.ts';
import { scalarSecret, schemeOf } from '../../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../../src/identity/policy.ts';
import type { Seed } from '../../../../src/random.ts';
import { deriveSeed } from '../../../../src/random.ts';

export const GATES = ['on', 'off'] as const;
/** Whether keys are checked for torsion. */
export type Gate = (typeof GATES)[number];

const POLICIES: Readonly<Record<Gate, Policy>> = {
  on: STRICT_POLICY,
  off: { ...STRICT_POLICY, checks: { ...STRICT_POLICY.checks, torsion: false } },
};

export interface Electorate {
  readonly nodes: number;
  /** The ranks that the adversary holds; ranks are the order of the IDs. */
  readonly forged: readonly number[];
}

/** IDs of one adversary's keys by what the gate lets in, and of the honest, who pass either. */
export interface Applicants {
  readonly siblings: Readonly<Record<Gate, readonly string[]>>;
  readonly honest: readonly string[];
}

/** The claims of the eight keys of one secret, judged, and this number of honest secrets. */
export function createApplicants(seed: Seed, honest: number): Applicants {
  const { Fn } = ed25519.Point;
  const scalar = Fn.create(ed25519.utils.getExtendedPublicKey(bytesOf(seed, 'sybil')).scalar);
  const claims = Array.from({ length: TORSION_POINTS }, (_, torsion) => {
    const secret = scalarSecret('ed25519', scalar, torsion);
    return createClaim({ scheme: 'ed25519', secret, policy: STRICT_POLICY, solution: null });
  });
  const admitted = (gate: Gate) =>
    claims
      .filter((claim) => admit(claim, POLICIES[gate]).admitted)
      .map(({ nodeId }) => bytesToHex(nodeId));
  return {
    siblings: { on: admitted('on'), off: admitted('off') },
    honest: Array.from({ length: honest }, (_, index) => {
      const secret: Secret = { form: 'seed', bytes: bytesOf(seed, `honest ${index}`) };
      return bytesToHex(nodeIdOf(schemeOf('ed25519').publicKeyOf(secret)));
    }),
  };
}

/** The first of the honest, and of the others that the gate admits, up to this number. */
export function electorateOf(
  { siblings, honest }: Applicants,
  { gate, honestNodes }: { readonly gate: Gate; readonly honestNodes: number },
): Electorate {
  const ids = [...siblings[gate], ...honest.slice(0, honestNodes)].toSorted();
  return { nodes: ids.length, forged: siblings[gate].map((id) => ids.indexOf(id) + 1) };
}

function bytesOf(seed: Seed, label: string): Uint8Array {
  return hexToBytes(BigInt(deriveSeed(seed, label)).toString(16).padStart(64, '0'));
}
