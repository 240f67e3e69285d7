/**
 * @module
 * The honest nodes of a file: node IDs, or claims that are judged under the policy.
 */

import { bytesToHex } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import type { Policy } from '../../identity/policy.ts';
import { nodeIdsIn } from '../../operations/identity/goals.ts';
import { MINE_MEMBERS } from '../../operations/identity/members.ts';
import { judgedClaims } from '../mine/claims-in.ts';
import { inFlags } from '../operations/operation-command.ts';
import { readText } from '../shell/files.ts';
import type { PolicyOptions } from '../shell/options.ts';
import { policyOf } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';

/** The node IDs in hex. Throws LabError `claim.refused` for a claim that the policy refuses. */
export async function honestIn(
  file: string,
  options: PolicyOptions,
  terminal: Terminal,
): Promise<string[]> {
  const text = await readText(file, terminal);
  const policy = policyOf(options);
  const ids = text.trimStart().startsWith('{')
    ? await claimedIds(text, policy, file)
    : inFlags(MINE_MEMBERS, () => nodeIdsIn({ text, name: file }, nodeIdBytesOf(policy)));
  return ids.map(bytesToHex);
}

async function claimedIds(text: string, policy: Policy, name: string): Promise<Uint8Array[]> {
  const chunks = (async function* whole() {
    yield text;
  })();
  const ids: Uint8Array[] = [];
  for await (const { nodeId, verdict } of judgedClaims(chunks, policy, { all: false })) {
    if (!verdict.admitted) {
      const detail = `${name}: claim ${ids.length + 1} is refused under this policy: ${verdict.refusal}`;
      throw new LabError('claim.refused', detail);
    }
    ids.push(nodeId);
  }
  return ids;
}
