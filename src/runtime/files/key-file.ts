/**
 * @module
 * Key files, as `usurp mine --out` writes them: one key, or several of a goal `count`, with their claims and the policy
 * under which they were found.
 */

import { z } from 'zod';
import { bytesToHex, hexToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import type { Claim, ClaimJson } from '../../identity/claim.ts';
import { claimJsonSchema, claimToJson } from '../../identity/claim.ts';
import type { SchemeName, Secret } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import { policySchema } from '../../identity/policy.ts';
import { IDENTITIES_MAX } from '../../mining/saved-search.ts';
import type { Seed } from '../../random.ts';
import { parseBySchema } from '../../schema.ts';
import { publicKeyOf } from '../openssl/plain-key.ts';

/** A key with its secret. */
export interface KeptKey {
  readonly scheme: SchemeName;
  readonly secret: Secret;
}

/** A key with the claim beside it, which nothing has checked. */
export interface FiledKey extends KeptKey {
  readonly claim: ClaimJson;
}

export interface KeyFile {
  readonly keys: readonly FiledKey[];
  readonly policy: Policy;
}

const KEY_FORMAT = 'usurp/key/v1';
const KEYS_FORMAT = 'usurp/keys/v1';

/** Room for as many keys as a search can find, each of which takes at most 1 kB. */
export const KEY_FILE_BYTES_MAX = 1024 * (IDENTITIES_MAX + 1);

const secretSchema = z.strictObject({
  form: z.enum(['seed', 'scalar', 'torsion-scalar'], 'must be seed, scalar or torsion-scalar'),
  hex: z
    .string('must be a string')
    .regex(/^(?:[0-9a-f]{2}){32,33}$/, 'must be lower-case hex of 32 or 33 bytes'),
});
const keySchema = z.object({ claim: claimJsonSchema, secret: secretSchema });
/** The document of one key. Members that it does not name are ignored. */
export const keyDocumentSchema = keySchema.extend({
  format: z.literal(KEY_FORMAT, `must be ${KEY_FORMAT}`),
  policy: policySchema,
});
const fileSchema = z.discriminatedUnion(
  'format',
  [
    keyDocumentSchema,
    z.object({
      format: z.literal(KEYS_FORMAT),
      policy: policySchema,
      keys: z.array(keySchema).min(1, 'must contain a key'),
    }),
  ],
  {
    error: ({ path }) =>
      (path ?? []).length === 0
        ? `must be an object whose format is ${KEY_FORMAT} or ${KEYS_FORMAT}`
        : `must be ${KEY_FORMAT} or ${KEYS_FORMAT}`,
  },
);

/** Reads a key file. Throws LabError `json.syntax` and `schema`, also for a secret that is not that of its claim. */
export function parseKeyFile(text: string): KeyFile {
  const file = parseBySchema(fileSchema, jsonOf(text), 'key file of mine --out');
  const keys = file.format === KEYS_FORMAT ? file.keys : [file];
  return { policy: file.policy, keys: keys.map(keyOf) };
}

/** The text of a key file with these keys. */
export function formatKeyFile(
  keys: readonly { readonly claim: Claim; readonly secret: Secret }[],
  {
    isSeveral,
    ...found
  }: {
    readonly isSeveral: boolean;
    readonly policy: Policy;
    readonly strategy?: string;
    readonly seed?: Seed;
  },
): string {
  const written = keys.map(({ claim, secret }) => ({
    claim: claimToJson(claim),
    secret: { form: secret.form, hex: bytesToHex(secret.bytes) },
  }));
  const document = isSeveral
    ? { format: KEYS_FORMAT, keys: written, ...found }
    : { format: KEY_FORMAT, ...written[0], ...found };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LabError('json.syntax', 'this is not JSON: give a file of mine --out');
  }
}

function keyOf(
  { claim, secret: { form, hex } }: z.output<typeof keySchema>,
  index: number,
): FiledKey {
  const { scheme, publicKey } = claim;
  const secret: Secret = { form, bytes: hexToBytes(hex) };
  if (publicHexOf(scheme, secret) === publicKey) return { scheme, secret, claim };
  throw new LabError(
    'schema',
    `key ${index + 1}: the secret is not that of the claim's public key`,
  );
}

/** In hex. Null if the secret is none of the scheme. */
function publicHexOf(scheme: SchemeName, secret: Secret): string | null {
  try {
    return bytesToHex(publicKeyOf(scheme, secret));
  } catch {
    return null;
  }
}
