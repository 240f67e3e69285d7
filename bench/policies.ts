/**
 * @module
 * Candidates per second of one thread under every form of policy that the kernel knows, over those of the strict policy and
 * over noble with the same candidates. A goal with a window is compared with one without. Yggdrasil's keys, which
 * are not hashed, are also compared with the native SHA-256 of this machine, because mkp224o's rate is known over it.
 */

import { idRuleOf, nodeIdBytesOf } from '../src/identity/ids/node-id.ts';
import type { SchemeName } from '../src/identity/keys/scheme.ts';
import { NAMED_POLICIES } from '../src/identity/named-policies.ts';
import type { Policy } from '../src/identity/policy.ts';
import { policyUnsupportedReasons } from '../src/identity/policy.ts';
import type { Goal } from '../src/mining/goal.ts';
import { kernelFormat } from '../src/mining/kernel/memory.ts';
import { attemptsPerBatch } from '../src/mining/kernel/numbering.ts';
import { batchKeys } from '../src/mining/kernel/twin.ts';
import { passes } from '../src/mining/kernel/wasm-kernel.ts';
import { startScalarOf } from '../src/mining/kernel-strategies.ts';
import { STRATEGIES } from '../src/mining/strategies.ts';
import { parseSeed } from '../src/random.ts';
import { kernelSource } from '../src/runtime/threads/kernels.ts';

import type { Subject, Suite, Yardstick } from './measure.ts';
import { yardstickOf } from './measure.ts';
import { scanning } from './mining.ts';
import { opensslSha256 } from './yardstick.ts';

const SEED = parseSeed('1');
/** Every form of node IDs and static puzzles besides the strict one. */
const NAMES = ['truncated-id', 'torsion', 'sha1', 'salted', 'storj', 'yggdrasil'] as const;
/** More bits than can be met, so that no scan ends early. Storj counts to 255, SHA-1 to 160. */
const C1 = 150;
/** mkp224o's own work without hashing, over the same yardstick, measured on the machine of the other figures. */
const MKP224O = 0.71;
/** The shares of all node IDs that meet the goals with a window. */
const SHARES = [1 / 2, 1 / 8, 1 / 64];
const ANY: Goal = { type: 'any' };

type Rated = Omit<Subject, 'yardstick'>;

export function policySuite(): Suite {
  const openssl = opensslSha256();
  return {
    subjects: [...(['ed25519', 'secp256k1'] as const).flatMap(schemeSubjects), yggdrasil(openssl)],
    rounds: 3,
    sliceMs: 500,
    notes: [`mkp224o makes ${MKP224O} keys for each hash of the yardstick (native assembly)`],
  };
}

function schemeSubjects(scheme: SchemeName): readonly Subject[] {
  const strict = kernelSubject('strict', scheme, ANY);
  const standard = yardstickOf(strict);
  const names = NAMES.filter(
    (name) => policyUnsupportedReasons(NAMED_POLICIES[name].policy, scheme).length === 0,
  );
  return [
    ...names.flatMap((name) => {
      const subject = kernelSubject(name, scheme, ANY);
      const noble = yardstickOf(nobleSubject(name, scheme));
      return [
        { ...subject, yardstick: standard },
        { ...subject, yardstick: noble },
      ];
    }),
    ...SHARES.map((share) => {
      const goal = topShare(NAMED_POLICIES.strict.policy, share);
      const subject = kernelSubject('strict', scheme, goal);
      return { ...subject, name: `${subject.name}, top 1/${1 / share}`, yardstick: standard };
    }),
  ];
}

function yggdrasil(yardstick: Yardstick | null): Subject {
  return { ...kernelSubject('yggdrasil', 'ed25519', ANY), yardstick };
}

function kernelSubject(name: keyof typeof NAMED_POLICIES, scheme: SchemeName, goal: Goal): Rated {
  const policy = hard(NAMED_POLICIES[name].policy);
  const spec = { scheme, policy, goal, seed: SEED, strategy: 'siblings' } as const;
  const searcher = STRATEGIES.siblings.searcher(
    { ...spec, dynamicStrategy: 'dynamic' },
    kernelSource(),
  );
  const scan = (from: number, count: number) => searcher.scan({ from, count, wanted: 1 });
  const { key, id } = kernelFormat(policy, scheme);
  const blocks = [key, id].reduce((sum, { blocks }) => sum + blocks, 0);
  const title = `${name} ${scheme} (${blocks} blocks)`;
  return { name: title, unit: 'candidates', clock: 'cpu', ...scanning(scan) };
}

/** The candidates of the kernel, made in whole batches and tested by noble. */
function nobleSubject(name: keyof typeof NAMED_POLICIES, scheme: SchemeName): Rated {
  const policy = hard(NAMED_POLICIES[name].policy);
  const startScalar = startScalarOf({ scheme, seed: SEED });
  const walk = { scheme, siblings: !idRuleOf(policy).isKey, startScalar };
  const size = attemptsPerBatch(walk);
  const scan = (from: number, count: number) => {
    for (let batch = Math.floor(from / size); batch * size < from + count; batch += 1) {
      for (const key of batchKeys(walk, BigInt(batch))) {
        if (key !== null) passes({ rules: policy, c1: C1 }, key);
      }
    }
  };
  const { unitsPerCall, call } = scanning((next, count) => scan(next * size, count * size), 1);
  const unit = 'candidates';
  return { name: `noble ${name}`, unit, clock: 'cpu', unitsPerCall: unitsPerCall * size, call };
}

function hard(policy: Policy): Policy {
  return { ...policy, c1: C1, c2: 0 };
}

function topShare(policy: Policy, share: number): Goal {
  const nodeId = new Uint8Array(nodeIdBytesOf(policy));
  nodeId[0] = 256 * (1 - share);
  return { type: 'above', nodeId };
}
