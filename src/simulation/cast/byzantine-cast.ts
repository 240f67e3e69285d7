/**
 * @module
 * A cast some of whose places are corrupted, under a level of authentication. Honest and corrupted
 * nodes run the same protocol under the same level; a behaviour is put around a corrupted one's
 * machine, so that it has the node's keys and no others.
 */

import type { Behaviour } from '../../adversary/behaviours/behaviour.ts';
import { confined } from '../../adversary/behaviours/colluders.ts';
import { findBehaviour } from '../../adversary/behaviours/registry.ts';
import { symbolicKeys } from '../../adversary/keys.ts';
import type { Authentication, Keys } from '../../election/authentication/authenticated.ts';
import { createAuthenticated } from '../../election/authentication/authenticated.ts';
import { guardAround } from '../../election/defences/defended.ts';
import {
  createInItsOwn,
  createInNewest,
  createNumberedElections,
} from '../../election/defences/numbered-elections.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Rank } from '../../election/machine.ts';
import type { Cast } from '../../election/world/cast.ts';
import { toRank } from '../../election/world/cast.ts';
import { ONE_ELECTION } from '../plan/outside-nodes.ts';
import type { Byzantine, Plan } from '../plan/plan.ts';
import { electionName, isNumbered } from './election-name.ts';
import { memoisedWrapper } from './fitted-once.ts';

/** The cast under the plan's level, its corrupted places corrupted; `keysOf` are real keys if given. */
export function withByzantine(
  cast: Cast,
  plan: Plan,
  keysOf: ((rank: Rank) => Keys) | undefined,
): Cast {
  const { protocol, level, byzantine, timing, defences } = plan;
  if (level === null) return cast;
  const keys = keysOf ?? symbolicKeys(plan.seed, admitted(plan));
  const authenticationIn = (number: string): Authentication => ({
    ...{ level, protocol, places: plan.nodes, keysOf: keys },
    election: electionName(plan, Number(number)),
  });
  const numbers = isNumbered(plan);
  const authenticated = memoisedWrapper((machine) => {
    const create = (election: string) => createAuthenticated(machine, authenticationIn(election));
    return numbers ? createNumberedElections(create, timing) : create(ONE_ELECTION);
  });
  const defended = memoisedWrapper((machine) => {
    const create = (election: string) => {
      const authentication = authenticationIn(election);
      return guardAround(machine, defences, { protocol, timing, authentication });
    };
    const isReceipted = numbers && defences.includes('receipts');
    return isReceipted ? createInItsOwn(create, authenticationIn) : create(ONE_ELECTION);
  });
  const corrupted = new Map(
    byzantine.map((each) => {
      const machine = authenticated(cast.machineOf(each.rank));
      const create = (election: string) =>
        corrupt(machine, each, { plan, authentication: authenticationIn(election) });
      return [each.rank, numbers ? createInNewest(create) : create(ONE_ELECTION)];
    }),
  );
  const machineOf = (place: number) => {
    const machine = cast.machineOf(place);
    return place === cast.store
      ? machine
      : (corrupted.get(place) ?? defended(authenticated(machine)));
  };
  return { ...cast, machineOf };
}

/** Who has keys that count: everybody but the phantoms. */
function admitted({ nodes, phantoms }: Plan): Rank[] {
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  return ranks.filter((rank) => !phantoms.includes(rank)).map(toRank);
}

function corrupt(
  machine: AnyMachine,
  { rank, behaviours }: Byzantine,
  run: { readonly plan: Plan; readonly authentication: Authentication },
): AnyMachine {
  const { plan, authentication } = run;
  const accomplices = plan.byzantine.map((each) => toRank(each.rank));
  const phantom = plan.phantoms.reduce((highest, each) => Math.max(highest, each), 0);
  const byzantineNode = {
    ...{ protocol: plan.protocol, timing: plan.timing, accomplices },
    rank: toRank(rank),
    // A behaviour is handed no key but those of its own kind, so that it cannot sign for others.
    authentication: confined(authentication, accomplices),
    phantom: toRank(phantom === 0 ? plan.nodes : phantom),
  };
  return behaviours.reduce<AnyMachine>(
    (inner, name) => behaviourOf(name).wrap(inner, byzantineNode),
    machine,
  );
}

function behaviourOf(name: string): Behaviour {
  const behaviour = findBehaviour(name);
  if (behaviour === null) throw new RangeError(`"name" expected a behaviour, got ${name}`);
  return behaviour;
}
