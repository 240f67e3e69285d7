/**
 * @module
 * Attacks as tests ask for them: what is not said is ordinary, identities are mined on one thread.
 */

import type { AskedAttack, AttackServices } from '../../../src/experiment/attack/attack.ts';
import { executeAttack, planAttack } from '../../../src/experiment/attack/attack.ts';
import { remembering } from '../../../src/experiment/attack/forge.ts';
import { reportAttack, succeededIn } from '../../../src/experiment/attack/report.ts';
import type { Tried } from '../../../src/experiment/attack/trials.ts';
import { tryDefences } from '../../../src/experiment/attack/trials.ts';
import { parseSeed } from '../../../src/random.ts';
import { createForge } from '../../../src/runtime/threads/forge.ts';

export type Asked = Partial<Omit<AskedAttack, 'seed'>> &
  Pick<AskedAttack, 'protocol'> & { readonly seed?: string };

export function asked({ seed = '4', ...given }: Asked): AskedAttack {
  return {
    ...{ level: 'L0', behaviours: [], defences: [], aim: null, forge: null },
    ...{ nodes: 5, c1: 4, budget: {}, seed: parseSeed(seed) },
    ...given,
  };
}

export const SERVICES: AttackServices = {
  forge: remembering(
    createForge({
      ...{ threads: 1, signal: undefined },
      onProgress: () => undefined,
    }),
  ),
  goOn: async () => true,
};

/** The attack and what came of it; what would have stopped it is tried where `isTried`. */
export async function attacked(
  given: Asked,
  isTried = false,
): Promise<ReturnType<typeof reportAttack>> {
  const attack = planAttack(asked(given));
  const execution = await executeAttack(attack, SERVICES);
  if (execution.outcome === 'cancelled') throw new TypeError('"outcome" expected an end, got none');
  const isSuccess = succeededIn(attack, execution) === true && execution.outcome === 'run';
  const tried =
    isTried && isSuccess ? await tryDefences(attack, execution, SERVICES) : NOTHING_TRIED;
  return reportAttack(attack, execution, tried);
}

const NOTHING_TRIED: Tried = { trials: [], notTried: [], sets: null };

/** What does not depend on the machine. */
export function repeatable({ ledger, ...rest }: ReturnType<typeof reportAttack>) {
  const { attempts, hashes, groupOperations } = ledger;
  return { ...rest, ledger: { attempts, hashes, groupOperations } };
}
