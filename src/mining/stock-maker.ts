/**
 * @module
 * Makes the keys of a stock, which are all keys of a range of attempts whose IDs meet a goal. The kernel lists the IDs
 * inside the window of the goal as fast as it searches. It is not trusted: noble repeats the first key of each range
 * here, and each key that is used. Without kernels noble makes all keys.
 */

import { compareBytes } from '../bytes.ts';
import { idRuleOf, nodeIdBytesOf } from '../identity/ids/node-id.ts';
import { headWindow, meetsGoal } from './goal.ts';
import { LISTED_ID_BYTES } from './kernel/memory.ts';
import type { Kernel } from './kernel/wasm-kernel.ts';
import { candidateAt, openKernel, twinCandidates, walkOf } from './kernel-strategies.ts';
import { idCopier, joined, packHits } from './stock.ts';
import type { Hit, KernelSource, ScanOrder, ScanResult, SearchSpec, Stock } from './strategy.ts';
import { NO_KERNELS } from './strategy.ts';

type Range = Pick<ScanOrder, 'from' | 'count'>;

/** The function that makes the keys of a range, for a search without a puzzle. */
export function stockScanner(
  spec: SearchSpec,
  kernels: KernelSource,
): (range: Range) => ScanResult & { readonly keys: Stock } {
  const { goal, policy } = spec;
  const walk = walkOf(spec, true);
  const result = (keys: Stock, { count }: Range) => ({
    ...{ keys, tested: count, hits: [], bestBits: -1 },
  });
  if (kernels === NO_KERNELS) {
    return (range) => {
      const hits = [...twinCandidates(policy, walk, range)];
      return result(packHits(hits.filter(({ nodeId }) => meetsGoal(goal, nodeId))), range);
    };
  }
  let kernel: Kernel | null = null;
  return (range) => {
    kernel ??= openKernel({ spec, walk, kernels }, headWindow(goal));
    const keys = listedKeys(kernel, spec, range);
    const [attempt] = keys.attempts;
    if (attempt !== undefined) {
      assertSameId(candidateAt(walk, policy, attempt), keys.nodeIds.subarray(0, keys.idBytes));
    }
    return result(keys, range);
  };
}

/** Throws TypeError if a key that was made again has another ID than in stock, which would be a bug of the kernel. */
export function assertSameId({ nodeId }: Pick<Hit, 'nodeId'>, expected: Uint8Array): void {
  if (compareBytes(nodeId, expected) !== 0) throw new TypeError('a key in stock has another ID');
}

/** The keys of a range, as the kernel lists them. */
function listedKeys(
  kernel: Kernel,
  { goal, policy }: Pick<SearchSpec, 'goal' | 'policy'>,
  { from, count }: Range,
): Stock {
  const idBytes = nodeIdBytesOf(policy);
  const isOpen = goal.type === 'any';
  const constantBytes = Math.ceil(idRuleOf(policy).constantBits / 8);
  const chunks: Stock[] = [];
  kernel.list(from, count, (listed, ids) => {
    const attempts = new Float64Array(listed.length);
    const nodeIds = new Uint8Array(idBytes * listed.length);
    let length = 0;
    const copyId = idCopier(ids, nodeIds, idBytes, LISTED_ID_BYTES);
    for (let index = 0; index < listed.length; index += 1) {
      const attempt = listed[index] ?? 0;
      if (attempt < from || attempt >= from + count) continue;
      copyId(index, length);
      // The kernel lists the digest, of which a rule may replace the end by zeros.
      if (constantBytes > 0)
        nodeIds.fill(0, (length + 1) * idBytes - constantBytes, (length + 1) * idBytes);
      attempts[length] = attempt;
      // The window of a goal passes a few other IDs.
      const isKept =
        isOpen || meetsGoal(goal, nodeIds.subarray(length * idBytes, (length + 1) * idBytes));
      if (isKept) length += 1;
    }
    chunks.push({ attempts, nodeIds, length, idBytes });
  });
  return joined(chunks);
}
