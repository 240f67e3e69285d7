/**
 * @module
 * `usurp claim`: makes the claims of the keys in a key file again, for another epoch, context, policy or nonce, and solves
 * the dynamic puzzle again. It also makes claims of keys that no honest node has: points of small order, and the
 * siblings A + T of a key.
 */

import { setImmediate } from 'node:timers/promises';

import type { Command } from 'commander';

import { bytesToHex } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { admit } from '../../identity/admit.ts';
import type { Claim } from '../../identity/claim.ts';
import { claimToJson, createClaim, possessionMessage } from '../../identity/claim.ts';
import { nodeIdOf } from '../../identity/ids/node-id.ts';
import {
  SMALL_ORDER_KEYS,
  siblingSecret,
  signForSmallOrder,
  smallOrderKeys,
  TORSION_POINTS,
} from '../../identity/keys/expanded-key.ts';
import { schemeOf } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import { policyUnsupportedReasons } from '../../identity/policy.ts';
import { challengeOf } from '../../identity/puzzles/puzzle.ts';
import { isSlow } from '../../identity/puzzles/puzzle-function.ts';
import { isSolutionKernelPolicy } from '../../mining/policy-cost.ts';
import { scanSolutions, solutionBytes } from '../../mining/solution.ts';
import type { KeptKey } from '../../runtime/files/key-file.ts';
import { formatKeyFile, KEY_FILE_BYTES_MAX, parseKeyFile } from '../../runtime/files/key-file.ts';
import { plainVerifier } from '../../runtime/openssl/plain-verifier.ts';
import { kernelSource } from '../../runtime/threads/kernels.ts';
import { integer, nonceOf } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { named, readText, refuseTarget, writeWhole } from '../shell/files.ts';
import type { OutputOptions, PolicyOptions } from '../shell/options.ts';
import { changedPolicy, policyOf, verb, wantsJson, withPolicy } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface ClaimOptions extends OutputOptions, PolicyOptions {
  readonly nonce?: Uint8Array;
  readonly torsion?: number;
  readonly smallOrder?: number;
  readonly out?: string;
  readonly force?: true;
}

/** A claim that was made, and the secret of its key. Anyone can sign for a key of small order, so it has none. */
interface Made {
  readonly claim: Claim;
  readonly key: KeptKey | null;
}

export function claimCommand(session: Session): Command {
  const command = verb('claim', 'make the claims of a key file again, for another network')
    .argument('[file]', 'key file of mine --out; - for stdin')
    .option('--nonce <hex>', 'nonce of a verifier, which the claims sign: 32 bytes in hex', nonceOf)
    .option(
      '--torsion <index>',
      'claim A + T instead of the key A, with the torsion point of this index, 1..7 (Ed25519)',
      integer(1, TORSION_POINTS - 1),
    )
    .option(
      '--small-order <index>',
      'claim a point of small order, for which anyone can sign: 0..7 its canonical encodings, 8..13 the others; without a file',
      integer(0, SMALL_ORDER_KEYS - 1),
    )
    .option('--out <file>', 'write a key file with the new claims here, mode 0600')
    .option('--force', 'replace the file of --out');
  return withPolicy(command)
    .addHelpText('after', CLAIM_EXAMPLES)
    .action((file: string | undefined, options: ClaimOptions) =>
      session.run(options, (terminal) => {
        const isNamed = command.getOptionValueSource('policy') !== 'default';
        return runClaim(file, options, { terminal, isNamed });
      }),
    );
}

const CLAIM_EXAMPLES = `
Prints one claim in JSON a line; with --json one object with the claims and whether all are valid. The
policy is that of the file, changed by the flags, or the named one of --policy. A dynamic puzzle is solved
again. The node ID stays the same, so that a static puzzle cannot be solved again. Exit codes: 0 all claims are
valid under the policy, 1 one or more are not (they are printed, and the refusal on stderr), 254 not a key
file, 130 interrupted (the claims that were made are printed and written).

Examples:
  usurp claim key.json --epoch 7
  usurp claim key.json --context other-network --c2 12
  usurp claim key.json --nonce $(openssl rand -hex 32)
  usurp claim key.json --policy torsion --c1 0 --torsion 3
  usurp claim --small-order 0 --policy small-order`;

async function runClaim(
  file: string | undefined,
  options: ClaimOptions,
  { terminal, isNamed }: { readonly terminal: Terminal; readonly isNamed: boolean },
): Promise<ExitCode> {
  const { out, force = false, nonce = null } = options;
  if (out !== undefined) await refuseTarget(out, force);
  const { keys, policy, isSeveral } = await given(file, options, { terminal, isNamed });
  const made: Made[] = [];
  let valid = true;
  for (const key of keys) {
    terminal.progress(() => `${made.length} of ${keys.length} claims made`);
    const each = await makeClaim(key, policy, options, terminal);
    if (each === null) break;
    made.push(each);
    const { refusal, checks } = admit(each.claim, policy, { plain: plainVerifier, nonce });
    const refused = checks.find((check) => !check.ok);
    if (refused === undefined || refused.ok) continue;
    valid = false;
    const which =
      keys.length === 1
        ? 'the claim'
        : `claim ${made.length} of ${keys.length}, node ID ${bytesToHex(each.claim.nodeId)}`;
    terminal.complain(`usurp: this policy refuses ${which}: ${refusal}: ${refused.detail}`);
  }
  if (made.length > 0) {
    if (out !== undefined) await writeKeys(out, made, { policy, isSeveral, force });
    const claims = made.map(({ claim }) => claimToJson(claim));
    const lines = claims.map((claim) => `${JSON.stringify(claim)}\n`).join('');
    terminal.print(wantsJson(options) ? `${JSON.stringify({ claims, valid })}\n` : lines);
  }
  if (made.length < keys.length) {
    terminal.note(`interrupted: ${made.length} of ${keys.length} claims were made`);
    return EXIT.interrupted;
  }
  return valid ? EXIT.holds : EXIT.violated;
}

/** The keys to claim, null for a point of small order, and the policy. */
async function given(
  file: string | undefined,
  options: ClaimOptions,
  { terminal, isNamed }: { readonly terminal: Terminal; readonly isNamed: boolean },
) {
  const { smallOrder, torsion } = options;
  if (smallOrder !== undefined) {
    if (file !== undefined || torsion !== undefined || options.out !== undefined) {
      const detail = '--small-order needs no secret: leave the file, --torsion and --out out';
      throw new LabError('arguments', detail);
    }
    return { keys: [null], policy: policyOf(options), isSeveral: false };
  }
  if (file === undefined) {
    throw new LabError('arguments', 'name a key file of mine --out, or give --small-order');
  }
  const text = await readText(file, terminal, KEY_FILE_BYTES_MAX);
  const found = named(file, () => parseKeyFile(text));
  const policy = isNamed ? policyOf(options) : changedPolicy(found.policy, options);
  const keys = found.keys.map((key) => (torsion === undefined ? key : siblingOf(key, torsion)));
  for (const { scheme } of keys) {
    const [reason] = policyUnsupportedReasons(policy, scheme);
    if (reason) throw new LabError('arguments', `${reason.path.join('.')} ${reason.message}`);
  }
  return { keys, policy, isSeveral: keys.length > 1 };
}

function siblingOf({ scheme, secret }: KeptKey, torsion: number): KeptKey {
  if (scheme === 'ed25519') return { scheme, secret: siblingSecret(secret, torsion) };
  throw new LabError('arguments', `--torsion is for keys of ed25519, and this one is of ${scheme}`);
}

/** Null if it was interrupted. */
async function makeClaim(
  key: KeptKey | null,
  policy: Policy,
  {
    nonce = null,
    smallOrder = 0,
  }: { readonly nonce?: Uint8Array | null; readonly smallOrder?: number },
  terminal: Terminal,
): Promise<Made | null> {
  // Signals are delivered between two turns of the event loop.
  await setImmediate();
  if (terminal.signal.aborted) return null;
  const keyless = smallOrderKeys()[smallOrder];
  if (keyless === undefined) throw new RangeError(`"smallOrder" expected 0..13, got ${smallOrder}`);
  const publicKey = key === null ? keyless.publicKey : schemeOf(key.scheme).publicKeyOf(key.secret);
  const nodeId = nodeIdOf(publicKey, policy);
  const solution = policy.c2 === 0 ? null : await solutionOf(policy, nodeId, terminal);
  if (solution === 'interrupted') return null;
  if (key !== null) {
    return { claim: createClaim({ ...key, publicKey, policy, solution, nonce }), key };
  }
  const challenge = challengeOf(policy);
  const message = possessionMessage({ challenge, nodeId, solution, nonce });
  const signature = signForSmallOrder(keyless, message);
  return { claim: { scheme: 'ed25519', publicKey, nodeId, solution, signature }, key };
}

async function solutionOf(
  policy: Policy,
  nodeId: Uint8Array,
  terminal: Terminal,
): Promise<Uint8Array | 'interrupted'> {
  const kernels = kernelSource();
  const count = isSolutionKernelPolicy(policy) ? 2 ** 20 : isSlow(policy.puzzle) ? 4 : 2 ** 10;
  for (let from = 0; ; from += count) {
    const [hit] = scanSolutions({ policy, nodeId }, { from, count }, kernels).hits;
    if (hit !== undefined) return solutionBytes(policy, nodeId, hit.attempt);
    terminal.progress(() => `solving the dynamic puzzle: ${from + count} solutions tested`);
    await setImmediate();
    if (terminal.signal.aborted) return 'interrupted';
  }
}

async function writeKeys(
  path: string,
  made: readonly Made[],
  {
    force,
    ...found
  }: { readonly policy: Policy; readonly isSeveral: boolean; readonly force: boolean },
): Promise<void> {
  const keys = made.flatMap(({ claim, key }) =>
    key === null ? [] : [{ claim, secret: key.secret }],
  );
  await writeWhole(path, formatKeyFile(keys, found), { force, isPrivate: true });
}
